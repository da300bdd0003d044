/* Targets and obstacles that are added and removed between ticks; the events of a tick. */
#include "tests/unit/server/sim/sim_fixture.h"

static struct obstacle_def circle(float x, float y, float radius) {
    return (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {x, y}, .radius = radius};
}

static struct world *crowd(void) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(700.0f, 300.0f));
    for (int i = 0; i < 12; i++) {
        place(&def, vec2_make(100.0f + 20.0f * (float)i, 300.0f), vec2_make(50.0f, 0.0f));
    }
    return build(&def);
}

static float nearest(const struct world *world, vec2 at) {
    float least = 3e38f;
    for (int32_t row = 0; row < world_agent_count(world); row++) {
        const float distance = vec2_length(vec2_sub(world_agent(world, row).position, at));
        least = distance < least ? distance : least;
    }
    return least;
}

static void test_bodies_make_room(void **state) {
    struct world *world = crowd();
    const struct obstacle_def one = circle(200.0f, 300.0f, 50.0f);
    uint32_t id = 0;
    int32_t pushed = 0;
    assert_int_equal(world_add_obstacle(world, &one, &id, &pushed), WORLD_OK);
    assert_int_equal(id, 1);
    assert_int_equal(pushed, 5); /* within 50 + 8 px of 200: 160, 180 ... 240 */
    assert_true(nearest(world, one.at) >= 58.0f);
    steps(world, 60);
    assert_true(nearest(world, one.at) >= 57.99f);
    assert_int_equal(world_move_obstacle(world, id, vec2_make(600.0f, 300.0f), &pushed), WORLD_OK);
    assert_true(world_find_obstacle(world, id)->at.x == 600.0f);
    assert_int_equal(world_remove_obstacle(world, id), WORLD_OK);
    assert_null(world_find_obstacle(world, id));
    assert_int_equal(world_remove_obstacle(world, id), WORLD_NO_OBSTACLE);
    assert_int_equal(world_move_obstacle(world, id, one.at, &pushed), WORLD_NO_OBSTACLE);
    assert_int_equal(world_add_obstacle(world, &one, &id, &pushed), WORLD_OK);
    assert_int_equal(id, 2); /* never the same again */
    world_destroy(world);
}

/* An agent that remembers a solid remembers the same one after others were added and removed. */
static void test_memories_follow(void **state) {
    uint64_t hashes[2];
    for (int changed = 0; changed < 2; changed++) {
        struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(700.0f, 300.0f));
        def.kinds[0].states[0].behaviors[1] = behavior_def_default(BEHAVIOR_AVOID_OBSTACLES);
        def.kinds[0].states[0].behavior_count = 2;
        struct wall_def *wall = geometry_def_add_wall(&def.geometry);
        assert_non_null(wall);
        *wall = (struct wall_def){{400.0f, 200.0f}, {400.0f, 420.0f}};
        place(&def, vec2_make(300.0f, 300.0f), vec2_make(90.0f, 0.0f));
        struct world *world = build(&def);
        steps(world, 40);
        if (changed == 1) {
            const struct obstacle_def far = circle(50.0f, 50.0f, 5.0f);
            uint32_t id = 0;
            int32_t pushed = 0;
            assert_int_equal(world_add_obstacle(world, &far, &id, &pushed), WORLD_OK);
            assert_int_equal(pushed, 0);
            steps(world, 1);
            assert_int_equal(world_remove_obstacle(world, id), WORLD_OK);
        } else {
            steps(world, 1);
        }
        steps(world, 200);
        const struct agent_view agent = world_agent(world, 0);
        memcpy(&hashes[changed], &agent.position, sizeof hashes[changed]);
        world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void test_targets(void **state) {
    struct world *world = crowd();
    int kind = -1;
    const uint64_t before = world_hash(world);
    assert_int_equal(world_remove_target(world, 0, &kind), WORLD_IN_USE);
    assert_int_equal(kind, 0);
    assert_int_equal(world_add_target(world, "mouse", vec2_make(1.0f, 1.0f)), WORLD_EXISTS);
    assert_true(world_hash(world) == before);
    assert_int_equal(world_add_target(world, "a", vec2_make(1.0f, 1.0f)), WORLD_OK);
    assert_int_equal(world_add_target(world, "b", vec2_make(2.0f, 2.0f)), WORLD_OK);
    assert_int_equal(world_aim_agent(world, 1, (struct aim){.mode = AIM_TARGET, .target = 1}), WORLD_OK);
    assert_int_equal(world_aim_agent(world, 2, (struct aim){.mode = AIM_TARGET, .target = 2}), WORLD_OK);
    assert_true(world_hash(world) != before);
    assert_int_equal(world_remove_target(world, 1, &kind), WORLD_OK);
    assert_int_equal(world_find_target(world, "b"), 1);
    steps(world, 300); /* agent 1 goes for the mouse again, agent 2 for b */
    assert_true(world_agent(world, 0).position.x > 300.0f);
    assert_true(world_agent(world, 1).position.x < 100.0f);
    assert_false(world_wants_targets(world, "cursor-"));
    world_destroy(world);
}

static void test_reached(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, vec2_make(400.0f, 300.0f));
    def.targets[0].jump_within = 30.0f;
    place(&def, vec2_make(380.0f, 300.0f), vec2_make(0.0f, 0.0f));
    place(&def, vec2_make(410.0f, 300.0f), vec2_make(0.0f, 0.0f));
    struct world *world = build(&def);
    const struct world_note *notes = NULL;
    uint32_t left_out = 0;
    assert_int_equal(world_notes(world, &notes, &left_out), 0);
    steps(world, 1);
    assert_int_equal(world_notes(world, &notes, &left_out), 1);
    assert_int_equal(notes[0].type, NOTE_REACHED);
    assert_int_equal(notes[0].agent, 1);
    assert_true(notes[0].at.x == 400.0f && world_target_position(world, 0).x != 400.0f);
    world_destroy(world);
}

/* A torus without solids keeps agents in their slots for some ticks, one with solids does not. So the order of slots
 * must not depend on when the last sort was: before or after the obstacle went. */
static void test_order_after_obstacles(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_COHESION, vec2_make(400.0f, 300.0f));
    def.edge = EDGE_WRAP;
    place(&def, vec2_make(0.0f, 0.0f), vec2_make(0.0f, 0.0f));
    def.placements[0].count = 200;
    def.placements[0].shape = PLACE_RECT;
    def.placements[0].size = def.size;
    struct world *world = build(&def);
    const struct obstacle_def stone = {.shape = OBSTACLE_CIRCLE, .at = {400.0f, 300.0f}, .radius = 0.01f};
    uint32_t id = 0;
    int32_t pushed = 0;
    steps(world, 5);
    for (int change = 0; change < 2; change++) {
        assert_int_equal(change == 0 ? world_add_obstacle(world, &stone, &id, &pushed)
                                     : world_remove_obstacle(world, id),
                         WORLD_OK);
        struct world *sorted = world_clone_new(world);
        const struct param_ref mass = {0, -1, -1, body_fields()};
        assert_non_null(sorted);
        world_set_param(sorted, &mass, 7.0);
        world_set_param(sorted, &mass, 1.0);
        assert_int_equal(pushed, 0);
        assert_true(world_hash(sorted) == world_hash(world));
        for (int tick = 0; tick < 20; tick++) {
            steps(sorted, 1);
            steps(world, 1);
            assert_true(world_hash(sorted) == world_hash(world));
        }
        world_destroy(sorted);
    }
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_make_room),
        cmocka_unit_test(test_memories_follow),
        cmocka_unit_test(test_order_after_obstacles),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
