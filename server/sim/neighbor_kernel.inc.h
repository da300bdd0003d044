/* The kernel, for LANES_WIDTH agents at once; see neighbor_kernel.h. The file that includes this defines
 * LANES_WIDTH and KERNEL_FUNCTION, the name it gets. What is computed, and in which order, is what
 * neighbors.c computes for one agent: the two change together (test_neighbor_kernel compares them).
 */
#include "server/sim/lanes.h"
#include "server/sim/neighbor_kernel_internal.h"

struct sums {
    lanes separation_x, separation_y;
    lanes velocity_x, velocity_y, velocity_weight;
    lanes offset_x, offset_y, offset_weight;
    lanes_tally count[ZONE_COUNT], here;
};

/* A candidate as the lanes see it. */
struct candidate {
    lanes x, y, squared, distance, inverse, facing;
    lanes_mask is_near_enough, is_in_core;
};

LANES_INLINE lanes short_way(lanes difference, float size, float half) {
    const lanes once = lanes_all(size);
    const lanes_mask is_over = lanes_less(lanes_all(half), difference);
    const lanes_mask is_under = lanes_less(difference, lanes_all(-half));
    return lanes_add(lanes_sub(difference, lanes_keep(is_over, once)), lanes_keep(is_under, once));
}

LANES_INLINE lanes_mask in_zone(const struct kernel_plan *plan, int zone, const struct candidate *other,
                                bool has_cones) {
    const lanes_mask is_in =
        lanes_both(other->is_near_enough, lanes_less(other->squared, lanes_all(plan->squared[zone])));
    if (!has_cones) {
        return is_in;
    }
    const lanes edge = lanes_mul(lanes_all(plan->cosine[zone]), other->distance);
    return lanes_both(is_in, lanes_either(other->is_in_core, lanes_at_most(edge, other->facing)));
}

LANES_INLINE lanes weigh(const struct kernel_plan *plan, int zone, const struct candidate *other) {
    const lanes weight = lanes_sub(lanes_all(1.0f), lanes_mul(other->distance, lanes_all(plan->fade[zone])));
    return lanes_max(weight, lanes_all(0.0f));
}

LANES_INLINE void separate(const struct kernel_plan *plan, const struct candidate *other, bool has_cones,
                           struct sums *sums) {
    const lanes_mask counts = in_zone(plan, ZONE_SEPARATION, other, has_cones);
    const lanes push =
        lanes_mul(lanes_all(plan->strength), lanes_min(other->inverse, lanes_all(plan->strongest)));
    const lanes strength = lanes_sub(push, lanes_all(plan->less));
    const lanes factor = lanes_keep(counts, lanes_mul(other->inverse, strength));
    sums->separation_x = lanes_sub(sums->separation_x, lanes_mul(other->x, factor));
    sums->separation_y = lanes_sub(sums->separation_y, lanes_mul(other->y, factor));
    sums->count[ZONE_SEPARATION] = lanes_tally_add(sums->count[ZONE_SEPARATION], counts);
}

LANES_INLINE void align_and_cohere(const struct kernel_plan *plan, const struct motion *motion,
                                   const struct candidate *other, bool has_cones, bool is_twin,
                                   struct sums *sums) {
    lanes_mask counts = in_zone(plan, ZONE_ALIGNMENT, other, has_cones);
    lanes weight = lanes_keep(counts, weigh(plan, ZONE_ALIGNMENT, other));
    sums->velocity_x = lanes_add(sums->velocity_x, lanes_mul(lanes_all(motion->vx), weight));
    sums->velocity_y = lanes_add(sums->velocity_y, lanes_mul(lanes_all(motion->vy), weight));
    sums->velocity_weight = lanes_add(sums->velocity_weight, weight);
    sums->count[ZONE_ALIGNMENT] = lanes_tally_add(sums->count[ZONE_ALIGNMENT], counts);
    if (!is_twin) {
        counts = in_zone(plan, ZONE_COHESION, other, has_cones);
        weight = lanes_keep(counts, weigh(plan, ZONE_COHESION, other));
        sums->offset_weight = lanes_add(sums->offset_weight, weight);
        sums->count[ZONE_COHESION] = lanes_tally_add(sums->count[ZONE_COHESION], counts);
    }
    sums->offset_x = lanes_add(sums->offset_x, lanes_mul(other->x, weight));
    sums->offset_y = lanes_add(sums->offset_y, lanes_mul(other->y, weight));
}

