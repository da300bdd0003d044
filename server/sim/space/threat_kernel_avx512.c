/* The threat kernel for AVX-512, 16 agents at a time. See threat_kernel.h. */
#if defined(__x86_64__)
#define LANES_WIDTH     16
#define THREAT_FUNCTION threat_kernel_avx512
#include "server/sim/space/threat_kernel.inc.h"
#else
typedef int threat_kernel_avx512_is_for_x86_64;
#endif
