/* The neighbor kernel for SSE2, 4 agents at a time. See neighbor_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     4
#define KERNEL_FUNCTION neighbor_kernel_sse2
#include "server/sim/space/neighbor_sums.inc.h"
#else
typedef int neighbor_kernel_sse2_is_for_x86_64;
#endif
