# How tests are registered. A label (unit, property, golden, checks, e2e, fuzz; window, slow beside it) chooses tests, and the
# packages of that group in packages.txt are installed for them. A test that ends with 77 was skipped and prints the reason. COST: what takes
# longest, or others wait for, begins first, so that no long test runs alone at the end.

# drover_cmocka_test(NAME LABEL SOURCES... LIBRARIES libs...) - one test program, one CTest.
function(drover_cmocka_test name label)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${arg_LIBRARIES} PkgConfig::CMOCKA)
  set_target_properties(test_${name} PROPERTIES DROVER_CMOCKA ON)
  # cmocka 2 has better names for what cmocka 1 knows by these alone.
  target_compile_definitions(test_${name} PRIVATE CMOCKA_DISABLE_DEPRECATION_WARNINGS)
  add_test(NAME ${label}.${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  drover_program_test(${label}.${name} ${label} test_${name})
endfunction()

# drover_program_test(TEST LABEL TARGET) - the properties of every test with a program of its own. Its file is a property as well, since
# ctest does not report the command of a program that is not built yet (tests/selection.py).
function(drover_program_test test label target)
  set_tests_properties(${test} PROPERTIES LABELS ${label} TIMEOUT 300 REQUIRED_FILES $<TARGET_FILE:${target}>)
endfunction()

# drover_script_test(NAME LABEL COMMAND words... [NEEDS what...] [TIMEOUT s] [ENVIRONMENT NAME=value...])
# - a Python script, run in the source tree; tests/needs.sh looks for NEEDS.
function(drover_script_test name label)
  cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND;NEEDS;ENVIRONMENT" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  list(JOIN arg_NEEDS " " needs)
  add_test(NAME ${label}.${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/needs.sh "${needs}" ${Python3_EXECUTABLE} ${arg_COMMAND}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${arg_ENVIRONMENT}")
endfunction()

# drover_slow(TEST... [COST n]) - runs only with `./dev test --slow`, with DROVER_SLOW=1 in its environment. COST: those with more
# begin first; the last ones are left out where there is no time for all. 1000: what is long, or others wait for; 900: many faults that
# no other test finds; 500: some; 100: few, or only beside others.
function(drover_slow)
  cmake_parse_arguments(arg "" "COST" "" ${ARGN})
  if(NOT arg_COST)
    set(arg_COST 500)
  endif()
  foreach(test IN LISTS arg_UNPARSED_ARGUMENTS)
    set_property(TEST ${test} APPEND PROPERTY LABELS slow)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT DROVER_SLOW=1)
    set_property(TEST ${test} PROPERTY COST ${arg_COST})
  endforeach()
endfunction()