LANES_INLINE void look_at(const struct kernel_plan *plan, const struct kernel_block *block, int32_t slot,
                          bool wraps, bool has_cones, bool is_twin, struct sums *sums) {
    const struct motion *motion = &plan->motion[slot];
    struct candidate other;
    other.x = lanes_sub(lanes_all(motion->x), lanes_load(block->x));
    other.y = lanes_sub(lanes_all(motion->y), lanes_load(block->y));
    if (wraps) {
        other.x = short_way(other.x, plan->size_x, plan->half_x);
        other.y = short_way(other.y, plan->size_y, plan->half_y);
    }
    other.squared = lanes_add(lanes_mul(other.x, other.x), lanes_mul(other.y, other.y));
    other.is_near_enough = lanes_less(other.squared, lanes_all(plan->furthest));
    if (!lanes_any(other.is_near_enough)) {
        return;
    }
    const lanes_mask is_here = lanes_less(other.squared, lanes_all(KERNEL_NEAR_SQUARED));
    sums->here = lanes_tally_add(sums->here, is_here);
    other.is_near_enough = lanes_but(other.is_near_enough, is_here);
    other.distance = lanes_sqrt(other.squared);
    other.inverse = lanes_div(lanes_all(1.0f), other.distance);
    if (has_cones) {
        other.facing = lanes_add(lanes_mul(lanes_load(block->heading_x), other.x),
                                 lanes_mul(lanes_load(block->heading_y), other.y));
        other.is_in_core = lanes_less(other.squared, lanes_load(block->core_squared));
    }
    separate(plan, &other, has_cones, sums);
    align_and_cohere(plan, motion, &other, has_cones, is_twin, sums);
}

LANES_INLINE void store(const struct sums *sums, bool is_twin, struct kernel_sums *out) {
    lanes_store(out->sum[KERNEL_SEPARATION_X], sums->separation_x);
    lanes_store(out->sum[KERNEL_SEPARATION_Y], sums->separation_y);
    lanes_store(out->sum[KERNEL_VELOCITY_X], sums->velocity_x);
    lanes_store(out->sum[KERNEL_VELOCITY_Y], sums->velocity_y);
    lanes_store(out->sum[KERNEL_VELOCITY_WEIGHT], sums->velocity_weight);
    lanes_store(out->sum[KERNEL_OFFSET_X], sums->offset_x);
    lanes_store(out->sum[KERNEL_OFFSET_Y], sums->offset_y);
    lanes_store(out->sum[KERNEL_OFFSET_WEIGHT], is_twin ? sums->velocity_weight : sums->offset_weight);
    lanes_tally_store(out->count[ZONE_SEPARATION], sums->count[ZONE_SEPARATION]);
    lanes_tally_store(out->count[ZONE_ALIGNMENT], sums->count[ZONE_ALIGNMENT]);
    lanes_tally_store(out->count[ZONE_COHESION], sums->count[is_twin ? ZONE_ALIGNMENT : ZONE_COHESION]);
    lanes_tally_store(out->here, sums->here);
}

/* One copy for each combination of the last three, so that the inner loop does not ask. */
LANES_INLINE void sweep(const struct kernel_plan *plan, const struct kernel_block *block,
                        struct kernel_sums *out, bool wraps, bool has_cones, bool is_twin) {
    const lanes none = lanes_all(0.0f);
    const lanes_tally nobody = lanes_tally_none();
    struct sums sums = {none, none, none, none, none, none, none, none, {nobody, nobody, nobody}, nobody};
    struct grid_walk walk = block->walk;
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        for (int32_t slot = begin; slot < end; slot++) {
            if (!plan->is_picky || ((plan->kinds >> plan->kind[slot]) & 1) != 0) {
                look_at(plan, block, slot, wraps, has_cones, is_twin, &sums);
            }
        }
    }
    store(&sums, is_twin, out);
}

void KERNEL_FUNCTION(const struct kernel_plan *plan, const struct kernel_block *block,
                     struct kernel_sums *out) {
    const int variant = (block->wraps ? 4 : 0) + (plan->has_cones ? 2 : 0) + (plan->is_twin ? 1 : 0);
    switch (variant) {
    case 0:
        sweep(plan, block, out, false, false, false);
        break;
    case 1:
        sweep(plan, block, out, false, false, true);
        break;
    case 2:
        sweep(plan, block, out, false, true, false);
        break;
    case 3:
        sweep(plan, block, out, false, true, true);
        break;
    case 4:
        sweep(plan, block, out, true, false, false);
        break;
    case 5:
        sweep(plan, block, out, true, false, true);
        break;
    case 6:
        sweep(plan, block, out, true, true, false);
        break;
    default:
        sweep(plan, block, out, true, true, true);
        break;
    }
}
