/* server/sim/world/world.h: spawn, remove, targets and aims. */
#include <math.h>

#include "tests/unit/server/sim/sim_fixture.h"

static struct spawn_def spawn_circle(uint32_t count) {
    return (struct spawn_def){.count = count, .shape = PLACE_CIRCLE, .at = {400.0f, 300.0f}, .radius = 50.0f};
}

static struct world *empty_world(void) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400.0f, 300.0f});
    return build(&def);
}

static void test_spawn_fills_a_disc_evenly(void **state) {
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
    struct world *world = empty_world();
    uint32_t first = 0;
    struct spawn_def spawn = spawn_circle(LIMIT_AGENTS_USUAL);
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    const uint64_t hash = world_hash(world);
    spawn.count = 1;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_FULL);
    assert_int_equal(world_agent_count(world), LIMIT_AGENTS_USUAL);
    assert_true(world_hash(world) == hash);
    world_destroy(world);
}

static void test_velocity_and_heading(void **state) {
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

static struct target_ref about(const char *target) {
    struct target_ref ref = {.target = ""};
    copy_text(ref.target, target);
    return ref;
}

/* The agents that refer to a target, and those that follow an aim: of the present kinds, by behavior, set,
 * condition and aim. */
static void test_who_heeds(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_FLEE, vec2_make(1.0f, 1.0f)); /* "agent" flees "mouse" */
    def.target_count = 4;
    copy_text(def.targets[1].name, "food-1");
    copy_text(def.targets[2].name, "den");
    copy_text(def.targets[3].name, "rock");
    struct kind_def *seeker = world_def_add_kind(&def, "seeker");
    assert_non_null(seeker);
    seeker->states[0].behavior_count = 1;
    seeker->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_SEEK);
    seeker->states[0].behaviors[0].target = about("food-*");
    struct kind_def *guard = world_def_add_kind(&def, "guard");
    assert_non_null(guard);
    guard->state_count = 2;
    guard->states[0].condition_count = 1;
    guard->states[0].conditions[0] = (struct condition_def){.type = CONDITION_NEAR, .target = about("den")};
    guard->states[0].conditions[0].target.within = 10.0f;
    struct world *world = build(&def);
    static const int heedless[] = {0, 0, 0, 0}, fleeing[] = {1, 0, 0, 0}, all[] = {1, 1, 1, 0};
    const int *const expected[] = {heedless, fleeing, NULL, all};
    for (int kinds = 0; kinds <= 3; kinds++) {
        for (int target = 0; expected[kinds] != NULL && target < 4; target++) {
            assert_int_equal(world_heeds_target(world, target), expected[kinds][target]);
        }
        const struct spawn_def spawn = {.kind = kinds, .count = 1, .shape = PLACE_POINT};
        uint32_t first;
        if (kinds < 3) {
            assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK); /* agent 1, seeker 2, guard 3 */
        }
    }
    assert_false(world_heeds_aim(world, 0));
    assert_true(world_heeds_aim(world, 1));
    assert_false(world_heeds_aim(world, 2));
    const struct aim rock = {.mode = AIM_TARGET, .target = 3}, none = {.mode = AIM_BEHAVIOR};
    const struct aim point = {.mode = AIM_POINT};
    world_aim_kind(world, 1, point); /* which overrides its food */
    assert_false(world_heeds_target(world, 1));
    world_aim_kind(world, 1, rock);
    assert_true(world_heeds_target(world, 3));
    world_aim_kind(world, 1, none);
    assert_true(world_heeds_target(world, 1) && !world_heeds_target(world, 3));
    assert_int_equal(world_aim_agent(world, 1, rock), WORLD_OK); /* it only flees */
    assert_false(world_heeds_target(world, 3));
    assert_int_equal(world_aim_agent(world, 2, rock), WORLD_OK);
    assert_true(world_heeds_target(world, 3));
    assert_int_equal(world_remove_kind(world, 1), 1);
    assert_false(world_heeds_target(world, 3) || world_heeds_target(world, 1));
    world_destroy(world);
}

static void test_targets_settle(void **state) {
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
        cmocka_unit_test(test_who_heeds),
        cmocka_unit_test(test_targets_settle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
