# reprosum_export_only(target script): the symbols of the version script are visible, and those of
# static libraries inside (LLVM among them) are not.
function(reprosum_export_only target script)
  target_link_options(${target} PRIVATE
    "LINKER:--version-script=${script}" "LINKER:--exclude-libs,ALL" "LINKER:--no-undefined-version")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  if(NOT REPROSUM_SANITIZE)  # a sanitizer's runtime comes with the program
    target_link_options(${target} PRIVATE "LINKER:--no-undefined")
  endif()
endfunction()
