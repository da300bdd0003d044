/* The nearest neighbors of the agents in the lanes, for orca_kernel.inc.h.
 *
 * Each lane ranks the candidates of its block by keys: 20 bits of the squared distance above the candidate's
 * number. Minimum and maximum are all it takes to keep the lowest few. Where two keys share the 20 bits and
 * it matters which is the lower one, the agent's neighbors are ranked exactly, by neighbors_nearest_slots.
 */
#include "server/sim/space/neighbor_sweep.inc.h"
#include "server/sim/steering/orca_plan.h"

/* Loops over keys are unrolled, which keeps the keys in registers. Compiling that with sanitizers takes clang minutes. */
#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif
#if HAS_SANITIZER
#define ORCA_UNROLL
#elif defined(__clang__)
#define ORCA_UNROLL _Pragma("unroll")
#else
#define ORCA_UNROLL _Pragma("GCC unroll 33")
#endif

enum {
    COPIED = 16, /* candidates are copied so many at a time, the last ones with some that follow them */
    /* Those that are ranked exactly are added behind the others. */
    CANDIDATES_MAX = ORCA_RANKED_MAX + ORCA_WIDTH_MAX * NEIGHBORS_NEAREST_MAX + COPIED,
};
_Static_assert((int)COPIED <= (int)GRID_SPARE, "those that follow the last slot are readable");

/* Agents that may be neighbors of those in a block. */
struct candidates {
    int32_t count;
    int32_t own_begin;             /* the block's own agents are the last ones */
    int32_t own_lane[LANES_WIDTH]; /* and these their lanes */
    bool is_uniform;               /* all have the radius of the first */
    struct motion motion[CANDIDATES_MAX];
    float radius[CANDIDATES_MAX];
};

/* Agents of one row of cells, and the cells their candidates are in. Lanes past `count` hold the
 * following agents; their results are discarded. */
struct orca_block {
    int32_t first, count;
    uint32_t wanted; /* lanes */
    struct lanes_motion at;
    struct grid_span bands[2], pieces[2];
    int band_count, piece_count;
    bool wraps; /* some difference may be shorter the other way round */
};

/* The neighbors, nearest first: numbers of candidates. */
struct ranks {
    int32_t levels;                        /* so many at most in any lane */
    uint32_t there[NEIGHBORS_NEAREST_MAX]; /* lanes that have so many */
    _Alignas(64) int32_t number[NEIGHBORS_NEAREST_MAX][LANES_WIDTH];
};

/* ---- where candidates are ---- */

/* The cells of an axis within `reach` of low .. high. Returns how many spans; *cells: how many cells. */
LANES_INLINE int cells_within(const struct grid_axis *axis, float low, float high, float reach,
                              struct grid_span spans[2], int32_t *cells) {
    *cells = axis->cells;
    spans[0] = (struct grid_span){0, axis->cells - 1};
    if (axis->wraps && !(high - low + 2.0f * reach < axis->size)) {
        return 1;
    }
    if (!axis->wraps) {
        spans[0] = (struct grid_span){grid_axis_cell(axis, low - reach), grid_axis_cell(axis, high + reach)};
        *cells = spans[0].last - spans[0].first + 1;
        return 1;
    }
    const float one = (low - reach - axis->origin) * axis->scale;
    const float other = (high + reach - axis->origin) * axis->scale;
    const int32_t first = one < 0.0f ? (int32_t)one - 1 : (int32_t)one, last = (int32_t)other;
    *cells = last - first + 1;
    return span_cells(axis, first, last, spans);
}

/* Coordinates of the block's agents side by side, where some of them may have crossed the border of the
 * torus.
 */
LANES_INLINE lanes side_by_side(const struct grid_axis *axis, lanes at, float first, lanes_mask is_own) {
    lanes way = lanes_keep(is_own, lanes_sub(at, lanes_all(first)));
    if (axis->wraps) {
        way = short_way(way, axis->size, 0.5f * axis->size);
    }
    return lanes_add(lanes_all(first), way);
}

