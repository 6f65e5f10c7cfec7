# reprosum_add_test(name LABEL unit|bits|exact|capture|gpu|slow|full SOURCES ... LINK ...
#                   [ENVIRONMENT ...] [TIMEOUT s]): one GoogleTest binary, its cases discovered for
# CTest. A part has one binary per label, `part_test` or `part_label_test`: further calls of the name,
# from any folder, add their sources to it. What stands in for functions of the whole process, needs
# an environment of its own or is packed for another machine has a binary for itself.
function(reprosum_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "SOURCES;LINK;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS)
    message(WARNING "reprosum_add_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(properties "${arg_LABEL}, ${arg_TIMEOUT} s, ${arg_ENVIRONMENT}")
  if(NOT TARGET ${name})
    add_executable(${name})
    set_target_properties(${name} PROPERTIES REPROSUM_TEST_PROPERTIES "${properties}")
    target_link_libraries(${name} PRIVATE reprosum_compile GTest::gtest GTest::gtest_main)
    reprosum_precompiled(tests ${name})
    # Referees of the others run hot.
    if(arg_LABEL MATCHES "^(unit|gpu|capture)$")
      target_compile_options(${name} PRIVATE ${REPROSUM_COLD})
    endif()
    target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/generated)  # tests/paths.h
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
      PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
  get_target_property(first ${name} REPROSUM_TEST_PROPERTIES)
  if(NOT first STREQUAL "${properties}")
    message(FATAL_ERROR "reprosum_add_test(${name}): \"${properties}\" after \"${first}\"")
  endif()
  target_sources(${name} PRIVATE ${arg_SOURCES})
  list(FILTER arg_SOURCES INCLUDE REGEX "\\.c$")  # the headers are C++
  set_source_files_properties(${arg_SOURCES} TARGET_DIRECTORY ${name}
    PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  if("${arg_LINK}" MATCHES "reprosum_(reveal_target|capture)")
    add_dependencies(${name} reprosum_target)  # the program that targets are probed in
  endif()
endfunction()
