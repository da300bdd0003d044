/* A world that ranks share has the hash of one process at every tick, whatever their number, wherever the borders
 * between them are, with SIMD lanes of every width, and however a rank shares its work out.
 *
 * Each scenario runs in one process, then on fake ranks: as copies, and in stripes where world_stripes_refusal has
 * nothing against it. Where DROVER_SLOW is set it is more ticks and several numbers of ranks; where DROVER_FULL is set as well
 * TICKS ticks, 1 to RANKS_MAX ranks and all widths.
 *
 * DROVER_RANKS_SCENARIO=NAME tries one scenario, DROVER_RANKS=N that many ranks, DROVER_RANKS_TICKS=N ticks;
 * DROVER_PROPERTY_SEED repeats or varies the borders.
 */
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/scenario/scenario.h"
#include "server/sim/world/world_stripes.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/other_ways.h"
#include "tests/support/exchange_conformance.h"
#include "tests/support/fake_ranks.h"

enum {
    TICKS = 1000,
    UPDATES = 1000000, /* agents times ticks of a scenario in the full run */
    SLOW_TICKS = 300,
    SLOW_UPDATES = 100000,
    CUT_TICKS = 100,
    CUT_UPDATES = 30000,
    TICKS_MIN = 8,
    VAST = 500000, /* agents: in the full run alone */
    LARGE = 40000, /* agents of a scenario that only the slow run tries */
    RANKS_MAX = 8,
    TEXT = 256,
};

static int ticks_of(const struct world *world) {
    const bool is_all = is_slow() && is_full();
    const int most = is_all ? TICKS : is_slow() ? SLOW_TICKS : CUT_TICKS;
    const int updates = is_all ? UPDATES : is_slow() ? SLOW_UPDATES : CUT_UPDATES;
    const int count = world_agent_count(world), few = updates / (count > 0 ? count : 1);
    const int ticks = few < TICKS_MIN ? TICKS_MIN : few < most ? few : most;
    return (int)environment("DROVER_RANKS_TICKS", (uint64_t)ticks);
}

/* What all ranks of a trial know. */
struct trial {
    const struct world *start;
    const uint64_t *hashes; /* of one process, after tick 0, 1, ... `ticks` + 1 */
    int ticks;
    enum simd simd;
    pthread_mutex_t lock;
    int wrong_tick, wrong_rank;             /* the first; -1: none */
    struct world_window windows[RANKS_MAX]; /* at the end */
};

static void note_wrong(struct trial *trial, int tick, int rank) {
    pthread_mutex_lock(&trial->lock);
    if (trial->wrong_tick < 0 || tick < trial->wrong_tick) {
        trial->wrong_tick = tick;
        trial->wrong_rank = rank;
    }
    pthread_mutex_unlock(&trial->lock);
}

/* The whole world on one rank has the hash, and the one after a tick more, of one process. True when it has not. */
static bool try_gathered(const struct trial *trial, const struct world *world,
                         const struct exchange *exchange) {
    const int root = trial->ticks % exchange->ranks;
    struct world *whole = exchange->rank == root ? world_clone_new(trial->start) : NULL;
    bool is_wrong = world_gather(world, root, whole) != 0;
    if (whole != NULL && !is_wrong) {
        is_wrong = world_hash(whole) != trial->hashes[trial->ticks];
        world_step(whole);
        is_wrong = is_wrong || world_hash(whole) != trial->hashes[trial->ticks + 1];
    }
    world_destroy(whole);
    return is_wrong;
}

/* Goes on after a difference: other ranks wait for this one. */
static void run_rank(const struct exchange *exchange, void *context) {
    struct trial *trial = context;
    struct world *world = world_clone_new(trial->start);
    if (world == NULL || world_join(world, exchange) != 0) {
        fputs("there is no memory for the test\n", stderr);
        abort();
    }
    world_set_simd(world, trial->simd);
    const struct parallel parallel = exchange->rank % 2 == 1 ? backwards() : parallel_alone();
    for (int tick = 0; tick <= trial->ticks; tick++) {
        if (tick > 0) {
            world_step_parallel(world, &parallel);
        }
        if (world_hash(world) != trial->hashes[tick]) {
            note_wrong(trial, tick, exchange->rank);
        }
    }
    trial->windows[exchange->rank] = world_window(world);
    if (try_gathered(trial, world, exchange)) {
        note_wrong(trial, trial->ticks + 1, exchange->rank);
    }
    world_destroy(world);
}

static void describe(const struct trial *trial, int ranks) {
    uint64_t migrants = 0, ghosts = 0;
    for (int r = 0; r < ranks; r++) {
        migrants += trial->windows[r].migrants;
        ghosts += trial->windows[r].ghost_ticks;
    }
    printf(", %" PRIu64 " migrants, %.1f ghosts a rank and tick", migrants,
           (double)ghosts / ranks / (trial->ticks > 0 ? trial->ticks : 1));
}