LANES_INLINE void begin_orca_block(const struct orca_plan *plan, int32_t first, int32_t end, uint32_t wanted,
                                   struct orca_block *block) {
    const struct grid *grid = plan->query->grid;
    block->first = first;
    block->count = end - first;
    block->wanted = wanted;
    lanes_load_motion(grid->motion + first, &block->at);
    const lanes_mask is_own = lanes_from_bits((uint32_t)((UINT64_C(1) << block->count) - 1));
    const lanes x = side_by_side(&grid->across, block->at.x, grid->motion[first].x, is_own);
    const lanes y = side_by_side(&grid->down, block->at.y, grid->motion[first].y, is_own);
    int32_t columns, rows;
    block->piece_count = cells_within(&grid->across, lanes_lowest(x), lanes_highest(x), plan->reach_x,
                                      block->pieces, &columns);
    block->band_count =
        cells_within(&grid->down, lanes_lowest(y), lanes_highest(y), plan->reach_y, block->bands, &rows);
    /* A cell on either side is given to rounding, and candidates may have left the cells they were in. */
    const float width = (float)(columns + 2) / grid->across.scale + 2.0f * grid->drift;
    const float height = (float)(rows + 2) / grid->down.scale + 2.0f * grid->drift;
    block->wraps = grid->across.wraps && (block->piece_count > 1 || block->band_count > 1 ||
                                          width > plan->half_x || height > plan->half_y);
}

/* ---- candidates ---- */

/* Adds the slots [begin, end) without looking at their kinds. */
LANES_INLINE void add_any(const struct grid *grid, int32_t begin, int32_t end,
                          struct candidates *candidates) {
    struct motion *motion = candidates->motion + candidates->count;
    float *radius = candidates->radius + candidates->count;
    for (int32_t i = 0; i < end - begin; i += COPIED) {
        memcpy(motion + i, grid->motion + begin + i, COPIED * sizeof *motion);
        memcpy(radius + i, grid->radius + begin + i, COPIED * sizeof *radius);
    }
    candidates->count += end - begin;
}

/* Adds the agent of a slot if it counts. */
LANES_INLINE void add_one(const struct orca_plan *plan, int32_t slot, struct candidates *candidates) {
    const struct grid *grid = plan->query->grid;
    candidates->motion[candidates->count] = grid->motion[slot];
    candidates->radius[candidates->count] = grid->radius[slot];
    candidates->count += (int32_t)((plan->query->kinds >> grid->kind[slot]) & 1);
}

/* Adds those of [begin, end) that count; false: there are too many. */
LANES_INLINE bool add_run(const struct orca_plan *plan, int32_t begin, int32_t end,
                          struct candidates *candidates) {
    if (end - begin > ORCA_RANKED_MAX - candidates->count) {
        return false;
    }
    if (!plan->is_picky) {
        if (begin < end) {
            add_any(plan->query->grid, begin, end, candidates);
        }
        return true;
    }
    for (int32_t slot = begin; slot < end; slot++) {
        add_one(plan, slot, candidates);
    }
    return true;
}

/* The block's own, behind all others; false: there are too many. */
LANES_INLINE bool add_own(const struct orca_plan *plan, const struct orca_block *block,
                          struct candidates *candidates) {
    candidates->own_begin = candidates->count;
    if (block->count > ORCA_RANKED_MAX - candidates->count) {
        return false;
    }
    for (int32_t lane = 0; lane < block->count; lane++) {
        candidates->own_lane[candidates->count - candidates->own_begin] = lane;
        add_one(plan, block->first + lane, candidates);
    }
    return true;
}

