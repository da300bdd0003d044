/* The flock kernel in plain C, one agent at a time. See flock_kernel.h. */
#define LANES_WIDTH    1
#define FLOCK_FUNCTION flock_kernel_plain
#include "server/sim/steering/flock_move.inc.h"
