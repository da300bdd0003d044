/* The sight kernel for AVX-512, 16 agents at a time. See sight_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     16
#define SIGHT_FUNCTION sight_kernel_avx512
#include "server/sim/space/sight_kernel.inc.h"
#else
typedef int sight_kernel_avx512_is_for_x86_64;
#endif
