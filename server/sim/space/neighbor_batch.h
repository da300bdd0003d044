/* Agents in consecutive slots that make the same query about their neighbors. */
#ifndef DROVER_SERVER_SIM_SPACE_NEIGHBOR_BATCH_H
#define DROVER_SERVER_SIM_SPACE_NEIGHBOR_BATCH_H

#include <stdint.h>

#include "server/sim/space/neighbors.h"

/** The query, and where its agents are. Plain value; owns nothing. */
struct neighbor_batch {
    const struct grid *grid; /* its radius column is filled */
    const struct bounds *bounds;
    const uint32_t *ids;          /* by row */
    const vec2 *heading;          /* unit vectors, where heading_place says */
    const int32_t *heading_place; /* by slot; NULL: headings are by slot */
    float course_above; /* (px/s)^2: a faster agent faces along its velocity, whatever `heading` says */
    float core_radii;   /* core = core_radii * grid->radius[slot] */
    uint64_t kinds;     /* bit k: kind k counts */
    const struct neighbor_zone *zones; /* of enum zone */
};

/** COURSE_NEVER: headings are what `heading` says. */
#define COURSE_NEVER 3e38f
/** Where in `heading` that of the agent in a slot is. */
static inline int32_t neighbor_batch_place(const struct neighbor_batch *batch, int32_t slot) {
    return batch->heading_place == NULL ? slot : batch->heading_place[slot];
}

/** The heading of the agent in a slot. */
vec2 neighbor_batch_heading(const struct neighbor_batch *batch, int32_t slot);

#endif
