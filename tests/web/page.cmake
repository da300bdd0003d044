# The page's scripts, without the page.
function(drover_node_test name)
  cmake_parse_arguments(arg "" "" "COMMAND;NEEDS" ${ARGN})
  list(JOIN arg_NEEDS " " needs)
  list(POP_FRONT arg_COMMAND script)
  add_test(NAME web.${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/needs.sh "node ${needs}" node ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${arg_COMMAND}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(web.${name} PROPERTIES LABELS web TIMEOUT 60 SKIP_RETURN_CODE 77)
endfunction()

drover_node_test(scripts COMMAND test_scripts.mjs NEEDS esbuild)
drover_node_test(sizes COMMAND sizes.mjs ${CMAKE_BINARY_DIR}/web/sizes.json ${CMAKE_BINARY_DIR}/gallery)
drover_node_test(panels COMMAND panels_dom.mjs NEEDS chromium esbuild)
set_property(TEST web.panels APPEND PROPERTY LABELS browser) # ./dev test installs chromium for it
