/* See world_stripes.h. */
#include "server/sim/world/world_stripes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/parallel.h"
#include "server/sim/math/rng.h"
#include "server/sim/world/world_hash_mix.h"
#include "server/sim/world/world_image.h"
#include "server/sim/world/world_internal.h"

enum {
    SHARES = WORLD_CHECK_TICKS / WORLD_CHECK_EVERY,
    SHARE_OF_GHOSTS = 4, /* at which turn the others are compared */
    SHARE_OF_ARITHMETIC = 12,
    PROBE_AGENTS = 512,
    PROBE_TICKS = 2,
};

/* An agent of the probe, as its rank hands it to the others. */
struct probe_agent {
    int32_t row;
    uint8_t state;
    vec2 heading;
    struct motion motion;
    struct memory memory;
    struct timers timers;
};

struct world_check {
    struct world *probe; /* owned */
    struct probe_agent *agents;
    struct exchange_part *out, *in; /* a rank each */
    uint64_t *words;                /* of ranks, or of rows of cells */
    size_t word_room;
    int turns; /* of ranks that give the probe */
};

/* ---- life ---- */

/* The world without its agents; shares its arrays. */
static struct world without_agents(const struct world *world) {
    struct world empty = *world;
    empty.exchange = NULL;
    empty.stripes = NULL;
    empty.own_begin = empty.own_end = 0;
    empty.agent_count = 0;
    memset(empty.kind_begin, 0, sizeof empty.kind_begin);
    empty.is_sorted = false;
    empty.grid.count = empty.grid.absent = 0;
    empty.grid.drift = 0.0f;
    return empty;
}

static bool has_words(struct world_check *check, size_t count) {
    if (count > check->word_room) {
        uint64_t *words = realloc(check->words, sizeof *words * count);
        if (words == NULL) {
            return false;
        }
        check->words = words;
        check->word_room = count;
    }
    return true;
}

struct world_check *world_check_new(const struct world *world) {
    const struct exchange *exchange = world_exchange(world);
    assert(exchange != NULL);
    const struct world empty = without_agents(world);
    struct world_check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        return NULL;
    }
    check->agents = calloc(PROBE_AGENTS, sizeof *check->agents);
    check->out = calloc(2 * (size_t)exchange->ranks, sizeof *check->out);
    check->probe = world_clone_new(&empty);
    if (check->agents == NULL || check->out == NULL || check->probe == NULL ||
        world_reserve(check->probe, PROBE_AGENTS) != 0 || !has_words(check, (size_t)exchange->ranks)) {
        world_check_destroy(check);
        return NULL;
    }
    check->in = check->out + exchange->ranks;
    return check;
}

void world_check_destroy(struct world_check *check) {
    if (check != NULL) {
        world_destroy(check->probe);
        free(check->agents);
        free(check->out);
        free(check->words);
        free(check);
    }
}

/* ---- which rank differs ---- */

static struct rank_difference none(void) {
    return (struct rank_difference){-1, -1, ""};
}

static int count_equal(const uint64_t *words, int count, uint64_t word) {
    int equal = 0;
    for (int i = 0; i < count; i++) {
        equal += words[i] == word;
    }
    return equal;
}

/* words: of each rank what all should have. The rank of those that the fewest agree with. */
static struct rank_difference find_odd(const uint64_t *words, int ranks, const char *what) {
    int odd = 0, agree = ranks;
    for (int rank = 0; rank < ranks; rank++) {
        const int equal = count_equal(words, ranks, words[rank]);
        odd = equal < agree ? rank : odd;
        agree = equal < agree ? equal : agree;
    }
    if (agree == ranks) {
        return none();
    }
    if (2 * agree < ranks) {
        return (struct rank_difference){odd, -1, what};
    }
    for (int rank = 0; rank < ranks; rank++) { /* as many on either side */
        if (words[rank] != words[0]) {
            return (struct rank_difference){rank, 0, what};
        }
    }
    return none();
}

static struct rank_difference compare(struct world_check *check, const struct exchange *exchange,
                                      uint64_t own, const char *what) {
    memset(check->words, 0, sizeof *check->words * (size_t)exchange->ranks);
    check->words[exchange->rank] = own;
    exchange->sum(exchange->context, check->words, exchange->ranks);
    return find_odd(check->words, exchange->ranks, what);
}

/* ---- what every rank has ---- */

