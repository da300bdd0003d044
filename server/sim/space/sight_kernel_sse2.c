/* The sight kernel for SSE2, 4 agents at a time. See sight_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     4
#define SIGHT_FUNCTION sight_kernel_sse2
#include "server/sim/space/sight_kernel.inc.h"
#else
typedef int sight_kernel_sse2_is_for_x86_64;
#endif
