/* Where agents are between two frames. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/link/clock_sync.h"
#include "viewer/model/camera.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/meters.h"
#include "viewer/model/trails.h"

/* ==== interpolate ====
 * Between snapshots: the short way round, no flight through the world after a jump, fading, guessing and
 * stalling. */

static const struct interpolate_rules interpolate_open_world = {
    .world_size = {800, 600}, .period_ms = 33.0, .speed = 1.0};
static const struct interpolate_rules wrap_world = {
    .world_size = {800, 600}, .wraps = true, .period_ms = 33.0, .speed = 1.0};

static void assert_near(float found, float wanted, float tolerance) {
    if (!(fabsf(found - wanted) <= tolerance)) {
        fail_msg("found %f, wanted %f", (double)found, (double)wanted);
    }
}

/* Two snapshots, 1000 ms and 1000 + gap, and the frame at a moment. */
struct pair {
    struct snapshot_buffer buffer;
    struct frame frame;
};

static void pair_init(struct pair *pair, struct snapshot *a, struct snapshot *b) {
    snapshot_buffer_init(&pair->buffer);
    frame_init(&pair->frame);
    assert_null(snapshot_buffer_push(&pair->buffer, a));
    if (b != NULL) {
        assert_null(snapshot_buffer_push(&pair->buffer, b));
    }
}

static const struct frame *pair_at(struct pair *pair, double ms, const struct interpolate_rules *rules) {
    assert_int_equal(interpolate_at(&pair->buffer, ms, rules, &pair->frame), 0);
    return &pair->frame;
}

static void pair_fini(struct pair *pair) {
    snapshot_buffer_fini(&pair->buffer);
    frame_fini(&pair->frame);
}

static void nothing_before_the_first(void **state) {
    struct pair pair;
    snapshot_buffer_init(&pair.buffer);
    frame_init(&pair.frame);
    const struct frame *frame = pair_at(&pair, 5.0, &interpolate_open_world);
    assert_null(frame->names);
    assert_int_equal(frame->count, 0);
    assert_false(frame->is_stalled);
    pair_fini(&pair);
}

static void halfway_is_halfway(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .y = 50, .vx = 300},
                            b = {.id = 1, .x = 112, .y = 50, .vx = 300};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1040, &b, 1));
    assert_near(frame_pose(pair_at(&pair, 1000, &interpolate_open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 1020, &interpolate_open_world), 0).position.x, 106, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 1039.9, &interpolate_open_world), 0).position.x, 112, 0.05f);
    pair_fini(&pair);
}

static void sparse_snapshots_follow_the_curve(void **state) {
    /* a quarter of a circle of radius 100 in 200 ms, known by its ends: the chord's middle is 29 px off the
     * arc */
    const float speed = 100.0f * 1.5707963f / 0.2f;
    const struct test_agent a = {.id = 1, .x = 300, .y = 200, .vx = 0, .vy = speed};
    const struct test_agent b = {.id = 1, .x = 200, .y = 300, .vx = -speed, .vy = 0};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1200, &b, 1));
    const struct pose pose = frame_pose(pair_at(&pair, 1100, &interpolate_open_world), 0);
    const float radius = hypotf(pose.position.x - 200.0f, pose.position.y - 200.0f);
    assert_near(radius, 100.0f, 2.0f);
    pair_fini(&pair);
}

/* The difference on a circle of this length, in [-length/2, length/2]. */
static float wrapped(float difference, float length) {
    return length > 0.0f ? difference - length * roundf(difference / length) : difference;
}

static void wraps_the_short_way(void **state) {
    const struct test_agent a = {.id = 1, .x = 796, .y = 598, .vx = 240, .vy = 120};
    const struct test_agent b = {.id = 1, .x = 4, .y = 2, .vx = 240, .vy = 120};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1033, &b, 1));
    const vec2 middle = frame_pose(pair_at(&pair, 1016.5, &wrap_world), 0).position;
    assert_near(wrapped(middle.x, 800), 0, 0.05f);
    assert_near(wrapped(middle.y, 600), 0, 0.05f);
    const vec2 early = frame_pose(pair_at(&pair, 1008.25, &wrap_world), 0).position;
    assert_near(early.x, 798, 0.05f);
    for (double ms = 1000; ms < 1033; ms += 1) {
        const vec2 p = frame_pose(pair_at(&pair, ms, &wrap_world), 0).position;
        assert_true(p.x >= 0 && p.x < 800 && p.y >= 0 && p.y < 600);
        assert_true(p.x > 700 || p.x < 100); /* never through the middle */
    }
    pair_fini(&pair);
}

