/* neighbors_threats for many agents at once: agents in SIMD lanes, candidates broadcast to all lanes; then
 * pairs of an agent and one that approaches it in lanes.
 *
 * 1. Count and push are those of neighbors_threats, bit for bit, whichever instruction set does it: the same
 * operations, and the pushes on each agent are added in ascending order of slots.
 * 2. Most candidates are out of the zone or on their way apart: two comparisons find that out. The pairs
 * that are left are put in line, and what they predict of each other is computed for as many pairs at a time
 * as there are lanes.
 * 3. One source, threat_kernel.inc.h, compiled for each width (threat_kernel_*.c); `simd` selects one at run
 * time.
 */
#ifndef DROVER_SERVER_SIM_SPACE_THREAT_KERNEL_H
#define DROVER_SERVER_SIM_SPACE_THREAT_KERNEL_H

#include <stdint.h>

#include "server/sim/math/simd.h"
#include "server/sim/space/kernel_columns.h"
#include "server/sim/space/neighbor_batch.h"

/** The query of a batch about threats. Plain value; owns nothing. */
struct threat_batch {
    const struct neighbor_batch *neighbors; /* of its zones ZONE_SEPARATION is the one that threats are in */
    float clearance, horizon;               /* struct neighbor_space; the radius is grid->radius[slot] */
};

/** The threats to the wanted agents in slots [begin, end), at most KERNEL_PLACES of them. Bit i of `wanted`:
 * the agent in slot begin + i; bits for slots from `end` on are not looked at. What stands in `out` for other
 * agents stays. simd must be supported. */
void threat_kernel_sums(enum simd simd, const struct threat_batch *batch, int32_t begin, int32_t end,
                        uint64_t wanted, struct threat_columns *out);

#endif
