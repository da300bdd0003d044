/* What agents want: goals, ways, giving up. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/steering/trace.h"
#include "server/sim/world/world.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== goals ====
 * Behaviors about moving agents: pursue, evade, offset pursuit, interpose, wander, and the choice of the
 * other agent. */

static struct kind_def *add_kind(struct world_def *def, const char *name, enum behavior_type type) {
    struct kind_def *kind = world_def_add_kind(def, name);
    assert_non_null(kind);
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(type);
    return kind;
}

static void put(struct world_def *def, const char *kind, vec2 at, vec2 velocity) {
    struct placement_def *placement = world_def_add_placement(def, kind);
    assert_non_null(placement);
    placement->at = at;
    placement->velocity = velocity;
}

/* A hare that coasts, and a kind that reacts to it. */
static struct world_def hare_def(enum behavior_type type, vec2 hare, vec2 velocity) {
    struct world_def def = world_def_default();
    struct kind_def *coasting = world_def_add_kind(&def, "hare");
    assert_non_null(coasting);
    coasting->body.max_speed = (struct field_range){500.0f, 500.0f};
    put(&def, "hare", hare, velocity);
    struct kind_def *kind = add_kind(&def, "hound", type);
    copy_text(kind->states[0].behaviors[0].target.kind, "hare");
    return def;
}

static struct steering_view explain_last(const struct world *world) {
    struct steering_view view;
    world_explain(world, world_agent_count(world) - 1, &view);
    return view;
}

static void test_pursue_leads_the_quarry(void **state) {
    struct world_def def = hare_def(BEHAVIOR_PURSUE, (vec2){400.0f, 100.0f}, (vec2){0.0f, 50.0f});
    put(&def, "hound", (vec2){300.0f, 100.0f}, (vec2){0, 0}); /* from rest: 100 px at 100 px/s is 1 s ahead */
    struct world *world = build(&def);
    const vec2 desired = explain_last(world).desired;
    assert_true(fabsf(desired.y / desired.x - 0.5f) < 1e-4f);
    for (int tick = 0; tick < 600; tick++) {
        world_step(world);
    }
    world_destroy(world);
}

static void test_prediction_is_capped_and_crosses_the_torus(void **state) {
    struct world_def def = hare_def(BEHAVIOR_PURSUE, (vec2){780.0f, 100.0f}, (vec2){100.0f, 0.0f});
    def.edge = EDGE_WRAP;
    def.kinds[1].states[0].behaviors[0].max_prediction = 0.5f;
    put(&def, "hound", (vec2){700.0f, 100.0f}, (vec2){0, 0});
    put(&def, "hound", (vec2){60.0f, 100.0f},
        (vec2){0, 0}); /* ahead of it beyond the edge: it comes towards us */
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 1, &view);
    assert_true(view.desired.x > 99.0f);
    world_explain(world, 2, &view); /* 80 px behind, 50 px further in half a second: still behind */
    assert_true(view.desired.x < -99.0f);
    world_destroy(world);
}

