/* server/sim/world/world.h: agents that a client drives. */
#include <math.h>

#include "server/sim/world/world_internal.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* Agents at (400, 300), 30 px apart, that can be driven. */
static struct world_def driven_def(int mode, int count) {
    struct world_def def = one_kind_def(BEHAVIOR_EXTERNAL, vec2_make(0.0f, 0.0f));
    behavior_of(&def)->mode = mode;
    behavior_of(&def)->hold = 3;
    def.kinds[0].body.max_force = (struct field_range){1e6f, 1e6f};
    for (int i = 0; i < count; i++) {
        place(&def, vec2_make(400.0f + 30.0f * (float)i, 300.0f), vec2_make(0.0f, 0.0f));
    }
    return def;
}

static enum world_result drive_one(struct world *world, uint32_t id, vec2 vector, int32_t *gone) {
    const struct drive_def drive = {.agents = &id, .count = 1, .x = &vector.x, .y = &vector.y};
    return world_drive(world, &drive, gone);
}

static void drive(struct world *world, vec2 vector) {
    int32_t gone = -1;
    assert_int_equal(drive_one(world, 1, vector, &gone), WORLD_OK);
    assert_int_equal(gone, 0);
}

static bool is_near(vec2 a, float x, float y) {
    return fabsf(a.x - x) < 1e-3f && fabsf(a.y - y) < 1e-3f;
}

static void test_a_velocity_is_there_in_the_next_tick(void **state) {
    struct world_def def = driven_def(EXTERNAL_VELOCITY, 2);
    struct world *world = build(&def);
    for (int tick = 0; tick < 50; tick++) {
        const float x = (float)(tick % 7) - 3.0f, y = (float)(tick % 5);
        drive(world, vec2_make(x, y));
        const vec2 before = world_agent(world, 0).position;
        steps(world, 1);
        assert_true(is_near(world_agent(world, 0).velocity, x, y));
        const vec2 way = vec2_sub(world_agent(world, 0).position, before);
        assert_true(is_near(way, x / 60.0f, y / 60.0f));
        assert_true(is_near(world_agent(world, 1).velocity, 0.0f, 0.0f));
    }
    drive(world, vec2_make(3e4f, 0.0f));
    steps(world, 1);
    assert_true(is_near(world_agent(world, 0).velocity, 100.0f, 0.0f)); /* max_speed */
    world_destroy(world);
}

static void test_a_force_accelerates(void **state) {
    struct world_def def = driven_def(EXTERNAL_FORCE, 1);
    def.kinds[0].body.mass = (struct field_range){2.0f, 2.0f};
    behavior_of(&def)->limit = 240.0f;
    struct world *world = build(&def);
    drive(world, vec2_make(0.0f, 120.0f));
    steps(world, 1);
    assert_true(is_near(world_agent(world, 0).velocity, 0.0f, 1.0f));
    drive(world, vec2_make(0.0f, 99999.0f));
    steps(world, 1);
    assert_true(is_near(world_agent(world, 0).velocity, 0.0f, 3.0f));
    world_destroy(world);
}

/* A client that is gone leaves nothing running: the other behaviors act again. */
static void test_a_vector_counts_for_hold_ticks(void **state) {
    struct world_def def = driven_def(EXTERNAL_VELOCITY, 1);
    struct state_def *first = &def.kinds[0].states[0], *last = &def.kinds[0].states[1];
    def.kinds[0].state_count = 2;
    first->condition_count = 1;
    first->conditions[0] = (struct condition_def){.type = CONDITION_DRIVEN};
    *last = (struct state_def){.behavior_count = 1};
    last->behaviors[0] = behavior_def_default(BEHAVIOR_SEEK);
    copy_text(last->behaviors[0].target.target, "mouse");
    struct world *world = build(&def);
    const uint64_t hash = world_hash(world);
    drive(world, vec2_make(10.0f, 0.0f));
    assert_true(world_hash(world) != hash);
    for (int tick = 0; tick < 3; tick++) {
        steps(world, 1);
        assert_true(is_near(world_agent(world, 0).velocity, 10.0f, 0.0f));
        assert_int_equal(world_agent(world, 0).state, 0);
    }
    steps(world, 1);
    assert_int_equal(world_agent(world, 0).state, 1);
    assert_true(world_agent(world, 0).velocity.x < 0.0f); /* to the mouse */
    drive(world, vec2_make(10.0f, 0.0f));
    steps(world, 1);
    assert_int_equal(world_agent(world, 0).state, 0);
    steps(world, LIMIT_HOLD);
    assert_int_equal(world->drive[0].left, 0);
    assert_true(bits_of(world->drive[0].vector.x) == 0);
    assert_false(world->has_driven);
    world_destroy(world);
}