static int try_ranks(const char *name, struct trial *trial, enum exchange_mode mode, int ranks) {
    static uint64_t runs;
    const uint64_t seed = environment("DROVER_PROPERTY_SEED", 1) * 1000003 + ++runs;
    struct fake_ranks *fake = fake_ranks_new(ranks, mode, seed);
    trial->wrong_tick = -1;
    fake_ranks_run(fake, run_rank, trial);
    fake_ranks_destroy(fake);
    const bool is_wrong = trial->wrong_tick >= 0;
    if (is_wrong || getenv("DROVER_RANKS_SCENARIO") != NULL) {
        printf("%s: %s, %d ranks, %s", name, mode == EXCHANGE_COPY ? "copy" : "stripes", ranks,
               simd_names[trial->simd]);
        if (mode == EXCHANGE_STRIPES) {
            describe(trial, ranks);
        }
        if (is_wrong) {
            printf(": another hash from tick %d on, rank %d", trial->wrong_tick, trial->wrong_rank);
        }
        puts("");
    }
    return is_wrong;
}

static enum simd next_width(void) {
    static int turn;
    enum simd simd;
    do {
        simd = (enum simd)(turn++ % SIMD_COUNT);
    } while (!simd_is_supported(simd));
    return simd;
}

static int try_counts(const char *name, struct trial *trial, enum exchange_mode mode) {
    const int only = (int)environment("DROVER_RANKS", 0);
    int failures = 0;
    if (only > 0) {
        trial->simd = next_width();
        return try_ranks(name, trial, mode, only);
    }
    if (!is_slow()) {
        static int turn;
        trial->simd = next_width();
        return try_ranks(name, trial, mode, 2 + turn++ % (mode == EXCHANGE_COPY ? 3 : RANKS_MAX - 1));
    }
    const int least = mode == EXCHANGE_COPY ? 2 : 1, most = mode == EXCHANGE_COPY ? 4 : RANKS_MAX;
    for (int ranks = least; ranks <= most && !is_full(); ranks += ranks < 4 ? 1 : 2) {
        trial->simd = next_width();
        failures += try_ranks(name, trial, mode, ranks);
    }
    for (int ranks = least; ranks <= most && is_full(); ranks++) {
        for (int simd = 0; simd < SIMD_COUNT; simd++) {
            trial->simd = (enum simd)simd;
            if (simd_is_supported(trial->simd)) {
                failures += try_ranks(name, trial, mode, ranks);
            }
        }
    }
    return failures;
}

static enum exchange_mode mode_of_trial;

static bool is_left_out(const struct world *world) {
    const int most = !is_slow() ? LARGE : is_full() ? INT_MAX : VAST;
    return getenv("DROVER_RANKS_SCENARIO") == NULL && world_agent_count(world) > most;
}

static int try_scenario(const char *name) {
    char why[TEXT];
    struct world *start = world_named(name);
    if (is_left_out(start)) {
        world_destroy(start);
        return 0;
    }
    struct trial trial = {.start = start, .ticks = ticks_of(start), .lock = PTHREAD_MUTEX_INITIALIZER};
    if (mode_of_trial == EXCHANGE_STRIPES &&
        world_stripes_refusal(start, RANKS_MAX, why, sizeof why) != NULL) {
        if (getenv("DROVER_RANKS_SCENARIO") != NULL) {
            printf("%s: refused: %s\n", name, why);
        }
        world_destroy(start);
        return 0;
    }
    uint64_t *hashes = malloc(sizeof *hashes * (size_t)(trial.ticks + 2));
    struct world *alone = world_clone_new(start);
    assert_non_null(hashes);
    assert_non_null(alone);
    for (int tick = 0; tick <= trial.ticks + 1; tick++) {
        if (tick > 0) {
            world_step(alone);
        }
        hashes[tick] = world_hash(alone);
    }
    trial.hashes = hashes;
    const int failures = try_counts(name, &trial, mode_of_trial);
    free(hashes);
    world_destroy(alone);
    world_destroy(start);
    return failures;
}

static void test_copies(void **state) {
    mode_of_trial = EXCHANGE_COPY;
    assert_int_equal(each_scenario(getenv("DROVER_RANKS_SCENARIO"), try_scenario), 0);
}

static void test_stripes(void **state) {
    mode_of_trial = EXCHANGE_STRIPES;
    assert_int_equal(each_scenario(getenv("DROVER_RANKS_SCENARIO"), try_scenario), 0);
}

/* ---- the fake ranks themselves ---- */

static void conform(const struct exchange *exchange, void *context) {
    const char **broken = context;
    broken[exchange->rank] = exchange_conformance(exchange);
}

static void test_conformance(void **state) {
    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        const char *broken[RANKS_MAX] = {NULL};
        struct fake_ranks *fake = fake_ranks_new(ranks, EXCHANGE_COPY, ranks % 2 == 0 ? 0 : 7);
        fake_ranks_run(fake, conform, broken);
        fake_ranks_destroy(fake);
        for (int r = 0; r < ranks; r++) {
            if (broken[r] != NULL) {
                fail_msg("%d ranks, rank %d: %s", ranks, r, broken[r]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conformance),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_stripes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
