/* neighbors_sum for many agents at once: agents in SIMD lanes, candidates broadcast.
 *
 * 1. The sums are those of neighbors_sum, bit for bit, whichever instruction set does it: the same operations
 * in the same order (ascending slots); a candidate that does not count for a lane adds +0.0 there.
 * 2. Lanes hold agents of consecutive slots in one row of cells; candidates are those of the union of their
 * walks. An agent with somebody else in its very place is left to neighbors_sum.
 * 3. One source, neighbor_kernel.inc.h, compiled for each width (neighbor_kernel_*.c); which of them the
 * processor can run is found out at run time.
 */
#ifndef DROVER_SERVER_SIM_SPACE_NEIGHBOR_KERNEL_H
#define DROVER_SERVER_SIM_SPACE_NEIGHBOR_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "server/sim/math/simd.h"
#include "server/sim/space/neighbors.h"

/** Agents that ask the same. */
struct neighbor_crowd {
    const struct grid *grid; /* its radius column is filled */
    const struct bounds *bounds;
    const uint32_t *ids; /* by row */
    const vec2 *heading; /* by row; unit vectors */
    float course_above;  /* (px/s)^2: who is faster faces where it goes, whatever `heading` says */
    float core_radii;    /* core = core_radii * grid->radius[slot] */
    uint64_t kinds;      /* bit k: kind k counts */
    const struct neighbor_zone *zones; /* of enum zone */
};

/** COURSE_NEVER: headings are what `heading` says. */
#define COURSE_NEVER 3e38f
/** The heading of the agent in a slot. */
vec2 neighbor_crowd_heading(const struct neighbor_crowd *crowd, int32_t slot);

/** The sums of the agents in slots [begin, end). simd must be supported. out: end - begin entries. */
void neighbor_kernel_sums(enum simd simd, const struct neighbor_crowd *crowd, int32_t begin, int32_t end,
                          struct neighbor_sums *out);

#endif
