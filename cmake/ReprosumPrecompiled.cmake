# Headers that many files include, parsed once for each kind of them. A file still includes what it
# uses: the preset `small` builds without them (CMAKE_DISABLE_PRECOMPILE_HEADERS).
#
# reprosum_precompiled(kind target...): these targets take the headers of that kind, and reprosum_compile's
# check of floating point with them, for a compiler takes precompiled headers first or not at all.
set(REPROSUM_STANDARD_HEADERS
  <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <random>
  <set> <span> <string> <string_view> <tuple> <utility> <variant> <vector>)

# One target holds the headers of a kind. GCC takes them for objects of the same kind of code alone:
# that of a program is no position-independent library's.
function(reprosum_precompile kind type)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "HEADERS;LINK")
  set(owner reprosum_headers_of_${kind})
  set(source ${PROJECT_BINARY_DIR}/generated/${owner}.cpp)
  if(type STREQUAL EXECUTABLE)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() { return 0; }\n")
    add_executable(${owner} ${source})
    set_target_properties(${owner} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
  else()
    file(CONFIGURE OUTPUT ${source} CONTENT "namespace { [[maybe_unused]] int nothing; }\n")
    add_library(${owner} STATIC ${source})
  endif()
  target_link_libraries(${owner} PRIVATE reprosum_compile ${arg_LINK})
  set_target_properties(${owner} PROPERTIES REPROSUM_PRECOMPILED ON)
  target_precompile_headers(${owner} PRIVATE
    ${PROJECT_SOURCE_DIR}/cmake/strict_floating_point.h ${REPROSUM_STANDARD_HEADERS}
    ${arg_HEADERS})
endfunction()

function(reprosum_precompiled kind)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  foreach(target ${ARGN})
    set_target_properties(${target} PROPERTIES REPROSUM_PRECOMPILED ON)
    target_precompile_headers(${target} REUSE_FROM reprosum_headers_of_${kind})
  endforeach()
endfunction()
