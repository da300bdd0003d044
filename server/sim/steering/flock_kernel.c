/* See flock_kernel.h. */
#include "server/sim/steering/flock_kernel.h"

#include <assert.h>

#include "server/sim/space/neighbor_kernel_internal.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/locomotion.h"

/* Where bounds_apply changes nothing. */
static void set_limits(const struct bounds *bounds, float radius, struct flock_plan *plan) {
    const float most = (float)LIMIT_COORDINATE;
    switch (bounds->edge) {
    case EDGE_WRAP:
        plan->low = (vec2){0.0f, 0.0f};
        plan->high = bounds->size;
        break;
    case EDGE_BOUNCE:
        plan->low = (vec2){radius, radius};
        plan->high = (vec2){bounds->size.x - radius, bounds->size.y - radius};
        break;
    case EDGE_OPEN:
    case EDGE_CONTAIN:
        plan->low = (vec2){-most, -most};
        plan->high = (vec2){most, most};
        break;
    }
}

static struct flock_plan make_flock_plan(const struct bounds *bounds, const struct flock_rules *rules) {
    struct flock_plan plan = {
        .rules = rules,
        .full_radius_inverse = behavior_full_inverse(rules->cohesion_radius),
        .push = rules->dt / rules->mass,
        .hold_squared = locomotion_hold_squared(rules->max_speed),
    };
    if (rules->max_force > 0.0f) {
        plan.full_speed_inverse = behavior_full_inverse(rules->max_speed);
    }
    set_limits(bounds, rules->radius, &plan);
    return plan;
}

void flock_finish(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t slot,
                  struct motion moved, const struct flock_out *out) {
    const struct flock_rules *rules = flock->rules;
    const struct motion next = bounds_apply(plan->crowd->bounds, moved, rules->radius);
    out->next[slot] = next;
    if (out->cell) {
        out->cell[slot] = grid_cell(plan->crowd->grid, &next);
    }
    out->heading[plan->crowd->grid->row[slot]] = locomotion_heading(
        neighbor_crowd_heading(plan->crowd, slot), (vec2){next.vx, next.vy}, rules->max_speed, rules->turn);
}

void flock_kernel_step(enum simd simd, const struct neighbor_crowd *crowd, const struct flock_rules *rules,
                       int32_t begin, int32_t end, const struct flock_out *out) {
    assert(simd_is_supported(simd) && crowd->bounds->edge != EDGE_CONTAIN);
    assert(!out->only_of_resting || rules->turn.x <= NO_TURN_LIMIT);
    const struct kernel_plan plan = kernel_make_plan(crowd);
    const struct flock_plan flock = make_flock_plan(crowd->bounds, rules);
    kernel_of(simd).move(&plan, &flock, begin, end, out);
}
