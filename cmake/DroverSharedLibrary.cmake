# drover_shared_library(NAME OBJECTS TARGET LINK TARGET PACKAGE PACKAGE EXPORT_NAME NAME)
# The shared library libNAME.so.0 (libNAME.dll for Windows) of the folder that calls this, and what a program needs to be built with it: the headers below
# include/drover, NAME.pc and a package for CMake. The folder has libNAME.map, NAME.pc.in and PACKAGEConfig.cmake.in.
# SOVERSION rises when a program that was linked with the library before does not run with it any more (docs/libdrover.md).
include(CMakePackageConfigHelpers)

function(drover_shared_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OBJECTS;LINK;PACKAGE;EXPORT_NAME" "")
  set(library lib${name})
  set(map ${CMAKE_CURRENT_SOURCE_DIR}/${library}.map)
  add_library(${library} SHARED $<TARGET_OBJECTS:${arg_OBJECTS}>)
  target_link_libraries(${library} PRIVATE ${arg_LINK})
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME ${name} PREFIX lib VERSION ${PROJECT_VERSION} SOVERSION 0
    EXPORT_NAME ${arg_EXPORT_NAME} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib LINK_DEPENDS ${map})
  target_compile_definitions(${arg_OBJECTS} PRIVATE DROVER_EXPORTS) # the headers name what a DLL shows
  if(NOT WIN32)
    target_link_options(${library} PRIVATE -Wl,--version-script=${map})
    if(NOT DROVER_SANITIZE AND NOT DROVER_FUZZ)
      target_link_options(${library} PRIVATE -Wl,-z,defs)
    endif()
  endif()

  set(package_dir ${CMAKE_BINARY_DIR}/package)
  set(config_install_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${arg_PACKAGE})
  # The prefix as seen from the file, so that an installed tree can be moved.
  file(RELATIVE_PATH DROVER_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${name}.pc.in ${package_dir}/${name}.pc @ONLY)
  configure_package_config_file(${arg_PACKAGE}Config.cmake.in ${package_dir}/${arg_PACKAGE}Config.cmake
    INSTALL_DESTINATION ${config_install_dir})
  write_basic_package_version_file(${package_dir}/${arg_PACKAGE}ConfigVersion.cmake COMPATIBILITY SameMinorVersion)

  # The component libNAME is what a program needs to run, libNAME-dev what is needed to build it.
  install(TARGETS ${library} EXPORT ${arg_PACKAGE}Targets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${library}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${library}-dev
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${library} NAMELINK_COMPONENT ${library}-dev)
  install(DIRECTORY include/drover DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${library}-dev)
  install(FILES ${package_dir}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${library}-dev)
  install(FILES ${package_dir}/${arg_PACKAGE}Config.cmake ${package_dir}/${arg_PACKAGE}ConfigVersion.cmake
    DESTINATION ${config_install_dir} COMPONENT ${library}-dev)
  if(DROVER_STATIC)
    drover_static_library(${name} ${arg_OBJECTS} ${arg_LINK} ${arg_PACKAGE} ${arg_EXPORT_NAME}_static)
  endif()
  install(EXPORT ${arg_PACKAGE}Targets NAMESPACE Drover:: DESTINATION ${config_install_dir} COMPONENT ${library}-dev)
endfunction()

# drover_static_library(NAME OBJECTS LINK PACKAGE TARGET) - libNAME.a: one object with all that the shared library has, in which only the functions
# of the header can be seen; in the package of CMake it is Drover::TARGET. The program that it is linked into needs libcjson and libm.
function(drover_static_library name objects link static_package static_target)
  set(archive ${CMAKE_BINARY_DIR}/lib/lib${name}.a)
  set(object ${CMAKE_BINARY_DIR}/lib/lib${name}.o)
  get_target_property(others ${link} LINK_LIBRARIES)
  list(FILTER others INCLUDE REGEX "^drover_(sim|common)$")
  list(TRANSFORM others REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE other_files)
  if(CMAKE_INTERPROCEDURAL_OPTIMIZATION AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(lto -flto=auto -flinker-output=nolto-rel) # machine code, as other compilers read it
  endif()
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib ${lto} -o ${object} $<TARGET_OBJECTS:${objects}>
      -Wl,--start-group $<TARGET_FILE:${link}> ${other_files} -Wl,--end-group
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${object}
    DEPENDS $<TARGET_OBJECTS:${objects}> ${link} ${others}
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(lib${name}_static ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lib${name}-dev)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/StaticTarget.cmake.in ${package_dir}/${static_package}Static.cmake @ONLY)
  install(FILES ${package_dir}/${static_package}Static.cmake DESTINATION ${config_install_dir} COMPONENT lib${name}-dev)
endfunction()