static void heading_turns_the_short_way(void **state) {
    const struct test_agent a = {.id = 1, .heading_degrees = 350}, b = {.id = 1, .heading_degrees = 20};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1040, &b, 1));
    const float heading = frame_pose(pair_at(&pair, 1020, &interpolate_open_world), 0).heading;
    assert_near(heading, 5.0f * 3.14159265f / 180.0f, 1e-3f);
    pair_fini(&pair);
}

static void a_jump_is_not_flown(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .y = 100, .vx = 60, .heading_degrees = 10};
    const struct test_agent b = {.id = 1, .x = 500, .y = 400, .vx = 60, .heading_degrees = 90};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), make_snapshot(1033, &b, 1));
    assert_near(frame_pose(pair_at(&pair, 1030, &interpolate_open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 1033, &interpolate_open_world), 0).position.x, 500, 0.01f);
    pair_fini(&pair);
}

static void newcomers_fade_in_and_the_gone_fade_out(void **state) {
    const struct test_agent a[] = {
        {.id = 1, .x = 10}, {.id = 3, .x = 30, .vx = 300, .state = "flee"}, {.id = 4, .x = 40}};
    const struct test_agent b[] = {
        {.id = 1, .x = 10, .state = "flee"}, {.id = 2, .x = 20}, {.id = 4, .x = 40}};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, a, 3), make_snapshot(1040, b, 3));
    const struct frame *frame = pair_at(&pair, 1010, &interpolate_open_world);
    assert_int_equal(frame->count, 4);
    float alpha[5] = {0}, x[5] = {0};
    for (int32_t i = 0; i < frame->count; i++) {
        alpha[frame_pose(frame, i).id] = frame_pose(frame, i).alpha;
        x[frame_pose(frame, i).id] = frame_pose(frame, i).position.x;
        if (frame_pose(frame, i).id == 3) { /* its state in the newer snapshot's table */
            assert_string_equal(frame->names->state_names.names[frame_pose(frame, i).state], "flee");
        }
    }
    assert_near(alpha[1], 1, 1e-4f);
    assert_near(alpha[2], 0.25f, 1e-3f);
    assert_near(alpha[3], 0.75f, 1e-3f);
    assert_near(x[3], 33, 0.01f); /* it goes on while it fades */
    pair_fini(&pair);
}

static void guesses_for_a_quarter_second_then_stalls(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .y = 100, .vx = 100};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), NULL);
    const struct frame *frame = pair_at(&pair, 1200, &interpolate_open_world);
    assert_near(frame_pose(frame, 0).position.x, 120, 0.01f);
    assert_false(frame->is_stalled);
    assert_near((float)frame->late_ms, 200, 1e-3f);
    frame = pair_at(&pair, 3000, &interpolate_open_world);
    assert_near(frame_pose(frame, 0).position.x, 125, 0.01f);
    assert_true(frame->is_stalled);
    pair_fini(&pair);
}

static void a_paused_world_stands_and_is_not_stalled(void **state) {
    struct interpolate_rules paused = interpolate_open_world;
    paused.is_paused = true;
    const struct test_agent a = {.id = 1, .x = 100, .y = 100, .vx = 100};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), NULL);
    const struct frame *frame = pair_at(&pair, 3000, &paused);
    assert_near(frame_pose(frame, 0).position.x, 100, 1e-4f);
    assert_false(frame->is_stalled);
    pair_fini(&pair);
}

static void a_step_after_a_pause_is_walked_at_its_end(void **state) {
    const struct test_agent a = {.id = 1, .x = 100, .vx = 240}, b = {.id = 1, .x = 104, .vx = 240};
    struct snapshot *after = make_snapshot(9000, &b, 1);
    after->time_s = 1.0 + 1.0 / 60.0; /* one tick later in the world, eight seconds on the wall */
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), after);
    assert_near(frame_pose(pair_at(&pair, 5000, &interpolate_open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 8750, &interpolate_open_world), 0).position.x, 100, 0.01f);
    assert_near(frame_pose(pair_at(&pair, 8875, &interpolate_open_world), 0).position.x, 102, 0.01f);
    pair_fini(&pair);
}

