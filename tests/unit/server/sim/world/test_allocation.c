/* A tick allocates nothing, and neither does a clone: the allocator is wrapped by the linker and counts. */
#include <stdlib.h>

#include "tests/unit/server/sim/sim_fixture.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static int calls;

void *__wrap_malloc(size_t size) {
    calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    calls++;
    return __real_realloc(old, size);
}

void __wrap_free(void *old) {
    calls++;
    __real_free(old);
}

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
    calls = 0;
    struct world *world = build(&def);
    assert_true(calls > 0); /* the wrapping works */
    calls = 0;
    for (int tick = 0; tick < 1000; tick++) {
        world_step(world);
        (void)world_hash(world);
    }
    assert_int_equal(calls, 0);
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
    calls = 0;
    for (int tick = 0; tick < 100; tick++) {
        world_step(world);
        assert_true(world_clone(clone, world));
        world_step(clone);
        assert_true(world_clone_reserve(clone, world)); /* there is room already */
    }
    assert_int_equal(calls, 0);
    world_destroy(world);
    world_destroy(clone);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation_in_a_tick),
                                       cmocka_unit_test(test_no_allocation_in_a_clone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
