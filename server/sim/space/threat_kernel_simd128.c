/* The threat kernel for the 128-bit vectors of WebAssembly, 4 agents at a time. See threat_kernel.h. */
#if defined(__wasm_simd128__)
#define LANES_WIDTH     4
#define THREAT_FUNCTION threat_kernel_simd128
#include "server/sim/space/threat_kernel.inc.h"
#else
typedef int threat_kernel_simd128_is_for_wasm;
#endif
