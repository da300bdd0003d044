/* The part of flock_kernel.h that is done in LANES_WIDTH lanes; FLOCK_FUNCTION is the name it gets. What is
 * computed, and in which order, is what behavior_neighbors.c, locomotion.c and vec2.h compute for one agent:
 * they change together (test_flock_kernel compares them).
 */
#include "server/sim/lanes.h"
#include "server/sim/neighbor_kernel_internal.h"

#define REST_SPEED_SQUARED (1e-3f * 1e-3f) /* locomotion.c */

struct pair {
    lanes x, y;
};

LANES_INLINE struct pair pair_add(struct pair a, struct pair b) {
    return (struct pair){lanes_add(a.x, b.x), lanes_add(a.y, b.y)};
}
LANES_INLINE struct pair pair_sub(struct pair a, struct pair b) {
    return (struct pair){lanes_sub(a.x, b.x), lanes_sub(a.y, b.y)};
}
LANES_INLINE struct pair pair_scale(struct pair a, lanes s) {
    return (struct pair){lanes_mul(a.x, s), lanes_mul(a.y, s)};
}
LANES_INLINE lanes pair_dot(struct pair a, struct pair b) {
    return lanes_add(lanes_mul(a.x, b.x), lanes_mul(a.y, b.y));
}
LANES_INLINE struct pair pair_keep(lanes_mask mask, struct pair a) {
    return (struct pair){lanes_keep(mask, a.x), lanes_keep(mask, a.y)};
}
LANES_INLINE struct pair pair_select(lanes_mask mask, struct pair a, struct pair b) {
    return (struct pair){lanes_select(mask, a.x, b.x), lanes_select(mask, a.y, b.y)};
}
LANES_INLINE struct pair pair_truncate(struct pair a, lanes limit) {
    const lanes squared = pair_dot(a, a);
    const lanes_mask is_short = lanes_at_most(squared, lanes_mul(limit, limit));
    return pair_select(is_short, a, pair_scale(a, lanes_div(limit, lanes_sqrt(squared))));
}
LANES_INLINE struct pair pair_load(const float *x, const float *y) {
    return (struct pair){lanes_load(x), lanes_load(y)};
}

/* direction() of behavior_neighbors.c; `full_inverse` > 0. */
LANES_INLINE struct pair towards(struct pair difference, float full_inverse, lanes weight) {
    const struct pair strength =
        pair_truncate(pair_scale(difference, lanes_all(full_inverse)), lanes_all(1.0f));
    return pair_scale(strength, lanes_min(weight, lanes_all(1.0f)));
}

LANES_INLINE struct pair align(const struct flock_plan *plan, const struct kernel_sums *sums,
                               struct pair velocity) {
    const lanes weight = lanes_load(sums->sum[KERNEL_VELOCITY_WEIGHT]);
    const struct pair sum = pair_load(sums->sum[KERNEL_VELOCITY_X], sums->sum[KERNEL_VELOCITY_Y]);
    const struct pair mean = pair_scale(sum, lanes_div(lanes_all(1.0f), weight));
    const struct pair difference = pair_sub(pair_truncate(mean, lanes_all(plan->max_speed)), velocity);
    const lanes distance = lanes_sqrt(pair_dot(difference, difference));
    const lanes enough =
        lanes_div(lanes_mul(lanes_all(plan->exact_rate), distance), lanes_all(plan->max_force));
    const struct pair push = pair_truncate(towards(difference, plan->full_speed_inverse, weight), enough);
    return pair_keep(lanes_less(lanes_all(0.0f), weight), push);
}

LANES_INLINE struct pair cohere(const struct flock_plan *plan, const struct kernel_sums *sums) {
    const lanes weight = lanes_load(sums->sum[KERNEL_OFFSET_WEIGHT]);
    const struct pair sum = pair_load(sums->sum[KERNEL_OFFSET_X], sums->sum[KERNEL_OFFSET_Y]);
    const struct pair mean = pair_scale(sum, lanes_div(lanes_all(1.0f), weight));
    return pair_keep(lanes_less(lanes_all(0.0f), weight), towards(mean, plan->full_radius_inverse, weight));
}

