/* Even motion at any speed: simulated servers, networks and pictures, with the viewer's clock, buffer and interpolation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/link/clock_sync.h"
#include "viewer/model/interpolate.h"

static const double tick_ms = 1000.0 / 60.0, frame_ms = 1000.0 / 30.0, picture_ms = 1000.0 / 60.0,
                    px_per_s = 240.0;

/* A server whose one agent flies to the right, a network and a viewer. Times in ms; the client's clock is the server's. */
struct show {
    double now_ms, speed; /* 0: as fast as it goes, which is max_rate times */
    double max_rate;
    bool is_paused;
    double done_ticks, due_ticks, sent_ms; /* sent: the slot of the last frame */
    uint64_t sent_tick;
    double lag_ms[64], arrival_ms[64]; /* frames on their way: a ring */
    struct snapshot *on_way[64];
    int first, count;
    unsigned random;
    struct clock_sync clock;
    struct motion_clock motion;
    struct snapshot_buffer buffer;
    struct frame frame;
    double x, steps, least,
        most; /* of the agent in the pictures: where it is, its steps, each against what is due */
};

static void show_begin(struct show *show, double speed) {
    *show = (struct show){.now_ms = 50000.0, .speed = speed, .max_rate = 40.0, .random = 7, .x = -1.0};
    show->done_ticks = show->due_ticks = 600.0;
    clock_sync_init(&show->clock, frame_ms);
    motion_init(&show->motion);
    snapshot_buffer_init(&show->buffer);
    frame_init(&show->frame);
}

static void show_end(struct show *show) {
    for (; show->count > 0; show->count--, show->first = (show->first + 1) % 64) {
        snapshot_destroy(show->on_way[show->first]);
    }
    snapshot_buffer_fini(&show->buffer);
    frame_fini(&show->frame);
}

static void send_frame(struct show *show) {
    const struct test_agent agent = {
        .id = 1, .x = (float)fmod(px_per_s * show->done_ticks / 60.0, 4e6), .vx = (float)px_per_s};
    struct snapshot *snapshot = make_snapshot(show->now_ms, &agent, 1);
    snapshot->tick = (uint64_t)show->done_ticks;
    snapshot->time_s = show->done_ticks / 60.0;
    snapshot->has_speed = true;
    snapshot->speed = show->speed;
    show->random = show->random * 1103515245u + 12345u;
    const int slot = (show->first + show->count++) % 64;
    assert_true(show->count < 64);
    show->on_way[slot] = snapshot;
    show->arrival_ms[slot] = show->now_ms + 2.0 + (double)(show->random >> 16 & 3u);
}

/* The server: ticks as they are due, frames in slots of the clock, each tick at most once. */
static void serve(struct show *show, double passed_ms) {
    const double rate = show->speed > 0.0 ? show->speed : show->max_rate;
    show->due_ticks += show->is_paused ? 0.0 : rate * passed_ms / tick_ms;
    show->done_ticks = floor(show->due_ticks + 1e-9);
    const double slot = floor(show->now_ms / frame_ms);
    if ((uint64_t)show->done_ticks != show->sent_tick && slot > show->sent_ms) {
        show->sent_ms = slot;
        show->sent_tick = (uint64_t)show->done_ticks;
        send_frame(show);
    }
}

static void receive(struct show *show) {
    while (show->count > 0 && show->arrival_ms[show->first] <= show->now_ms) {
        struct snapshot *snapshot = show->on_way[show->first];
        clock_sync_add(&show->clock, snapshot->clock_ms, show->arrival_ms[show->first], !show->is_paused);
        snapshot_destroy(snapshot_buffer_push(&show->buffer, snapshot));
        show->first = (show->first + 1) % 64;
        show->count--;
    }
}

/* As the viewer does it (viewer/app). */
static void draw(struct show *show) {
    struct interpolate_rules rules = {
        .world_size = {8e6f, 600}, .is_paused = show->is_paused, .speed = show->speed, .tick_ms = tick_ms};
    const bool is_slow = show->speed > 0.0 && tick_ms > 1.5 * frame_ms * show->speed;
    clock_sync_limit_period(&show->clock, is_slow ? 1.5 * frame_ms : 1000.0);
    rules.period_ms = show->clock.period_ms;
    const double server_ms = clock_sync_advance(&show->clock, show->now_ms);
    const struct snapshot *newest = snapshot_buffer_newest(&show->buffer);
    if (newest == NULL) {
        return;
    }
    rules.since_ms = motion_since(&show->motion, newest->clock_ms, server_ms, show->speed, show->is_paused);
    assert_int_equal(interpolate_at(&show->buffer, server_ms, &rules, &show->frame), 0);
    assert_int_equal(show->frame.count, 1);
    const double x = (double)show->frame.x[0], rate = show->speed > 0.0 ? show->speed : show->max_rate;
    const double step = (x - show->x) / (px_per_s * rate * picture_ms * 0.001);
    show->least = fmin(show->least, step);
    show->most = fmax(show->most, step);
    show->steps += step;
    show->x = x;
}

/* So long, in steps of a millisecond; a picture every sixtieth of a second. Returns the mean step. */
static double run(struct show *show, double for_ms) {
    const double end_ms = show->now_ms + for_ms;
    int pictures = 0;
    show->least = 1e9;
    show->most = -1e9;
    show->steps = 0.0;
    while (show->now_ms < end_ms) {
        const double before = floor(show->now_ms / picture_ms);
        show->now_ms += 1.0;
        serve(show, 1.0);
        receive(show);
        if (floor(show->now_ms / picture_ms) > before) {
            draw(show);
            pictures++;
        }
    }
    return show->steps / pictures;
}

