/* The kernels for the 128-bit vectors of WebAssembly, 4 agents at a time. See kernels.h. */
#if defined(__wasm_simd128__)
#define LANES_WIDTH 4
#define KERNEL_SET  kernels_simd128
#include "server/sim/kernels/kernel_set.inc.h"
#else
typedef int kernels_simd128_is_for_wasm;
#endif
