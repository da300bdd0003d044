/* The flock kernel for SSE2, 4 agents at a time. See flock_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH    4
#define FLOCK_FUNCTION flock_kernel_sse2
#include "server/sim/steering/flock_move.inc.h"
#else
typedef int flock_kernel_sse2_is_for_x86_64;
#endif