static struct rank_difference compare_replicated(struct world_check *check, const struct world *world,
                                                 int share) {
    const int64_t count = world_agent_count(world);
    const int32_t begin = (int32_t)(count * share / SHARES), end = (int32_t)(count * (share + 1) / SHARES);
    const uint64_t rest = world_hash_rest(world);
    const bool is_partial = world_is_partial(world);
    const uint64_t agents =
        is_partial ? world_hash_by_row(world, begin, end) : world_hash_rows(world, begin, end);
    return compare(check, world_exchange(world), rng_mix(rest + ODD) ^ agents,
                   is_partial ? "what all ranks know of the world" : "the world");
}

/* ---- ghosts ---- */

/* Of the agents in a row of cells, in any order of columns. */
static uint64_t sum_cells(const struct world *world, int32_t row) {
    const struct grid *grid = &world->grid;
    const int32_t columns = grid->across.cells;
    uint64_t sum = 0;
    for (int32_t slot = grid->begin[columns * row]; slot < grid->begin[columns * (row + 1)]; slot++) {
        const struct motion motion = grid->motion[slot];
        const uint64_t base = rng_mix((uint64_t)(uint32_t)grid->row[slot] + ODD);
        sum += rng_mix((base ^ pair(motion.x, motion.y)) + ODD);
        sum += rng_mix((base ^ pair(motion.vx, motion.vy)) + 2 * ODD);
        if (!world->is_pure_flock) {
            sum += rng_mix((base ^ point(world->heading[slot])) + 3 * ODD);
        }
    }
    return sum;
}

/* The row of cells so far from the window, around a torus; -1: there is none, or it is in the window. */
static int32_t halo_row(const struct world *world, const struct world_window *window, int32_t row) {
    const int32_t rows = window->rows;
    if ((row < 0 || row >= rows) && !world->grid.down.wraps) {
        return -1;
    }
    const int32_t there = ((row % rows) + rows) % rows;
    return there >= window->first_row && there < window->end_row ? -1 : there;
}

/* Of one row of the halo: notes that the rank and the owner differ. */
static void compare_row(const struct world *world, const uint64_t *sums, const uint64_t *owners, int32_t row,
                        uint64_t *wrong) {
    if (row >= 0 && owners[row] != 0 && sum_cells(world, row) != sums[row]) {
        const int owner = (int)owners[row] - 1, rank = world_exchange(world)->rank;
        wrong[rank] += 1;
        wrong[owner] += UINT64_C(1) << 32;
    }
}

/* wrong: of each rank in how many rows its ghosts differ, and above 32 bits in how many rows those of others differ from
 * what it says. Where two ranks differ from one it is that one. */
static struct rank_difference find_wrong(const uint64_t *wrong, int ranks) {
    int holder = -1, owner = -1, holders = 0;
    for (int rank = 0; rank < ranks; rank++) {
        if ((uint32_t)wrong[rank] != 0) {
            holder = rank;
            holders++;
        }
        owner = wrong[rank] >> 32 != 0 && (owner < 0 || wrong[rank] > wrong[owner]) ? rank : owner;
    }
    if (holders == 0) {
        return none();
    }
    return holders == 1 ? (struct rank_difference){holder, ranks == 2 ? owner : -1, "its ghosts"}
                        : (struct rank_difference){owner, -1, "what others have as ghosts"};
}

static struct rank_difference compare_ghosts(struct world_check *check, const struct world *world) {
    const struct exchange *exchange = world_exchange(world);
    const struct world_window window = world_window(world);
    const size_t rows = (size_t)window.rows, ranks = (size_t)exchange->ranks;
    uint32_t has_room = has_words(check, 2 * rows + ranks) ? 1 : 0; /* on all ranks, or none compares */
    exchange->least(exchange->context, &has_room, 1);
    if (has_room == 0 || rows == 0) {
        return none();
    }
    uint64_t *sums = check->words, *owners = sums + rows, *wrong = owners + rows;
    memset(sums, 0, sizeof *sums * (2 * rows + ranks));
    for (int32_t row = window.first_row; row < window.end_row; row++) {
        sums[row] = sum_cells(world, row);
        owners[row] = (uint64_t)exchange->rank + 1;
    }
    exchange->sum(exchange->context, sums, (int)(2 * rows));
    for (int32_t i = 1; i <= window.halo && window.end_row > window.first_row; i++) {
        compare_row(world, sums, owners, halo_row(world, &window, window.first_row - i), wrong);
        compare_row(world, sums, owners, halo_row(world, &window, window.end_row + i - 1), wrong);
    }
    exchange->sum(exchange->context, wrong, (int)ranks);
    return find_wrong(wrong, (int)ranks);
}

/* ---- arithmetic ---- */

