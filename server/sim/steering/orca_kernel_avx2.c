/* The kernel of orca for AVX2, 8 agents at a time. See orca_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH   8
#define ORCA_FUNCTION orca_kernel_avx2
#include "server/sim/steering/orca_kernel.inc.h"
#else
typedef int orca_kernel_avx2_is_for_x86_64;
#endif
