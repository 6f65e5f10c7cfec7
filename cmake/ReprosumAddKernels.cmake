# reprosum_add_kernels(target SPEC file ISAS avx2 avx512 ... [ROUTINES sdot ...]
#   [SHAPES 64x64x128 ...] [NAME name])
#
# Makes the kernels of the spec at build time with `reprosum gen` and links them into the target,
# which hands them to the library before main(): what they replay needs no code generation. ISAS
# are backends of `reprosum list`, or x86-64-v3, x86-64-v4, aarch64; those for another machine than
# CMAKE_SYSTEM_PROCESSOR are made, but not linked. SHAPES are the products that kernels are made for,
# as m, n and k (default: some thousand). NAME (target_kernels) is that of the files and of
# NAME_add() in NAME.h. Kernels of a static library are linked into what uses it; a shared library with
# kernels stays in the process once it is loaded. No compiler flag of the target reaches the kernels.
function(reprosum_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SPEC;NAME" "ISAS;ROUTINES;SHAPES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "reprosum_add_kernels: unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target} OR NOT arg_SPEC OR NOT arg_ISAS)
    message(FATAL_ERROR "reprosum_add_kernels needs a target, SPEC and ISAS")
  endif()
  if(NOT REPROSUM_EXECUTABLE)
    message(FATAL_ERROR "reprosum_add_kernels needs the program reprosum: set REPROSUM_EXECUTABLE")
  endif()
  if(NOT arg_NAME)
    string(MAKE_C_IDENTIFIER "${target}_kernels" arg_NAME)
  endif()
  get_filename_component(spec "${arg_SPEC}" ABSOLUTE)
  string(REPLACE ";" "," isas "${arg_ISAS}")
  set(routines "")
  if(arg_ROUTINES)
    string(REPLACE ";" "," routines "${arg_ROUTINES}")
    set(routines --routines ${routines})
  endif()
  set(shapes "")
  if(arg_SHAPES)
    string(REPLACE ";" "," shapes "${arg_SHAPES}")
    set(shapes --shapes ${shapes})
  endif()
  set(processor ${CMAKE_SYSTEM_PROCESSOR})
  if(processor MATCHES "^(AMD64|amd64)$")
    set(processor x86_64)
  elseif(processor STREQUAL "arm64")
    set(processor aarch64)
  endif()
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}")
  set(source "${directory}/${arg_NAME}.c")
  set(objects "${directory}/${arg_NAME}-${processor}.a")
  add_custom_command(
    OUTPUT "${source}" "${directory}/${arg_NAME}.h" "${objects}"
    COMMAND "${REPROSUM_EXECUTABLE}" gen "${spec}" --emit object --isa ${isas} ${routines}
      ${shapes} --name ${arg_NAME} -o "${directory}"
    DEPENDS "${spec}" "${REPROSUM_EXECUTABLE}"
    COMMENT "Kernels of ${arg_SPEC} for ${isas}" VERBATIM)
  add_custom_target(${arg_NAME}_made DEPENDS "${source}" "${objects}")
  add_dependencies(${target} ${arg_NAME}_made)
  target_sources(${target} PRIVATE "${source}")
  target_include_directories(${target} PRIVATE "${directory}")
  target_link_libraries(${target} PRIVATE "${objects}" reprosum::reprosum)
  # A linker takes a member of a static library only for a name that it looks for.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} INTERFACE "LINKER:-u,${arg_NAME}_add")
  endif()
endfunction()
