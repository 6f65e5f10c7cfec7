# find_package(reprosum CONFIG) and pkg-config reprosum, for who builds on an installed copy.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/reprosum)
install(EXPORT reprosumTargets NAMESPACE reprosum:: DESTINATION ${package_directory}
  COMPONENT Development)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/reprosumConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/reprosumConfig.cmake
  INSTALL_DESTINATION ${package_directory} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/reprosumConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/reprosumConfig.cmake
  ${PROJECT_BINARY_DIR}/package/reprosumConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/ReprosumAddKernels.cmake
  DESTINATION ${package_directory} COMPONENT Development)

# A packager may give absolute directories.
set(AT "@")  # keeps @prefix@ for the second step
foreach(kind LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    set(pc_${kind} "${CMAKE_INSTALL_${kind}}")
  else()
    set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
# The prefix is written at installation, when `cmake --install --prefix` has been read.
configure_file(${PROJECT_SOURCE_DIR}/cmake/reprosum.pc.in
  ${PROJECT_BINARY_DIR}/package/reprosum.pc.in @ONLY)
install(CODE "
  set(prefix \"\${CMAKE_INSTALL_PREFIX}\")
  configure_file(\"${PROJECT_BINARY_DIR}/package/reprosum.pc.in\"
    \"${PROJECT_BINARY_DIR}/package/reprosum.pc\" @ONLY)" COMPONENT Development)
install(FILES ${PROJECT_BINARY_DIR}/package/reprosum.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT Development)