static int by_row(const void *a, const void *b) {
    const int32_t left = ((const struct probe_agent *)a)->row, right = ((const struct probe_agent *)b)->row;
    return (left > right) - (left < right);
}

/* Some agents of this rank that are near each other: from one of its slots on. */
static int32_t take_agents(struct world_check *check, const struct world *world) {
    const struct world_slots own = world_own_slots(world);
    const int32_t all = own.end - own.begin, count = all < PROBE_AGENTS ? all : PROBE_AGENTS;
    const int32_t skipped = (int32_t)(rng_mix(world_tick(world)) % ((uint64_t)(all - count) + 1));
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = world->grid.row[own.begin + skipped + i];
        check->agents[i] =
            (struct probe_agent){.row = row,
                                 .state = (uint8_t)world_state(world, row),
                                 .heading = world_heading(world, row),
                                 .motion = world_motion(world, row),
                                 .memory = world->has_memories ? *world_memory(world, row) : MEMORY_INITIAL,
                                 .timers = world->timers[world_place(world, row)]};
    }
    qsort(check->agents, (size_t)count, sizeof *check->agents, by_row);
    return count;
}

static void add_agent(struct world *probe, const struct world *world, const struct probe_agent *agent) {
    const int32_t to = probe->agent_count, from = agent->row;
#define COPY_BY_ROW(name, copied)                                                                            \
    if (copied) {                                                                                            \
        probe->name[to] = world->name[from];                                                                 \
    }
#define COPY_BY_SLOT(name, copied)                                          /* handed over */
#define COPY_COLUMN(number, type, name, initial, saved, hashed, by, copied) COPY_##by(name, copied)
    WORLD_COLUMNS(COPY_COLUMN)
#undef COPY_COLUMN
#undef COPY_BY_SLOT
#undef COPY_BY_ROW
    if (probe->has_memories) {
        probe->state[to] = agent->state;
        probe->memory[to] = agent->memory;
        probe->timers[to] = agent->timers;
    }
    probe->heading[to] = agent->heading;
    grid_append(&probe->grid, agent->motion, world->kind[from]);
    probe->agent_count++;
}

/* The hash of a small world of these agents some ticks on. */
static uint64_t try_agents(struct world_check *check, const struct world *world, size_t count) {
    const struct world empty = without_agents(world);
    struct world *probe = check->probe;
    int32_t cells;
    if (count == 0) {
        return 0; /* the window of the rank that gives them is empty */
    }
    if (!world_clone(probe, &empty) || world_reserve(probe, PROBE_AGENTS) != 0) {
        return 0; /* the kinds or obstacles have grown */
    }
    probe->simd = world->simd;
    for (size_t i = 0; i < count; i++) {
        add_agent(probe, world, &check->agents[i]);
    }
    if (world_restore_sort(probe, &cells) != WORLD_OK) {
        return 0;
    }
    for (int tick = 0; tick < PROBE_TICKS; tick++) {
        world_step(probe);
    }
    return world_hash(probe);
}

static struct rank_difference compare_arithmetic(struct world_check *check, const struct world *world) {
    const struct exchange *exchange = world_exchange(world);
    const int giver = check->turns++ % exchange->ranks;
    const size_t size =
        giver == exchange->rank ? sizeof *check->agents * (size_t)take_agents(check, world) : 0;
    for (int rank = 0; rank < exchange->ranks; rank++) {
        check->out[rank] = (struct exchange_part){check->agents, size};
    }
    exchange->hand_over(exchange->context, check->out, check->in);
    const struct exchange_part *given = &check->in[giver];
    if (given->size > 0) {
        memcpy(check->agents, given->bytes, given->size);
    }
    const uint64_t hash = try_agents(check, world, given->size / sizeof *check->agents);
    return compare(check, exchange, hash, "what it computes");
}

/* ---- in turns ---- */

struct rank_difference world_check_tick(struct world_check *check, const struct world *world) {
    const uint64_t turn = world_tick(world) / WORLD_CHECK_EVERY;
    const int share = (int)(turn % SHARES);
    if (world_tick(world) % WORLD_CHECK_EVERY != 0 || world_exchange(world)->ranks == 1) {
        return none();
    }
    struct rank_difference found = compare_replicated(check, world, share);
    if (found.rank < 0 && share == SHARE_OF_GHOSTS && world_is_partial(world)) {
        found = compare_ghosts(check, world);
    }
    if (found.rank < 0 && share == SHARE_OF_ARITHMETIC) {
        found = compare_arithmetic(check, world);
    }
    return found;
}
