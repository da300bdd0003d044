/* The part of orca_kernel.h that is done in LANES_WIDTH lanes; ORCA_FUNCTION is the name it gets. The
 * half-plane of a neighbor is half_plane.inc.h, the linear program half_planes.inc.h.
 */
#include "server/sim/steering/half_planes.inc.h"
#include "server/sim/steering/orca_limits.h"
#include "server/sim/steering/orca_rank.inc.h"

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
LANES_INLINE void forbid_rank(const struct orca_plan *plan, const struct orca_block *block,
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

static void forbid_neighbors(const struct orca_plan *plan, const struct orca_block *block,
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
    violate_least(planes, levels, lanes_load(lost->begin), max_speed, lanes_from_bits(which), &velocity);
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
static void permit(const struct orca_block *block, const struct outlook *outlook, struct pair preferred,
                   lanes max_speed, int32_t place, struct queue *queue, const struct orca_answers *answers) {
    const lanes lean = lanes_all(ORCA_LEAN);
    const struct pair leaning = {lanes_mul(lanes_negate(block->at.vy), lean), lanes_mul(block->at.vx, lean)};
    const struct goal_lanes goal = {pair_add(preferred, leaning), false, max_speed};
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
                        const struct orca_block *block, int32_t place, struct queue *queue,
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

void ORCA_FUNCTION(const struct orca_plan *plan, const struct orca_wishes *wishes, int32_t begin, int32_t end,
                   const uint64_t *wanted, const struct orca_answers *answers) {
    const struct grid *grid = plan->query->grid;
    int32_t row = begin < end ? row_before(grid, begin) : 0;
    struct queue queue = {.count = 0, .levels = 0};
    struct orca_block block;
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
