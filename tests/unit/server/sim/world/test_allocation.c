/* A tick allocates nothing, and neither does a clone: the allocator is wrapped by the linker and counts. */
#include "tests/support/allocations.h"
#include "tests/unit/server/sim/sim_fixture.h"

static void test_no_allocation_in_a_tick(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){400.0f, 300.0f});
    def.targets[0].jump_within = 5.0f;
    for (int i = 0; i < 100; i++) {
        place(&def, (vec2){8.0f * (float)i, 30.0f}, (vec2){0, 0});
    }
    /* Neighbors, too: sorting them allocates no memory either. */
    struct state_def *agent = &def.kinds[0].states[0];
    for (int type = BEHAVIOR_SEPARATION; type <= BEHAVIOR_QUEUE; type++) {
        struct behavior_def *behavior = &agent->behaviors[agent->behavior_count++];
        *behavior = behavior_def_default((enum behavior_type)type);
        copy_text(behavior->target.target, "mouse");
    }
    int calls = allocator_calls_of_thread();
    struct world *world = build(&def);
    assert_true(allocator_calls_of_thread() > calls); /* the wrapping works */
    calls = allocator_calls_of_thread();
    for (int tick = 0; tick < 1000; tick++) {
        world_step(world);
        (void)world_hash(world);
    }
    assert_int_equal(allocator_calls_of_thread(), calls);
    world_destroy(world);
}

static void test_no_allocation_in_a_clone(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, (vec2){400.0f, 300.0f});
    def.edge = EDGE_WRAP;
    add_circle(&def, (vec2){200.0f, 200.0f}, 30.0f);
    for (int i = 0; i < 100; i++) {
        place(&def, (vec2){8.0f * (float)i, 30.0f}, (vec2){0, 0});
    }
    struct world *world = build(&def), *clone = world_clone_new(world);
    assert_non_null(clone);
    const int calls = allocator_calls_of_thread();
    for (int tick = 0; tick < 100; tick++) {
        world_step(world);
        assert_true(world_clone(clone, world));
        world_step(clone);
        assert_true(world_clone_reserve(clone, world)); /* there is room already */
    }
    assert_int_equal(allocator_calls_of_thread(), calls);
    world_destroy(world);
    world_destroy(clone);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation_in_a_tick),
                                       cmocka_unit_test(test_no_allocation_in_a_clone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
