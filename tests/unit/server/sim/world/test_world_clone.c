/* Copies of worlds go on like what they were copied from, into memory that is there. */
#include <stdlib.h>

#include "server/sim/world/world_internal.h" /* for what a clone must not keep */
#include "tests/unit/server/sim/sim_fixture.h"

static struct world *flock(vec2 size, uint32_t count, int kinds) {
    static const char *const names[] = {"agent", "other", "third"};
    struct world_def def = world_def_default();
    def.size = size;
    def.edge = EDGE_WRAP;
    for (int k = 0; k < kinds; k++) {
        struct kind_def *kind = world_def_add_kind(&def, names[k]);
        struct placement_def *placement = world_def_add_placement(&def, names[k]);
        assert_non_null(kind);
        assert_non_null(placement);
        kind->states[0].behavior_count = 1;
        kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
        placement->count = count;
        placement->shape = PLACE_RECT;
        placement->size = size;
    }
    return build(&def);
}

/* Every sort of geometry. */
static struct world *landscape(void) {
    struct world_def def = one_kind_def(BEHAVIOR_FOLLOW_FLOW, vec2_make(400.0f, 300.0f));
    vec2 *vectors = calloc(4, sizeof *vectors);
    assert_non_null(vectors);
    for (int i = 0; i < 4; i++) {
        vectors[i] = vec2_make(10.0f * (float)i, 20.0f);
    }
    add_flow(&def, "f", (struct flow_def){.type = FLOW_GRID, .columns = 2, .rows = 2, .vectors = vectors});
    struct state_def *state = &def.kinds[0].states[0];
    state->behaviors[1] = behavior_def_default(BEHAVIOR_AVOID_OBSTACLES);
    state->behaviors[2] = behavior_def_default(BEHAVIOR_FOLLOW_PATH);
    state->behavior_count = 3;
    copy_text(state->behaviors[2].path, "p");
    struct path_def *path = geometry_def_add_path(&def.geometry);
    struct wall_def *wall = geometry_def_add_wall(&def.geometry);
    assert_non_null(path);
    assert_non_null(wall);
    *path = (struct path_def){.name = "p", .radius = 20.0f, .point_count = 2, .points = {{0, 0}, {800, 600}}};
    *wall = (struct wall_def){{300.0f, 100.0f}, {300.0f, 500.0f}};
    add_circle(&def, vec2_make(500.0f, 300.0f), 60.0f);
    for (int i = 0; i < 40; i++) {
        place(&def, vec2_make(15.0f * (float)i, 280.0f), vec2_make(60.0f, 0.0f));
    }
    return build(&def);
}

static void assert_same_futures(struct world *a, struct world *b, int ticks) {
    assert_true(world_hash(a) == world_hash(b));
    for (int tick = 0; tick < ticks; tick++) {
        world_step(a);
        world_step(b);
        assert_true(world_hash(a) == world_hash(b));
    }
}

static void test_a_clone_goes_on_alike(void **state) {
    struct world *worlds[] = {flock(vec2_make(900.0f, 700.0f), 120, 2), landscape()};
    for (int i = 0; i < 2; i++) {
        steps(worlds[i], 31);
        struct world *clone = world_clone_new(worlds[i]);
        assert_non_null(clone);
        assert_same_futures(worlds[i], clone, 200);
        world_destroy(worlds[i]); /* they share nothing */
        steps(clone, 10);
        world_destroy(clone);
    }
}

/* Wherever the phase of the order of slots is. */
static void test_a_clone_of_every_tick(void **state) {
    struct world *world = flock(vec2_make(900.0f, 700.0f), 120, 1), *end = world_clone_new(world);
    steps(end, 40);
    for (int tick = 0; tick < 12; tick++) {
        struct world *clone = world_clone_new(world);
        steps(clone, 40 - tick);
        assert_true(world_hash(clone) == world_hash(end));
        world_destroy(clone);
        world_step(world);
    }
    world_destroy(world);
    world_destroy(end);
}

/* Whatever was there before, in a world that is larger or smaller in every respect. */
static void test_into_another_world(void **state) {
    struct world *from[] = {flock(vec2_make(900.0f, 700.0f), 50, 1), landscape(),
                            flock(vec2_make(2000.0f, 2000.0f), 300, 3)};
    struct world *to = flock(vec2_make(500.0f, 500.0f), 60, 1);
    for (int round = 0; round < 6; round++) {
        struct world *world = from[round % 3];
        steps(world, 7);
        steps(to, 5);
        assert_true(world_clone_reserve(to, world));
        assert_true(world_clone(to, world));
        assert_same_futures(world, to, 50);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(world_clone(to, from[i])); /* there is room for each by now */
        world_destroy(from[i]);
    }
    world_destroy(to);
}

