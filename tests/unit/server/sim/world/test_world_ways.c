/* Which way behaviors take, and what the last tick made of it. */
#include "server/sim/world/world.h"

#include <stdio.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/steering/trace.h"
#include "tests/unit/server/sim/sim_fixture.h"

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