static void a_single_step_is_walked_straight(void **state) {
    /* a fifth of a second between them, but one tick of the world: the velocities say nothing about the
     * motion */
    const struct test_agent a = {.id = 1, .x = 100, .vx = 0}, b = {.id = 1, .x = 104, .vx = 240};
    struct snapshot *after = make_snapshot(1200, &b, 1);
    after->time_s = 1.0 + 1.0 / 60.0;
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, &a, 1), after);
    assert_near(frame_pose(pair_at(&pair, 1100, &interpolate_open_world), 0).position.x, 102, 0.01f);
    pair_fini(&pair);
}

static void removed_agents_of_unknown_state_are_left_out(void **state) {
    const struct test_agent a[2] = {{.id = 1, .x = 100}, {.id = 2, .x = 200, .state = "evade"}};
    struct pair pair;
    pair_init(&pair, make_snapshot(1000, a, 2), make_snapshot(1040, a, 1));
    const struct frame *frame = pair_at(&pair, 1001, &interpolate_open_world);
    assert_int_equal(frame->count, 1);
    assert_int_equal(frame_pose(frame, 0).id, 1);
    pair_fini(&pair);
}

static void targets_glide_but_do_not_fly(void **state) {
    const struct test_agent agent = {.id = 1};
    struct snapshot *a = make_snapshot(1000, &agent, 1), *b = make_snapshot(1040, &agent, 1);
    add_target(a, "mouse", 100, 100);
    add_target(a, "far", 10, 10);
    add_target(b, "far", 700, 500); /* another order, another table */
    add_target(b, "mouse", 120, 100);
    struct pair pair;
    pair_init(&pair, a, b);
    const struct frame *frame = pair_at(&pair, 1020, &interpolate_open_world);
    assert_int_equal(frame->target_count, 2);
    assert_string_equal(frame->names->target_names.names[frame->targets[0].name], "far");
    assert_near(frame->targets[0].position.x, 10, 0.01f);
    assert_near(frame->targets[1].position.x, 110, 0.01f);
    pair_fini(&pair);
}

/* ==== motion ====
 * Even motion at any speed: simulated servers, networks and pictures, with the viewer's clock, buffer and interpolation. */

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

/* ==== Snapshots in order, 64 of them, one world ==== */

static struct snapshot *empty_at(double clock_ms) {
    return make_snapshot(clock_ms, NULL, 0);
}

static void push(struct snapshot_buffer *buffer, struct snapshot *snapshot) {
    snapshot_destroy(snapshot_buffer_push(buffer, snapshot));
}

static void keeps_the_last_64(void **state) {
    struct snapshot_buffer buffer;
    snapshot_buffer_init(&buffer);
    for (int i = 0; i < 100; i++) {
        struct snapshot *back = snapshot_buffer_push(&buffer, empty_at(1000.0 + i));
        assert_true((back != NULL) ==
                    (i >= SNAPSHOT_BUFFER_CAPACITY)); /* memory comes back once it is full */
        snapshot_destroy(back);
    }
    assert_int_equal(buffer.count, SNAPSHOT_BUFFER_CAPACITY);
    assert_true(snapshot_buffer_at(&buffer, 0)->clock_ms == 1036.0);
    assert_true(snapshot_buffer_newest(&buffer)->clock_ms == 1099.0);
    assert_null(snapshot_buffer_at(&buffer, 64));
    assert_null(snapshot_buffer_at(&buffer, -1));
    snapshot_buffer_fini(&buffer);
}

