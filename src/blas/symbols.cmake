# What is made of symbols.txt when CMake runs, in OUTPUT:
#   replayed.def     REPLAYED(name, twin) for each C++ entry, to which a trampoline leads
#   extras.def       EXTRA(name) for each name of an extension
# and for each of the two libraries, preload and libblas:
#   LIBRARY.def      FORWARDED(name, twin) for each trampoline, in the order of their numbers, or
#                    FORWARDED_AS(name, plain) where the backing may know it by its plain name alone
#   LIBRARY.version  what it shows
# The preloaded library's .def ends with LAPACK(name, twin, arguments) for each driver.
function(reprosum_blas_symbols table output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} lines REGEX "^[a-z]")
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "[a-z0-9_]+" words "${line}")
    list(POP_FRONT words kind)
    if(NOT kind MATCHES "^(replayed|forwarded|extra|replayed_extra|lapack|libblas)$")
      message(FATAL_ERROR "${table}: unknown kind \"${kind}\" in \"${line}\"")
    endif()
    if(kind STREQUAL "lapack")
      list(POP_FRONT words arguments)
      foreach(name IN LISTS words)
        # Beside the plain names and their ILP64 twins, those in wheels.
        foreach(called ${name} ${name}64_ ${name}64)
          string(APPEND drivers "LAPACK(${called}, , ${arguments})\n")
        endforeach()
        string(APPEND drivers "LAPACK(scipy_${name}, ${name}, ${arguments})\n"
          "LAPACK(scipy_${name}64_, ${name}64_, ${arguments})\n")
      endforeach()
      continue()
    endif()
    foreach(name IN LISTS words)
      if(kind STREQUAL "libblas")
        string(APPEND only_libblas "FORWARDED(${name}, )\n")
        string(APPEND shown_by_libblas "    ${name};\n")
        continue()
      endif()
      if(name MATCHES "^cblas_")
        set(first "${name}_64")
        set(second "${name}64_")
      else()
        set(first "${name}64_")
        set(second "${name}64")
      endif()
      # The names in wheels of SciPy and of NumPy.
      set(wheel "scipy_${name}")
      set(wide_wheel "scipy_${name}64_")
      if(kind MATCHES "replayed")
        string(APPEND replayed "REPLAYED(${name}, )\nREPLAYED(${first}, ${second})\n"
          "REPLAYED(${wheel}, ${name})\nREPLAYED(${wide_wheel}, ${first})\n")
      endif()
      string(APPEND forwarded "FORWARDED(${name}, )\nFORWARDED(${first}, ${second})\n")
      string(APPEND forwarded_in_wheels
        "FORWARDED_AS(${wheel}, ${name})\nFORWARDED_AS(${wide_wheel}, ${first})\n")
      if(kind MATCHES "extra")
        foreach(extra ${name} ${first} ${second} ${wheel} ${wide_wheel})
          string(APPEND extras "EXTRA(${extra})\n")
        endforeach()
      endif()
      string(APPEND shown "    ${name};\n    ${first};\n    ${second};\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${output}/replayed.def CONTENT "${replayed}")
  file(CONFIGURE OUTPUT ${output}/extras.def CONTENT "${extras}")
  file(CONFIGURE OUTPUT ${output}/preload.def CONTENT "${forwarded}${forwarded_in_wheels}${drivers}")
  file(CONFIGURE OUTPUT ${output}/libblas.def CONTENT "${forwarded}${only_libblas}")
  # A script with a version has no place for symbols without one: they are what is visible to the
  # compiler. Templates of the standard library are also visible.
  file(CONFIGURE OUTPUT ${output}/preload.version
    CONTENT "REPROSUM_COUNTED {\n  local:\n    _Z*;\n};\n")
  file(CONFIGURE OUTPUT ${output}/libblas.version
    CONTENT "{\n  global:\n${shown}${shown_by_libblas}  local:\n    *;\n};\n")
endfunction()