static void test_evade_runs_from_where_the_menace_will_be(void **state) {
    struct world_def def = hare_def(BEHAVIOR_EVADE, (vec2){400.0f, 100.0f}, (vec2){0.0f, 400.0f});
    put(&def, "hound", (vec2){300.0f, 200.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    const vec2 desired = explain_last(world).desired;
    assert_true(desired.x < 0.0f && desired.y < 0.0f); /* it will have passed below */
    world_destroy(world);
    def = hare_def(BEHAVIOR_EVADE, (vec2){400.0f, 100.0f}, (vec2){0, 0});
    def.kinds[1].states[0].behaviors[0].panic_distance = 50.0f;
    put(&def, "hound", (vec2){300.0f, 100.0f}, (vec2){0, 0});
    world = build(&def);
    const vec2 calm = explain_last(world).desired;
    assert_true(calm.x == 0.0f && calm.y == 0.0f);
    world_destroy(world);
}

static void test_offset_pursuit_keeps_its_place(void **state) {
    struct world_def def = hare_def(BEHAVIOR_OFFSET_PURSUIT, (vec2){200.0f, 300.0f}, (vec2){60.0f, 0.0f});
    def.edge = EDGE_WRAP; /* the leader goes round and round */
    def.kinds[1].states[0].behaviors[0].offset = (vec2){-40.0f, 30.0f};
    put(&def, "hound", (vec2){100.0f, 500.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    steps(world, 1200);
    const struct agent_view leader = world_agent(world, 0), follower = world_agent(world, 1);
    float dx = follower.position.x - leader.position.x;
    dx -= 800.0f * roundf(dx / 800.0f);
    assert_true(fabsf(dx + 40.0f) < 0.1f);
    assert_true(fabsf(follower.position.y - leader.position.y - 30.0f) < 0.1f);
    assert_true(fabsf(follower.velocity.x - 60.0f) < 0.01f && fabsf(follower.velocity.y) < 0.01f);
    world_destroy(world);
}

/* Every agent ends in a place of its own, and they close up when one is removed. */
static void test_formations(void **state) {
    const vec2 expected[4][3] = {
        {{0, 40}, {0, -40}, {0, 80}},
        {{-40, 0}, {-80, 0}, {-120, 0}},
        {{-40, 40}, {-40, -40}, {-80, 80}},
        {{40, 0}, {-20, 34.641f}, {-20, -34.641f}},
    };
    for (int shape = 0; shape < 4; shape++) {
        struct world_def def = hare_def(BEHAVIOR_FORMATION, (vec2){300.0f, 300.0f}, (vec2){40.0f, 0.0f});
        def.edge = EDGE_WRAP;
        def.kinds[1].states[0].behaviors[0].shape = shape;
        def.kinds[1].states[0].behaviors[0].spacing = 40.0f;
        for (int i = 0; i < 4; i++) {
            put(&def, "hound", (vec2){100.0f + 100.0f * (float)i, 500.0f}, (vec2){0, 0});
        }
        struct world *world = build(&def);
        const uint32_t second = 3;
        steps(world, 60);
        assert_int_equal(world_remove(world, &second, 1, NULL), 1);
        steps(world, 1200);
        for (int32_t i = 0; i < 3; i++) {
            const vec2 leader = world_agent(world, 0).position, member = world_agent(world, 1 + i).position;
            float dx = member.x - leader.x;
            dx -= 800.0f * roundf(dx / 800.0f);
            assert_true(fabsf(dx - expected[shape][i].x) < 0.2f);
            assert_true(fabsf(member.y - leader.y - expected[shape][i].y) < 0.2f);
        }
        world_destroy(world);
    }
}

static void test_interpose_ends_in_the_middle(void **state) {
    struct world_def def = world_def_default();
    copy_text(def.targets[0].name, "left");
    copy_text(def.targets[1].name, "right");
    def.targets[0].at = (vec2){100.0f, 100.0f};
    def.targets[1].at = (vec2){500.0f, 300.0f};
    def.target_count = 2;
    struct kind_def *kind = add_kind(&def, "guard", BEHAVIOR_INTERPOSE);
    copy_text(kind->states[0].behaviors[0].target.target, "left");
    copy_text(kind->states[0].behaviors[0].second.target, "right");
    put(&def, "guard", (vec2){700.0f, 500.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    steps(world, 900);
    const struct agent_view guard = world_agent(world, 0);
    assert_true(fabsf(guard.position.x - 300.0f) < 0.02f && fabsf(guard.position.y - 200.0f) < 0.02f);
    assert_true(guard.velocity.x == 0.0f && guard.velocity.y == 0.0f);
    world_destroy(world);
}

/* The mean cosine between headings a second apart. */
static double heading_memory(double hz, float max_force) {
    struct world_def def = world_def_default();
    def.tick_hz = hz;
    def.edge = EDGE_WRAP;
    add_kind(&def, "moth", BEHAVIOR_WANDER);
    def.kinds[0].body.max_force = (struct field_range){max_force, max_force};
    for (int i = 0; i < 150; i++) {
        put(&def, "moth", (vec2){400.0f, 300.0f}, (vec2){50.0f, 0.0f});
    }
    struct world *world = build(&def);
    const int second = (int)hz;
    double sum = 0.0;
    int count = 0;
    steps(world, 3 * second);
    for (int s = 0; s < 30; s++) {
        vec2 before[150];
        for (int32_t row = 0; row < 150; row++) {
            before[row] = world_agent(world, row).heading;
        }
        steps(world, second);
        for (int32_t row = 0; row < 150; row++, count++) {
            sum += (double)vec2_dot(before[row], world_agent(world, row).heading);
        }
    }
    world_destroy(world);
    return sum / count;
}

/* The walk whose step grows with dt instead of its root has .07, .41 and .77 here. */
static void test_wander_looks_the_same_at_any_tick_rate(void **state) {
    const double at_30 = heading_memory(30.0, 400.0f), at_60 = heading_memory(60.0, 400.0f),
                 at_240 = heading_memory(240.0, 400.0f);
    print_message("mean cosine of headings a second apart: %.3f at 30 Hz, %.3f at 60, %.3f at 240\n", at_30,
                  at_60, at_240);
    assert_true(fabs(at_60 - 0.53) < 0.03); /* docs/behaviors.md */
    assert_true(fabs(heading_memory(60.0, 200.0f) - 0.87) < 0.03);
    assert_true(fabs(at_30 - at_60) < 0.05 && fabs(at_240 - at_60) < 0.05);
}

static void test_who_the_other_is(void **state) {
    struct world_def def = hare_def(BEHAVIOR_SEEK, (vec2){500.0f, 100.0f}, (vec2){0, 0});
    copy_text(def.targets[0].name, "food1");
    copy_text(def.targets[1].name, "food2");
    copy_text(def.targets[2].name, "fox");
    def.targets[0].at = (vec2){300.0f, 400.0f};
    def.targets[1].at = (vec2){300.0f, 10.0f};
    def.targets[2].at = (vec2){301.0f, 101.0f};
    def.target_count = 3;
    put(&def, "hare", (vec2){250.0f, 100.0f}, (vec2){0, 0});
    put(&def, "hound", (vec2){300.0f, 100.0f}, (vec2){0, 0});
    struct kind_def *eater = add_kind(&def, "eater", BEHAVIOR_SEEK);
    copy_text(eater->states[0].behaviors[0].target.target, "food*");
    put(&def, "eater", (vec2){300.0f, 100.0f}, (vec2){0, 0});
    struct kind_def *fan = add_kind(&def, "fan", BEHAVIOR_SEEK);
    fan->states[0].behaviors[0].target.agent = 1;
    fan->states[0].behaviors[0].target.within = 150.0f;
    put(&def, "fan", (vec2){300.0f, 100.0f}, (vec2){0, 0});
    put(&def, "fan", (vec2){400.0f, 100.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    const vec2 expected[] = {{-100.0f, 0.0f}, {0.0f, -100.0f}, {0.0f, 0.0f}, {100.0f, 0.0f}};
    for (int32_t i = 0; i < 4;
         i++) { /* nearest of a kind, of a set, an agent too far away, and within reach */
        struct steering_view view;
        world_explain(world, 2 + i, &view);
        assert_true(fabsf(view.desired.x - expected[i].x) < 1e-3f &&
                    fabsf(view.desired.y - expected[i].y) < 1e-3f);
    }
    const uint32_t hares[] = {1, 2};
    assert_int_equal(world_remove(world, hares, 2, NULL), 2);
    struct steering_view view;
    world_explain(world, 0, &view); /* no agent left to seek: no force, no NaN */
    assert_true(view.steering.x == 0.0f && view.steering.y == 0.0f);
    steps(world, 10);
    world_destroy(world);
}

static void test_of_two_as_near_the_lower_id(void **state) {
    struct world_def def = hare_def(BEHAVIOR_SEEK, (vec2){350.0f, 100.0f}, (vec2){0, 0});
    put(&def, "hare", (vec2){250.0f, 100.0f}, (vec2){0, 0});
    put(&def, "hound", (vec2){300.0f, 100.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    assert_true(explain_last(world).desired.x > 0.0f);
    world_destroy(world);
}

/* 300 hounds seek the nearest of `hares` hares. A rule about neighbors without effect makes the world keep a
 * grid, in which the nearest is then searched; without one a list is walked. */
static struct world *hunt(int edge, int hares, float within, bool has_grid) {
    struct world_def def = world_def_default();
    def.edge = edge;
    struct kind_def *hare = world_def_add_kind(&def, "hare");
    assert_non_null(hare);
    hare->states[0].behavior_count = 1;
    hare->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_WANDER);
    struct kind_def *hound = world_def_add_kind(&def, "hound");
    assert_non_null(hound);
    hound->states[0].behavior_count = has_grid ? 2 : 1;
    hound->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_SEEK);
    hound->states[0].behaviors[0].target.within = within;
    copy_text(hound->states[0].behaviors[0].target.kind, "hare");
    hound->states[0].behaviors[1] = behavior_def_default(BEHAVIOR_SEPARATION);
    hound->states[0].behaviors[1].weight = 0.0f;
    hound->states[0].behaviors[1].zones[ZONE_SEPARATION].radius = 15.0f;
    static const char *const names[] = {"hare", "hound"};
    for (int i = 0; i < 2; i++) {
        struct placement_def *placement = world_def_add_placement(&def, names[i]);
        assert_non_null(placement);
        placement->count = i == 0 ? (uint32_t)hares : 300;
        placement->shape = PLACE_RECT;
        placement->size = i == 0 ? (vec2){500.0f, 300.0f} : def.size;
    }
    return build(&def);
}

static void test_the_grid_finds_the_nearest_of_all(void **state) {
    const int hares[] = {65, 400, 2000};
    const float within[] = {0.0f, 90.0f};
    for (int edge = EDGE_OPEN; edge <= EDGE_CONTAIN; edge++) {
        for (int h = 0; h < 3; h++) {
            for (int w = 0; w < 2; w++) {
                /* `within` alone makes a grid as well; without it no grid is needed. */
                struct world *grid = hunt(edge, hares[h], within[w], true);
                struct world *list = hunt(edge, hares[h], within[w], false);
                steps(grid, 20);
                steps(list, 20);
                for (int32_t row = 0; row < world_agent_count(list); row++) {
                    const struct agent_view a = world_agent(grid, row), b = world_agent(list, row);
                    assert_memory_equal(&a.position, &b.position, sizeof a.position);
                }
                world_destroy(grid);
                world_destroy(list);
            }
        }
    }
}

/* ==== giving up ====
 * Giving up a tick: a tick that lasts for minutes ends when another thread says so, whatever the behaviors. */

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
    world_allow_giving_up(world, &impatience.given_up);
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
    world_allow_giving_up(world, &given_up);
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
        world_allow_giving_up(world, i == 1 ? &given_up : NULL);
        assert_int_equal(world_spawn(world, &spawn, &first_id), WORLD_OK);
        assert_int_equal(world_remove(world, &first_id, 1, NULL), 1);
        world_allow_giving_up(world, NULL);
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
            world_allow_giving_up(world, &given_up);
        }
        steps(world, 50);
        assert_false(world_is_given_up(world));
        hashes[i] = world_hash(world);
        world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* ==== Which way behaviors take, and what the last tick made of it ==== */

enum { ROOM = 32 };

static struct state_def *state_of(struct world_def *def, int kind) {
    return &def->kinds[kind].states[0];
}

static void add_behavior(struct world_def *def, int kind, enum behavior_type type) {
    struct state_def *state = state_of(def, kind);
    struct behavior_def *behavior = &state->behaviors[state->behavior_count++];
    *behavior = behavior_def_default(type);
    copy_text(behavior->target.target, "mouse");
}

/* Agents all over a part of the box. */
static void spread(struct world_def *def, const char *kind, uint32_t count, vec2 at, vec2 size) {
    struct placement_def *placement = world_def_add_placement(def, kind);
    assert_non_null(placement);
    placement->count = count;
    placement->shape = PLACE_RECT;
    placement->at = at;
    placement->size = size;
}

static void spread_everywhere(struct world_def *def, const char *kind, uint32_t count) {
    spread(def, kind, count, vec2_make(0.0f, 0.0f), def->size);
}

/* The share of a kind's agents that have a behavior in lanes; -1 when it is not among the ways. */
static double share_of(const struct world *world, int kind, enum behavior_type type) {
    struct way_share shares[ROOM];
    const int count = world_ways(world, shares, ROOM);
    for (int i = 0; i < count; i++) {
        assert_true(shares[i].lanes >= 0.0 && shares[i].lanes <= 1.0);
        if (shares[i].kind == kind && shares[i].behavior == type) {
            return shares[i].lanes;
        }
    }
    return -1.0;
}

/* The way and the reason of one of the agent's terms. */
static const struct trace_term *term_of(const struct world *world, int32_t row, const char *label,
                                        struct trace *trace) {
    struct steering_view view;
    world_trace(world, row, &view, trace);
    for (int i = 0; i < trace->term_count; i++) {
        if (strcmp(trace->terms[i].label, label) == 0) {
            return &trace->terms[i];
        }
    }
    fail_msg("no term %s", label);
    return NULL;
}

static void assert_way(const struct world *world, int32_t row, const char *label, const char *why) {
    struct trace trace;
    const struct trace_term *term = term_of(world, row, label, &trace);
    assert_string_equal(term->way, why == NULL ? "lanes" : "alone");
    assert_string_equal(term->why != NULL ? term->why : "", why != NULL ? why : "");
}

static struct world *make_walkers(void) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(400.0f, 300.0f));
    def.edge = EDGE_OPEN;
    add_behavior(&def, 0, BEHAVIOR_ORCA);
    spread_everywhere(&def, "agent", 200);
    return build(&def);
}

static void test_crowd(void **state) {
    struct world *world = make_walkers();
    struct way_share shares[ROOM];
    assert_int_equal(world_ways(world, shares, ROOM), 0); /* no tick yet */
    steps(world, 3);
    assert_int_equal(world_ways(world, shares, ROOM), 2);
    assert_true(shares[0].behavior == BEHAVIOR_SEEK && shares[1].behavior == BEHAVIOR_ORCA);
    assert_true(share_of(world, 0, BEHAVIOR_SEEK) == 1.0 && share_of(world, 0, BEHAVIOR_ORCA) == 1.0);
    assert_int_equal(world_ways(world, shares, 1), 1);
    assert_int_equal(world_ways(world, shares, 0), 0);
    assert_way(world, 0, "seek", NULL);
    assert_way(world, 0, "orca", NULL);
    world_destroy(world);
}

/* Every tenth agent stands beside a pillar. */
static void test_solids(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(-4000.0f, 300.0f));
    def.size = vec2_make(8000.0f, 600.0f);
    def.edge = EDGE_OPEN;
    add_behavior(&def, 0, BEHAVIOR_ORCA);
    add_circle(&def, vec2_make(7000.0f, 300.0f), 20.0f);
    spread(&def, "agent", 20, vec2_make(7030.0f, 290.0f), vec2_make(10.0f, 20.0f));
    spread(&def, "agent", 180, vec2_make(100.0f, 0.0f), vec2_make(3000.0f, 600.0f));
    struct world *world = build(&def);
    steps(world, 1);
    assert_true(share_of(world, 0, BEHAVIOR_SEEK) == 1.0);
    assert_true(share_of(world, 0, BEHAVIOR_ORCA) == 0.9);
    assert_way(world, 0, "orca", "near_solids");
    assert_way(world, 0, "seek", NULL);
    assert_way(world, 199, "orca", NULL);
    world_destroy(world);
}

static void test_dithered(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(400.0f, 300.0f));
    state_of(&def, 0)->combine = COMBINE_DITHERED;
    state_of(&def, 0)->behaviors[0].probability = 1.0f;
    spread_everywhere(&def, "agent", 10);
    struct world *world = build(&def);
    steps(world, 1);
    assert_true(share_of(world, 0, BEHAVIOR_SEEK) == 0.0);
    assert_way(world, 0, "seek", "dithered");
    world_destroy(world);
}

static void test_limited_neighbors(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEPARATION, vec2_make(400.0f, 300.0f));
    add_behavior(&def, 0, BEHAVIOR_COHESION);
    add_behavior(&def, 0, BEHAVIOR_FORMATION);
    behavior_of(&def)->max_neighbors = 3;
    spread_everywhere(&def, "agent", 100);
    struct world *world = build(&def);
    steps(world, 1);
    assert_true(share_of(world, 0, BEHAVIOR_SEPARATION) == 0.0);
    assert_true(share_of(world, 0, BEHAVIOR_COHESION) == 1.0);
    assert_true(share_of(world, 0, BEHAVIOR_FORMATION) == 0.0);
    assert_way(world, 0, "separation", "max_neighbors");
    assert_way(world, 0, "cohesion", NULL);
    assert_way(world, 0, "formation", "no_rule");

    /* A parameter may change the way. */
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "separation.max_neighbors", &ref));
    world_set_param(world, &ref, 0.0);
    steps(world, 1);
    assert_true(share_of(world, 0, BEHAVIOR_SEPARATION) == 1.0);
    assert_way(world, 0, "separation", NULL);
    world_destroy(world);
}

