/* The sight kernel for the 128-bit vectors of WebAssembly, 4 agents at a time. See sight_kernel.h. */
#if defined(__wasm_simd128__)
#define LANES_WIDTH     4
#define SIGHT_FUNCTION sight_kernel_simd128
#include "server/sim/space/sight_kernel.inc.h"
#else
typedef int sight_kernel_simd128_is_for_wasm;
#endif