static void finds_neighbors(void **state) {
    struct snapshot_buffer buffer;
    const struct snapshot *before, *after;
    snapshot_buffer_init(&buffer);
    snapshot_buffer_around(&buffer, 5.0, &before, &after);
    assert_null(before);
    assert_null(after);
    for (int i = 0; i < 70; i++) { /* so that the ring has turned */
        push(&buffer, empty_at(i * 10.0));
    }
    snapshot_buffer_around(&buffer, 105.0, &before, &after);
    assert_true(before->clock_ms == 100.0 && after->clock_ms == 110.0);
    snapshot_buffer_around(&buffer, 110.0, &before, &after);
    assert_true(before->clock_ms == 110.0 && after->clock_ms == 120.0);
    snapshot_buffer_around(&buffer, 9999.0, &before, &after);
    assert_true(before->clock_ms == 690.0);
    assert_null(after);
    snapshot_buffer_around(&buffer, 1.0, &before, &after);
    assert_null(before);
    assert_true(after->clock_ms == 60.0);
    snapshot_buffer_fini(&buffer);
}

static void refuses_the_old_and_replaces_the_same_moment(void **state) {
    struct snapshot_buffer buffer;
    snapshot_buffer_init(&buffer);
    struct snapshot *first = empty_at(1000.0), *old = empty_at(990.0), *same = empty_at(1000.0);
    assert_null(snapshot_buffer_push(&buffer, first));
    assert_ptr_equal(snapshot_buffer_push(&buffer, old), old);
    assert_int_equal(buffer.count, 1);
    assert_ptr_equal(snapshot_buffer_push(&buffer, same), first);
    assert_int_equal(buffer.count, 1);
    assert_ptr_equal(snapshot_buffer_newest(&buffer), same);
    snapshot_destroy(first);
    snapshot_destroy(old);
    snapshot_buffer_fini(&buffer);
}

static void another_world_starts_afresh(void **state) {
    struct snapshot_buffer buffer;
    snapshot_buffer_init(&buffer);
    push(&buffer, empty_at(1000.0));
    push(&buffer, empty_at(1010.0));
    struct snapshot *loaded = empty_at(1020.0);
    loaded->epoch = 1;
    push(&buffer, loaded);
    assert_int_equal(buffer.count, 1);
    struct snapshot *restarted = empty_at(5.0); /* a server whose clock began again */
    restarted->epoch = 1;
    push(&buffer, restarted);
    assert_int_equal(buffer.count, 1);
    assert_true(snapshot_buffer_newest(&buffer)->clock_ms == 5.0);
    snapshot_buffer_fini(&buffer);
}

/* ==== Ways of a wrapping world are the short ones; a point is a copy of one place ==== */

static const vec2 torus_size = {800.0f, 480.0f}, torus_open_world = {0.0f, 0.0f};

static void assert_vec2(vec2 found, float x, float y) {
    assert_true(found.x == x && found.y == y);
}

static void the_way_is_the_short_one(void **state) {
    assert_vec2(torus_short_way(vec2_make(700.0f, -470.0f), torus_size), -100.0f, 10.0f);
    assert_vec2(torus_short_way(vec2_make(700.0f, -470.0f), torus_open_world), 700.0f, -470.0f);
    assert_vec2(torus_nearest(vec2_make(790.0f, 10.0f), vec2_make(5.0f, 470.0f), torus_size), -10.0f, 490.0f);
}

static void a_point_is_a_copy_of_one_place(void **state) {
    assert_vec2(torus_wrap(vec2_make(-10.0f, 490.0f), torus_size), 790.0f, 10.0f);
    assert_vec2(torus_wrap(vec2_make(800.0f, 0.0f), torus_size), 0.0f, 0.0f);
    assert_vec2(torus_wrap(vec2_make(-1e-9f, 0.0f), torus_size), 0.0f,
                0.0f); /* rounding gives the size itself */
    assert_vec2(torus_wrap(vec2_make(-10.0f, 490.0f), torus_open_world), -10.0f, 490.0f);
}

/* ==== Trails follow, break at jumps, and go with their agent ==== */

static struct frame frame_of(uint32_t *ids, float *x, float *y, int32_t count, double time_s) {
    return (struct frame){
        .id = ids, .x = x, .y = y, .count = count, .settled_count = count, .time_s = time_s};
}

