/* What requests change in a world. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world_internal.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== world.h: spawn, remove, targets and aims ==== */

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

/* No two bodies nearer than the gap, those that were there before included, as long as there is room; then it is said how many are. */
static void test_spawn_keeps_a_spacing(void **state) {
    for (int wraps = 0; wraps < 2; wraps++) {
        struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400.0f, 300.0f});
        def.edge = wraps ? EDGE_WRAP : EDGE_OPEN;
        def.kinds[0].body.radius = (struct field_range){2.0f, 6.0f};
        struct world *world = build(&def);
        uint32_t first = 0;
        int32_t unspaced = -1;
        struct spawn_def spawn = {.count = 60, .shape = PLACE_CIRCLE, .at = {10.0f, 10.0f}, .radius = 200.0f};
        assert_int_equal(world_spawn_spaced(world, &spawn, 9.0f, &first, &unspaced), WORLD_OK);
        assert_int_equal(world_spawn_spaced(world, &spawn, 9.0f, &first, &unspaced), WORLD_OK);
        assert_true(unspaced == 0 && first == 61 && world_agent_count(world) == 120);
        for (int32_t row = 0; row < 120; row++) {
            for (int32_t other = 0; other < row; other++) {
                const struct agent_view a = world_agent(world, row), b = world_agent(world, other);
                const float apart = vec2_length(bounds_difference(&world->bounds, a.position, b.position));
                assert_true(apart > a.radius + b.radius + 8.999f);
            }
        }
        spawn.count = 4000;
        assert_int_equal(world_spawn_spaced(world, &spawn, 9.0f, &first, &unspaced), WORLD_OK);
        assert_true(unspaced > 1000 && unspaced < 4000);
        spawn.count = LIMIT_AGENTS_USUAL;
        assert_int_equal(world_spawn_spaced(world, &spawn, 9.0f, &first, &unspaced), WORLD_FULL);
        assert_int_equal(world_agent_count(world), 4120);
        world_destroy(world);
    }
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

/* ==== world.h: agents that a client drives ==== */

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

/* ==== Targets and obstacles that are added and removed between ticks; the events of a tick ==== */

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

/* ==== world.h: agents that exist are put somewhere else ==== */

static struct world *world_of(enum behavior_type type, enum edge edge, int count) {
    struct world_def def = one_kind_def(type, vec2_make(400.0f, 300.0f));
    def.edge = (int)edge;
    add_circle(&def, vec2_make(600.0f, 300.0f), 80.0f);
    def.kinds[0].body.max_stamina = 10.0f;
    for (int i = 0; i < count; i++) {
        const int column = i % 40, row = i / 40;
        place(&def, vec2_make(20.0f + 7.0f * (float)column, 20.0f + 9.0f * (float)row),
              vec2_make(30.0f, (float)(i % 5)));
    }
    return build(&def);
}

static struct agent_view agent_of(const struct world *world, uint32_t id) {
    const int32_t row = world_find_agent(world, id);
    assert_true(row >= 0);
    return world_agent(world, row);
}

static void put(struct world *world, uint32_t id, const vec2 *at, const vec2 *velocity, const float *heading,
                const float *stamina) {
    const struct world_placing placing = {.count = 1,
                                          .ids = &id,
                                          .x = at == NULL ? NULL : &at->x,
                                          .y = at == NULL ? NULL : &at->y,
                                          .vx = velocity == NULL ? NULL : &velocity->x,
                                          .vy = velocity == NULL ? NULL : &velocity->y,
                                          .heading = heading,
                                          .stamina = stamina};
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
}

