/* Orca of kernels.h, for LANES_WIDTH agents at once. The half-plane of a neighbor and the linear program are
 * half_planes.inc.h.
 */

/* The nearest neighbors of the agents in the lanes.
 *
 * Each lane ranks the candidates of its block by keys: 20 bits of the squared distance above the candidate's
 * number. Minimum and maximum are all it takes to keep the lowest few. Where two keys share the 20 bits and
 * it matters which is the lower one, the agent's neighbors are ranked exactly, by neighbors_nearest_slots.
 */

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
                                   struct block *block) {
    const struct grid *grid = plan->query->grid;
    block->first = first;
    block->count = end - first;
    block->wanted = wanted;
    lanes_load_motion(grid->motion + first, &block->at);
    const lanes_mask is_own = lanes_from_bits((uint32_t)((UINT64_C(1) << block->count) - 1));
    const lanes x = side_by_side(&grid->across, block->at.x, grid->motion[first].x, is_own);
    const lanes y = side_by_side(&grid->down, block->at.y, grid->motion[first].y, is_own);
    int32_t columns, rows;
    struct grid_walk *walk = &block->walk;
    *walk = (struct grid_walk){.grid = grid};
    walk->piece_count =
        cells_within(&grid->across, lanes_lowest(x), lanes_highest(x), plan->reach_x, walk->pieces, &columns);
    walk->band_count =
        cells_within(&grid->down, lanes_lowest(y), lanes_highest(y), plan->reach_y, walk->bands, &rows);
    walk->row = walk->bands[0].first;
    /* A cell on either side is given to rounding, and candidates may have left the cells they were in. */
    const float width = (float)(columns + 2) / grid->across.scale + 2.0f * grid->drift;
    const float height = (float)(rows + 2) / grid->down.scale + 2.0f * grid->drift;
    block->wraps = grid->across.wraps && (walk->piece_count > 1 || walk->band_count > 1 ||
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
LANES_INLINE bool add_own(const struct orca_plan *plan, const struct block *block,
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
LANES_INLINE bool add_others(const struct orca_plan *plan, const struct block *block,
                             struct candidates *candidates) {
    const int32_t first = block->first, last = first + block->count;
    struct grid_walk walk = block->walk;
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        if (!add_run(plan, begin, end < first ? end : first, candidates) ||
            !add_run(plan, begin > last ? begin : last, end, candidates)) {
            return false;
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
LANES_INLINE struct pair offset_from_block(const struct orca_plan *plan, const struct block *block, lanes x,
                                           lanes y) {
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
LANES_INLINE void rank_candidate(const struct orca_plan *plan, const struct block *block,
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
LANES_INLINE uint32_t rank_all(const struct orca_plan *plan, const struct block *block,
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

static uint32_t rank_10(const struct orca_plan *plan, const struct block *block,
                        const struct candidates *candidates, struct ranks *ranks) {
    return rank_all(plan, block, candidates, 10, ranks);
}
static uint32_t rank_16(const struct orca_plan *plan, const struct block *block,
                        const struct candidates *candidates, struct ranks *ranks) {
    return rank_all(plan, block, candidates, 16, ranks);
}
static uint32_t rank_32(const struct orca_plan *plan, const struct block *block,
                        const struct candidates *candidates, struct ranks *ranks) {
    return rank_all(plan, block, candidates, NEIGHBORS_NEAREST_MAX, ranks);
}

/* Replaces the ranks of one lane by exact ones. */
static void rank_exactly(const struct orca_plan *plan, const struct block *block, int32_t lane,
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
static void rank_neighbors(const struct orca_plan *plan, const struct block *block,
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

enum { AT_ONCE = 2 /* the lost lanes of a block, if they are one in so many, do not wait for others */ };

/* Half-planes of a block, and what they say. */
struct outlook {
    struct planes planes;
    int32_t count;     /* of half-planes in each lane */
    lanes_mask active; /* the preferred velocity is not permitted */
    lanes_mask split;  /* some neighbor must be passed on a side that only ids decide */
};

/* Agents that the half-planes leave no velocity, by lane. */
struct lost {
    int32_t place[LANES_WIDTH];
    _Alignas(64) float begin[LANES_WIDTH]; /* the half-plane that leaves nothing */
    _Alignas(64) float max_speed[LANES_WIDTH];
    _Alignas(64) float x[LANES_WIDTH]; /* the best velocity without it */
    _Alignas(64) float y[LANES_WIDTH];
};

/* Those of several blocks, until there are as many as lanes. */
struct queue {
    int32_t count, levels; /* agents, half-planes of each */
    struct lost lost;
    struct planes planes;
};

/* ---- half-planes ---- */

/* The half-planes of the neighbors of one rank. */
LANES_INLINE void forbid_rank(const struct orca_plan *plan, const struct block *block,
                              const struct candidates *candidates, const struct ranks *ranks, int32_t level,
                              struct pair preferred, struct outlook *outlook) {
    const lanes none = lanes_all(0.0f);
    struct lanes_motion other;
    lanes_fetch_motion(candidates->motion, ranks->number[level], &other);
    const lanes body = candidates->is_uniform ? lanes_all(candidates->radius[0])
                                              : lanes_fetch(candidates->radius, ranks->number[level]);
    const lanes bodies = lanes_add(lanes_load_loose(plan->query->grid->radius + block->first), body);
    const struct pair offset = offset_from_block(plan, block, other.x, other.y);
    const struct encounter_lanes encounter = {
        .offset = {lanes_add(offset.x, none), lanes_add(offset.y, none)}, /* without negative zeros */
        .own = {block->at.vx, block->at.vy},
        .other = {other.vx, other.vy},
        .room = lanes_add(bodies, lanes_all(plan->query->clearance)),
        .split = {none, none},
        .horizon_inverse = lanes_all(plan->horizon_inverse),
        .settle_inverse = lanes_all(plan->settle_inverse),
    };
    struct plane_lanes plane = half_plane_in_lanes(&encounter);
    /* Two points without clearance cannot collide. */
    const lanes_mask counts =
        lanes_both(lanes_from_bits(ranks->there[level]), lanes_less(none, encounter.room));
    plane.least = lanes_select(counts, plane.least, lanes_all(HALF_PLANE_NO_LEAST));
    plane.normal = pair_keep(counts, plane.normal);
    lanes_store(outlook->planes.x[level], plane.normal.x);
    lanes_store(outlook->planes.y[level], plane.normal.y);
    lanes_store(outlook->planes.least[level], plane.least);
    outlook->split = lanes_either(outlook->split, lanes_both(counts, plane.is_split));
    const lanes_mask is_forbidden = lanes_less(pair_dot(plane.normal, preferred), plane.least);
    outlook->active = lanes_either(outlook->active, is_forbidden);
}

static void forbid_neighbors(const struct orca_plan *plan, const struct block *block,
                             const struct candidates *candidates, const struct ranks *ranks,
                             struct pair preferred, struct outlook *outlook) {
    outlook->count = ranks->levels;
    outlook->active = outlook->split = lanes_from_bits(0);
    for (int32_t level = 0; level < ranks->levels; level++) {
        forbid_rank(plan, block, candidates, ranks, level, preferred, outlook);
    }
}

/* ---- answers ---- */

/* Where `which` is false what stands there stays. */
LANES_INLINE void store_answers(const struct orca_answers *answers, int32_t place, lanes_mask which,
                                struct pair velocity) {
    float *x = answers->x + place, *y = answers->y + place;
    lanes_store_loose(x, lanes_select(which, velocity.x, lanes_load_loose(x)));
    lanes_store_loose(y, lanes_select(which, velocity.y, lanes_load_loose(y)));
}

/* Bits of a column of bits, of which [place, place + count) may begin in one word and end in the next. */
LANES_INLINE void store_bits(uint64_t *words, int32_t place, uint32_t bits) {
    const int32_t word = place / 64, shift = place % 64;
    words[word] |= (uint64_t)bits << shift;
    if (shift > 64 - LANES_WIDTH && bits >> (64 - shift) != 0) {
        words[word + 1] |= (uint64_t)bits >> (64 - shift);
    }
}

LANES_INLINE uint32_t load_bits(const uint64_t *words, int32_t place, int32_t count) {
    const int32_t word = place / 64, shift = place % 64;
    uint64_t bits = words[word] >> shift;
    if (shift + count > 64) {
        bits |= words[word + 1] << (64 - shift);
    }
    return (uint32_t)(bits & ((UINT64_C(1) << count) - 1));
}

/* ---- those that no velocity is left to ---- */

/* places: by lane. */
static void solve_lost(const struct planes *planes, int32_t levels, const struct lost *lost, uint32_t which,
                       const struct orca_answers *answers) {
    const lanes max_speed = lanes_load(lost->max_speed);
    struct pair velocity = {lanes_load(lost->x), lanes_load(lost->y)};
    violate_least(planes, levels, 0, lanes_load(lost->begin), max_speed, lanes_from_bits(which), &velocity);
    velocity = pair_truncate(velocity, max_speed);
    _Alignas(64) float x[LANES_WIDTH], y[LANES_WIDTH];
    lanes_store(x, velocity.x);
    lanes_store(y, velocity.y);
    for (int32_t lane = 0; which != 0; lane++, which >>= 1) {
        if ((which & 1) != 0) {
            answers->x[lost->place[lane]] = x[lane];
            answers->y[lost->place[lane]] = y[lane];
        }
    }
}

static void solve_queue(struct queue *queue, const struct orca_answers *answers) {
    if (queue->count > 0) {
        const uint32_t all = (uint32_t)((UINT64_C(1) << queue->count) - 1);
        solve_lost(&queue->planes, queue->levels, &queue->lost, all, answers);
    }
    queue->count = queue->levels = 0;
}

/* Room for half-planes of so many ranks; those that lanes do not have permit everything. */
LANES_INLINE void grow_queue(struct queue *queue, int32_t levels) {
    const lanes none = lanes_all(0.0f);
    for (; queue->levels < levels; queue->levels++) {
        lanes_store(queue->planes.x[queue->levels], none);
        lanes_store(queue->planes.y[queue->levels], none);
        lanes_store(queue->planes.least[queue->levels], lanes_all(HALF_PLANE_NO_LEAST));
    }
}

static void enqueue(const struct outlook *outlook, const struct lost *lost, int32_t lane,
                    struct queue *queue) {
    const int32_t to = queue->count++;
    struct planes *planes = &queue->planes;
    grow_queue(queue, outlook->count);
    queue->lost.place[to] = lost->place[lane];
    queue->lost.begin[to] = lost->begin[lane];
    queue->lost.max_speed[to] = lost->max_speed[lane];
    queue->lost.x[to] = lost->x[lane];
    queue->lost.y[to] = lost->y[lane];
    for (int32_t i = 0; i < outlook->count; i++) {
        planes->x[i][to] = outlook->planes.x[i][lane];
        planes->y[i][to] = outlook->planes.y[i][lane];
        planes->least[i][to] = outlook->planes.least[i][lane];
    }
}

/* At once where most lanes of a block are lost; otherwise they wait. */
static void lose(const struct outlook *outlook, const struct lost *lost, uint32_t which, struct queue *queue,
                 const struct orca_answers *answers) {
    int32_t count = 0;
    for (uint32_t rest = which; rest != 0; rest &= rest - 1) {
        count++;
    }
    if (AT_ONCE * count >= LANES_WIDTH) {
        solve_lost(&outlook->planes, outlook->count, lost, which, answers);
        return;
    }
    for (int32_t lane = 0; which != 0; lane++, which >>= 1) {
        if ((which & 1) != 0) {
            enqueue(outlook, lost, lane, queue);
            if (queue->count == LANES_WIDTH) {
                solve_queue(queue, answers);
            }
        }
    }
}

/* ---- one block ---- */

/* The permitted velocities of the active lanes. */
static void permit(const struct block *block, const struct outlook *outlook, struct pair preferred,
                   lanes max_speed, int32_t place, struct queue *queue, const struct orca_answers *answers) {
    const lanes lean = lanes_all(ORCA_LEAN);
    const struct pair leaning = {lanes_mul(lanes_negate(block->at.vy), lean), lanes_mul(block->at.vx, lean)};
    const struct goal goal = {pair_add(preferred, leaning), false, max_speed};
    struct pair velocity = pair_truncate_often(goal.aim, max_speed);
    lanes failed = lanes_all(0.0f);
    const lanes_mask fails =
        solve_planes(&outlook->planes, outlook->count, &goal, outlook->active, &velocity, &failed);
    if (lanes_any(fails)) {
        struct lost lost;
        for (int32_t lane = 0; lane < LANES_WIDTH; lane++) {
            lost.place[lane] = place + lane;
        }
        lanes_store(lost.begin, failed);
        lanes_store(lost.max_speed, max_speed);
        lanes_store(lost.x, velocity.x);
        lanes_store(lost.y, velocity.y);
        lose(outlook, &lost, lanes_bits(fails), queue, answers);
    }
    store_answers(answers, place, lanes_but_not(outlook->active, fails), pair_truncate(velocity, max_speed));
}

static void solve_block(const struct orca_plan *plan, const struct orca_wishes *wishes,
                        const struct block *block, int32_t place, struct queue *queue,
                        const struct orca_answers *answers) {
    struct candidates candidates;
    struct ranks ranks;
    struct outlook outlook;
    const struct pair preferred = {lanes_load_loose(wishes->preferred_x + place),
                                   lanes_load_loose(wishes->preferred_y + place)};
    rank_neighbors(plan, block, &candidates, &ranks);
    forbid_neighbors(plan, block, &candidates, &ranks, preferred, &outlook);
    store_bits(answers->alone, place, lanes_bits(outlook.split));
    outlook.active = lanes_but_not(outlook.active, outlook.split);
    if (lanes_any(outlook.active)) {
        store_bits(answers->active, place, lanes_bits(outlook.active));
        permit(block, &outlook, preferred, lanes_load_loose(wishes->max_speed + place), place, queue,
               answers);
    }
}

static void solve_orca(const struct orca_plan *plan, const struct orca_wishes *wishes, int32_t begin,
                       int32_t end, const uint64_t *wanted, const struct orca_answers *answers) {
    const struct grid *grid = plan->query->grid;
    int32_t row = begin < end ? row_before(grid, begin) : 0;
    struct queue queue = {.count = 0, .levels = 0};
    struct block block;
    for (int32_t first = begin; first < end && !grid_is_given_up(grid);) {
        const int32_t stop = row_end(grid, first, &row), left = (stop < end ? stop : end) - first;
        const int32_t count = left < LANES_WIDTH ? left : LANES_WIDTH;
        const uint32_t lanes_wanted = load_bits(wanted, first - begin, count);
        if (lanes_wanted != 0) {
            begin_orca_block(plan, first, first + count, lanes_wanted, &block);
            solve_block(plan, wishes, &block, first - begin, &queue, answers);
        }
        first += count;
    }
    solve_queue(&queue, answers);
}
