# What takes the place of the machine's libraries in the wasm build, and how its modules are linked.

# Here, and not in Platform/WASI.cmake, since newer CMakes have one of their own, which they prefer.
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# Compilers' flags stay away from the linker: with an -O clang runs any wasm-opt that it finds, which then refuses the module's vectors.
set(CMAKE_C_LINK_EXECUTABLE "<CMAKE_C_COMPILER> <CMAKE_C_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")

include(DroverCjson)
# One thread: <pthread.h> is not there, and common/system/lock.h does without.
add_library(Threads::Threads INTERFACE IMPORTED GLOBAL)
# What the server has of these is in web/server/system.
add_library(PkgConfig::UV INTERFACE IMPORTED GLOBAL)
add_library(PkgConfig::ZSTD INTERFACE IMPORTED GLOBAL)

# drover_wasm_module(NAME SOURCES... LIBRARIES libs...) - NAME.wasm, a module that is initialized once (export `_initialize`) and then called.
# STACK: its bytes, 1 MiB unless given. Exports: `memory` and the functions with __attribute__((export_name("..."))).
function(drover_wasm_module name)
  cmake_parse_arguments(arg "" "STACK" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  if(NOT arg_STACK)
    set(arg_STACK 1048576)
  endif()
  target_link_options(${name} PRIVATE -mexec-model=reactor -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=${arg_STACK})
endfunction()