/* The force before truncation: behavior_flock, its weight, and the empty sums it is added to. */
LANES_INLINE struct pair flock(const struct flock_plan *plan, const struct kernel_sums *sums,
                               struct pair velocity) {
    const lanes none = lanes_all(0.0f);
    struct pair along = {none, none}, together = {none, none};
    if (plan->full_speed_inverse > 0.0f) {
        along = align(plan, sums, velocity);
    }
    if (plan->full_radius_inverse > 0.0f) {
        together = cohere(plan, sums);
    }
    struct pair apart = pair_load(sums->sum[KERNEL_SEPARATION_X], sums->sum[KERNEL_SEPARATION_Y]);
    apart = pair_truncate(apart, lanes_all(1.0f));
    apart = pair_scale(apart, lanes_all(plan->rule_weight[ZONE_SEPARATION]));
    along = pair_scale(along, lanes_all(plan->rule_weight[ZONE_ALIGNMENT]));
    together = pair_scale(together, lanes_all(plan->rule_weight[ZONE_COHESION]));
    const struct pair sum = pair_add(pair_add(apart, along), together);
    const struct pair force =
        pair_scale(pair_scale(sum, lanes_all(plan->max_force)), lanes_all(plan->weight));
    return pair_add((struct pair){none, none}, force);
}

LANES_INLINE struct pair accelerate(const struct flock_plan *plan, struct pair velocity, struct pair force) {
    const struct pair applied = pair_truncate(force, lanes_all(plan->max_force));
    const struct pair pushed = pair_add(velocity, pair_scale(applied, lanes_all(plan->push)));
    const struct pair next = pair_truncate(pushed, lanes_all(plan->max_speed));
    const lanes_mask brakes = lanes_less(pair_dot(applied, velocity), lanes_all(0.0f));
    const lanes_mask rests =
        lanes_both(brakes, lanes_less(pair_dot(next, next), lanes_all(REST_SPEED_SQUARED)));
    const struct pair rest = {lanes_all(0.0f), lanes_all(0.0f)};
    return pair_select(rests, rest, next);
}

/* The new heading; *is_free: where nothing limits the turn. */
LANES_INLINE struct pair turn(const struct flock_plan *plan, struct pair heading, struct pair velocity,
                              lanes_mask *is_free) {
    const lanes squared = pair_dot(velocity, velocity);
    const lanes_mask holds = lanes_either(lanes_at_most(squared, lanes_all(plan->hold_squared)),
                                          lanes_at_most(squared, lanes_all(1e-12f)));
    const struct pair direction = pair_scale(velocity, lanes_div(lanes_all(1.0f), lanes_sqrt(squared)));
    const lanes_mask reaches = lanes_at_most(lanes_all(plan->turn_cosine), pair_dot(heading, direction));
    *is_free = lanes_either(holds, reaches);
    return pair_select(holds, heading, direction);
}

void FLOCK_FUNCTION(const struct flock_plan *plan, const struct kernel_block *block,
                    const struct kernel_sums *sums, struct flock_lanes *out) {
    const struct pair old = pair_load(block->vx, block->vy), place = pair_load(block->x, block->y);
    const struct pair velocity = accelerate(plan, old, flock(plan, sums, old));
    const struct pair moved = pair_add(place, pair_scale(velocity, lanes_all(plan->dt)));
    const lanes_mask inside_x =
        lanes_both(lanes_less(lanes_all(plan->low.x), moved.x), lanes_less(moved.x, lanes_all(plan->high.x)));
    const lanes_mask inside_y =
        lanes_both(lanes_less(lanes_all(plan->low.y), moved.y), lanes_less(moved.y, lanes_all(plan->high.y)));
    lanes_mask is_free;
    const struct pair heading = turn(plan, pair_load(block->heading_x, block->heading_y), velocity, &is_free);
    lanes_store(out->x, moved.x);
    lanes_store(out->y, moved.y);
    lanes_store(out->vx, velocity.x);
    lanes_store(out->vy, velocity.y);
    lanes_store(out->heading_x, heading.x);
    lanes_store(out->heading_y, heading.y);
    const lanes_mask is_done = lanes_both(is_free, lanes_both(inside_x, inside_y));
    lanes_tally_store(out->is_done, lanes_tally_add(lanes_tally_none(), is_done));
}
