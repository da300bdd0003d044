/* The kernel of orca for AVX-512, 16 agents at a time. See orca_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH   16
#define ORCA_FUNCTION orca_kernel_avx512
#include "server/sim/steering/orca_kernel.inc.h"
#else
typedef int orca_kernel_avx512_is_for_x86_64;
#endif
