/* The neighbor kernel for AVX-512, 16 agents at a time. See neighbor_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     16
#define KERNEL_FUNCTION neighbor_kernel_avx512
#include "server/sim/space/neighbor_sums.inc.h"
#else
typedef int neighbor_kernel_avx512_is_for_x86_64;
#endif
