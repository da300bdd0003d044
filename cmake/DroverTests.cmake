# drover_cmocka_test(NAME LABEL SOURCES... LIBRARIES libs...) - one test program, one CTest.
function(drover_cmocka_test name label)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${arg_LIBRARIES} PkgConfig::CMOCKA)
  add_test(NAME ${label}.${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT 300)
endfunction()
