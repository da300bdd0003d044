# WebAssembly for the page: Debian's clang, wasm-ld and wasi-libc (packages.txt, group web). No emscripten, no threads, no files.
# The flags of the environment are for programs of this machine, such as those of a Debian build.
foreach(variable CFLAGS CXXFLAGS CPPFLAGS LDFLAGS)
  unset(ENV{${variable}})
endforeach()
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DROVER_WASM_SIMD)
option(DROVER_WASM_SIMD "Use the 128-bit vectors of WebAssembly; every browser since 2023 has them" ON)

# For this target clang looks in /usr/include too, so a header that wasi-libc lacks would silently be that of the machine.
# A system root of its own has the two folders of wasi-libc and nothing else.
set(CMAKE_SYSROOT ${CMAKE_BINARY_DIR}/sysroot)
foreach(folder include lib)
  if(NOT EXISTS ${CMAKE_SYSROOT}/${folder}/wasm32-wasi)
    file(MAKE_DIRECTORY ${CMAKE_SYSROOT}/${folder})
    file(CREATE_LINK /usr/${folder}/wasm32-wasi ${CMAKE_SYSROOT}/${folder}/wasm32-wasi SYMBOLIC)
  endif()
endforeach()

set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
find_program(CMAKE_AR llvm-ar REQUIRED)
find_program(CMAKE_RANLIB llvm-ranlib REQUIRED)

# Relaxed SIMD is never used: its operations may round differently from one browser to another.
set(CMAKE_C_FLAGS_INIT "-ffunction-sections -fdata-sections")
if(DROVER_WASM_SIMD)
  string(APPEND CMAKE_C_FLAGS_INIT " -msimd128 -mnontrapping-fptoint -msign-ext")
endif()
set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG" CACHE STRING "") # small: drover_wasm_quick says what is quick

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