static void a_trail_follows_and_breaks(void **state) {
    struct trails trails;
    uint32_t ids[2] = {4, 9};
    float x[2] = {0, 500}, y[2] = {0, 0};
    bool is_broken;
    assert_int_equal(trails_init(&trails), 0);
    for (int i = 0; i < 10; i++) {
        struct frame frame = frame_of(ids, x, y, 2, 1.0 + 0.06 * i);
        trails_add(&trails, &frame, 30.0f, vec2_make(0.0f, 0.0f));
        frame.time_s += 0.001;
        trails_add(&trails, &frame, 30.0f, vec2_make(0.0f, 0.0f)); /* not due */
        x[0] += i == 4 ? 300.0f : 5.0f;
    }
    const struct trail *trail = trails_find(&trails, 4);
    assert_non_null(trail);
    assert_int_equal(trail->count, 10);
    trail_point(trail, 0, &is_broken);
    assert_true(is_broken);
    for (int i = 1; i < 10; i++) {
        trail_point(trail, i, &is_broken);
        assert_int_equal(is_broken, i == 5);
    }
    assert_true(trail_point(trail, 9, &is_broken).x == 340.0f);
    assert_null(trails_find(&trails, 5));
    struct frame alone = frame_of(ids + 1, x + 1, y + 1, 1, 2.0); /* the first one is gone */
    trails_add(&trails, &alone, 30.0f, vec2_make(0.0f, 0.0f));
    trails_add(&trails, &alone, 30.0f, vec2_make(0.0f, 0.0f)); /* paused */
    assert_int_equal(trails_find(&trails, 9)->count, 11);
    assert_null(trails_find(&trails, 4));
    assert_non_null(trails_find(&trails, 9));
    alone.time_s = 0.1;
    trails_add(&trails, &alone, 30.0f, vec2_make(0.0f, 0.0f)); /* back in time */
    assert_int_equal(trails_find(&trails, 9)->count, 1);
    trails_fini(&trails);
}

/* A viewer that draws three pictures a second has lines that are longer, not broken ones. */
static void rare_pictures_break_no_trail(void **state) {
    struct trails trails;
    uint32_t id = 7;
    float x = 0.0f, y = 0.0f;
    assert_int_equal(trails_init(&trails), 0);
    for (int i = 0; i < 5; i++, x += 54.0f) { /* 180 px/s, 0.3 s */
        struct frame frame = frame_of(&id, &x, &y, 1, 1.0 + 0.3 * i);
        trails_add(&trails, &frame, 45.0f, vec2_make(0.0f, 0.0f));
    }
    const struct trail *trail = trails_find(&trails, 7);
    assert_non_null(trail);
    for (int i = 0; i < 5; i++) {
        bool is_broken;
        (void)trail_point(trail, i, &is_broken);
        assert_int_equal(is_broken, i == 0);
    }
    trails_fini(&trails);
}

/* At 16 times the world's rate a picture is a quarter of a second after the one before. */
static void fast_time_makes_no_longer_trails(void **state) {
    const double steps_s[] = {1.0 / 60.0, 16.0 / 60.0};
    for (int fast = 0; fast < 2; fast++) {
        struct trails trails;
        uint32_t id = 7;
        float x = 0.0f, y = 0.0f;
        bool is_broken;
        assert_int_equal(trails_init(&trails), 0);
        for (int i = 0; i < 600; i++) {
            const double now_s = 1.0 + steps_s[fast] * i;
            x = 100.0f * (float)now_s;
            struct frame frame = frame_of(&id, &x, &y, 1, now_s);
            trails_add(&trails, &frame, 45.0f, vec2_make(0.0f, 0.0f));
        }
        const struct trail *trail = trails_find(&trails, 7);
        const float reach = x - trail_point(trail, 0, &is_broken).x;
        assert_true(reach > 340.0f && reach < 390.0f); /* 3.84 s */
        trails_fini(&trails);
    }
}

static void trails_stay_bounded(void **state) {
    enum { MANY = 3000 };
    static uint32_t ids[MANY];
    static float x[MANY], y[MANY];
    struct trails trails;
    assert_int_equal(trails_init(&trails), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        ids[i] = i;
    }
    struct frame frame = frame_of(ids, x, y, MANY, 0.0);
    for (int i = 0; i < 200; i++) {
        frame.time_s = 0.06 * i;
        trails_add(&trails, &frame, 30.0f, vec2_make(0.0f, 0.0f));
    }
    assert_int_equal(trails.count, TRAILS_AGENTS);
    int points = 0;
    for (int i = 0; i < trails.count; i++) {
        points += trails.rows[i].count;
    }
    assert_true(points <= 12000 && points > 5000);
    assert_int_equal(points, TRAILS_AGENTS * trails_points(MANY));
    assert_int_equal(trails_points(0), TRAILS_POINTS);
    trails_fini(&trails);
}

