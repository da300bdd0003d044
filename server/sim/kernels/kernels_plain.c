/* The kernels in plain C, one agent at a time. See kernels.h. */
#define LANES_WIDTH 1
#define KERNEL_SET  kernels_plain
#include "server/sim/kernels/kernel_set.inc.h"