/* Wherever it is put, beyond borders and inside solids too, it is where a spawned agent would be. */
static void test_places_are_those_of_spawn(void **state) {
    static const enum edge edges[] = {EDGE_WRAP, EDGE_BOUNCE, EDGE_CONTAIN, EDGE_OPEN};
    for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++) {
        struct world *world = world_of(BEHAVIOR_SEEK, edges[e], 3);
        const vec2 places[] = {{100.5f, 200.25f}, {-50.0f, 700.0f}, {800.0f, 600.0f}, {600.0f, 300.0f},
                               {640.0f, 310.0f},  {1e6f, -1e6f},    {0.0f, 0.0f},     {799.9999f, 1e-30f}};
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            const struct spawn_def spawn = {
                .count = 1, .shape = PLACE_POINT, .at = places[i], .velocity = {300.0f, 400.0f}};
            const vec2 velocity = {300.0f, 400.0f};
            uint32_t id = 0;
            assert_int_equal(world_spawn(world, &spawn, &id), WORLD_OK);
            put(world, 2, &places[i], &velocity, NULL, NULL);
            const struct agent_view fresh = agent_of(world, id), placed = agent_of(world, 2);
            assert_true(fresh.position.x == placed.position.x && fresh.position.y == placed.position.y);
            assert_true(fresh.velocity.x == placed.velocity.x && fresh.velocity.y == placed.velocity.y);
            assert_true(fresh.heading.x == placed.heading.x && fresh.heading.y == placed.heading.y);
        }
        steps(world, 30);
        world_destroy(world);
    }
}

static void test_each_part_alone(void **state) {
    struct world *world = world_of(BEHAVIOR_SEEK, EDGE_WRAP, 3);
    steps(world, 5);
    const struct agent_view before = agent_of(world, 2), other = agent_of(world, 1);
    const float heading = 3.14159265f, stamina = 4.0f, more = 99.0f, none = 0.0f;
    put(world, 2, NULL, NULL, &heading, NULL);
    struct agent_view now = agent_of(world, 2);
    assert_true(now.heading.x == -1.0f && now.position.x == before.position.x &&
                now.velocity.y == before.velocity.y && now.stamina == before.stamina);
    put(world, 2, NULL, NULL, NULL, &stamina);
    assert_true(agent_of(world, 2).stamina == 4.0f);
    put(world, 2, NULL, NULL, NULL, &more);
    assert_true(agent_of(world, 2).stamina == 10.0f);
    put(world, 2, NULL, NULL, NULL, &none);
    assert_true(agent_of(world, 2).stamina == 0.0f);
    const vec2 still = {0.0f, 0.0f}, down = {0.0f, 1000.0f};
    put(world, 2, NULL, &still, NULL, NULL);
    now = agent_of(world, 2);
    assert_true(now.velocity.x == 0.0f && now.heading.x == -1.0f); /* it faces where it did */
    put(world, 2, NULL, &down, NULL, NULL);
    now = agent_of(world, 2);
    assert_true(now.velocity.y == 100.0f && now.heading.y == 1.0f);
    assert_true(now.position.x == before.position.x && now.position.y == before.position.y);
    const struct agent_view same = agent_of(world, 1);
    assert_true(same.position.x == other.position.x && same.velocity.x == other.velocity.x);
    world_destroy(world);
}

static void test_all_or_none(void **state) {
    struct world *world = world_of(BEHAVIOR_SEEK, EDGE_WRAP, 10);
    steps(world, 3);
    const uint64_t hash = world_hash(world);
    const uint32_t ids[] = {1, 2, 77};
    const float x[] = {1.0f, 2.0f, 3.0f}, y[] = {1.0f, 2.0f, 3.0f};
    struct world_placing placing = {.count = 3, .ids = ids, .x = x, .y = y};
    assert_int_equal(world_place_agents(world, &placing), WORLD_NO_AGENT);
    assert_true(world_hash(world) == hash);
    placing.count = 0;
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
    assert_true(world_hash(world) == hash);
    placing = (struct world_placing){.count = 2, .ids = ids};
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
    assert_true(world_hash(world) == hash);
    world_destroy(world);
}

