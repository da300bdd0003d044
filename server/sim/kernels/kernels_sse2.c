/* The kernels for SSE2, 4 agents at a time. See kernels.h. */
#if defined(__x86_64__)
#define LANES_WIDTH 4
#define KERNEL_SET  kernels_sse2
#include "server/sim/kernels/kernel_set.inc.h"
#else
typedef int kernels_sse2_is_for_x86_64;
#endif
