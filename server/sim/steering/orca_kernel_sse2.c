/* The kernel of orca for SSE2, 4 agents at a time. See orca_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH   4
#define ORCA_FUNCTION orca_kernel_sse2
#include "server/sim/steering/orca_kernel.inc.h"
#else
typedef int orca_kernel_sse2_is_for_x86_64;
#endif