static void test_what_does_not_fit_changes_nothing(void **state) {
    struct world *small = flock(vec2_make(500.0f, 500.0f), 10, 1);
    struct world *small_too = flock(vec2_make(500.0f, 500.0f), 10, 1);
    struct world *many = flock(vec2_make(500.0f, 500.0f), 100, 1);
    struct world *kinds = flock(vec2_make(500.0f, 500.0f), 3, 2), *solids = landscape();
    const uint64_t hash = world_hash(small);
    assert_true(world_clone_reserve(small, small_too));
    assert_false(world_clone(small, many));
    assert_false(world_clone(small, kinds));
    assert_false(world_clone(small, solids));
    assert_true(world_hash(small) == hash);
    assert_true(world_clone_reserve(small, solids));
    assert_true(world_hash(small) == hash); /* room alone changes nothing either */

    assert_true(world_clone(small, solids));
    world_destroy(small);
    world_destroy(small_too);
    world_destroy(many);
    world_destroy(kinds);
    world_destroy(solids);
}

/* A clone is a world like others: commands work, and take the room for geometry. */
static void test_commands_in_a_clone(void **state) {
    struct world *world = landscape(), *clone = world_clone_new(world);
    const struct obstacle_def circle = {.shape = OBSTACLE_CIRCLE, .at = {600.0f, 100.0f}, .radius = 30.0f};
    struct world *both[] = {world, clone};
    for (int i = 0; i < 2; i++) {
        uint32_t id, first;
        int32_t pushed;
        const struct spawn_def spawn = {.kind = 0, .count = 100, .shape = PLACE_RECT, .size = {800, 600}};
        assert_int_equal(world_add_obstacle(both[i], &circle, &id, &pushed), WORLD_OK);
        assert_int_equal(world_spawn(both[i], &spawn, &first), WORLD_OK);
        assert_int_equal(world_remove(both[i], (const uint32_t[]){3, 5}, 2, NULL), 2);
    }
    assert_same_futures(world, clone, 100);
    assert_false(world_clone(clone, world));
    assert_true(world_clone_reserve(clone, world));
    assert_true(world_clone(clone, world));
    assert_same_futures(world, clone, 20);
    world_destroy(world);
    world_destroy(clone);
}

static void test_how_it_is_computed_stays(void **state) {
    struct world *world = flock(vec2_make(500.0f, 500.0f), 10, 1), *clone = world_clone_new(world);
    atomic_bool given_up = false;
    world_set_simd(clone, SIMD_PLAIN);
    world_let_give_up(clone, &given_up);
    assert_true(world_clone(clone, world));
    assert_int_equal(clone->simd, SIMD_PLAIN);
    assert_ptr_equal(clone->grid.given_up, &given_up);
    world_destroy(world);
    world_destroy(clone);
}

static void test_an_empty_world(void **state) {
    struct world_def def = world_def_default();
    struct world *world = build(&def), *clone = world_clone_new(world);
    assert_non_null(clone);
    assert_same_futures(world, clone, 3);
    world_destroy(world);
    world_destroy(clone);
}

/* Cells are left over from agents that are gone. */
static void test_an_emptied_world(void **state) {
    struct world *world = flock(vec2_make(500.0f, 500.0f), 1, 1);
    assert_int_equal(world_remove_kind(world, 0), 1);
    struct world *clone = world_clone_new(world);
    assert_non_null(clone);
    assert_same_futures(world, clone, 3);
    const struct spawn_def spawn = {.kind = 0, .count = 5};
    uint32_t first;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    assert_int_equal(world_spawn(clone, &spawn, &first), WORLD_OK);
    assert_same_futures(world, clone, 3);
    world_destroy(world);
    world_destroy(clone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_clone_goes_on_alike),
        cmocka_unit_test(test_a_clone_of_every_tick),
        cmocka_unit_test(test_into_another_world),
        cmocka_unit_test(test_what_does_not_fit_changes_nothing),
        cmocka_unit_test(test_commands_in_a_clone),
        cmocka_unit_test(test_how_it_is_computed_stays),
        cmocka_unit_test(test_an_empty_world),
        cmocka_unit_test(test_an_emptied_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
