/* The sums of LANES_WIDTH agents at once: their candidates, and the inner loop over them. The
 * kernels of threats, flocks and orca go by it as well; what a candidate adds is zone_sums.inc.h.
 *
 * The inner loop is all there is to its speed: no square root, one division, masks folded into the
 * comparisons, an agent's own slot left out by splitting the loop there.
 */

/* Agents of one row of cells, and where their candidates are. Lanes past `count` hold the
 * following agents; their results are discarded. */
struct block {
    int32_t first, count;
    uint32_t wanted; /* lanes; flocks want all */
    struct lanes_motion at;
    lanes heading_x, heading_y, core; /* has_cones */
    struct grid_walk
        walk;   /* begins at the candidates, its own agents among them; copied to go through them */
    bool wraps; /* some difference may be shorter the other way round */
};

/* ---- blocks ---- */

/* Cells first .. last of an axis as spans, the lower one first. */
LANES_INLINE int span_cells(const struct grid_axis *axis, int32_t first, int32_t last,
                            struct grid_span spans[2]) {
    const int32_t cells = axis->cells;
    if (!axis->wraps || (first >= 0 && last < cells)) {
        spans[0] = (struct grid_span){first > 0 ? first : 0, last < cells - 1 ? last : cells - 1};
        return 1;
    }
    if (last - first + 1 >= cells) {
        spans[0] = (struct grid_span){0, cells - 1};
        return 1;
    }
    spans[0] = (struct grid_span){0, first < 0 ? last : last - cells};
    spans[1] = (struct grid_span){first < 0 ? first + cells : first, cells - 1};
    return 2;
}

static void gather_headings(const struct neighbor_batch *batch, const struct block *block, float *x,
                            float *y) {
    for (int32_t lane = 0; lane < LANES_WIDTH; lane++) {
        const int32_t slot = block->first + (lane < block->count ? lane : block->count - 1);
        const vec2 heading = batch->heading[neighbor_batch_place(batch, slot)];
        x[lane] = heading.x;
        y[lane] = heading.y;
    }
}

LANES_INLINE void find_headings(const struct kernel_plan *plan, struct block *block) {
    const struct neighbor_batch *batch = plan->batch;
    const lanes vx = block->at.vx, vy = block->at.vy;
    const lanes squared = lanes_add(lanes_mul(vx, vx), lanes_mul(vy, vy));
    const lanes_mask moves = lanes_less(lanes_all(batch->course_above), squared);
    const lanes scale = lanes_div(lanes_all(1.0f), lanes_sqrt(squared));
    block->heading_x = lanes_mul(vx, scale);
    block->heading_y = lanes_mul(vy, scale);
    const uint32_t all = (uint32_t)((UINT64_C(1) << block->count) - 1);
    if ((lanes_bits(moves) & all) != all) {
        _Alignas(64) float x[LANES_WIDTH], y[LANES_WIDTH];
        gather_headings(batch, block, x, y);
        block->heading_x = lanes_select(moves, block->heading_x, lanes_load(x));
        block->heading_y = lanes_select(moves, block->heading_y, lanes_load(y));
    }
}

LANES_INLINE lanes find_cores(const struct neighbor_batch *batch, int32_t first) {
    _Alignas(64) float cores[LANES_WIDTH];
    for (int32_t lane = 0; lane < LANES_WIDTH; lane++) {
        const float core = batch->core_radii * batch->grid->radius[first + lane];
        cores[lane] = core * core;
    }
    return lanes_load(cores);
}

/* has_cones */
LANES_INLINE void find_cones(const struct kernel_plan *plan, struct block *block) {
    find_headings(plan, block);
    block->core = find_cores(plan->batch, block->first);
}

/* A column not behind, and one not before, the one that a slot was sorted into. An agent of the first or the
 * last may have crossed the border of the torus since. */
LANES_INLINE int32_t first_column(const struct grid *grid, int32_t row, int32_t slot) {
    const bool is_outermost = slot < grid->begin[row * grid->across.cells + 1];
    return is_outermost ? 0 : grid_axis_cell(&grid->across, grid->motion[slot].x - grid->drift);
}
LANES_INLINE int32_t last_column(const struct grid *grid, int32_t row, int32_t slot) {
    const int32_t columns = grid->across.cells;
    const bool is_outermost = slot >= grid->begin[row * columns + columns - 1];
    return is_outermost ? columns - 1 : grid_axis_cell(&grid->across, grid->motion[slot].x + grid->drift);
}

