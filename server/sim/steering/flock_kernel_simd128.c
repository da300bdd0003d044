/* The flock kernel for the 128-bit vectors of WebAssembly, 4 agents at a time. See flock_kernel.h. */
#if defined(__wasm_simd128__)
#define LANES_WIDTH    4
#define FLOCK_FUNCTION flock_kernel_simd128
#include "server/sim/steering/flock_move.inc.h"
#else
typedef int flock_kernel_simd128_is_for_wasm;
#endif
