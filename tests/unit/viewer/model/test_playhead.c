/* A held moment stays; the past plays on request; its end is now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/history.h"

static struct history history;

/* The world from 0 to end_s, a copy each gap_s; the last is what is shown live. */
static void record(double end_s, double gap_s) {
    history_fini(&history);
    for (int i = 0; i * gap_s <= end_s; i++) {
        struct snapshot *snapshot = make_snapshot(i * gap_s * 1000.0, NULL, 0);
        snapshot->tick = (uint64_t)i;
        snapshot->time_s = i * gap_s;
        history_add(&history, snapshot);
        snapshot_destroy(snapshot);
    }
}

static void what_is_held_stays(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_jump(&head, &history, 10.0, -1.0);
    assert_false(head.is_live || head.is_playing);
    assert_true(head.at_s == 9.0);
    record(55.0, 0.5);
    playhead_advance(&head, &history, 55.0, 45.0); /* the world went on */
    assert_true(!head.is_live && head.at_s == 9.0);
    playhead_jump(&head, &history, 55.0, -1.0);
    playhead_jump(&head, &history, 55.0, 1.0);
    assert_true(head.at_s == 9.0);
    playhead_seek(&head, &history, 55.0, 20.3);
    assert_true(head.at_s == 20.5); /* the nearest copy */
    playhead_seek(&head, &history, 55.0, -100.0);
    assert_true(head.at_s == 0.0);
    playhead_seek(&head, &history, 55.0, 55.0);
    assert_true(head.is_live);
}

static void a_preview_is_near_or_none(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_preview(&head, &history, 4.05, 0.1);
    assert_true(!head.is_live && !head.is_playing && head.at_s == 4.0);
    playhead_preview(&head, &history, 4.25, 0.1);
    assert_true(head.is_live);
    playhead_preview(&head, &history, 9.96, 0.1);
    assert_true(!head.is_live && head.at_s == 10.0); /* now is a copy as well */
    playhead_preview(&head, &history, 10.2, 0.1);
    assert_true(head.is_live);
    history_fini(&history);
    playhead_preview(&head, &history, 1.0, 0.1);
    assert_true(head.is_live);
}

static void it_plays_on_when_it_is_told_to(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_toggle(&head, &history);
    assert_true(head.is_live && !head.is_playing); /* there is only the present */
    playhead_jump(&head, &history, 10.0, -3.0);
    playhead_toggle(&head, &history);
    playhead_advance(&head, &history, 10.0, 0.7);
    assert_true(!head.is_live && head.is_playing && fabs(head.at_s - 7.7) < 1e-9);
    playhead_toggle(&head, &history);
    assert_true(!head.is_playing && head.at_s == 7.5); /* on a tick again */
    playhead_toggle(&head, &history);
    playhead_advance(&head, &history, 10.0, 2.6);
    assert_true(head.is_live && !head.is_playing); /* a paused world's end: now */
}

static void steps_go_from_copy_to_copy(void **state) {
    struct playhead head = {.is_live = true};
    record(2.0, 0.5);
    playhead_step(&head, &history, 2.0, true);
    assert_true(head.is_live);
    playhead_step(&head, &history, 2.0, false); /* the newest is the present: the one before it */
    assert_true(head.at_s == 1.5);
    playhead_step(&head, &history, 2.0, false);
    assert_true(head.at_s == 1.0);
    playhead_step(&head, &history, 2.0, true);
    assert_true(head.at_s == 1.5);
    playhead_step(&head, &history, 2.0, true);
    assert_true(head.is_live);
    playhead_seek(&head, &history, 2.0, 0.0);
    playhead_step(&head, &history, 2.0, false);
    assert_true(!head.is_live && head.at_s == 0.0); /* the oldest */
}

static void jumps_get_on_where_copies_are_far_apart(void **state) {
    struct playhead head = {.is_live = true};
    record(50.0, 5.0);
    playhead_jump(&head, &history, 52.0, -1.0);
    assert_true(head.at_s == 50.0);
    playhead_jump(&head, &history, 52.0, -1.0);
    assert_true(head.at_s == 45.0);
    playhead_jump(&head, &history, 52.0, 1.0);
    assert_true(head.at_s == 50.0);
    playhead_jump(&head, &history, 52.0, 1.0);
    assert_true(head.is_live);
}

static void what_is_forgotten_is_still_held(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_seek(&head, &history, 10.0, 4.0);
    record(100.0, 0.5); /* radii from 40 to 100 */
    playhead_step(&head, &history, 100.0, false);
    assert_true(head.at_s == 4.0);
    playhead_step(&head, &history, 100.0, true);
    assert_true(head.at_s == 40.0);
}

static void nothing_is_no_past(void **state) {
    struct playhead head = {.is_live = true};
    history_fini(&history);
    playhead_jump(&head, &history, 0.0, -1.0);
    playhead_step(&head, &history, 0.0, false);
    assert_true(head.is_live);
    record(0.0, 1.0); /* a world that was started paused: its first tick is the present */
    playhead_jump(&head, &history, 0.0, -1.0);
    playhead_step(&head, &history, 0.0, false);
    playhead_seek(&head, &history, 0.0, -31.0);
    assert_true(head.is_live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_stays),
        cmocka_unit_test(a_preview_is_near_or_none),
        cmocka_unit_test(it_plays_on_when_it_is_told_to),
        cmocka_unit_test(steps_go_from_copy_to_copy),
        cmocka_unit_test(jumps_get_on_where_copies_are_far_apart),
        cmocka_unit_test(what_is_forgotten_is_still_held),
        cmocka_unit_test(nothing_is_no_past),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    history_fini(&history);
    return failed;
}