LANES_INLINE void begin_block(const struct kernel_plan *plan, int32_t first, int32_t row, int32_t end,
                              struct block *block) {
    const struct grid *grid = plan->batch->grid;
    const int32_t columns = grid->across.cells, rows = grid->down.cells;
    block->first = first;
    block->count = end - first < LANES_WIDTH ? end - first : LANES_WIDTH;
    lanes_load_motion(grid->motion + first, &block->at);
    const int32_t last = first + block->count - 1;
    const int32_t low = first_column(grid, row, first) - plan->reach_columns;
    const int32_t high = last_column(grid, row, last) + plan->reach_columns;
    struct grid_walk *walk = &block->walk;
    *walk = (struct grid_walk){.grid = grid};
    walk->piece_count = span_cells(&grid->across, low, high, walk->pieces);
    walk->band_count = span_cells(&grid->down, row - plan->reach_rows, row + plan->reach_rows, walk->bands);
    walk->row = walk->bands[0].first;
    /* A cell on either side is given to rounding. */
    block->wraps =
        grid->across.wraps && (walk->piece_count > 1 || walk->band_count > 1 ||
                               2 * (high - low + 2) > columns || 2 * (2 * plan->reach_rows + 2) > rows);
}

/* ---- one candidate ---- */

/* px^2: beyond every zone; its inverse is no subnormal number, which would be slow. */
#define ELSEWHERE 1e30f

/* What a copy of the inner loop is made for. */
struct variant {
    enum kernel_layout layout;
    bool has_cones, is_sharp, has_counts;
};

LANES_INLINE bool is_single(struct variant variant) {
    return variant.layout == KERNEL_APART || variant.layout == KERNEL_ALONG ||
           variant.layout == KERNEL_TOGETHER;
}

/* Of one zone; nothing is done for the others. */
LANES_INLINE void add_up_one(const struct zone_plan *zones, struct variant variant,
                             const struct motion *motion, const struct candidate *other, struct sums *sums) {
    const enum zone only = variant.layout == KERNEL_APART   ? ZONE_SEPARATION
                           : variant.layout == KERNEL_ALONG ? ZONE_ALIGNMENT
                                                            : ZONE_COHESION;
    const lanes_mask counts = variant.has_cones ? zone_contains(&zones[only], other, true) : other->is_near;
    sums->count[only] = lanes_tally_add(sums->count[only], counts);
    if (only == ZONE_SEPARATION) {
        zone_separate(&zones[only], variant.is_sharp, counts, other, sums);
    } else if (only == ZONE_ALIGNMENT && variant.is_sharp) {
        zone_align_sharply(counts, motion, sums);
    } else if (only == ZONE_ALIGNMENT) {
        const lanes weight = zone_weight(&zones[only], counts, other);
        zone_align(weight, motion, sums);
        sums->velocity_weight = lanes_add(sums->velocity_weight, weight);
    } else if (variant.is_sharp) {
        zone_cohere_sharply(counts, other, sums);
    } else {
        const lanes weight = zone_weight(&zones[only], counts, other);
        zone_cohere(weight, other, sums);
        sums->offset_weight = lanes_add(sums->offset_weight, weight);
    }
}

