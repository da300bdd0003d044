/* The kernel of orca for the 128-bit vectors of WebAssembly, 4 agents at a time. See orca_kernel.h. */
#if defined(__wasm_simd128__)
#define LANES_WIDTH   4
#define ORCA_FUNCTION orca_kernel_simd128
#include "server/sim/steering/orca_kernel.inc.h"
#else
typedef int orca_kernel_simd128_is_for_wasm;
#endif
