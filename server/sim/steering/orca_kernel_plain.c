/* The kernel of orca in plain C, one agent at a time. See orca_kernel.h. */
#define LANES_WIDTH   1
#define ORCA_FUNCTION orca_kernel_plain
#include "server/sim/steering/orca_kernel.inc.h"
