/* The steering kernel for AVX2, 8 agents at a time. See steering_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     8
#define STEERING_KERNEL steering_kernel_avx2
#include "server/sim/steering/steering_kernel.inc.h"
#else
typedef int steering_kernel_avx2_is_for_x86_64;
#endif
