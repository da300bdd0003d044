# page.wasm without a browser: in node, with a real server.
set(page_module ${DROVER_WASM_DIR}/bin/page.wasm)

# drover_module_test(NAME COMMAND script words... [TIMEOUT s])
function(drover_module_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND" ${ARGN})
  list(POP_FRONT arg_COMMAND script)
  add_test(NAME web.${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/needs.sh node node ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${page_module} ${arg_COMMAND}
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(web.${name} PROPERTIES LABELS web TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77 REQUIRED_FILES ${page_module})
endfunction()

# What the module asks of the Worker: web/page_host.h.
drover_module_test(imports_of_page COMMAND imports.mjs drover.page_host_now_ms drover.page_host_wall_ms drover.page_host_log
  drover.page_host_copy drover.page_host_fetch drover.page_host_title drover.page_host_cursor drover.page_host_full_screen drover.page_host_keep
  drover.page_host_save drover.page_host_save_picture drover.page_host_read TIMEOUT 60)
drover_module_test(page_alone COMMAND page_alone.mjs $<TARGET_FILE:drover-server> TIMEOUT 300)
if(TARGET drover-viewer)
  foreach(test page_pictures page_pictures_all)
    drover_module_test(${test} COMMAND page_pictures.mjs $<TARGET_FILE:drover-server> $<TARGET_FILE:drover-viewer> TIMEOUT 1200)
    set_property(TEST web.${test} PROPERTY REQUIRED_FILES ${page_module} $<TARGET_FILE:drover-viewer>)
  endforeach()
  drover_slow(web.page_pictures_all)
endif()

# server.wasm, the server of a page, beside the native one.
set(server_module ${DROVER_WASM_DIR}/bin/server.wasm)
add_test(NAME web.server_alone COMMAND ${CMAKE_SOURCE_DIR}/tests/needs.sh "node esbuild" node ${CMAKE_CURRENT_SOURCE_DIR}/server_alone.mjs ${server_module}
         $<TARGET_FILE:drover-server> $<TARGET_FILE:drover> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(web.server_alone PROPERTIES LABELS web TIMEOUT 300 SKIP_RETURN_CODE 77 REQUIRED_FILES ${server_module})
