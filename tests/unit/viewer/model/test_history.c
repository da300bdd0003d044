/* The last minute of the world: in order, bounded, no tick twice, and copies equal to the originals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/history.h"

static void add(struct history *history, double clock_ms, uint32_t epoch, const struct test_agent *agents,
                int32_t count) {
    struct snapshot *snapshot = make_snapshot(clock_ms, agents, count);
    snapshot->epoch = epoch;
    add_target(snapshot, "mouse", 10, 20);
    history_add(history, snapshot);
    snapshot_destroy(snapshot);
}

static void what_goes_in_comes_out(void **state) {
    static struct history history;
    struct snapshot *found = snapshot_create();
    history_init(&history);
    const struct test_agent early[] = {
        {.id = 3, .x = 5, .y = 6, .vx = -7, .heading_degrees = 350, .state = "flee"}};
    const struct test_agent late[] = {{.id = 3, .x = 8, .y = 6},
                                      {.id = 9, .x = 1, .y = 2, .state = "wander"}};
    assert_int_equal(history_find(&history, 0), -1);
    add(&history, 1000, 1, early, 1);
    add(&history, 1100, 1, late, 2);
    add(&history, 1200, 1, late, 2);
    assert_int_equal(history_find(&history, 1.05), 0);
    assert_int_equal(history_find(&history, 5.0), 2);
    assert_int_equal(history_find(&history, -5.0), 0);
    assert_int_equal(history_read(&history, 0, found), 0);
    assert_true(found->time_s == 1.0 && found->clock_ms == 1000.0 && found->tick == 60);
    assert_int_equal(found->count, 1);
    assert_int_equal(found->id[0], 3);
    assert_int_equal(found->vx[0], -700);
    assert_int_equal(found->heading[0], 35000);
    assert_string_equal(found->state_names.names[found->state[0]], "flee");
    assert_int_equal(history_read(&history, 1, found), 0);
    assert_true(found->clock_ms == 1100.0);
    assert_int_equal(found->count, 2);
    assert_string_equal(found->state_names.names[found->state[1]], "wander");
    assert_string_equal(found->target_names.names[found->target_name[0]], "mouse");
    assert_int_equal(found->target_x[0], 1000);
    snapshot_destroy(found);
    history_fini(&history);
}

static void insert(struct history *history, double time_s, uint32_t epoch) {
    struct snapshot *snapshot = make_snapshot(time_s * 1000.0, NULL, 0);
    snapshot->epoch = epoch;
    snapshot->tick = (uint64_t)lround(time_s * 60.0);
    history_insert(history, snapshot);
    snapshot_destroy(snapshot);
}

/* In a recording time may fall, and an epoch is no other world. */
static void a_recording_is_kept_in_any_order(void **state) {
    static struct history history;
    static const double times_s[] = {10.0, 10.5, 3.0, 3.5, 400.0, 10.5, 3.25, 10.25};
    static const double sorted_s[] = {3.0, 3.25, 3.5, 10.0, 10.25, 10.5, 400.0};
    history_init(&history);
    for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
        insert(&history, times_s[i], (uint32_t)i + 1);
    }
    assert_int_equal(history.count, 7);
    for (int i = 0; i < 7; i++) {
        assert_true(history_time_s(&history, i) == sorted_s[i]);
    }
    history_clear(&history);
    for (int i = 0; i < HISTORY_CAPACITY; i++) {
        insert(&history, 100.0 + 0.5 * i, 1);
    }
    insert(&history, 50.0, 1); /* the end that is farther away makes way */
    assert_int_equal(history.count, HISTORY_CAPACITY);
    assert_true(history_begin_s(&history) == 50.0);
    assert_true(history_end_s(&history) == 100.0 + 0.5 * (HISTORY_CAPACITY - 2));
    insert(&history, 9000.0, 1);
    assert_true(history_begin_s(&history) == 100.0 && history_end_s(&history) == 9000.0);
    history_fini(&history);
}

static void it_reaches_back_a_minute_and_no_further(void **state) {
    static struct history history;
    const struct test_agent agent = {.id = 1};
    history_init(&history);
    for (int i = 0; i < 5000; i++) {
        add(&history, i * 33.0, 1, &agent, 1);
    }
    assert_true(fabs(history_end_s(&history) - 4999 * 0.033) < 1e-9);
    assert_true(history_end_s(&history) - history_begin_s(&history) <= HISTORY_S);
    assert_true(history_end_s(&history) - history_begin_s(&history) > HISTORY_S - 0.1);
    const int count = history.count;
    history_forget(&history, 4999 * 0.033 + 30.0); /* seen as a density since then */
    assert_true(history.count < count && history.count > count / 3);
    add(&history, 10.0, 2, &agent, 1); /* another world */
    assert_true(count > 1000 && history.count == 1);
    history_fini(&history);
    assert_int_equal(history.bytes, 0);
}

/* The server says the last tick again and again; its clock goes on, the world's does not. */
static void a_pause_adds_nothing_and_steps_do(void **state) {
    static struct history history;
    struct test_agent agents[] = {{.id = 1, .x = 1}, {.id = 2, .x = 2}};
    struct snapshot *found = snapshot_create();
    history_init(&history);
    for (int i = 0; i < 100; i++) {
        add(&history, 1000.0 + i * 33.0, 1, agents, 1);
    }
    const int count = history.count;
    const size_t bytes = history.bytes;
    for (int i = 0; i < 3000; i++) {
        struct snapshot *snapshot = make_snapshot(1000.0 + 99 * 33.0, agents, 1);
        snapshot->epoch = 1;
        snapshot->clock_ms += 33.0 * i;
        add_target(snapshot, "mouse", 10, 20);
        history_add(&history, snapshot);
        snapshot_destroy(snapshot);
    }
    assert_int_equal(history.count, count);
    assert_int_equal(history.bytes, bytes);
    assert_true(history_begin_s(&history) == 1.0 && fabs(history_end_s(&history) - 1.0 - 99 * 0.033) < 1e-9);
    add(&history, 1000.0 + 99 * 33.0, 1, agents, 2); /* a client adds an agent to the paused world */
    assert_int_equal(history.count, count);
    assert_int_equal(history_read(&history, count - 1, found), 0);
    assert_int_equal(found->count, 2);
    add(&history, 1000.0 + 99 * 33.0 + 17.0, 1, agents, 2); /* a step */
    assert_int_equal(history.count, count + 1);
    for (int i = 0; i <= count; i++) { /* every copy is a tick of its own */
        const uint64_t before = i > 0 ? found->tick : 0;
        assert_int_equal(history_read(&history, i, found), 0);
        assert_true(found->tick > before);
    }
    add(&history, 0.0, 1, agents, 2); /* the world was put back */
    assert_int_equal(history.count, 1);
    snapshot_destroy(found);
    history_fini(&history);
}

static void large_crowds_are_kept_farther_apart(void **state) {
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
        snapshot->tick = (uint64_t)i;
        snapshot->time_s = i * 0.033;
        history_add(&history, snapshot);
    }
    assert_true(history.bytes <= (size_t)HISTORY_BYTES);
    assert_true(history.count > 10 && history.count < 40); /* a second apart, not the first 20 of them */
    assert_true(history_begin_s(&history) == 0.0);
    snapshot_destroy(snapshot);
    history_fini(&history);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(a_recording_is_kept_in_any_order),
        cmocka_unit_test(it_reaches_back_a_minute_and_no_further),
        cmocka_unit_test(a_pause_adds_nothing_and_steps_do),
        cmocka_unit_test(large_crowds_are_kept_farther_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