LANES_INLINE void add_up(const struct zone_plan *zones, struct variant variant, const struct motion *motion,
                         const struct candidate *other, struct sums *sums) {
    if (is_single(variant)) {
        add_up_one(zones, variant, motion, other, sums);
        return;
    }
    const bool is_one = variant.layout == KERNEL_ONE, is_three = variant.layout == KERNEL_THREE;
    const bool has_cones = variant.has_cones;
    const lanes_mask apart =
        is_one && !has_cones ? other->is_near : zone_contains(&zones[ZONE_SEPARATION], other, has_cones);
    const lanes_mask along = is_one ? apart : zone_contains(&zones[ZONE_ALIGNMENT], other, has_cones);
    const lanes_mask together = is_three ? zone_contains(&zones[ZONE_COHESION], other, has_cones) : along;
    zone_separate(&zones[ZONE_SEPARATION], variant.is_sharp, apart, other, sums);
    if (variant.is_sharp) {
        zone_align_sharply(along, motion, sums);
        zone_cohere_sharply(together, other, sums);
    } else {
        const lanes align_weight = zone_weight(&zones[ZONE_ALIGNMENT], along, other);
        const lanes cohere_weight =
            is_three ? zone_weight(&zones[ZONE_COHESION], together, other) : align_weight;
        zone_align(align_weight, motion, sums);
        zone_cohere(cohere_weight, other, sums);
        sums->velocity_weight = lanes_add(sums->velocity_weight, align_weight);
        if (is_three) {
            sums->offset_weight = lanes_add(sums->offset_weight, cohere_weight);
        }
    }
    if (variant.has_counts) {
        sums->count[ZONE_SEPARATION] = lanes_tally_add(sums->count[ZONE_SEPARATION], apart);
    }
    if (variant.has_counts || variant.is_sharp) {
        sums->count[ZONE_ALIGNMENT] = lanes_tally_add(sums->count[ZONE_ALIGNMENT], along);
    }
    if (variant.has_counts || (variant.is_sharp && is_three)) {
        sums->count[ZONE_COHESION] = lanes_tally_add(sums->count[ZONE_COHESION], together);
    }
}

/* Where a candidate is, seen from the agents of a block. */
LANES_INLINE struct candidate candidate_from(const struct kernel_plan *plan, const struct block *block,
                                             const struct motion *motion) {
    struct candidate other;
    other.x = lanes_sub(lanes_all(motion->x), block->at.x);
    other.y = lanes_sub(lanes_all(motion->y), block->at.y);
    if (block->wraps) {
        other.x = short_way(other.x, plan->size_x, plan->half_x);
        other.y = short_way(other.y, plan->size_y, plan->half_y);
    }
    other.squared = lanes_add(lanes_mul(other.x, other.x), lanes_mul(other.y, other.y));
    return other;
}

/* self: the lane of this agent, -1 when it is in none. */
LANES_INLINE void visit_candidate(const struct kernel_plan *plan, const struct block *block, int32_t slot,
                                  int32_t self, struct variant variant, struct sums *sums) {
    const struct motion *motion = &plan->batch->grid->motion[slot];
    struct candidate other = candidate_from(plan, block, motion);
    if (self >= 0) {
        const lanes_mask is_self = lanes_from_bits(UINT32_C(1) << self);
        other.squared = lanes_select(is_self, lanes_all(ELSEWHERE), other.squared);
    }
    other.is_near = lanes_less(other.squared, lanes_all(plan->furthest));
    /* In several lanes some candidate is mostly near, and a mispredicted branch costs more than a
     * candidate. */
    if ((LANES_WIDTH == 1 || (is_single(variant) && plan->is_sparse)) && !lanes_any(other.is_near)) {
        return;
    }
    if (variant.layout != KERNEL_ALONG && variant.layout != KERNEL_TOGETHER) {
        sums->nearest = lanes_min_positive(sums->nearest, other.squared);
    }
    if (variant.has_cones) {
        other.facing = candidate_facing(&other, block->heading_x, block->heading_y, block->core);
    }
    add_up(plan->zones, variant, motion, &other, sums);
}

/* ---- all candidates ---- */

LANES_INLINE bool does_count(const struct kernel_plan *plan, int32_t slot) {
    return !plan->is_picky || ((plan->batch->kinds >> plan->batch->grid->kind[slot]) & 1) != 0;
}

LANES_INLINE void visit_run(const struct kernel_plan *plan, const struct block *block, int32_t begin,
                            int32_t end, struct variant variant, struct sums *sums) {
    for (int32_t slot = begin; slot < end; slot++) {
        if (does_count(plan, slot)) {
            visit_candidate(plan, block, slot, -1, variant, sums);
        }
    }
}