static void over_the_border_of_a_wrapping_world_a_trail_goes_on(void **state) {
    struct trails trails;
    struct frame frame;
    const vec2 size = vec2_make(100.0f, 100.0f);
    uint32_t id = 1;
    float x = 95.0f, y = 50.0f;
    bool is_broken = true;
    assert_int_equal(trails_init(&trails), 0);
    frame_init(&frame);
    frame.count = frame.settled_count = 1;
    frame.id = &id;
    frame.x = &x;
    frame.y = &y;
    trails_add(&trails, &frame, 30.0f, size);
    frame.time_s = 0.1;
    x = 5.0f;
    trails_add(&trails, &frame, 30.0f, size);
    assert_true(trail_point(trails_find(&trails, 1), 1, &is_broken).x == 5.0f);
    assert_false(is_broken);
    trails_fini(&trails);
}

/* ==== Snapshots a second ==== */

static void measures_the_last_two_seconds(void **state) {
    struct rate_meter meter;
    rate_meter_init(&meter);
    assert_true(rate_meter_per_s(&meter) < 0.0);
    uint64_t count = 0;
    for (int frame = 0; frame < 600; frame++) { /* 60 frames/s, a snapshot every other frame */
        count += frame % 2 == 0 ? 1 : 0;
        rate_meter_add(&meter, frame * 1000.0 / 60.0, count);
        if (frame < 30) {
            assert_true(rate_meter_per_s(&meter) < 0.0);
        }
    }
    assert_true(fabs(rate_meter_per_s(&meter) - 30.0) < 1.0);
    for (int frame = 600; frame < 780; frame++) { /* they stay away for three seconds */
        rate_meter_add(&meter, frame * 1000.0 / 60.0, count);
    }
    assert_true(rate_meter_per_s(&meter) == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_the_first),
        cmocka_unit_test(halfway_is_halfway),
        cmocka_unit_test(sparse_snapshots_follow_the_curve),
        cmocka_unit_test(wraps_the_short_way),
        cmocka_unit_test(heading_turns_the_short_way),
        cmocka_unit_test(a_jump_is_not_flown),
        cmocka_unit_test(newcomers_fade_in_and_the_gone_fade_out),
        cmocka_unit_test(guesses_for_a_quarter_second_then_stalls),
        cmocka_unit_test(a_paused_world_stands_and_is_not_stalled),
        cmocka_unit_test(a_step_after_a_pause_is_walked_at_its_end),
        cmocka_unit_test(a_single_step_is_walked_straight),
        cmocka_unit_test(removed_agents_of_unknown_state_are_left_out),
        cmocka_unit_test(targets_glide_but_do_not_fly),
        cmocka_unit_test(motion_is_even),
        cmocka_unit_test(motion_is_even_at_the_highest_speed),
        cmocka_unit_test(a_change_of_speed_is_no_jump),
        cmocka_unit_test(a_pause_ends_without_a_jump),
        cmocka_unit_test(a_snapshot_moves_on_from_its_own_moment),
        cmocka_unit_test(the_way_gone_stays_at_a_change_of_speed),
        cmocka_unit_test(a_pause_is_no_way),
        cmocka_unit_test(keeps_the_last_64),
        cmocka_unit_test(finds_neighbors),
        cmocka_unit_test(refuses_the_old_and_replaces_the_same_moment),
        cmocka_unit_test(another_world_starts_afresh),
        cmocka_unit_test(the_way_is_the_short_one),
        cmocka_unit_test(a_point_is_a_copy_of_one_place),
        cmocka_unit_test(a_trail_follows_and_breaks),
        cmocka_unit_test(rare_pictures_break_no_trail),
        cmocka_unit_test(fast_time_makes_no_longer_trails),
        cmocka_unit_test(trails_stay_bounded),
        cmocka_unit_test(over_the_border_of_a_wrapping_world_a_trail_goes_on),
        cmocka_unit_test(measures_the_last_two_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
