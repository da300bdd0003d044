/* The neighbor kernel for AVX2, 8 agents at a time. See neighbor_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     8
#define KERNEL_FUNCTION neighbor_kernel_avx2
#include "server/sim/space/neighbor_sums.inc.h"
#else
typedef int neighbor_kernel_avx2_is_for_x86_64;
#endif
