# cJSON from its source package, which ./dev fetches: for systems that Debian has no compiled one for. Its users link it as they link the
# machine's own.
set(DROVER_CJSON_SOURCE ${CMAKE_SOURCE_DIR}/build/sources/cjson CACHE PATH "Folder with cJSON.c and cJSON.h")
if(NOT EXISTS ${DROVER_CJSON_SOURCE}/cJSON.c)
  message(FATAL_ERROR "The source of cJSON is not in DROVER_CJSON_SOURCE, ${DROVER_CJSON_SOURCE}; ./dev wasm fetches it")
endif()
add_library(drover_cjson STATIC ${DROVER_CJSON_SOURCE}/cJSON.c)
target_include_directories(drover_cjson SYSTEM PUBLIC ${DROVER_CJSON_SOURCE}/..)
target_compile_definitions(drover_cjson PUBLIC CJSON_HIDE_SYMBOLS) # a DLL shows none of it
target_compile_options(drover_cjson PRIVATE -std=c99 -ffp-contract=off -w)
set_target_properties(drover_cjson PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden) # it is part of the shared libraries
add_library(PkgConfig::CJSON ALIAS drover_cjson)
