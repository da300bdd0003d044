# The wasm build: the same tree configured a second time, for WebAssembly (cmake/toolchain-wasm.cmake), in build/PRESET/wasm; always
# Release, without tests.
set(DROVER_WEB AUTO CACHE STRING "Build the page that drover-server serves: ON, OFF or AUTO (where its tools and the source of cJSON are found)")
set(DROVER_CJSON_SOURCE ${CMAKE_SOURCE_DIR}/build/sources/cjson CACHE PATH "Folder with cJSON.c and cJSON.h, for the page")

# drover_web_missing(RESULT) - what the wasm build needs and this machine lacks, by the names of packages.txt.
function(drover_web_missing result)
  set(missing "")
  foreach(tool clang wasm-ld llvm-ar esbuild tsc node)
    find_program(DROVER_TOOL_${tool} ${tool})
    mark_as_advanced(DROVER_TOOL_${tool})
    if(NOT DROVER_TOOL_${tool})
      list(APPEND missing ${tool})
    endif()
  endforeach()
  if(NOT EXISTS /usr/lib/wasm32-wasi/libc.a)
    list(APPEND missing wasi-libc)
  endif()
  if(DROVER_TOOL_clang)
    execute_process(COMMAND ${DROVER_TOOL_clang} --target=wasm32-wasi --print-libgcc-file-name
                    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT EXISTS "${runtime}")
      list(APPEND missing libclang-rt-dev-wasm32)
    endif()
  endif()
  if(NOT EXISTS ${DROVER_CJSON_SOURCE}/cJSON.c)
    list(APPEND missing "the source of cJSON in ${DROVER_CJSON_SOURCE} (./dev wasm fetches it)")
  endif()
  list(JOIN missing ", " missing)
  set(${result} "${missing}" PARENT_SCOPE)
endfunction()

# From here on DROVER_WEB is ON or OFF.
drover_web_missing(missing)
if(missing STREQUAL "" AND DROVER_WEB)
  set(DROVER_WEB ON)
elseif(DROVER_WEB STREQUAL "ON")
  message(FATAL_ERROR "DROVER_WEB is ON, and this is missing: ${missing}")
else()
  set(DROVER_WITHOUT_WEB "DROVER_WEB is OFF") # what its tests say
  if(DROVER_WEB)
    message(STATUS "Without the page; missing: ${missing}")
    set(DROVER_WITHOUT_WEB "the page is not built; missing: ${missing}")
  endif()
  set(DROVER_WEB OFF)
endif()

if(DROVER_WEB)
  set(DROVER_WASM_DIR ${CMAKE_BINARY_DIR}/wasm)
  # Its modules, for what depends on them here.
  set(modules ${DROVER_WASM_DIR}/bin/page.wasm ${DROVER_WASM_DIR}/bin/server.wasm)
  if(DROVER_TESTS)
    list(APPEND modules ${DROVER_WASM_DIR}/bin/core.wasm)
  endif()
  include(ExternalProject)
  ExternalProject_Add(wasm
    SOURCE_DIR ${CMAKE_SOURCE_DIR}
    BINARY_DIR ${DROVER_WASM_DIR}
    PREFIX ${DROVER_WASM_DIR}-step
    CMAKE_ARGS
      -DCMAKE_TOOLCHAIN_FILE=${CMAKE_SOURCE_DIR}/cmake/toolchain-wasm.cmake
      -UCMAKE_C_FLAGS -UCMAKE_C_FLAGS_RELEASE # an earlier configuration's: the toolchain file says it
      -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
      -DDROVER_CJSON_SOURCE=${DROVER_CJSON_SOURCE}
      -DDROVER_TESTS=${DROVER_TESTS}
      -DDROVER_WERROR=${DROVER_WERROR}
    BUILD_ALWAYS ON
    BUILD_BYPRODUCTS ${modules}
    INSTALL_COMMAND ""
    STEP_TARGETS configure)
endif()
