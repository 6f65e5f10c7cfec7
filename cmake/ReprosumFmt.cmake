# reprosum_fmt: fmt for every part, linked statically. fmt.cpp instantiates what fmt 8 and 9 leave to
# their library; with another fmt the headers have to do.
find_package(fmt REQUIRED)
if(fmt_VERSION VERSION_GREATER_EQUAL 8 AND fmt_VERSION VERSION_LESS 10)
  add_library(reprosum_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
  target_compile_features(reprosum_fmt PUBLIC cxx_std_20)
  target_include_directories(reprosum_fmt SYSTEM PUBLIC
    $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
else()
  add_library(reprosum_fmt INTERFACE)
  target_link_libraries(reprosum_fmt INTERFACE fmt::fmt-header-only)
endif()
