/* See neighbor_batch.h. */
#include "server/sim/space/neighbor_batch.h"

#include <assert.h>

vec2 neighbor_crowd_heading(const struct neighbor_crowd *crowd, int32_t slot) {
    assert(slot >= 0 && slot < crowd->grid->count);
    const vec2 velocity = {crowd->grid->motion[slot].vx, crowd->grid->motion[slot].vy};
    return vec2_length_squared(velocity) > crowd->course_above ? vec2_with_length(velocity, 1.0f)
                                                               : crowd->heading[crowd->grid->row[slot]];
}
