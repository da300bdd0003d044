/* Ranks that share a world find the one whose bits are not those of the others: within WORLD_CHECK_TICKS, and by its
 * number. While nothing is wrong they find nothing, and no hash changes. */
#include <stdlib.h>
#include <string.h>

#include "server/sim/world/world_internal.h"
#include "server/sim/world/world_stripes.h"
#include "tests/property/named_scenario.h"
#include "tests/support/fake_ranks.h"
#include "tests/unit/server/cmocka_all.h"

enum { RANKS_MAX = 5, START = 7 /* ticks before something goes wrong */ };

/* What goes wrong with a rank's world. */
struct fault {
    const char *name;
    void (*make)(struct world *world);
    const char *what;
    bool is_lasting; /* made after each tick from then on: other ranks say again what ghosts are */
};

struct trial {
    const struct world *start;
    const struct fault *fault; /* NULL: none */
    int rank;                  /* whose */
    int ticks;
    uint64_t hash; /* of one process at the end */
    struct rank_difference found[RANKS_MAX];
    int tick[RANKS_MAX];
    uint64_t end[RANKS_MAX];
};

static void turn_bit(void *value, size_t byte) {
    unsigned char *bytes = value;
    bytes[byte] ^= 1;
}

static void spoil_body(struct world *world) {
    turn_bit(&world->aim[world->agent_count / 3].point.x, 0);
    world->aim[world->agent_count / 3].mode = AIM_POINT;
}

static void spoil_target(struct world *world) {
    turn_bit(&world->kinds[0].def.body.mass, 0);
}

/* What follows from a kind's parameters is not in the hash: ticks go wrong, as with another library. */
static void spoil_arithmetic(struct world *world) {
    for (int b = 0; b < world->kinds[0].def.states[0].behavior_count; b++) {
        world->kinds[0].states[0].behaviors[b].zones[0].radius *= 0.5f;
    }
    world->kinds[0].turn = (vec2){0.5f, 0.8660254f};
    world->kinds[0].body.max_speed *= 0.5f;
}

/* A ghost that is not where its owner has it. */
static void spoil_ghost(struct world *world) {
    const struct world_window window = world_window(world);
    for (int32_t slot = 0; slot < world->grid.count; slot++) {
        if (slot < window.own_begin || slot >= window.own_end) {
            turn_bit(&world->grid.motion[slot].vx, 0);
        }
    }
}

static const struct fault faults[] = {
    {"a column by row", spoil_body, "", false},
    {"a parameter", spoil_target, "", false},
    {"arithmetic", spoil_arithmetic, "what it computes", false},
};
static const struct fault ghost_fault = {"ghosts", spoil_ghost, "its ghosts", true};

static void run_rank(const struct exchange *exchange, void *context) {
    struct trial *trial = context;
    const int rank = exchange->rank;
    struct world *world = world_clone_new(trial->start);
    if (world == NULL || world_join(world, exchange) != 0) {
        abort();
    }
    struct world_check *check = world_check_new(world);
    if (check == NULL) {
        abort();
    }
    trial->found[rank].rank = -1;
    for (int tick = 1; tick <= trial->ticks && trial->found[rank].rank < 0; tick++) {
        const bool is_faulty = tick >= START && trial->fault != NULL && rank == trial->rank;
        if (is_faulty && !trial->fault->is_lasting && tick == START) {
            trial->fault->make(world);
        }
        world_step(world);
        if (is_faulty && trial->fault->is_lasting) {
            trial->fault->make(world);
        }
        trial->found[rank] = world_check_tick(check, world);
        trial->tick[rank] = tick;
    }
    trial->end[rank] = world_hash(world);
    world_check_destroy(check);
    world_destroy(world);
}

static void run(struct trial *trial, enum exchange_mode mode, int ranks) {
    struct fake_ranks *fake = fake_ranks_new(ranks, mode, 0);
    fake_ranks_run(fake, run_rank, trial);
    fake_ranks_destroy(fake);
}

static void expect_fault_to_be_found(const struct world *start, enum exchange_mode mode, int ranks,
                                     const struct fault *fault) {
    struct trial trial = {
        .start = start, .fault = fault, .rank = ranks - 1, .ticks = START + WORLD_CHECK_TICKS};
    run(&trial, mode, ranks);
    for (int rank = 0; rank < ranks; rank++) {
        if (trial.found[rank].rank != ranks - 1 || strstr(trial.found[rank].what, fault->what) == NULL) {
            fail_msg("%s: rank %d of %d found rank %d: %s", fault->name, rank, ranks, trial.found[rank].rank,
                     trial.found[rank].what);
        }
        assert_int_equal(trial.found[rank].other, ranks == 2 ? 0 : -1);
        assert_int_equal(trial.tick[rank], trial.tick[0]);
    }
}

static void expect_nothing_to_be_found(struct world *start, enum exchange_mode mode, int ranks) {
    struct trial trial = {.start = start, .ticks = 2 * WORLD_CHECK_TICKS};
    struct world *one = world_clone_new(start);
    for (int tick = 0; tick < trial.ticks; tick++) {
        world_step(one);
    }
    trial.hash = world_hash(one);
    world_destroy(one);
    run(&trial, mode, ranks);
    for (int rank = 0; rank < ranks; rank++) {
        assert_int_equal(trial.found[rank].rank, -1);
        assert_int_equal(trial.tick[rank], trial.ticks);
        assert_true(trial.end[rank] == trial.hash);
    }
}

static void try_scenario(const char *name, enum exchange_mode mode) {
    struct world *start = world_named(name);
    for (int ranks = 2; ranks <= RANKS_MAX; ranks++) {
        expect_nothing_to_be_found(start, mode, ranks);
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            expect_fault_to_be_found(start, mode, ranks, &faults[i]);
        }
    }
    world_destroy(start);
}

static void test_copies(void **state) {
    try_scenario("boids", EXCHANGE_COPY);
    try_scenario("doorway", EXCHANGE_COPY);
}

static void test_stripes(void **state) {
    try_scenario("boids", EXCHANGE_STRIPES);
    struct world *start = world_named("boids");
    for (int ranks = 2; ranks <= RANKS_MAX; ranks++) {
        expect_fault_to_be_found(start, EXCHANGE_STRIPES, ranks, &ghost_fault);
    }
    world_destroy(start);
}

/* Three birds: some ranks have none to try arithmetic with. */
static void test_empty_windows(void **state) {
    struct scenario scenario;
    struct world *start = NULL;
    scenario_named("murmuration_100k", &scenario);
    scenario.def.placements[0].count = 3;
    assert_int_equal(world_create(&scenario.def, &start, NULL), WORLD_OK);
    scenario_fini(&scenario);
    for (int ranks = 2; ranks <= RANKS_MAX; ranks++) {
        expect_nothing_to_be_found(start, EXCHANGE_STRIPES, ranks);
    }
    world_destroy(start);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_stripes),
                                       cmocka_unit_test(test_empty_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
