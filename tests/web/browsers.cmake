# The page in Chromium and Firefox. All have the labels web and browser; each runs one engine at a time.
set(DROVER_NODE_MODULES ${CMAKE_SOURCE_DIR}/build/web-tests/node_modules CACHE PATH "Where ./dev lets npm put web/package-lock.json")
set(engine_chromium /usr/bin/chromium)
set(engine_firefox /usr/bin/firefox-esr)

# drover_browser_test(NAME ENGINE COMMAND words... [NEEDS what...] [TIMEOUT s] [ENVIRONMENT NAME=value...])
# - a script of tests/web, with the engine as its first argument.
function(drover_browser_test name engine)
  cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND;NEEDS;ENVIRONMENT" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  list(JOIN arg_NEEDS " " needs)
  list(POP_FRONT arg_COMMAND script)
  add_test(NAME web.${name}_${engine} COMMAND ${CMAKE_SOURCE_DIR}/tests/needs.sh "node ${engine_${engine}} ${needs}"
           node ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${engine} ${arg_COMMAND} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(web.${name}_${engine} PROPERTIES LABELS "web;browser" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
    ENVIRONMENT "DROVER_NODE_MODULES=${DROVER_NODE_MODULES};${arg_ENVIRONMENT}")
endfunction()

# Without a driver: a page that posts what it finds. What costs much time of the processor is slow; each engine has its part every time.
drover_browser_test(harness chromium COMMAND test_harness.mjs)
drover_browser_test(harness firefox COMMAND test_harness.mjs)
drover_slow(web.harness_chromium web.harness_firefox COST 100)

if(DROVER_WEB)
  # What the page is made of: the same bits.
  set(core ${DROVER_WASM_DIR}/bin/core.wasm)
  foreach(engine chromium firefox)
    drover_browser_test(hashes ${engine} COMMAND test_hashes.mjs ${core} NEEDS ${core})
    drover_browser_test(hashes_all ${engine} COMMAND test_hashes.mjs ${core} NEEDS ${core} TIMEOUT 2400)
    drover_slow(web.hashes_all_${engine})
  endforeach()

  # The page, driven by puppeteer.
  set(driver ${DROVER_NODE_MODULES}/puppeteer-core)
  set(page_environment "DROVER_SERVER=$<TARGET_FILE:drover-server>")
  drover_browser_test(page chromium COMMAND test_page.mjs NEEDS ${driver} ENVIRONMENT ${page_environment})
  drover_browser_test(page firefox COMMAND test_page.mjs select NEEDS ${driver} ENVIRONMENT ${page_environment})
  drover_browser_test(link chromium COMMAND test_link.mjs hidden reconnect token slow NEEDS ${driver} ENVIRONMENT ${page_environment})
  drover_browser_test(seconds chromium COMMAND test_seconds.mjs NEEDS ${driver} ENVIRONMENT ${page_environment})
  drover_browser_test(touch chromium COMMAND test_touch.mjs NEEDS ${driver} ENVIRONMENT ${page_environment})
  drover_slow(web.touch_chromium)
  drover_browser_test(crowd chromium COMMAND test_crowd.mjs NEEDS ${driver} ENVIRONMENT ${page_environment})
  drover_slow(web.crowd_chromium COST 200) # 10 000 agents without a graphics card
  drover_browser_test(page_all firefox COMMAND test_page.mjs NEEDS ${driver} TIMEOUT 1800 ENVIRONMENT ${page_environment})
  drover_slow(web.page_all_firefox)
  if(TARGET drover-viewer)
    drover_browser_test(two chromium COMMAND test_two.mjs NEEDS ${driver} ${engine_firefox}
      ENVIRONMENT "${page_environment};DROVER_VIEWER=$<TARGET_FILE:drover-viewer>")
    drover_slow(web.two_chromium)
    foreach(engine chromium firefox)
      drover_browser_test(pictures ${engine} COMMAND test_pictures.mjs NEEDS ${driver} TIMEOUT 900
        ENVIRONMENT "${page_environment};DROVER_VIEWER=$<TARGET_FILE:drover-viewer>")
      drover_slow(web.pictures_${engine} COST 300)
    endforeach()
  endif()
  # The page with its server inside.
  set(gallery ${CMAKE_BINARY_DIR}/gallery)
  drover_browser_test(world chromium COMMAND test_world.mjs ${gallery} start share files seconds NEEDS ${driver} ${gallery}/world.html)
  drover_browser_test(world firefox COMMAND test_world.mjs ${gallery} start links NEEDS ${driver} ${gallery}/world.html)
  foreach(engine chromium firefox)
    drover_browser_test(world_all ${engine} COMMAND test_world.mjs ${gallery} NEEDS ${driver} ${gallery}/world.html TIMEOUT 900)
    drover_slow(web.world_all_${engine} COST 200)
  endforeach()
  drover_browser_test(gallery chromium COMMAND test_gallery.mjs ${gallery} pages lessons editor NEEDS ${driver} ${gallery}/world.html ${gallery}/index.html)
  drover_browser_test(gallery firefox COMMAND test_gallery.mjs ${gallery} editor late hashes NEEDS ${driver} ${gallery}/world.html ${gallery}/index.html)
  foreach(engine chromium firefox)
    drover_browser_test(gallery_all ${engine} COMMAND test_gallery.mjs ${gallery} NEEDS ${driver} ${gallery}/world.html ${gallery}/index.html TIMEOUT 1800)
    drover_slow(web.gallery_all_${engine} COST 200)
  endforeach()
  foreach(engine chromium firefox)
    drover_browser_test(link_all ${engine} COMMAND test_link.mjs NEEDS ${driver} TIMEOUT 1800 ENVIRONMENT ${page_environment})
    drover_slow(web.link_all_${engine})
    drover_browser_test(rebinding ${engine} COMMAND test_rebinding.mjs NEEDS ${driver} ENVIRONMENT ${page_environment})
    drover_slow(web.rebinding_${engine})
  endforeach()
endif()
