/* The flock kernel for AVX2, 8 agents at a time. See flock_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH    8
#define FLOCK_FUNCTION flock_kernel_avx2
#include "server/sim/steering/flock_move.inc.h"
#else
typedef int flock_kernel_avx2_is_for_x86_64;
#endif
