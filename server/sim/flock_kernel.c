/* See flock_kernel.h. */
#include "server/sim/flock_kernel.h"

#include <assert.h>

#include "server/sim/behavior.h"
#include "server/sim/locomotion.h"
#include "server/sim/neighbor_kernel_internal.h"

#define HEADING_HOLD_SHARE 1e-3f /* locomotion.c */

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
    const float hold = HEADING_HOLD_SHARE * rules->max_speed;
    struct flock_plan plan = {
        .weight = rules->weight,
        .full_radius_inverse = behavior_full_inverse(rules->cohesion_radius),
        .max_speed = rules->max_speed,
        .max_force = rules->max_force,
        .exact_rate = rules->exact_rate,
        .push = rules->dt / rules->mass,
        .dt = rules->dt,
        .hold_squared = hold * hold,
        .turn_cosine = rules->turn.x,
    };
    if (rules->max_force > 0.0f) {
        plan.full_speed_inverse = behavior_full_inverse(rules->max_speed);
    }
    for (int z = 0; z < ZONE_COUNT; z++) {
        plan.rule_weight[z] = rules->rule_weight[z];
    }
    set_limits(bounds, rules->radius, &plan);
    return plan;
}

/* One lane's agent; what the lanes could not do is done here. */
static void finish(const struct neighbor_crowd *crowd, const struct flock_rules *rules,
                   const struct kernel_block *block, const struct flock_lanes *lanes, int32_t lane,
                   struct motion *next, vec2 *heading) {
    *next = (struct motion){lanes->x[lane], lanes->y[lane], lanes->vx[lane], lanes->vy[lane]};
    *heading = (vec2){lanes->heading_x[lane], lanes->heading_y[lane]};
    if (!lanes->is_done[lane]) {
        *next = bounds_apply(crowd->bounds, *next, rules->radius);
        *heading = locomotion_heading((vec2){block->heading_x[lane], block->heading_y[lane]},
                                      (vec2){next->vx, next->vy}, rules->max_speed, rules->turn);
    }
}

void flock_kernel_step(enum simd simd, const struct neighbor_crowd *crowd, const struct flock_rules *rules,
                       int32_t begin, int32_t end, struct motion *next, vec2 *heading) {
    assert(simd_is_supported(simd) && crowd->bounds->edge != EDGE_CONTAIN);
    const struct kernel kernel = kernel_of(simd);
    const struct kernel_plan plan = kernel_make_plan(crowd);
    const struct flock_plan flock = make_flock_plan(crowd->bounds, rules);
    struct kernel_cursor cursor = kernel_begin(crowd, begin, end);
    struct kernel_block block;
    struct kernel_sums sums;
    struct flock_lanes lanes;
    while (kernel_next(&kernel, crowd, &plan, true, &cursor, &block, &sums)) {
        kernel.move(&flock, &block, &sums, &lanes);
        for (int32_t lane = 0; lane < cursor.count; lane++) {
            const int32_t at = cursor.first + lane - begin;
            finish(crowd, rules, &block, &lanes, lane, &next[at], &heading[at]);
        }
    }
}
