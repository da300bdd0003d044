/* The steering kernel for SSE2, 4 agents at a time. See steering_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     4
#define STEERING_KERNEL steering_kernel_sse2
#include "server/sim/steering/steering_kernel.inc.h"
#else
typedef int steering_kernel_sse2_is_for_x86_64;
#endif