/* All but the block's own; false: there are too many. */
LANES_INLINE bool add_others(const struct orca_plan *plan, const struct orca_block *block,
                             struct candidates *candidates) {
    const struct grid *grid = plan->query->grid;
    const int32_t first = block->first, last = first + block->count;
    for (int band = 0; band < block->band_count; band++) {
        for (int32_t row = block->bands[band].first; row <= block->bands[band].last; row++) {
            const int32_t *cells = grid->begin + (ptrdiff_t)row * grid->across.cells;
            for (int piece = 0; piece < block->piece_count; piece++) {
                const int32_t begin = cells[block->pieces[piece].first];
                const int32_t end = cells[block->pieces[piece].last + 1];
                if (!add_run(plan, begin, end < first ? end : first, candidates) ||
                    !add_run(plan, begin > last ? begin : last, end, candidates)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Whether all bodies are alike, which spares a look at each neighbor's. */
LANES_INLINE bool is_uniform(const struct candidates *candidates) {
    const float first = candidates->radius[0];
    uint32_t differs = 0;
    for (int32_t i = 0; i < candidates->count; i++) {
        differs |= (uint32_t)(candidates->radius[i] < first) | (uint32_t)(first < candidates->radius[i]);
    }
    return differs == 0;
}

/* ---- ranks ---- */

/* The offset from the agents to one candidate, or to one of each lane. A sum with zero turns -0 into +0, as
 * short_way does. */
LANES_INLINE struct pair offset_from_block(const struct orca_plan *plan, const struct orca_block *block,
                                           lanes x, lanes y) {
    const lanes none = lanes_all(0.0f);
    const struct pair offset = {lanes_sub(x, block->at.x), lanes_sub(y, block->at.y)};
    if (block->wraps) {
        return (struct pair){short_way(offset.x, plan->size_x, plan->half_x),
                             short_way(offset.y, plan->size_y, plan->half_y)};
    }
    return (struct pair){lanes_add(offset.x, none), lanes_add(offset.y, none)};
}

/* self: the lane of this agent, -1 when it is in none. keys: of the nearest so far, and [levels], of the
 * nearest one that is not among them. */
LANES_INLINE void rank_candidate(const struct orca_plan *plan, const struct orca_block *block,
                                 const struct motion *motion, int32_t number, int32_t self, int32_t levels,
                                 lanes *keys) {
    const struct pair offset = offset_from_block(plan, block, lanes_all(motion->x), lanes_all(motion->y));
    const lanes squared = pair_dot(offset, offset);
    lanes_mask is_near = lanes_less(squared, lanes_all(plan->furthest));
    if (self >= 0) {
        is_near = lanes_but_not(is_near, lanes_from_bits(UINT32_C(1) << self));
    }
    if (LANES_WIDTH == 1 && !lanes_any(is_near)) {
        return;
    }
    lanes key = lanes_key(is_near, lanes_mul(squared, lanes_all(plan->quanta)), (uint32_t)number);
    ORCA_UNROLL
    for (int32_t level = 0; level < levels; level++) {
        const lanes further = lanes_max(keys[level], key);
        keys[level] = lanes_min(keys[level], key);
        key = further;
    }
    keys[levels] = lanes_min(keys[levels], key);
}

/* Stores the ranks; returns the lanes whose keys do not decide them. */
LANES_INLINE uint32_t store_ranks(const lanes *keys, int32_t most, uint32_t wanted, struct ranks *ranks) {
    uint32_t tied = 0;
    int32_t level = 0;
    for (; level < most; level++) {
        const lanes_mask is_there = lanes_less(keys[level], lanes_all(LANES_NO_KEY));
        ranks->there[level] = lanes_bits(is_there) & wanted;
        if (ranks->there[level] == 0) {
            break;
        }
        lanes_store_numbers(ranks->number[level], lanes_select(is_there, keys[level], lanes_all(0.0f)));
        /* If the further one is there so is this one. */
        const lanes_mask has_next = lanes_less(keys[level + 1], lanes_all(LANES_NO_KEY));
        tied |= lanes_bits(lanes_both(has_next, lanes_same_quanta(keys[level], keys[level + 1])));
    }
    ranks->levels = level;
    return tied & wanted;
}

/* levels: a constant, at least query->most. */
LANES_INLINE uint32_t rank_all(const struct orca_plan *plan, const struct orca_block *block,
                               const struct candidates *candidates, int32_t levels, struct ranks *ranks) {
    lanes keys[NEIGHBORS_NEAREST_MAX + 1], stored[NEIGHBORS_NEAREST_MAX + 1];
    ORCA_UNROLL
    for (int32_t level = 0; level <= levels; level++) {
        keys[level] = lanes_all(LANES_NO_KEY);
    }
    for (int32_t i = 0; i < candidates->own_begin; i++) {
        rank_candidate(plan, block, &candidates->motion[i], i, -1, levels, keys);
    }
    for (int32_t i = candidates->own_begin; i < candidates->count; i++) {
        rank_candidate(plan, block, &candidates->motion[i], i,
                       candidates->own_lane[i - candidates->own_begin], levels, keys);
    }
    /* A copy, so that the keys themselves stay in registers. */
    ORCA_UNROLL
    for (int32_t level = 0; level <= levels; level++) {
        stored[level] = keys[level];
    }
    return store_ranks(stored, plan->query->most, block->wanted, ranks);
}

static uint32_t rank_10(const struct orca_plan *plan, const struct orca_block *block,
                        const struct candidates *candidates, struct ranks *ranks) {
    return rank_all(plan, block, candidates, 10, ranks);
}
static uint32_t rank_16(const struct orca_plan *plan, const struct orca_block *block,
                        const struct candidates *candidates, struct ranks *ranks) {
    return rank_all(plan, block, candidates, 16, ranks);
}
static uint32_t rank_32(const struct orca_plan *plan, const struct orca_block *block,
                        const struct candidates *candidates, struct ranks *ranks) {
    return rank_all(plan, block, candidates, NEIGHBORS_NEAREST_MAX, ranks);
}

/* Replaces the ranks of one lane by exact ones. */
static void rank_exactly(const struct orca_plan *plan, const struct orca_block *block, int32_t lane,
                         struct candidates *candidates, struct ranks *ranks) {
    const struct grid *grid = plan->query->grid;
    int32_t slots[NEIGHBORS_NEAREST_MAX];
    const int32_t count = orca_rank_alone(plan, block->first + lane, slots);
    for (; ranks->levels < count; ranks->levels++) {
        ranks->there[ranks->levels] = 0;
        memset(ranks->number[ranks->levels], 0, sizeof ranks->number[0]);
    }
    for (int32_t level = 0; level < ranks->levels; level++) {
        ranks->there[level] &= ~(UINT32_C(1) << lane);
    }
    for (int32_t level = 0; level < count; level++) {
        candidates->motion[candidates->count] = grid->motion[slots[level]];
        candidates->radius[candidates->count] = grid->radius[slots[level]];
        ranks->there[level] |= UINT32_C(1) << lane;
        ranks->number[level][lane] = candidates->count++;
    }
}

/* The neighbors of a block's agents. */
static void rank_neighbors(const struct orca_plan *plan, const struct orca_block *block,
                           struct candidates *candidates, struct ranks *ranks) {
    uint32_t tied = block->wanted;
    candidates->count = 0;
    ranks->levels = 0;
    if (!add_others(plan, block, candidates) || !add_own(plan, block, candidates)) {
        candidates->count = 0;
    } else if (plan->query->most <= 10) {
        tied = rank_10(plan, block, candidates, ranks);
    } else {
        tied = plan->query->most <= 16 ? rank_16(plan, block, candidates, ranks)
                                       : rank_32(plan, block, candidates, ranks);
    }
    candidates->is_uniform = candidates->count > 0 && is_uniform(candidates);
    candidates->is_uniform &= tied == 0;
    for (int32_t lane = 0; tied != 0; lane++, tied >>= 1) {
        if ((tied & 1) != 0) {
            rank_exactly(plan, block, lane, candidates, ranks);
        }
    }
}
