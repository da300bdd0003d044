/* The neighbor kernel for the 128-bit vectors of WebAssembly, 4 agents at a time. See neighbor_kernel.h. */
#if defined(__wasm_simd128__)
#define LANES_WIDTH     4
#define KERNEL_FUNCTION neighbor_kernel_simd128
#include "server/sim/space/neighbor_sums.inc.h"
#else
typedef int neighbor_kernel_simd128_is_for_wasm;
#endif
