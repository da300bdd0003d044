/* The steering kernel for one agent at a time. See steering_kernel.h. */
#define LANES_WIDTH     1
#define STEERING_KERNEL steering_kernel_plain
#include "server/sim/steering/steering_kernel.inc.h"