static void test_several_filters(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_ORCA, vec2_make(400.0f, 300.0f));
    add_behavior(&def, 0, BEHAVIOR_ORCA);
    spread_everywhere(&def, "agent", 50);
    struct world *world = build(&def);
    steps(world, 1);
    assert_true(share_of(world, 0, BEHAVIOR_ORCA) == 0.0);
    assert_way(world, 0, "orca", "several_filters");
    assert_way(world, 0, "orca2", "several_filters");
    world_destroy(world);
}

static void test_flocks(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    def.edge = EDGE_WRAP;
    spread_everywhere(&def, "agent", 300);
    struct world *world = build(&def);
    steps(world, 2);
    assert_true(share_of(world, 0, BEHAVIOR_FLOCK) == 1.0);
    assert_way(world, 0, "flock", NULL);
    world_destroy(world);

    def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    add_behavior(&def, 0, BEHAVIOR_SEEK);
    spread_everywhere(&def, "agent", 300);
    world = build(&def);
    steps(world, 2);
    assert_true(share_of(world, 0, BEHAVIOR_FLOCK) == 0.0 && share_of(world, 0, BEHAVIOR_SEEK) == 1.0);
    assert_way(world, 0, "flock", "mixed_flock");
    world_destroy(world);
}

/* Two kinds whose states steer alike, one that has no agents, and states of different ways. */
static void test_kinds_and_states(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(400.0f, 300.0f));
    static const char *const names[] = {"other", "absent"};
    for (int i = 0; i < 2; i++) {
        struct kind_def *kind = world_def_add_kind(&def, names[i]);
        assert_non_null(kind);
        kind->states[0] = def.kinds[0].states[0];
    }
    struct kind_def *kind = &def.kinds[1];
    kind->state_count = 2;
    kind->states[1] = kind->states[0];
    kind->states[0].condition_count = 1;
    kind->states[0].conditions[0] = (struct condition_def){.type = CONDITION_NEAR, .target.within = 100.0f};
    copy_text(kind->states[0].conditions[0].target.target, "mouse");
    kind->states[0].combine = COMBINE_DITHERED;
    spread_everywhere(&def, "agent", 40);
    spread(&def, "other", 30, vec2_make(395.0f, 295.0f), vec2_make(10.0f, 10.0f));
    spread(&def, "other", 10, vec2_make(0.0f, 0.0f), vec2_make(10.0f, 10.0f));
    struct world *world = build(&def);
    steps(world, 1);
    assert_true(share_of(world, 0, BEHAVIOR_SEEK) == 1.0);
    assert_true(share_of(world, 1, BEHAVIOR_SEEK) == 0.25);
    assert_true(share_of(world, 2, BEHAVIOR_SEEK) == -1.0);
    world_destroy(world);
}

