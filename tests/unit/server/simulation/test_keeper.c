/* The thread that looks at copies of the world: what it makes of them, that it is never waited for, and that a copy
 * allocates nothing once there is room. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/recording/checkpoint.h"
#include "server/simulation/logbook_internal.h"
#include "tests/support/allocations.h"
#include "tests/unit/server/test_world.h"

static struct simulation_state simulation;
static struct keeper *keeper;
static struct keeper_result last; /* its texts are the test's */
static int results;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* locked: the keeper cannot end its order */

static void on_done(void *context, struct keeper_result *result) {
    assert_ptr_equal(context, &simulation);
    pthread_mutex_lock(&gate);
    free(last.line);
    free(last.save);
    last = *result;
    result->line = result->save = NULL;
    results++;
    pthread_mutex_unlock(&gate);
}

static int set_up(void **unused) {
    simulation_state_init(&simulation);
    put_world(&simulation, POND("300"), "pond");
    const struct keeper_def def = {&simulation, on_done};
    keeper = keeper_create(&def, &simulation);
    assert_non_null(keeper);
    results = 0;
    return 0;
}

static int tear_down(void **unused) {
    keeper_destroy(keeper);
    simulation_state_fini(&simulation);
    free(last.line);
    free(last.save);
    last = (struct keeper_result){0};
    return 0;
}

static void take(unsigned tasks) {
    assert_true(keeper_take(keeper, &simulation, (struct keeper_order){.tasks = tasks, .number = 5}));
    keeper_wait(keeper);
    assert_false(keeper_is_busy(keeper));
}

static void test_a_hash_is_that_of_the_tick(void **unused) {
    for (int tick = 0; tick < 5; tick++) {
        const uint64_t hash = world_hash(simulation.world);
        assert_true(keeper_take(keeper, &simulation, (struct keeper_order){.tasks = KEEPER_HASH}));
        simulation_state_step(&simulation); /* the world goes on meanwhile */
        keeper_wait(keeper);
        assert_true(last.hash == hash);
        assert_int_equal(last.tick, (uint64_t)tick);
        assert_int_equal(results, tick + 1);
    }
}

static void test_checkpoints_are_those_of_the_state(void **unused) {
    struct buffer line;
    uint64_t hash = 0;
    simulation_state_step(&simulation);
    simulation.seq = 7;
    const struct checkpoint_rest rest = checkpoint_rest_of(&simulation);
    buffer_init(&line, 1 << 20);
    checkpoint_write(simulation.world, &rest, &line, &hash);
    take(KEEPER_LINE | KEEPER_SAVE);
    assert_int_equal(last.order.number, 5);
    assert_int_equal(last.seq, 7);
    assert_int_equal(last.epoch, simulation.epoch);
    assert_true(last.hash == hash);
    assert_int_equal(last.line_length, line.length);
    assert_memory_equal(last.line, line.data, line.length);
    buffer_fini(&line);
    struct built_world built;
    struct checkpoint_rest read;
    struct failure failure = {0};
    const struct world_overrides overrides = {0};
    if (saved_world_read(last.save, last.save_length, &overrides, NULL, &built, &read, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    assert_true(world_hash(built.world) == hash);
    assert_string_equal(built.name, "pond");
    assert_int_equal(read.seq, 7);
    built_world_fini(&built);
}

static void test_a_busy_keeper_refuses(void **unused) {
    const struct keeper_order order = {.tasks = KEEPER_HASH};
    pthread_mutex_lock(&gate);
    assert_true(keeper_take(keeper, &simulation, order));
    simulation_state_step(&simulation);
    assert_true(keeper_is_busy(keeper));
    assert_false(keeper_take(keeper, &simulation, order));
    pthread_mutex_unlock(&gate);
    keeper_wait(keeper);
    assert_int_equal(last.tick, 0);
    assert_int_equal(results, 1);
    take(KEEPER_HASH);
    assert_int_equal(last.tick, 1);
}

static void test_another_world_has_another_text(void **unused) {
    take(KEEPER_SAVE);
    put_world(&simulation,
              "{\"name\":\"Lake\",\"world\":{\"size\":[100,100]},\"kinds\":{\"a\":{},\"b\":{}},"
              "\"agents\":[{\"kind\":\"b\",\"at\":[5,5],\"count\":2000}]}",
              "lake");
    take(KEEPER_SAVE);
    assert_non_null(strstr(last.save, "\"scenario\":\"lake\""));
    assert_true(last.hash == world_hash(simulation.world));
    assert_int_equal(last.epoch, 2);
}

static void test_a_copy_allocates_nothing(void **unused) {
    take(KEEPER_SAVE);
    for (int tick = 0; tick < 20; tick++) {
        const int before = allocations_of_thread();
        simulation_state_step(&simulation);
        const bool is_taken = keeper_take(keeper, &simulation, (struct keeper_order){.tasks = KEEPER_LINE});
        assert_int_equal(allocations_of_thread(), before);
        assert_true(is_taken);
        keeper_wait(keeper);
    }
}

/* The memory for a world that has grown is taken by the keeper. */
static void test_a_copy_of_a_grown_world_allocates_nothing(void **unused) {
    take(KEEPER_SAVE);
    const struct spawn_def spawn = {.kind = 0, .count = 3000};
    uint32_t first_id = 0;
    assert_int_equal(world_spawn(simulation.world, &spawn, &first_id), WORLD_OK);
    const struct world_room room = world_room_of(simulation.world);
    assert_int_equal(room.agents, 3300);
    const int before = allocations_of_thread();
    assert_false(keeper_prepare(keeper, &simulation));
    keeper_wait(keeper);
    assert_true(keeper_prepare(keeper, &simulation));
    assert_true(keeper_take(keeper, &simulation, (struct keeper_order){.tasks = KEEPER_HASH}));
    assert_int_equal(allocations_of_thread(), before);
    keeper_wait(keeper);
    assert_true(last.hash == world_hash(simulation.world));
    assert_int_equal(results, 2); /* taking memory is none */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_hash_is_that_of_the_tick, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_checkpoints_are_those_of_the_state, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_busy_keeper_refuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_world_has_another_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_copy_allocates_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_copy_of_a_grown_world_allocates_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
