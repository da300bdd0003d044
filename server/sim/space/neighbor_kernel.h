/* neighbors_sum for many agents at once: agents in SIMD lanes, candidates broadcast to all lanes.
 *
 * 1. The sums are those of neighbors_sum, bit for bit, whichever instruction set does it: the same operations
 * in the same order (ascending slots); a candidate that does not count for a lane adds +0.0 there.
 * 2. Lanes hold agents of consecutive slots in one row of cells; candidates are those of the union of their
 * walks. An agent with another one in the same place is left to neighbors_sum.
 * 3. One source, neighbor_sums.inc.h, compiled for each width (neighbor_kernel_*.c); `simd` selects one at
 * run time.
 */
#ifndef DROVER_SERVER_SIM_SPACE_NEIGHBOR_KERNEL_H
#define DROVER_SERVER_SIM_SPACE_NEIGHBOR_KERNEL_H

#include <stdint.h>

#include "server/sim/math/simd.h"
#include "server/sim/space/kernel_columns.h"
#include "server/sim/space/neighbor_batch.h"

/** The sums of the agents in slots [begin, end). simd must be supported. out: end - begin entries. */
void neighbor_kernel_sums(enum simd simd, const struct neighbor_batch *batch, int32_t begin, int32_t end,
                          struct neighbor_sums *out);

/** The sums of the wanted agents in slots [begin, end), at most KERNEL_PLACES of them. Bit i of `wanted`: the
 * agent in slot begin + i; bits for slots from `end` on are not looked at. What stands in `out` for other
 * agents stays. simd must be supported. */
void neighbor_kernel_columns(enum simd simd, const struct neighbor_batch *batch, int32_t begin, int32_t end,
                             uint64_t wanted, struct sums_columns *out);

#endif
