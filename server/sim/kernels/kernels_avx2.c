/* The kernels for AVX2, 8 agents at a time. See kernels.h. */
#if defined(__x86_64__)
#define LANES_WIDTH 8
#define KERNEL_SET  kernels_avx2
#include "server/sim/kernels/kernel_set.inc.h"
#else
typedef int kernels_avx2_is_for_x86_64;
#endif
