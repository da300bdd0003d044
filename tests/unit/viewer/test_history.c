/* The last minute: in order, bounded, and what comes out is what went in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "make_snapshot.h"
#include "viewer/history.h"

static void add(struct history *history, double clock_ms, uint32_t epoch, const struct test_agent *agents,
                int32_t count) {
    struct snapshot *snapshot = make_snapshot(clock_ms, agents, count);
    snapshot->epoch = epoch;
    add_target(snapshot, "mouse", 10, 20);
    history_add(history, snapshot);
    snapshot_destroy(snapshot);
}

static void what_goes_in_comes_out(void **state) {
    (void)state;
    static struct history history;
    struct snapshot *before = snapshot_create(), *after = snapshot_create();
    history_init(&history);
    const struct test_agent early[] = {
        {.id = 3, .x = 5, .y = 6, .vx = -7, .heading_degrees = 350, .state = "flee"}};
    const struct test_agent late[] = {{.id = 3, .x = 8, .y = 6},
                                      {.id = 9, .x = 1, .y = 2, .state = "wander"}};
    assert_int_equal(history_around(&history, 0, before, after), -1);
    add(&history, 1000, 1, early, 1);
    assert_int_equal(history_around(&history, 1000, before, after), -1); /* one is no stretch of time */
    add(&history, 1100, 1, late, 2);
    add(&history, 1200, 1, late, 2);
    assert_int_equal(history_around(&history, 1050, before, after), 0);
    assert_true(before->clock_ms == 1000.0 && after->clock_ms == 1100.0);
    assert_int_equal(before->count, 1);
    assert_int_equal(before->id[0], 3);
    assert_int_equal(before->vx[0], -700);
    assert_int_equal(before->heading[0], 35000);
    assert_string_equal(before->state_names.names[before->state[0]], "flee");
    assert_int_equal(after->count, 2);
    assert_string_equal(after->state_names.names[after->state[1]], "wander");
    assert_string_equal(after->target_names.names[after->target_name[0]], "mouse");
    assert_int_equal(after->target_x[0], 1000);
    assert_int_equal(history_around(&history, 5000, before, after), 0); /* beyond the end: the last two */
    assert_true(before->clock_ms == 1100.0 && after->clock_ms == 1200.0);
    assert_int_equal(history_around(&history, -5000, before, after), 0);
    assert_true(before->clock_ms == 1000.0);
    snapshot_destroy(before);
    snapshot_destroy(after);
    history_fini(&history);
}

static void it_reaches_back_a_minute_and_no_further(void **state) {
    (void)state;
    static struct history history;
    const struct test_agent agent = {.id = 1};
    history_init(&history);
    for (int i = 0; i < 5000; i++) {
        add(&history, i * 33.0, 1, &agent, 1);
    }
    assert_true(history_end_ms(&history) == 4999 * 33.0);
    assert_true(history_end_ms(&history) - history_begin_ms(&history) <= HISTORY_MS);
    assert_true(history_end_ms(&history) - history_begin_ms(&history) > HISTORY_MS - 100.0);
    add(&history, 4999 * 33.0, 1, &agent, 1); /* the same moment again: a paused world */
    const int count = history.count;
    add(&history, 10.0, 2, &agent, 1); /* another world */
    assert_true(count > 1000 && history.count == 1);
    history_fini(&history);
    assert_int_equal(history.bytes, 0);
}

static void large_crowds_are_kept_farther_apart(void **state) {
    (void)state;
    static struct history history;
    struct snapshot *snapshot = make_snapshot(0, NULL, 0);
    assert_int_equal(snapshot_reserve(snapshot, 100000, 0, false), 0);
    memset(snapshot->kind, 0, 100000 * sizeof *snapshot->kind);
    memset(snapshot->state, 0, 100000 * sizeof *snapshot->state);
    for (int32_t i = 0; i < 100000; i++) {
        snapshot->id[i] = (uint32_t)i;
        snapshot->x[i] = snapshot->y[i] = snapshot->vx[i] = snapshot->vy[i] = snapshot->heading[i] = 0;
    }
    snapshot->count = 100000;
    history_init(&history);
    for (int i = 0; i < 600; i++) {
        snapshot->clock_ms = i * 33.0;
        history_add(&history, snapshot);
    }
    assert_true(history.bytes <= (size_t)HISTORY_BYTES);
    assert_true(history.count > 10 && history.count < 40); /* a second apart, not the first 20 of them */
    assert_true(history_begin_ms(&history) == 0.0);
    snapshot_destroy(snapshot);
    history_fini(&history);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(it_reaches_back_a_minute_and_no_further),
        cmocka_unit_test(large_crowds_are_kept_farther_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
