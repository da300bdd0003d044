# The compiler flags of all targets, as the interface target drover_options.
# -ffp-contract=off, no -ffast-math and DROVER_FLOAT_FLAGS are part of the determinism contract
# (docs/architecture.md).
include(CheckCSourceCompiles)

# Every sum of floats is rounded to a float (FLT_EVAL_METHOD 0). Most processors do that by themselves; strict ISO C
# asks s390x for doubles, and x87 has only its 80 bits. The first flags that work are taken; if none do,
# server/sim/world/world_internal.h does not compile.
function(drover_float_flags result)
  set(candidates "" "-fexcess-precision=fast" "-msse2 -mfpmath=sse")
  foreach(flags IN LISTS candidates)
    string(MAKE_C_IDENTIFIER "DROVER_ROUNDS_TO_FLOAT ${flags}" name)
    set(CMAKE_REQUIRED_FLAGS "-std=c17 ${flags}")
    check_c_source_compiles("#include <float.h>
      _Static_assert(FLT_EVAL_METHOD == 0, \"wider than float\");
      int main(void) { return 0; }" ${name})
    if(${name})
      separate_arguments(flags UNIX_COMMAND "${flags}")
      set(${result} ${flags} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
drover_float_flags(DROVER_FLOAT_FLAGS)

add_library(drover_options INTERFACE)
set(CMAKE_C_STANDARD 17) # and no newer one, which some compilers take by themselves
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
target_include_directories(drover_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(drover_options INTERFACE _POSIX_C_SOURCE=200809L
  DROVER_VERSION="${PROJECT_VERSION}")
if(WIN32)
  # Numbers are read and written by mingw-w64, which rounds as glibc does, and not by Windows' own C library.
  target_compile_definitions(drover_options INTERFACE __USE_MINGW_ANSI_STDIO=1 _WIN32_WINNT=0x0601)
endif()
target_compile_options(drover_options INTERFACE
  -ffp-contract=off -fno-math-errno ${DROVER_FLOAT_FLAGS}
  $<$<CONFIG:Release>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=>
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wformat=2 -Wundef
  -Wcast-qual -Wwrite-strings -Wnull-dereference
  $<$<BOOL:$<TARGET_PROPERTY:DROVER_CMOCKA>>:-Wno-unused-parameter> # few of cmocka's tests have a use for their state
  $<$<BOOL:${WIN32}>:-Wno-float-conversion> # mingw-w64's isfinite and signbit convert where they do not go
  $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion> # in C an enumerator is an int
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wvla>
  $<$<BOOL:${DROVER_WERROR}>:-Werror>)
if(DROVER_FUZZ)
  target_compile_options(drover_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(drover_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(DROVER_SANITIZE)
  target_compile_options(drover_options INTERFACE
    -fsanitize=${DROVER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(drover_options INTERFACE -fsanitize=${DROVER_SANITIZE})
endif()

# drover_library(NAME SOURCES... ) - a static library, a folder of the tree.
function(drover_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC drover_options)
endfunction()

# drover_wasm_quick(SOURCES...) - sources of this folder that a page waits for more often than for their bytes: -O2 there instead of -Oz.
function(drover_wasm_quick)
  if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -O2)
  endif()
endfunction()
