/* server/sim/world.h: spawn, remove, targets and aims. */
#include <math.h>

#include "tests/unit/sim/sim_fixture.h"

static struct spawn_def spawn_circle(uint32_t count) {
    return (struct spawn_def){.count = count, .shape = PLACE_CIRCLE, .at = {400.0f, 300.0f}, .radius = 50.0f};
}

static struct world *empty_world(void) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400.0f, 300.0f});
    return build(&def);
}

static void test_spawn_fills_a_disc_evenly(void **state) {
    (void)state;
    struct world *world = empty_world();
    const struct spawn_def spawn = spawn_circle(4000);
    uint32_t first = 0;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    assert_int_equal(first, 1);
    int inner = 0;
    for (int32_t row = 0; row < 4000; row++) {
        const struct agent_view agent = world_agent(world, row);
        const float distance = vec2_length(vec2_sub(agent.position, spawn.at));
        assert_true(distance <= 50.01f);
        assert_true(fabsf(vec2_length(agent.heading) - 1.0f) < 1e-5f);
        inner += distance < 25.0f;
    }
    assert_in_range(inner, 850, 1150); /* a quarter of the area */
    world_destroy(world);
}

static void test_spawn_is_all_or_nothing(void **state) {
    (void)state;
    struct world *world = empty_world();
    uint32_t first = 0;
    struct spawn_def spawn = spawn_circle(LIMIT_AGENTS);
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    const uint64_t hash = world_hash(world);
    spawn.count = 1;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_FULL);
    assert_int_equal(world_agent_count(world), LIMIT_AGENTS);
    assert_true(world_hash(world) == hash);
    world_destroy(world);
}

static void test_velocity_and_heading(void **state) {
    (void)state;
    struct world *world = empty_world();
    uint32_t first;
    struct spawn_def spawn = {.count = 1, .shape = PLACE_POINT, .velocity = {0.0f, 500.0f}};
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    spawn.has_heading = true;
    spawn.heading = 3.14159265f;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    const struct agent_view along = world_agent(world, 0), set = world_agent(world, 1);
    assert_true(fabsf(along.velocity.y - 100.0f) < 1e-3f); /* max_speed */
    assert_true(along.heading.y == 1.0f && set.heading.x == -1.0f);
    world_destroy(world);
}

static void test_remove_keeps_order_and_ids(void **state) {
    (void)state;
    struct world *world = empty_world();
    const struct spawn_def spawn = spawn_circle(10);
    uint32_t first;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    const uint32_t ids[] = {10, 1, 5, 5, 77};
    bool found[5];
    assert_int_equal(world_remove(world, ids, 5, found), 3);
    assert_true(found[0] && found[1] && found[2] && !found[3] && !found[4]);
    const uint32_t expected[] = {2, 3, 4, 6, 7, 8, 9};
    assert_int_equal(world_agent_count(world), 7);
    for (int32_t row = 0; row < 7; row++) {
        assert_int_equal(world_agent(world, row).id, expected[row]);
        assert_int_equal(world_find_agent(world, expected[row]), row);
    }
    assert_int_equal(world_find_agent(world, 5), -1);
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    assert_int_equal(first, 11); /* ids are never used twice */
    assert_int_equal(world_remove_kind(world, 0), 17);
    assert_int_equal(world_agent_count(world), 0);
    world_step(world);
    world_destroy(world);
}

static void test_aims(void **state) {
    (void)state;
    struct world *world = empty_world();
    const struct spawn_def spawn = {.count = 2, .shape = PLACE_POINT, .at = {400.0f, 100.0f}};
    uint32_t first;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    struct steering_view view;
    const struct aim right = {.mode = AIM_POINT, .point = {700.0f, 100.0f}};
    const struct aim left = {.mode = AIM_POINT, .point = {100.0f, 100.0f}};
    const struct aim mouse = {.mode = AIM_TARGET, .target = 0}, none = {.mode = AIM_BEHAVIOR};
    world_aim_kind(world, 0, right);
    assert_int_equal(world_aim_agent(world, 2, left), WORLD_OK);
    assert_int_equal(world_aim_agent(world, 3, left), WORLD_NO_AGENT);
    world_explain(world, 0, &view);
    assert_true(view.desired.x == 100.0f && view.desired.y == 0.0f);
    world_explain(world, 1, &view);
    assert_true(view.desired.x == -100.0f && view.desired.y == 0.0f);
    assert_int_equal(world_aim_agent(world, 2, mouse), WORLD_OK);
    world_explain(world, 1, &view);
    assert_true(view.desired.x == 0.0f && view.desired.y == 100.0f);
    assert_int_equal(world_aim_agent(world, 2, none), WORLD_OK);
    world_explain(world, 1, &view);
    assert_true(view.desired.x == 100.0f);
    world_destroy(world);
}

static void test_targets_settle(void **state) {
    (void)state;
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){0, 0});
    def.edge = EDGE_WRAP;
    struct world *world = build(&def);
    world_set_target(world, 0, (vec2){-10.0f, 1210.0f});
    const vec2 at = world_target_position(world, 0);
    assert_true(at.x == 790.0f && at.y == 10.0f);
    assert_int_equal(world_find_target(world, "mouse"), 0);
    assert_int_equal(world_find_target(world, "mousE"), -1);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spawn_fills_a_disc_evenly),
        cmocka_unit_test(test_spawn_is_all_or_nothing),
        cmocka_unit_test(test_velocity_and_heading),
        cmocka_unit_test(test_remove_keeps_order_and_ids),
        cmocka_unit_test(test_aims),
        cmocka_unit_test(test_targets_settle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