LANES_INLINE struct sums sweep(const struct kernel_plan *plan, const struct block *block,
                               struct variant variant) {
    const lanes none = lanes_all(0.0f);
    const lanes_tally empty = lanes_tally_none();
    struct sums sums = {
        none, none, none, none, none, none, none, none, lanes_all(3e38f), {empty, empty, empty}};
    const int32_t first = block->first, last = first + block->count;
    struct grid_walk walk = block->walk;
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        visit_run(plan, block, begin, end < first ? end : first, variant, &sums);
        for (int32_t slot = begin <= first && first < end ? first : last; slot < last; slot++) {
            if (does_count(plan, slot)) {
                visit_candidate(plan, block, slot, slot - first, variant, &sums);
            }
        }
        visit_run(plan, block, begin > last ? begin : last, end, variant, &sums);
    }
    if (variant.is_sharp) {
        sums.velocity_weight = lanes_from_tally(sums.count[ZONE_ALIGNMENT]);
        sums.offset_weight = lanes_from_tally(sums.count[ZONE_COHESION]);
    }
    if (variant.layout == KERNEL_TWIN || variant.layout == KERNEL_ONE) {
        sums.offset_weight = sums.velocity_weight;
    }
    return sums;
}

/* A copy of the inner loop for each variant of a layout, which is a constant. */
LANES_INLINE struct sums sweep_layout(const struct kernel_plan *plan, struct block *block,
                                      enum kernel_layout layout, bool has_counts) {
    const struct variant smooth = {.layout = layout, .has_counts = has_counts};
    const struct variant sharp = {.layout = layout, .has_counts = has_counts, .is_sharp = true};
    const struct variant smooth_cones = {.layout = layout, .has_counts = has_counts, .has_cones = true};
    const struct variant sharp_cones = {
        .layout = layout, .has_counts = has_counts, .is_sharp = true, .has_cones = true};
    if (plan->has_cones) {
        find_cones(plan, block);
        return plan->is_sharp ? sweep(plan, block, sharp_cones) : sweep(plan, block, smooth_cones);
    }
    return plan->is_sharp ? sweep(plan, block, sharp) : sweep(plan, block, smooth);
}

/* Of several zones: one copy for each layout, so that the inner loop has no branches. */
LANES_INLINE struct sums sweep_any(const struct kernel_plan *plan, struct block *block, bool has_counts) {
    switch (plan->layout) {
    case KERNEL_THREE:
        return sweep_layout(plan, block, KERNEL_THREE, has_counts);
    case KERNEL_TWIN:
        return sweep_layout(plan, block, KERNEL_TWIN, has_counts);
    default:
        return sweep_layout(plan, block, KERNEL_ONE, has_counts);
    }
}

/* The lanes of agents that have another one in the same place. */
LANES_INLINE uint32_t coincident_lanes(const struct block *block, const struct sums *sums) {
    const uint32_t all = (uint32_t)((UINT64_C(1) << block->count) - 1);
    return lanes_bits(lanes_less(sums->nearest, lanes_all(NEIGHBORS_COINCIDENT))) & all;
}

LANES_INLINE void store_sums(const struct sums *sums, struct kernel_sums *out) {
    lanes_store(out->separation_x, sums->separation_x);
    lanes_store(out->separation_y, sums->separation_y);
    lanes_store(out->velocity_x, sums->velocity_x);
    lanes_store(out->velocity_y, sums->velocity_y);
    lanes_store(out->velocity_weight, sums->velocity_weight);
    lanes_store(out->offset_x, sums->offset_x);
    lanes_store(out->offset_y, sums->offset_y);
    lanes_store(out->offset_weight, sums->offset_weight);
}

/* ---- blocks of wanted agents ---- */

LANES_INLINE void store_where(float *to, lanes_mask mask, lanes value) {
    lanes_store_loose(to, lanes_select(mask, value, lanes_load_loose(to)));
}

/* Where the next block begins. */
struct search {
    const struct kernel_plan *plan;
    int32_t begin, end; /* slots */
    int32_t row;        /* not beyond the one of the next block */
    uint64_t wanted;    /* bit i: the agent in slot begin + i, in none of the blocks so far */
};

LANES_INLINE struct search begin_search(const struct kernel_plan *plan, int32_t begin, int32_t end,
                                        uint64_t wanted) {
    const uint64_t there = end - begin < 64 ? (UINT64_C(1) << (end - begin)) - 1 : UINT64_MAX;
    const int32_t row = begin < end ? row_before(plan->batch->grid, begin) : 0;
    return (struct search){.plan = plan, .begin = begin, .end = end, .row = row, .wanted = wanted & there};
}

