/* How long agents have been in their states: from snapshot to snapshot, through comings, goings and other worlds. */
#include <stdlib.h>

#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/explain/agent_colors.h"

struct fixture {
    struct state_times times;
    struct frame frame;
    struct snapshot *names;
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    state_times_init(&fixture->times);
    frame_init(&fixture->frame);
    assert_int_equal(frame_reserve(&fixture->frame, 1000), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    state_times_fini(&fixture->times);
    frame_fini(&fixture->frame);
    snapshot_destroy(fixture->names);
    free(fixture);
    return 0;
}

/* The frame has these agents at that moment, in the given order; then the times take it in. */
static void show(struct fixture *fixture, double time_s, uint32_t epoch, const struct test_agent *agents,
                 int32_t count) {
    struct frame *frame = &fixture->frame;
    snapshot_destroy(fixture->names);
    fixture->names = make_snapshot(time_s * 1000.0, agents, count);
    frame->names = fixture->names;
    frame->time_s = time_s;
    frame->count = frame->settled_count = count;
    for (int32_t i = 0; i < count; i++) {
        frame->id[i] = fixture->names->id[i];
        frame->state[i] = fixture->names->state[i];
    }
    assert_int_equal(state_times_update(&fixture->times, frame, epoch), 0);
}

static float at(const struct fixture *fixture, int32_t index) {
    return state_times_at(&fixture->times, &fixture->frame, index);
}

static void time_counts_from_the_change(void **state) {
    struct fixture *fixture = *state;
    show(fixture, 10.0, 1, (const struct test_agent[]){{.id = 1}, {.id = 2}}, 2);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
    show(fixture, 12.0, 1, (const struct test_agent[]){{.id = 1}, {.id = 2, .state = "flee"}}, 2);
    assert_float_equal(at(fixture, 0), 2.0f, 1e-4f);
    assert_float_equal(at(fixture, 1), 0.0f, 1e-4f);
    /* the names of states come in another order: the states are the same */
    show(fixture, 15.0, 1, (const struct test_agent[]){{.id = 2, .state = "flee"}, {.id = 3}}, 2);
    assert_float_equal(at(fixture, 0), 3.0f, 1e-4f);
    assert_float_equal(at(fixture, 1), 0.0f, 1e-4f);
}

static void comings_and_goings_keep_the_others(void **state) {
    struct fixture *fixture = *state;
    show(fixture, 0.0, 1, (const struct test_agent[]){{.id = 2}, {.id = 4}, {.id = 6}}, 3);
    show(fixture, 1.0, 1, (const struct test_agent[]){{.id = 1}, {.id = 4}, {.id = 5}, {.id = 6}}, 4);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
    assert_float_equal(at(fixture, 1), 1.0f, 1e-4f);
    assert_float_equal(at(fixture, 2), 0.0f, 1e-4f);
    assert_float_equal(at(fixture, 3), 1.0f, 1e-4f);
    fixture->frame.count = 5; /* one that comes is not settled: nothing is known of it */
    assert_float_equal(at(fixture, 4), 0.0f, 1e-4f);
}

static void another_world_begins_anew(void **state) {
    struct fixture *fixture = *state;
    show(fixture, 5.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    show(fixture, 8.0, 2, (const struct test_agent[]){{.id = 1}}, 1);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
}

static void a_look_back_is_never_below_nothing(void **state) {
    struct fixture *fixture = *state;
    show(fixture, 5.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    show(fixture, 3.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    assert_float_equal(at(fixture, 0), 0.0f, 1e-4f);
    show(fixture, 6.0, 1, (const struct test_agent[]){{.id = 1}}, 1);
    assert_float_equal(at(fixture, 0), 3.0f, 1e-4f);
}

static void a_crowd_that_grows_keeps_its_times(void **state) {
    struct fixture *fixture = *state;
    struct test_agent *agents = calloc(1000, sizeof *agents);
    assert_non_null(agents);
    for (uint32_t i = 0; i < 1000; i++) {
        agents[i].id = i + 1;
    }
    show(fixture, 0.0, 1, agents, 10);
    show(fixture, 2.0, 1, agents, 1000);
    assert_float_equal(at(fixture, 9), 2.0f, 1e-4f);
    assert_float_equal(at(fixture, 999), 0.0f, 1e-4f);
    free(agents);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(time_counts_from_the_change, setup, teardown),
        cmocka_unit_test_setup_teardown(comings_and_goings_keep_the_others, setup, teardown),
        cmocka_unit_test_setup_teardown(another_world_begins_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(a_look_back_is_never_below_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_crowd_that_grows_keeps_its_times, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
