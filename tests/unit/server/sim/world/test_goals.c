/* Behaviors about moving agents: pursue, evade, offset pursuit, interpose, wander, and the choice of the
 * other agent. */
#include <math.h>

#include "tests/unit/server/sim/sim_fixture.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
