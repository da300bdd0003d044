/* The flock kernel for AVX-512, 16 agents at a time. See flock_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH    16
#define FLOCK_FUNCTION flock_kernel_avx512
#include "server/sim/steering/flock_move.inc.h"
#else
typedef int flock_kernel_avx512_is_for_x86_64;
#endif
