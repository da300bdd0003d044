/* The neighbor kernel in plain C, one agent at a time. See neighbor_kernel.h. */
#define LANES_WIDTH     1
#define KERNEL_FUNCTION neighbor_kernel_plain
#include "server/sim/space/neighbor_sums.inc.h"
