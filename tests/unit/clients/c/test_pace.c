/* The rule of a slow link, on a link of numbers: frames and pings queue before it, and it carries so many frames a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "clients/c/handle.h"

enum { STEP_MS = 10, AWAY_MS = 20 }; /* AWAY_MS: there and back without a queue */

struct link {
    struct pace pace;
    double wish_hz, carries_hz; /* frames a second */
    double now_ms, asked_hz, due_frames;
    double queued, came;     /* frames in the queue; what is left of the next to leave it */
    double all;              /* frames that left it */
    double ping_out_ms;      /* HUGE_VAL: none */
    double ping_back_frames; /* what was in the queue before it */
    double worst_ms;         /* the longest wait of a frame that joins the queue, since it was set to 0 */
};

static void begin(struct link *link, double wish_hz, double carries_hz) {
    *link = (struct link){
        .wish_hz = wish_hz, .carries_hz = carries_hz, .asked_hz = wish_hz, .ping_out_ms = HUGE_VAL};
    pace_init(&link->pace);
}

static void move_frames(struct link *link) {
    const double moved = fmin(link->queued, link->carries_hz * STEP_MS / 1000.0);
    link->queued += link->asked_hz * STEP_MS / 1000.0;
    link->queued -= moved;
    link->all += moved;
    link->ping_back_frames -= link->carries_hz * STEP_MS / 1000.0;
    for (link->came += moved; link->came >= 1.0; link->came -= 1.0) {
        pace_frame(&link->pace);
    }
    link->worst_ms = fmax(link->worst_ms, 1000.0 * link->queued / link->carries_hz);
}

static void move_ping(struct link *link) {
    if (link->ping_out_ms < HUGE_VAL) {
        const double trip_ms = link->now_ms - link->ping_out_ms;
        const bool is_back = link->ping_back_frames <= 0.0 && trip_ms >= AWAY_MS;
        pace_ping(&link->pace, link->wish_hz, link->now_ms, trip_ms, is_back);
        link->ping_out_ms = is_back ? HUGE_VAL : link->ping_out_ms;
    } else if (fmod(link->now_ms, 250.0) == 0.0) {
        link->ping_out_ms = link->now_ms;
        link->ping_back_frames = link->queued;
    }
}

static void run(struct link *link, double seconds) {
    for (double end_ms = link->now_ms + 1000.0 * seconds; link->now_ms < end_ms; link->now_ms += STEP_MS) {
        move_ping(link);
        link->asked_hz = pace_hz(&link->pace, link->wish_hz);
        move_frames(link);
    }
}

/* After 10 s no frame waits longer than a second, and most of what the link carries is used. */
static void frames_are_sparse_not_old(void **state) {
    static const double carries[] = {3.0, 5.0, 8.0, 20.0, 28.0};
    for (size_t i = 0; i < sizeof carries / sizeof carries[0]; i++) {
        struct link link;
        begin(&link, 30.0, carries[i]);
        run(&link, 10.0);
        link.worst_ms = link.all = 0.0;
        run(&link, 120.0);
        if (link.worst_ms > 1000.0) {
            fail_msg("carries %g: %g ms", carries[i], link.worst_ms);
        }
        assert_true(link.all >= 0.6 * 120.0 * carries[i]);
    }
}

static void it_is_as_usual_again_on_a_fast_link(void **state) {
    struct link link;
    begin(&link, 30.0, 3.0);
    run(&link, 20.0);
    assert_true(link.asked_hz < 5.0);
    link.carries_hz = 1000.0;
    run(&link, 90.0);
    assert_float_equal(link.asked_hz, 30.0, 1e-9);
    run(&link, 30.0);
    assert_float_equal(link.asked_hz, 30.0, 1e-9);
}

/* A long way is not a slow link, and neither is one that carries what is asked for. */
static void a_fast_link_is_left_alone(void **state) {
    struct link link;
    begin(&link, 30.0, 60.0);
    run(&link, 60.0);
    assert_float_equal(link.asked_hz, 30.0, 1e-9);
    pace_init(&link.pace);
    for (double now_ms = 0.0; now_ms < 60000.0; now_ms += 1000.0) {
        pace_ping(&link.pace, 30.0, now_ms, 450.0, true);
        assert_float_equal(pace_hz(&link.pace, 30.0), 30.0, 1e-9);
    }
}

/* A world that stands sends no frames: nothing says what the link carries. */
static void without_frames_nothing_is_learned(void **state) {
    struct pace pace;
    pace_init(&pace);
    pace_ping(&pace, 30.0, 0.0, 5.0, true);
    pace_ping(&pace, 30.0, 1000.0, 310.0, false);
    assert_float_equal(pace_hz(&pace, 30.0), PACE_LATE_HZ, 1e-9);
    pace_ping(&pace, 30.0, 1600.0, 900.0, true); /* it waited behind others */
    assert_float_equal(pace_hz(&pace, 30.0), PACE_LATE_HZ, 1e-9);
    pace_ping(&pace, 30.0, 2000.0, 6.0, true);
    assert_float_equal(pace_hz(&pace, 30.0), 30.0, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_sparse_not_old),
        cmocka_unit_test(it_is_as_usual_again_on_a_fast_link),
        cmocka_unit_test(a_fast_link_is_left_alone),
        cmocka_unit_test(without_frames_nothing_is_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
