# Compile rules that every target of the project shares. Contraction is off everywhere: GCC and
# clang fuse a*b+c by default, and a fused operation is another result.
add_library(reprosum_compile INTERFACE)
target_compile_features(reprosum_compile INTERFACE cxx_std_20)
target_include_directories(reprosum_compile INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}/..>
  $<BUILD_INTERFACE:${CMAKE_CURRENT_LIST_DIR}/../include>)
# -Wrestrict of GCC 12 is wrong about operator+(const char*, std::string&&) (GCC bug 105651).
target_compile_options(reprosum_compile INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  -ffp-contract=off -fno-fast-math -Wall -Wextra -Wconversion -Wno-sign-conversion
  "$<$<NOT:$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:REPROSUM_PRECOMPILED>>>>:SHELL:-include ${CMAKE_CURRENT_LIST_DIR}/strict_floating_point.h>")

# What runs seldom or waits for others is optimised less: half a build is such code.
set(REPROSUM_COLD $<$<CONFIG:Release>:-O1>)

set(REPROSUM_SANITIZE "" CACHE STRING "address or undefined: build with that sanitizer")
if(REPROSUM_SANITIZE)
  add_compile_options(-fsanitize=${REPROSUM_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${REPROSUM_SANITIZE})
  if(REPROSUM_SANITIZE STREQUAL undefined)
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()

# Without a generator the library is small enough to be carried about, so what nothing calls is left
# out of it: half a megabyte of five.
if(NOT REPROSUM_LLVM)
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(LINKER:--gc-sections)
endif()

# reprosum_add_part(name SOURCES ... LINK ...): one of the project's static parts.
function(reprosum_add_part name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS)
    message(WARNING "reprosum_add_part(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC reprosum_compile ${arg_LINK})
endfunction()
