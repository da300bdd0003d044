# The flags every target of ours is compiled with, as the interface target drover_options.
# -ffp-contract=off and no -ffast-math are part of the determinism contract (docs/architecture.md).
add_library(drover_options INTERFACE)
target_compile_features(drover_options INTERFACE c_std_17)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
target_include_directories(drover_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(drover_options INTERFACE _POSIX_C_SOURCE=200809L
  DROVER_VERSION="${PROJECT_VERSION}")
target_compile_options(drover_options INTERFACE
  -ffp-contract=off -fno-math-errno
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wformat=2 -Wundef
  -Wcast-qual -Wwrite-strings -Wnull-dereference
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

# drover_library(NAME SOURCES... ) - a static library of ours, a folder of the tree.
function(drover_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC drover_options)
endfunction()
