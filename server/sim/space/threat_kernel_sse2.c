/* The threat kernel for SSE2, 4 agents at a time. See threat_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     4
#define THREAT_FUNCTION threat_kernel_sse2
#include "server/sim/space/threat_kernel.inc.h"
#else
typedef int threat_kernel_sse2_is_for_x86_64;
#endif
