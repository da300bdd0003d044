/* The neighbour kernel in plain C, one agent at a time. See neighbor_kernel.h. */
#define LANES_WIDTH     1
#define KERNEL_FUNCTION neighbor_kernel_plain
#define FLOCK_FUNCTION  flock_kernel_plain
#include "server/sim/space/neighbor_kernel.inc.h"

#include "server/sim/steering/flock_kernel.inc.h"