/* The bits before the first `gap` zeros in a row. The lowest bit is set. */
LANES_INLINE uint64_t until_gap(uint64_t bits, int32_t gap) {
    uint64_t near = bits; /* less than `gap` behind one of the bits */
    for (int32_t reach = 1, step; reach < gap; reach += step) {
        step = reach < gap - reach ? reach : gap - reach;
        near |= near << step;
    }
    return near == UINT64_MAX ? bits : bits & ((UINT64_C(1) << __builtin_ctzll(~near)) - 1);
}

/* The next block from the next wanted agent on; it ends with a wanted one too. false when there are no more or once the
 * work is given up. */
LANES_INLINE bool next_block(struct search *search, struct block *block) {
    const struct grid *grid = search->plan->batch->grid;
    if (search->wanted == 0 || grid_is_given_up(grid)) {
        return false;
    }
    const int32_t place = __builtin_ctzll(search->wanted), first = search->begin + place;
    const int32_t row_stop = row_end(grid, first, &search->row);
    const int32_t stop = row_stop < search->end ? row_stop : search->end;
    const int32_t most = stop - first < LANES_WIDTH ? stop - first : LANES_WIDTH;
    const uint64_t lanes_wanted =
        until_gap((search->wanted >> place) & ((UINT64_C(1) << most) - 1), search->plan->gap);
    begin_block(search->plan, first, search->row, first + 64 - __builtin_clzll(lanes_wanted), block);
    search->wanted &= ~(lanes_wanted << place);
    block->wanted = (uint32_t)lanes_wanted;
    return true;
}

/* ---- neighbor_kernel_columns ---- */

LANES_INLINE void store_columns(const struct sums *sums, lanes_mask wanted, int32_t place,
                                struct sums_columns *out) {
    const lanes_tally *count = sums->count;
    store_where(out->separation_count + place, wanted, lanes_from_tally(count[ZONE_SEPARATION]));
    store_where(out->alignment_count + place, wanted, lanes_from_tally(count[ZONE_ALIGNMENT]));
    store_where(out->cohesion_count + place, wanted, lanes_from_tally(count[ZONE_COHESION]));
    store_where(out->separation_x + place, wanted, sums->separation_x);
    store_where(out->separation_y + place, wanted, sums->separation_y);
    store_where(out->velocity_x + place, wanted, sums->velocity_x);
    store_where(out->velocity_y + place, wanted, sums->velocity_y);
    store_where(out->velocity_weight + place, wanted, sums->velocity_weight);
    store_where(out->offset_x + place, wanted, sums->offset_x);
    store_where(out->offset_y + place, wanted, sums->offset_y);
    store_where(out->offset_weight + place, wanted, sums->offset_weight);
}

/* One copy for each zone that may be the only one, so that nothing is done for the others. */
LANES_INLINE struct sums sweep_only(const struct kernel_plan *plan, struct block *block) {
    switch (plan->only) {
    case ZONE_ALIGNMENT:
        return sweep_layout(plan, block, KERNEL_ALONG, true);
    case ZONE_COHESION:
        return sweep_layout(plan, block, KERNEL_TOGETHER, true);
    default:
        return sweep_layout(plan, block, KERNEL_APART, true);
    }
}

static void sum_neighbors(const struct kernel_plan *plan, int32_t begin, int32_t end, uint64_t wanted,
                          struct sums_columns *out) {
    struct search search = begin_search(plan, begin, end, wanted);
    struct block block;
    while (next_block(&search, &block)) {
        const struct sums sums =
            plan->only == ZONE_COUNT ? sweep_any(plan, &block, true) : sweep_only(plan, &block);
        const int32_t place = block.first - begin;
        store_columns(&sums, lanes_from_bits(block.wanted), place, out);
        for (uint32_t left = coincident_lanes(&block, &sums) & block.wanted; left != 0; left &= left - 1) {
            const int32_t lane = __builtin_ctz(left);
            const struct neighbor_sums alone = kernel_sums_alone(plan, block.first + lane);
            sums_columns_set(out, place + lane, &alone);
        }
    }
}
