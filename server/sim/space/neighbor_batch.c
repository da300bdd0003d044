/* See neighbor_batch.h. */
#include "server/sim/space/neighbor_batch.h"

#include <assert.h>

vec2 neighbor_batch_heading(const struct neighbor_batch *batch, int32_t slot) {
    assert(slot >= 0 && slot < batch->grid->count);
    const vec2 velocity = {batch->grid->motion[slot].vx, batch->grid->motion[slot].vy};
    return vec2_length_squared(velocity) > batch->course_above
               ? vec2_with_length(velocity, 1.0f)
               : batch->heading[neighbor_batch_place(batch, slot)];
}
