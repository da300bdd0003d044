/* The steering kernel for the 128-bit vectors of WebAssembly, 4 agents at a time. See steering_kernel.h. */
#if defined(__wasm_simd128__)
#define LANES_WIDTH     4
#define STEERING_KERNEL steering_kernel_simd128
#include "server/sim/steering/steering_kernel.inc.h"
#else
typedef int steering_kernel_simd128_is_for_wasm;
#endif
