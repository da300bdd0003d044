/* server/sim/world/world.h: the tick. */
#include <math.h>

#include "server/sim/world/world_internal.h" /* to look into the grid */
#include "tests/unit/server/sim/grid_fixture.h"
#include "tests/unit/server/sim/sim_fixture.h"

static float distance_to(const struct world *world, int32_t row, vec2 point) {
    return vec2_length(vec2_sub(world_agent(world, row).position, point));
}

/* Arrive's promise: no visible overshoot, then exactly at rest, for good, facing where it came. */
static void check_arrival(vec2 start, vec2 velocity, struct body_def body, double hz, float max_overshoot) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){500.0f, 300.0f});
    def.tick_hz = hz;
    def.kinds[0].body = body;
    place(&def, start, velocity);
    struct world *world = build(&def);
    const vec2 target = {500.0f, 300.0f}, from = vec2_sub(target, start);
    float overshoot = 0.0f;
    for (int tick = 0; tick < (int)(30.0 * hz); tick++) {
        world_step(world);
        const vec2 past = vec2_sub(world_agent(world, 0).position, target);
        const float along = vec2_dot(past, vec2_with_length(from, 1.0f));
        overshoot = along > overshoot ? along : overshoot;
    }
    const struct agent_view agent = world_agent(world, 0);
    assert_true(agent.velocity.x == 0.0f && agent.velocity.y == 0.0f);
    assert_true(distance_to(world, 0, target) < 0.01f);
    assert_true(overshoot <= max_overshoot);
    const uint64_t tick = world_tick(world);
    steps(world, 600);
    const struct agent_view later = world_agent(world, 0);
    assert_true(world_tick(world) == tick + 600);
    assert_memory_equal(&later.position, &agent.position, sizeof agent.position);
    assert_memory_equal(&later.heading, &agent.heading, sizeof agent.heading);
    world_destroy(world);
}

static void test_arrive_stops_exactly(void **state) {
    struct body_def body = kind_def_default().body;
    body.max_speed = (struct field_range){150.0f, 150.0f};
    body.max_force = (struct field_range){100.0f, 100.0f};
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 60.0, 0.05f);
    check_arrival((vec2){100.0f, 300.0f}, (vec2){150.0f, 0}, body, 60.0, 0.05f);
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 30.0, 0.05f);
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 240.0, 0.05f);
    body.mass = (struct field_range){5.0f, 5.0f};
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 60.0, 0.05f);
    body.mass = (struct field_range){0.2f, 0.2f};
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 60.0, 0.05f);
    /* Sideways and too fast to brake: it has to come back, but it comes to rest all the same. */
    check_arrival((vec2){480.0f, 300.0f}, (vec2){100.0f, 150.0f}, body, 60.0, 1000.0f);
}

static void test_linear_law_overshoots_as_the_tutorials_do(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){500.0f, 300.0f});
    def.kinds[0].states[0].behaviors[0].law = ARRIVE_LINEAR;
    def.kinds[0].states[0].behaviors[0].slowing_distance = 20.0f;
    def.kinds[0].body.max_speed = (struct field_range){150.0f, 150.0f};
    def.kinds[0].body.max_force = (struct field_range){100.0f, 100.0f};
    place(&def, (vec2){100.0f, 300.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    float furthest = 0.0f;
    for (int tick = 0; tick < 600; tick++) {
        world_step(world);
        furthest = fmaxf(furthest, world_agent(world, 0).position.x - 500.0f);
    }
    assert_true(furthest > 80.0f && furthest < 110.0f); /* v*v/2a less the ramp: measured 93.75 */
    world_destroy(world);
}

static void test_wrap_takes_the_short_way(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){790.0f, 300.0f});
    def.edge = EDGE_WRAP;
    place(&def, (vec2){10.0f, 300.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    steps(world, 5);
    assert_true(world_agent(world, 0).velocity.x < 0.0f);
    steps(world, 40);
    assert_true(world_agent(world, 0).position.x > 700.0f);
    world_destroy(world);
}

static void test_contained_agents_come_back(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_FLEE, (vec2){400.0f, 300.0f});
    def.edge = EDGE_CONTAIN;
    for (int i = 0; i < 8; i++) {
        place(&def, (vec2){390.0f + 3.0f * (float)i, 310.0f}, (vec2){0, 0});
    }
    struct world *world = build(&def);
    for (int tick = 0; tick < 3000; tick++) {
        world_step(world);
        for (int32_t row = 0; row < world_agent_count(world); row++) {
            const vec2 at = world_agent(world, row).position;
            assert_true(at.x > -2.0f && at.x < 802.0f && at.y > -2.0f && at.y < 602.0f);
        }
    }
    world_destroy(world);
}

/* Removing agents, or adding some, does not change the motion of the others. */
static void test_agents_do_not_depend_on_each_other(void **state) {
    struct world *worlds[2];
    for (int w = 0; w < 2; w++) {
        struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){300.0f, 200.0f});
        def.kinds[0].body.max_speed = (struct field_range){50.0f, 150.0f};
        struct placement_def *placement = world_def_add_placement(&def, "agent");
        assert_non_null(placement);
        placement->count = 20;
        placement->shape = PLACE_RECT;
        placement->size = def.size;
        worlds[w] = build(&def);
    }
    const uint32_t gone[] = {3, 7, 8, 20};
    assert_int_equal(world_remove(worlds[1], gone, 4, NULL), 4);
    steps(worlds[0], 100);
    steps(worlds[1], 100);
    for (int32_t row = 0; row < world_agent_count(worlds[1]); row++) {
        const struct agent_view agent = world_agent(worlds[1], row);
        const struct agent_view twin = world_agent(worlds[0], world_find_agent(worlds[0], agent.id));
        assert_memory_equal(&agent.position, &twin.position, sizeof twin.position);
        assert_memory_equal(&agent.velocity, &twin.velocity, sizeof twin.velocity);
    }
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

