/* Giving up a tick: a tick that lasts for minutes ends when another thread says so, whatever the behaviors.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "tests/unit/server/sim/sim_fixture.h"

/* So many agents in one place that a tick takes longer than any test waits, and more so with sanitizers. */
enum { CROWD = 100000, BEFORE_MS = 100, PATIENCE_S = 10 };

static double now_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The other thread. */
struct impatience {
    atomic_bool given_up;
    double at_s; /* when the flag was set */
};

static void *give_up(void *argument) {
    struct impatience *impatience = argument;
    const struct timespec before = {.tv_nsec = BEFORE_MS * 1000000L};
    (void)nanosleep(&before, NULL);
    impatience->at_s = now_s();
    atomic_store(&impatience->given_up, true);
    return NULL;
}

/* All agents in one place, with one behavior. */
static struct world_def crowd_def(enum behavior_type type) {
    struct world_def def = one_kind_def(type, (vec2){400.0f, 300.0f});
    struct behavior_def *behavior = behavior_of(&def);
    if (behavior_target_count(type) == 0 || type == BEHAVIOR_PURSUE) {
        behavior->target.target[0] = '\0';
    }
    if (type == BEHAVIOR_PURSUE) {
        copy_text(behavior->target.kind, "agent");
    }
    place(&def, (vec2){400.0f, 300.0f}, (vec2){10.0f, 0.0f});
    def.placements[0].count = CROWD;
    return def;
}

static void check_ends(const char *what, struct world *world, void (*act)(struct world *world)) {
    struct impatience impatience = {.given_up = false};
    pthread_t thread;
    world_let_give_up(world, &impatience.given_up);
    assert_int_equal(pthread_create(&thread, NULL, give_up, &impatience), 0);
    act(world);
    const double ended_s = now_s();
    const bool was_given_up = world_is_given_up(world);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)printf("%-28s ends %.1f ms after it was given up\n", what, 1e3 * (ended_s - impatience.at_s));
    assert_true(was_given_up); /* otherwise it was no crowd */
    assert_true(ended_s - impatience.at_s < PATIENCE_S);
    world_destroy(world);
}

static void step_once(struct world *world) {
    const uint64_t tick = world_tick(world);
    world_step(world);
    assert_true(!world_is_given_up(world) || world_tick(world) == tick);
}

/* The first tick may be quick, before agents have moved. */
static void step_on(struct world *world) {
    while (!world_is_given_up(world)) {
        step_once(world);
    }
}

static void explain_all(struct world *world) {
    for (int32_t row = 0; row < world_agent_count(world) && !world_is_given_up(world); row++) {
        struct steering_view view;
        world_explain(world, row, &view);
    }
}

static void trace_all(struct world *world) {
    for (int32_t row = 0; row < world_agent_count(world) && !world_is_given_up(world); row++) {
        struct steering_view view;
        struct trace trace;
        world_trace(world, row, &view, &trace);
    }
}

static void test_every_search_ends(void **state) {
    static const enum behavior_type types[] = {
        BEHAVIOR_FLOCK, BEHAVIOR_SEPARATION, BEHAVIOR_COHESION,      BEHAVIOR_AVOID_AGENTS,
        BEHAVIOR_ORCA,  BEHAVIOR_PURSUE,     BEHAVIOR_FOLLOW_LEADER, BEHAVIOR_QUEUE,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct world_def def = crowd_def(types[i]);
        check_ends(behavior_type_name(types[i]), build(&def), step_on);
    }
}

static void test_few_neighbors_end(void **state) {
    struct world_def def = crowd_def(BEHAVIOR_FLOCK);
    behavior_of(&def)->max_neighbors = 7;
    check_ends("flock, max_neighbors 7", build(&def), step_on);
}

static void test_three_behaviors_of_two_kinds_end(void **state) {
    struct world_def def = crowd_def(BEHAVIOR_SEPARATION);
    struct state_def *first = &def.kinds[0].states[0];
    static const enum behavior_type more[] = {BEHAVIOR_ALIGNMENT, BEHAVIOR_COHESION};
    for (int i = 0; i < 2; i++) {
        first->behaviors[++first->behavior_count - 1] = behavior_def_default(more[i]);
        copy_text(first->behaviors[first->behavior_count - 1].kinds, "agent other");
    }
    struct kind_def *other = world_def_add_kind(&def, "other");
    assert_non_null(other);
    other->states[0] = def.kinds[0].states[0];
    struct placement_def *placement = world_def_add_placement(&def, "other");
    assert_non_null(placement);
    placement->at = (vec2){400.0f, 300.0f};
    placement->count = CROWD / 4;
    check_ends("three rules, two kinds", build(&def), step_on);
}

static void test_reading_ends(void **state) {
    struct world_def def = crowd_def(BEHAVIOR_FLOCK);
    check_ends("world_explain", build(&def), explain_all);
    def = crowd_def(BEHAVIOR_AVOID_AGENTS);
    check_ends("world_trace", build(&def), trace_all);
}

/* A tick that was given up reports no results. */
static void test_given_up_before_it_began(void **state) {
    struct world_def def = crowd_def(BEHAVIOR_FLOCK);
    struct world *world = build(&def);
    const atomic_bool given_up = true;
    world_let_give_up(world, &given_up);
    world_step(world);
    assert_true(world_is_given_up(world));
    assert_int_equal(world_tick(world), 0);
    world_destroy(world);
}

static void test_creating_ends(void **state) {
    const atomic_bool given_up = true;
    struct world_def def = crowd_def(BEHAVIOR_FLOCK);
    def.given_up = &given_up;
    struct world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_GIVEN_UP);
    assert_null(world);
    world_def_fini(&def);
}

/* A request that came before the world was given up has its whole effect. */
static void test_commands_are_whole(void **state) {
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = crowd_def(BEHAVIOR_FLOCK);
        def.placements[0].count = 300;
        struct world *world = build(&def);
        const atomic_bool given_up = true;
        const struct spawn_def spawn = {
            .count = 1000, .shape = PLACE_RECT, .size = {800.0f, 600.0f}, .velocity = {5.0f, 0.0f}};
        uint32_t first_id = 0;
        world_let_give_up(world, i == 1 ? &given_up : NULL);
        assert_int_equal(world_spawn(world, &spawn, &first_id), WORLD_OK);
        assert_int_equal(world_remove(world, &first_id, 1, NULL), 1);
        world_let_give_up(world, NULL);
        assert_int_equal(world_agent_count(world), 1299);
        steps(world, 5);
        hashes[i] = world_hash(world);
        world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Until the flag is set it changes nothing. */
static void test_bits_are_the_same(void **state) {
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        struct world_def def = crowd_def(BEHAVIOR_FLOCK);
        def.placements[0].count = 300;
        def.placements[0].shape = PLACE_CIRCLE;
        def.placements[0].radius = 40.0f;
        struct world *world = build(&def);
        const atomic_bool given_up = false;
        if (i == 1) {
            world_let_give_up(world, &given_up);
        }
        steps(world, 50);
        assert_false(world_is_given_up(world));
        hashes[i] = world_hash(world);
        world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_search_ends),
        cmocka_unit_test(test_few_neighbors_end),
        cmocka_unit_test(test_three_behaviors_of_two_kinds_end),
        cmocka_unit_test(test_reading_ends),
        cmocka_unit_test(test_given_up_before_it_began),
        cmocka_unit_test(test_creating_ends),
        cmocka_unit_test(test_commands_are_whole),
        cmocka_unit_test(test_bits_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
