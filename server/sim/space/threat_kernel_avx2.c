/* The threat kernel for AVX2, 8 agents at a time. See threat_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     8
#define THREAT_FUNCTION threat_kernel_avx2
#include "server/sim/space/threat_kernel.inc.h"
#else
typedef int threat_kernel_avx2_is_for_x86_64;
#endif