/* Counting is about the world, not part of it: neither the hash nor a copy has it. */
static void test_copies(void **state) {
    struct world *world = make_walkers(), *copy = make_walkers();
    struct way_share shares[ROOM];
    steps(world, 5);
    const uint64_t hash = world_hash(world);
    assert_int_equal(world_ways(world, shares, ROOM), 2);
    assert_true(world_hash(world) == hash);
    assert_true(world_clone_reserve(copy, world));
    assert_true(world_clone(copy, world));
    assert_int_equal(world_ways(copy, shares, ROOM), 0);
    steps(copy, 1);
    assert_int_equal(world_ways(copy, shares, ROOM), 2);
    world_destroy(world);
    world_destroy(copy);
}

/* More behaviors than there are counters: those have the way of their rule. */
static void test_many_programs(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(400.0f, 300.0f));
    enum { KINDS = 50 };
    for (int k = 1; k < KINDS; k++) {
        char name[16];
        (void)snprintf(name, sizeof name, "k%d", k);
        assert_non_null(world_def_add_kind(&def, name));
    }
    for (int k = 0; k < KINDS; k++) {
        state_of(&def, k)->behavior_count = 0;
        for (int b = 0; b < LIMIT_BEHAVIORS; b++) {
            add_behavior(&def, k, b < LIMIT_BEHAVIORS / 2 ? BEHAVIOR_SEEK : BEHAVIOR_FORMATION);
            state_of(&def, k)->behaviors[b].weight = 1.0f + 0.01f * (float)k;
        }
        spread_everywhere(&def, def.kinds[k].name, 3);
    }
    struct world *world = build(&def);
    steps(world, 1);
    struct way_share shares[2 * KINDS + 1];
    assert_int_equal(world_ways(world, shares, 2 * KINDS + 1), 2 * KINDS);
    for (int i = 0; i < 2 * KINDS; i++) {
        assert_int_equal(shares[i].kind, i / 2);
        assert_true(shares[i].lanes == (shares[i].behavior == BEHAVIOR_SEEK ? 1.0 : 0.0));
    }
    world_destroy(world);
}

