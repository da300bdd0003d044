/* The kernels for AVX-512, 16 agents at a time. See kernels.h. */
#if defined(__x86_64__)
#define LANES_WIDTH 16
#define KERNEL_SET  kernels_avx512
#include "server/sim/kernels/kernel_set.inc.h"
#else
typedef int kernels_avx512_is_for_x86_64;
#endif