static void motion_is_even(void **state) {
    static const double speeds[] = {0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 10.0};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct show show;
        show_begin(&show, speeds[i]);
        (void)run(&show, 8000.0); /* the delay settles */
        const double mean = run(&show, 5000.0);
        if (!(show.least > 0.85 && show.most < 1.15 && fabs(mean - 1.0) < 0.01)) {
            fail_msg("speed %g: steps from %g to %g, %g on average", speeds[i], show.least, show.most, mean);
        }
        assert_int_equal(show.clock.resyncs, 0);
        assert_false(show.frame.is_stalled);
        assert_true(show.clock.delay_ms < 120.0); /* the picture does not lag behind a slow world */
        show_end(&show);
    }
}

/* As fast as it goes, and in a warm-up: no step back, no jump of much more than a frame's way. */
static void motion_is_even_at_the_highest_speed(void **state) {
    struct show show;
    show_begin(&show, 0.0);
    (void)run(&show, 8000.0);
    const double mean = run(&show, 5000.0);
    assert_true(show.least > 0.8 && show.most < 1.2 && fabs(mean - 1.0) < 0.02);
    assert_false(show.frame.is_stalled);
    show_end(&show);
}

/* The agent neither steps back nor jumps when the speed changes. */
static void a_change_of_speed_is_no_jump(void **state) {
    static const double speeds[] = {1.0, 0.05, 1.0, 10.0, 0.05, 0.5, 4.0, 1.0};
    struct show show;
    show_begin(&show, 1.0);
    (void)run(&show, 8000.0);
    for (size_t i = 1; i < sizeof speeds / sizeof speeds[0]; i++) {
        show.speed = speeds[i];
        const double before_x = show.x, faster = fmax(speeds[i], speeds[i - 1]);
        const double px = px_per_s * picture_ms * 0.001;
        (void)run(&show, 1500.0);
        const double back_px = show.least * px * speeds[i], jump_px = show.most * px * speeds[i];
        if (!(back_px > 0.0 && jump_px < 1.5 * px * faster + 0.5 && show.x >= before_x)) {
            fail_msg("from %g to %g: steps from %g to %g px", speeds[i - 1], speeds[i], back_px, jump_px);
        }
    }
    show_end(&show);
}

/* A pause of ten seconds, then a slow world: nothing jumps ahead. */
static void a_pause_ends_without_a_jump(void **state) {
    static const double speeds[] = {0.05, 1.0};
    for (size_t i = 0; i < 2; i++) {
        struct show show;
        show_begin(&show, speeds[i]);
        (void)run(&show, 3000.0);
        show.is_paused = true;
        (void)run(&show, 10000.0);
        const double stands_x = show.x, tick_px = px_per_s * tick_ms * 0.001;
        show.is_paused = false;
        (void)run(&show, 100.0);
        assert_true(show.x >= stands_x - 1e-3);
        assert_true(show.x <= stands_x + px_per_s * 0.1 * speeds[i] + 1.5 * tick_px);
        show_end(&show);
    }
}

/* ---- motion alone ---- */

static void a_snapshot_moves_on_from_its_own_moment(void **state) {
    struct motion_clock motion;
    motion_init(&motion);
    assert_true(motion_since(&motion, 1000.0, 1010.0, 1.0, false) == 1000.0);
    assert_true(motion_since(&motion, 1000.0, 1030.0, 1.0, false) == 1000.0);
    assert_true(motion_since(&motion, 1033.0, 1040.0, 1.0, false) == 1033.0);
}

static void the_way_gone_stays_at_a_change_of_speed(void **state) {
    struct motion_clock motion;
    motion_init(&motion);
    (void)motion_since(&motion, 1000.0, 1100.0, 0.1, false); /* 10 ms of simulated time */
    assert_true(fabs(1100.0 - motion_since(&motion, 1000.0, 1100.0, 1.0, false) - 10.0) < 1e-9);
    assert_true(fabs(1100.0 - motion_since(&motion, 1000.0, 1100.0, 0.1, false) - 100.0) < 1e-9);
    assert_true(motion_since(&motion, 1000.0, 1100.0, 0.0, false) == 1100.0); /* nothing is known */
    assert_true(motion_since(&motion, 1000.0, 1120.0, 2.0, false) == 1120.0);
}

static void a_pause_is_no_way(void **state) {
    struct motion_clock motion;
    motion_init(&motion);
    (void)motion_since(&motion, 1000.0, 1010.0, 0.5, false);
    (void)motion_since(&motion, 1000.0, 1020.0, 0.5, true);
    (void)motion_since(&motion, 1000.0, 9000.0, 0.5, true);
    assert_true(motion_since(&motion, 1000.0, 9010.0, 0.5, false) == 9000.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_is_even),
        cmocka_unit_test(motion_is_even_at_the_highest_speed),
        cmocka_unit_test(a_change_of_speed_is_no_jump),
        cmocka_unit_test(a_pause_ends_without_a_jump),
        cmocka_unit_test(a_snapshot_moves_on_from_its_own_moment),
        cmocka_unit_test(the_way_gone_stays_at_a_change_of_speed),
        cmocka_unit_test(a_pause_is_no_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