/* Without a vector a world is the one without the behavior. */
static void test_silent_without_vectors(void **state) {
    struct world_def def = driven_def(EXTERNAL_VELOCITY, 1),
                     other = one_kind_def(BEHAVIOR_SEEK, vec2_make(0, 0));
    def.kinds[0].states[0].behavior_count = 2;
    def.kinds[0].states[0].behaviors[1] = other.kinds[0].states[0].behaviors[0];
    other.kinds[0].body = def.kinds[0].body;
    place(&other, vec2_make(400.0f, 300.0f), vec2_make(0.0f, 0.0f));
    behavior_of(&def)->tier = 0;
    def.kinds[0].states[0].behaviors[1].tier = 1;
    struct world *world = build(&def), *plain = build(&other);
    for (int tick = 0; tick < 60; tick++) {
        steps(world, 1);
        steps(plain, 1);
        const struct agent_view one = world_agent(world, 0), expected = world_agent(plain, 0);
        assert_true(one.position.x == expected.position.x && one.position.y == expected.position.y);
    }
    world_destroy(world);
    world_destroy(plain);
}

static void test_agents_that_are_gone_are_counted(void **state) {
    struct world_def def = driven_def(EXTERNAL_VELOCITY, 4);
    struct world *world = build(&def);
    const uint32_t ids[] = {4, 2, 77, 1, 4};
    const float x[] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f}, y[5] = {0.0f};
    const struct drive_def drive = {.agents = ids, .count = 5, .x = x, .y = y};
    int32_t gone = -1;
    assert_int_equal(world_remove(world, (const uint32_t[]){2}, 1, NULL), 1);
    assert_int_equal(world_drive(world, &drive, &gone), WORLD_OK);
    assert_int_equal(gone, 2);
    steps(world, 1);
    assert_true(is_near(world_agent(world, 0).velocity, 4.0f, 0.0f));
    assert_true(is_near(world_agent(world, 1).velocity, 0.0f, 0.0f));
    assert_true(is_near(world_agent(world, 2).velocity, 5.0f, 0.0f)); /* the last vector counts */
    world_destroy(world);
}

/* Parts of a kind, by id in ascending order. */
static void test_a_kind_in_parts(void **state) {
    struct world_def def = driven_def(EXTERNAL_VELOCITY, 5);
    struct world *world = build(&def);
    const float x[] = {1.0f, 2.0f, 3.0f}, y[3] = {0.0f};
    int32_t gone = -1;
    assert_int_equal(world_drive(world, &(struct drive_def){.first = 2, .count = 3, .x = x, .y = y}, &gone),
                     WORLD_OK);
    assert_int_equal(gone, 0);
    steps(world, 1);
    for (int32_t row = 0; row < 5; row++) {
        assert_true(is_near(world_agent(world, row).velocity, row < 2 ? 0.0f : x[row - 2], 0.0f));
    }
    world_destroy(world);
}

static void test_other_kinds_are_refused(void **state) {
    struct world_def def = driven_def(EXTERNAL_VELOCITY, 2);
    struct kind_def *kind = world_def_add_kind(&def, "other");
    assert_non_null(kind);
    assert_non_null(world_def_add_placement(&def, "other"));
    struct world *world = build(&def);
    const uint64_t hash = world_hash(world);
    const uint32_t ids[] = {1, 2, 3};
    const float x[] = {1.0f, 2.0f, 3.0f}, y[3] = {0.0f};
    int32_t gone = -1;
    assert_true(world_heeds_drive(world, 0) && !world_heeds_drive(world, 1));
    assert_int_equal(
        world_drive(world, &(struct drive_def){.agents = ids, .count = 3, .x = x, .y = y}, &gone),
        WORLD_NOT_DRIVEN);
    assert_int_equal(gone, 2);
    assert_int_equal(world_drive(world, &(struct drive_def){.kind = 1, .count = 1, .x = x, .y = y}, &gone),
                     WORLD_NOT_DRIVEN);
    assert_true(world_hash(world) == hash);
    world_destroy(world);
}

/* orca has the last word, whether a velocity or a force is driven. */
static void test_orca_has_the_last_word(void **state) {
    for (int mode = EXTERNAL_VELOCITY; mode <= EXTERNAL_FORCE; mode++) {
        struct world_def def = driven_def(mode, 2);
        struct state_def *only = &def.kinds[0].states[0];
        only->behaviors[only->behavior_count++] = behavior_def_default(BEHAVIOR_ORCA);
        struct world *world = build(&def);
        for (int tick = 0; tick < 120; tick++) {
            const float x[] = {90.0f, -90.0f}, y[2] = {0.0f};
            int32_t gone;
            assert_int_equal(world_drive(world, &(struct drive_def){.count = 2, .x = x, .y = y}, &gone),
                             WORLD_OK);
            steps(world, 1);
            const vec2 apart = vec2_sub(world_agent(world, 0).position, world_agent(world, 1).position);
            assert_true(vec2_length(apart) > 15.5f); /* bodies of 8 px */
        }
        world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_velocity_is_there_in_the_next_tick),
        cmocka_unit_test(test_a_force_accelerates),
        cmocka_unit_test(test_a_vector_counts_for_hold_ticks),
        cmocka_unit_test(test_silent_without_vectors),
        cmocka_unit_test(test_agents_that_are_gone_are_counted),
        cmocka_unit_test(test_a_kind_in_parts),
        cmocka_unit_test(test_other_kinds_are_refused),
        cmocka_unit_test(test_orca_has_the_last_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