static void test_the_last_entry_of_an_id_counts(void **state) {
    struct world *world = world_of(BEHAVIOR_SEEK, EDGE_WRAP, 10);
    const uint32_t ids[] = {4, 5, 4};
    const float x[] = {1.0f, 2.0f, 33.0f}, y[] = {1.0f, 2.0f, 44.0f};
    const struct world_placing placing = {.count = 3, .ids = ids, .x = x, .y = y};
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
    assert_true(agent_of(world, 4).position.x == 33.0f && agent_of(world, 5).position.y == 2.0f);
    world_destroy(world);
}

/* Flocks keep their agents in order of rows and their headings unwritten, and sort now and then: clones that are given
 * the same, at once or one by one, stay equal, and the world keeps its invariants. */
static void test_flocks_that_are_placed_stay_equal(void **state) {
    struct rng rng = rng_begin(3, 1, 4, RNG_SPAWN_PLACE);
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    for (int i = 0; i < 400; i++) {
        const int column = i % 20, row = i / 20;
        place(&def, vec2_make((float)column * 31.0f, (float)row * 23.0f), vec2_make(20.0f, 1.0f));
    }
    struct world *world = build(&def), *clone = world_clone_new(world);
    assert_non_null(clone);
    for (int round = 0; round < 40; round++) {
        enum { MOST = 32 };
        uint32_t ids[MOST];
        float x[MOST], y[MOST], heading[MOST];
        for (int i = 0; i < MOST; i++) {
            ids[i] = 1 + (uint32_t)(399.0f * rng_unit(&rng));
            x[i] = rng_between(&rng, -100.0f, 900.0f);
            y[i] = rng_between(&rng, -100.0f, 700.0f);
            heading[i] = rng_between(&rng, -3.0f, 3.0f);
        }
        const struct world_placing all = {.count = MOST, .ids = ids, .x = x, .y = y, .heading = heading};
        assert_int_equal(world_place_agents(world, &all), WORLD_OK);
        for (int i = 0; i < MOST; i++) {
            const struct world_placing one = {
                .count = 1, .ids = &ids[i], .x = &x[i], .y = &y[i], .heading = &heading[i]};
            assert_int_equal(world_place_agents(clone, &one), WORLD_OK);
        }
        assert_true(world_hash(world) == world_hash(clone));
        steps(world, 7);
        steps(clone, 7);
        assert_true(world_hash(world) == world_hash(clone));
    }
    world_destroy(world);
    world_destroy(clone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spawn_fills_a_disc_evenly),
        cmocka_unit_test(test_spawn_keeps_a_spacing),
        cmocka_unit_test(test_spawn_is_all_or_nothing),
        cmocka_unit_test(test_velocity_and_heading),
        cmocka_unit_test(test_remove_keeps_order_and_ids),
        cmocka_unit_test(test_aims),
        cmocka_unit_test(test_who_heeds),
        cmocka_unit_test(test_targets_settle),
        cmocka_unit_test(test_a_velocity_is_there_in_the_next_tick),
        cmocka_unit_test(test_a_force_accelerates),
        cmocka_unit_test(test_a_vector_counts_for_hold_ticks),
        cmocka_unit_test(test_silent_without_vectors),
        cmocka_unit_test(test_agents_that_are_gone_are_counted),
        cmocka_unit_test(test_a_kind_in_parts),
        cmocka_unit_test(test_other_kinds_are_refused),
        cmocka_unit_test(test_orca_has_the_last_word),
        cmocka_unit_test(test_bodies_make_room),
        cmocka_unit_test(test_memories_follow),
        cmocka_unit_test(test_order_after_obstacles),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_reached),
        cmocka_unit_test(test_places_are_those_of_spawn),
        cmocka_unit_test(test_each_part_alone),
        cmocka_unit_test(test_all_or_none),
        cmocka_unit_test(test_the_last_entry_of_an_id_counts),
        cmocka_unit_test(test_flocks_that_are_placed_stay_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
