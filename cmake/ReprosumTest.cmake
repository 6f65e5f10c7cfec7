# reprosum_add_test(name LABEL unit|bits|exact|gpu|slow|full SOURCES ... LINK ... [ENVIRONMENT ...]
#                   [TIMEOUT s]): one GoogleTest binary, its cases discovered for CTest.
function(reprosum_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "SOURCES;LINK;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS)
    message(WARNING "reprosum_add_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE reprosum_compile ${arg_LINK} GTest::gtest GTest::gtest_main)
  if("${arg_LINK}" MATCHES "reprosum_(reveal_target|capture)")
    add_dependencies(${name} reprosum_target)  # the program that targets are probed in
  endif()
  target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/generated)  # tests/paths.h
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
    PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()