/* Ticks of 60 that left 2 000 agents in their slots; in each of them every agent is found. */
static int kept_ticks(float max_speed) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, (vec2){0, 0});
    def.edge = EDGE_WRAP;
    def.kinds[0].body.max_speed = (struct field_range){max_speed, max_speed};
    def.kinds[0].body.locomotion = LOCOMOTION_CONSTANT_SPEED;
    place(&def, (vec2){0, 0}, (vec2){0, 0});
    def.placements[0].shape = PLACE_RECT;
    def.placements[0].size = def.size;
    def.placements[0].count = 2000;
    struct world *world = build(&def);
    int kept = 0;
    for (int tick = 0; tick < 60; tick++) {
        world_step(world);
        kept += world->grid.drift > 0.0f;
        for (int32_t slot = 0; slot < world->agent_count; slot++) {
            assert_true(grid_finds(&world->grid, slot));
        }
    }
    world_destroy(world);
    return kept;
}

static void test_order_is_kept_while_agents_stay_near(void **state) {
    const int slow = kept_ticks(20.0f), brisk = kept_ticks(60.0f);
    assert_true(slow > brisk && slow < 60);
    assert_true(brisk > 20);
    assert_int_equal(kept_ticks(2000.0f), 0);
}

static void test_target_jumps_when_reached(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400.0f, 300.0f});
    def.targets[0].jump_within = 2.0f;
    def.targets[0].jump_margin = 10.0f;
    place(&def, (vec2){401.0f, 300.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    const vec2 before = world_target_position(world, 0);
    world_step(world);
    int jumps = 0;
    vec2 last = world_target_position(world, 0);
    assert_true(last.x != before.x || last.y != before.y);
    for (int tick = 0; tick < 6000; tick++) {
        world_step(world);
        const vec2 at = world_target_position(world, 0);
        assert_true(at.x >= 10.0f && at.x <= 790.0f && at.y >= 10.0f && at.y <= 590.0f);
        jumps += at.x != last.x || at.y != last.y;
        last = at;
    }
    assert_true(jumps >= 2);
    world_destroy(world);
}

static void test_explain_is_what_the_tick_does(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){600.0f, 300.0f});
    struct state_def *only = &def.kinds[0].states[0];
    only->behavior_count = 3;
    only->behaviors[1] = behavior_def_default(BEHAVIOR_FLEE);
    only->behaviors[2] = behavior_def_default(BEHAVIOR_SEEK);
    copy_text(only->behaviors[1].target.target, "mouse");
    copy_text(only->behaviors[2].target.target, "mouse");
    only->behaviors[1].weight = 0.25f;
    def.kinds[0].body.mass = (struct field_range){3.0f, 3.0f};
    place(&def, (vec2){100.0f, 120.0f}, (vec2){20.0f, 30.0f});
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_int_equal(view.count, 3);
    assert_string_equal(view.labels[0], "seek");
    assert_string_equal(view.labels[1], "flee");
    assert_string_equal(view.labels[2], "seek2");
    const vec2 sum = vec2_add(vec2_add(view.forces[0], view.forces[1]), view.forces[2]);
    const vec2 total = vec2_truncate(sum, world_agent(world, 0).max_force);
    assert_true(fabsf(total.x - view.steering.x) < 0.01f && fabsf(total.y - view.steering.y) < 0.01f);
    const vec2 before = world_agent(world, 0).velocity;
    world_step(world);
    const vec2 gained = vec2_sub(world_agent(world, 0).velocity, before);
    assert_true(fabsf(gained.x - view.steering.x / 180.0f) < 1e-4f);
    assert_true(fabsf(gained.y - view.steering.y / 180.0f) < 1e-4f);
    world_destroy(world);
}

static void test_bad_definitions_are_refused(void **state) {
    struct world *world = NULL;
    const char *what = NULL;
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){0, 0});
    copy_text(def.kinds[0].states[0].behaviors[0].target.target, "ghost");
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    assert_string_equal(what, "a behavior names an unknown target or kind; allowed: those of the definition");
    world_def_fini(&def);
    def = world_def_default();
    def.size.x = 0.0f;
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    def = world_def_default();
    assert_non_null(world_def_add_placement(&def, "ghost"));
    assert_int_equal(world_create(&def, &world, NULL), WORLD_BAD_DEF);
    world_def_fini(&def);
    assert_null(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrive_stops_exactly),
        cmocka_unit_test(test_linear_law_overshoots_as_the_tutorials_do),
        cmocka_unit_test(test_wrap_takes_the_short_way),
        cmocka_unit_test(test_contained_agents_come_back),
        cmocka_unit_test(test_agents_do_not_depend_on_each_other),
        cmocka_unit_test(test_order_is_kept_while_agents_stay_near),
        cmocka_unit_test(test_target_jumps_when_reached),
        cmocka_unit_test(test_explain_is_what_the_tick_does),
        cmocka_unit_test(test_bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