static void test_places_count(void **state) {
    place_set places = 0;
    assert_int_equal(places_count(0), 0);
    for (int i = 0; i < BATCH_MAX; i++) {
        assert_int_equal(places_count(UINT64_C(1) << i), 1);
        places |= UINT64_C(1) << (i * 37 % BATCH_MAX);
        assert_int_equal(places_count(places), i + 1);
    }
    assert_int_equal(places_count(UINT64_MAX), BATCH_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pursue_leads_the_quarry),
        cmocka_unit_test(test_prediction_is_capped_and_crosses_the_torus),
        cmocka_unit_test(test_evade_runs_from_where_the_menace_will_be),
        cmocka_unit_test(test_offset_pursuit_keeps_its_place),
        cmocka_unit_test(test_formations),
        cmocka_unit_test(test_interpose_ends_in_the_middle),
        cmocka_unit_test(test_wander_looks_the_same_at_any_tick_rate),
        cmocka_unit_test(test_who_the_other_is),
        cmocka_unit_test(test_of_two_as_near_the_lower_id),
        cmocka_unit_test(test_the_grid_finds_the_nearest_of_all),
        cmocka_unit_test(test_every_search_ends),
        cmocka_unit_test(test_few_neighbors_end),
        cmocka_unit_test(test_three_behaviors_of_two_kinds_end),
        cmocka_unit_test(test_reading_ends),
        cmocka_unit_test(test_given_up_before_it_began),
        cmocka_unit_test(test_creating_ends),
        cmocka_unit_test(test_commands_are_whole),
        cmocka_unit_test(test_bits_are_the_same),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_dithered),
        cmocka_unit_test(test_limited_neighbors),
        cmocka_unit_test(test_several_filters),
        cmocka_unit_test(test_flocks),
        cmocka_unit_test(test_kinds_and_states),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_many_programs),
        cmocka_unit_test(test_places_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
