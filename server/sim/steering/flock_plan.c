/* See flock_plan.h. */
#include "server/sim/steering/flock_plan.h"

#include <assert.h>

#include "server/sim/steering/locomotion.h"

/* Where bounds_apply changes nothing. */
static void set_limits(const struct bounds *bounds, float radius, struct flock_plan *plan) {
    const float most = (float)LIMIT_COORDINATE;
    switch (bounds->edge) {
    case EDGE_WRAP:
        plan->low = vec2_make(0.0f, 0.0f);
        plan->high = bounds->size;
        break;
    case EDGE_BOUNCE:
        plan->low = vec2_make(radius, radius);
        plan->high = vec2_make(bounds->size.x - radius, bounds->size.y - radius);
        break;
    case EDGE_OPEN:
    case EDGE_CONTAIN:
        plan->low = vec2_make(-most, -most);
        plan->high = vec2_make(most, most);
        break;
    }
}

struct flock_plan flock_make_plan(const struct bounds *bounds, const struct flock_rules *rules) {
    assert(rules->mass > 0.0f && rules->dt > 0.0f && rules->max_speed >= 0.0f);
    struct flock_plan plan = {
        .rules = rules,
        .limits = flock_limits(rules->max_speed, rules->max_force, rules->exact_rate),
        .full_radius_inverse = flock_full_inverse(rules->cohesion_radius),
        .push = rules->dt / rules->mass,
        .hold_squared = locomotion_hold_squared(rules->max_speed),
    };
    set_limits(bounds, rules->radius, &plan);
    return plan;
}

void flock_finish(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t slot,
                  struct motion moved, const struct flock_out *out) {
    const struct flock_rules *rules = flock->rules;
    const struct motion next = bounds_apply(plan->batch->bounds, moved, rules->radius);
    out->next[slot] = next;
    if (out->cell != NULL) {
        out->cell[slot] = grid_cell(plan->batch->grid, &next);
    }
    out->heading[neighbor_batch_place(plan->batch, slot)] =
        locomotion_heading(neighbor_batch_heading(plan->batch, slot), vec2_make(next.vx, next.vy),
                           rules->max_speed, rules->turn);
}
