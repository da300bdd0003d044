/* The steering kernel for AVX-512, 16 agents at a time. See steering_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     16
#define STEERING_KERNEL steering_kernel_avx512
#include "server/sim/steering/steering_kernel.inc.h"
#else
typedef int steering_kernel_avx512_is_for_x86_64;
#endif
