/* The sight kernel in plain C, one agent at a time. See sight_kernel.h. */
#define LANES_WIDTH     1
#define SIGHT_FUNCTION sight_kernel_plain
#include "server/sim/space/sight_kernel.inc.h"
