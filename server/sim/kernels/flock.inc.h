/* Ticks of flocks of kernels.h, for LANES_WIDTH agents at once. The sums are those of zone_sums.inc.h, the rules those
 * of steering_rules.inc.h and locomotion_rules.inc.h.
 */

/* The force before truncation: behavior_flock, its weight, and the empty sums it is added to. */
LANES_INLINE struct pair flock(const struct flock_plan *plan, const struct sums *sums, struct pair velocity) {
    const struct flock_rules *rules = plan->rules;
    const lanes none = lanes_all(0.0f);
    const struct pair apart = separation_strength((struct pair){sums->separation_x, sums->separation_y});
    const struct pair along = alignment_strength((struct pair){sums->velocity_x, sums->velocity_y},
                                                 sums->velocity_weight, velocity, &plan->limits);
    const struct pair together = cohesion_strength((struct pair){sums->offset_x, sums->offset_y},
                                                   sums->offset_weight, plan->full_radius_inverse);
    const struct pair sum = flock_strength(apart, along, together, rules->rule_weight);
    const struct pair force =
        pair_scale(pair_scale(sum, lanes_all(rules->max_force)), lanes_all(rules->weight));
    return pair_add((struct pair){none, none}, force);
}

LANES_INLINE struct pair accelerate(const struct flock_plan *plan, struct pair velocity, struct pair force) {
    const struct flock_rules *rules = plan->rules;
    return steered_velocity(velocity, force, lanes_all(rules->max_force), lanes_all(plan->push),
                            lanes_all(rules->max_speed));
}

/* ---- one block ---- */

/* The sums of agents that share their place are formed one by one. */
static void patch_sums(const struct kernel_plan *plan, const struct block *block, uint32_t coincident,
                       struct sums *sums) {
    struct kernel_sums stored;
    store_sums(sums, &stored);
    for (int32_t lane = 0; lane < block->count; lane++) {
        if ((coincident >> lane) & 1) {
            const struct neighbor_sums alone = kernel_sums_alone(plan, block->first + lane);
            stored.separation_x[lane] = alone.separation.x;
            stored.separation_y[lane] = alone.separation.y;
            stored.velocity_x[lane] = alone.velocity.x;
            stored.velocity_y[lane] = alone.velocity.y;
            stored.velocity_weight[lane] = alone.velocity_weight;
            stored.offset_x[lane] = alone.offset.x;
            stored.offset_y[lane] = alone.offset.y;
            stored.offset_weight[lane] = alone.offset_weight;
        }
    }
    sums->separation_x = lanes_load(stored.separation_x);
    sums->separation_y = lanes_load(stored.separation_y);
    sums->velocity_x = lanes_load(stored.velocity_x);
    sums->velocity_y = lanes_load(stored.velocity_y);
    sums->velocity_weight = lanes_load(stored.velocity_weight);
    sums->offset_x = lanes_load(stored.offset_x);
    sums->offset_y = lanes_load(stored.offset_y);
    sums->offset_weight = lanes_load(stored.offset_weight);
}

/* Where neither a border is felt nor the heading is other than where the agent goes. */
LANES_INLINE uint32_t finished_lanes(const struct flock_plan *plan, const struct lanes_motion *next,
                                     bool has_headings) {
    const lanes_mask inside_x =
        lanes_both(lanes_less(lanes_all(plan->low.x), next->x), lanes_less(next->x, lanes_all(plan->high.x)));
    const lanes_mask inside_y =
        lanes_both(lanes_less(lanes_all(plan->low.y), next->y), lanes_less(next->y, lanes_all(plan->high.y)));
    const lanes squared = lanes_add(lanes_mul(next->vx, next->vx), lanes_mul(next->vy, next->vy));
    const lanes_mask moves = lanes_less(lanes_all(plan->hold_squared), squared);
    return has_headings ? 0 : lanes_bits(lanes_both(moves, lanes_both(inside_x, inside_y)));
}

static uint32_t lanes_of_kind(const struct grid *grid, const struct block *block, int kind) {
    uint32_t lanes_of = (uint32_t)((UINT64_C(1) << block->count) - 1);
    for (int32_t lane = 0; grid->has_kinds && lane < block->count; lane++) {
        if (grid->kind[block->first + lane] != kind) {
            lanes_of &= ~(UINT32_C(1) << lane);
        }
    }
    return lanes_of;
}

LANES_INLINE lanes axis_cells(const struct grid_axis *axis, lanes coordinate) {
    const lanes cell = lanes_mul(lanes_sub(coordinate, lanes_all(axis->origin)), lanes_all(axis->scale));
    return lanes_min(lanes_max(cell, lanes_all(0.0f)), lanes_all((float)(axis->cells - 1)));
}

LANES_INLINE void store_cells(const struct grid *grid, const struct lanes_motion *next, int32_t *to) {
    lanes_store_cells(to, axis_cells(&grid->down, next->y), axis_cells(&grid->across, next->x),
                      grid->across.cells);
}

LANES_INLINE void store_block(const struct kernel_plan *plan, const struct flock_plan *flock_plan,
                              const struct block *block, const struct lanes_motion *next,
                              const struct flock_out *out) {
    const uint32_t all = (uint32_t)((UINT64_C(1) << LANES_WIDTH) - 1);
    const uint32_t finished = finished_lanes(flock_plan, next, !out->only_of_resting);
    const uint32_t wanted = lanes_of_kind(plan->batch->grid, block, out->kind);
    if ((finished & wanted) == all) {
        lanes_store_motion(out->next + block->first, next);
        if (out->cell != NULL) {
            store_cells(plan->batch->grid, next, out->cell + block->first);
        }
        return;
    }
    struct motion moved[LANES_WIDTH];
    int32_t cells[LANES_WIDTH];
    lanes_store_motion(moved, next);
    store_cells(plan->batch->grid, next, cells);
    for (int32_t lane = 0; lane < block->count; lane++) {
        if (((wanted >> lane) & 1) == 0) {
            continue;
        }
        if ((finished >> lane) & 1) {
            out->next[block->first + lane] = moved[lane];
            if (out->cell != NULL) {
                out->cell[block->first + lane] = cells[lane];
            }
        } else {
            flock_finish(plan, flock_plan, block->first + lane, moved[lane], out);
        }
    }
}

static void step_flock(const struct kernel_plan *plan, const struct flock_plan *flock_plan, int32_t begin,
                       int32_t end, const struct flock_out *out) {
    const struct grid *grid = plan->batch->grid;
    const lanes dt = lanes_all(flock_plan->rules->dt);
    int32_t row = begin < end ? row_before(grid, begin) : 0;
    struct block block;
    for (int32_t first = begin; first < end && !grid_is_given_up(grid); first += block.count) {
        const int32_t stop = row_end(grid, first, &row);
        begin_block(plan, first, row, stop < end ? stop : end, &block);
        struct sums sums = sweep_any(plan, &block, false);
        const uint32_t coincident = coincident_lanes(&block, &sums);
        if (coincident != 0) {
            patch_sums(plan, &block, coincident, &sums);
        }
        const struct pair old = {block.at.vx, block.at.vy}, place = {block.at.x, block.at.y};
        const struct pair velocity = accelerate(flock_plan, old, flock(flock_plan, &sums, old));
        const struct pair moved = pair_add(place, pair_scale(velocity, dt));
        const struct lanes_motion next = {moved.x, moved.y, velocity.x, velocity.y};
        store_block(plan, flock_plan, &block, &next, out);
    }
}
