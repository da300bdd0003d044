/* The threat kernel in plain C, one agent at a time. See threat_kernel.h. */
#define LANES_WIDTH     1
#define THREAT_FUNCTION threat_kernel_plain
#include "server/sim/space/threat_kernel.inc.h"
