/* Times of the viewer: past frames, moments, replays, the speed. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/history.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/meters.h"
#include "viewer/model/replay.h"
#include "viewer/model/timeline.h"
#include "viewer/model/trails.h"

/* ==== history ====
 * The last minute of the world: in order, bounded, no tick twice, and copies equal to the originals. */

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
    history_drop(&history, 4999 * 0.033 + 30.0); /* seen as a density since then */
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

/* ==== A held moment stays; the past plays on request; its end is now ==== */

static struct history playhead_history;

/* The world from 0 to end_s, a copy each gap_s; the last is what is shown live. */
static void record(double end_s, double gap_s) {
    history_fini(&playhead_history);
    for (int i = 0; i * gap_s <= end_s; i++) {
        struct snapshot *snapshot = make_snapshot(i * gap_s * 1000.0, NULL, 0);
        snapshot->tick = (uint64_t)i;
        snapshot->time_s = i * gap_s;
        history_add(&playhead_history, snapshot);
        snapshot_destroy(snapshot);
    }
}

static void what_is_held_stays(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_jump(&head, &playhead_history, 10.0, -1.0);
    assert_false(head.is_live || head.is_playing);
    assert_true(head.at_s == 9.0);
    record(55.0, 0.5);
    playhead_advance(&head, &playhead_history, 55.0, 45.0); /* the world went on */
    assert_true(!head.is_live && head.at_s == 9.0);
    playhead_jump(&head, &playhead_history, 55.0, -1.0);
    playhead_jump(&head, &playhead_history, 55.0, 1.0);
    assert_true(head.at_s == 9.0);
    playhead_seek(&head, &playhead_history, 55.0, 20.3);
    assert_true(head.at_s == 20.5); /* the nearest copy */
    playhead_seek(&head, &playhead_history, 55.0, -100.0);
    assert_true(head.at_s == 0.0);
    playhead_seek(&head, &playhead_history, 55.0, 55.0);
    assert_true(head.is_live);
}

static void a_preview_is_near_or_none(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_preview(&head, &playhead_history, 4.05, 0.1);
    assert_true(!head.is_live && !head.is_playing && head.at_s == 4.0);
    playhead_preview(&head, &playhead_history, 4.25, 0.1);
    assert_true(head.is_live);
    playhead_preview(&head, &playhead_history, 9.96, 0.1);
    assert_true(!head.is_live && head.at_s == 10.0); /* now is a copy as well */
    playhead_preview(&head, &playhead_history, 10.2, 0.1);
    assert_true(head.is_live);
    history_fini(&playhead_history);
    playhead_preview(&head, &playhead_history, 1.0, 0.1);
    assert_true(head.is_live);
}

static void it_plays_on_when_it_is_told_to(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_toggle(&head, &playhead_history);
    assert_true(head.is_live && !head.is_playing); /* there is only the present */
    playhead_jump(&head, &playhead_history, 10.0, -3.0);
    playhead_toggle(&head, &playhead_history);
    playhead_advance(&head, &playhead_history, 10.0, 0.7);
    assert_true(!head.is_live && head.is_playing && fabs(head.at_s - 7.7) < 1e-9);
    playhead_toggle(&head, &playhead_history);
    assert_true(!head.is_playing && head.at_s == 7.5); /* on a tick again */
    playhead_toggle(&head, &playhead_history);
    playhead_advance(&head, &playhead_history, 10.0, 2.6);
    assert_true(head.is_live && !head.is_playing); /* a paused world's end: now */
}

static void steps_go_from_copy_to_copy(void **state) {
    struct playhead head = {.is_live = true};
    record(2.0, 0.5);
    playhead_step(&head, &playhead_history, 2.0, true);
    assert_true(head.is_live);
    playhead_step(&head, &playhead_history, 2.0, false); /* the newest is the present: the one before it */
    assert_true(head.at_s == 1.5);
    playhead_step(&head, &playhead_history, 2.0, false);
    assert_true(head.at_s == 1.0);
    playhead_step(&head, &playhead_history, 2.0, true);
    assert_true(head.at_s == 1.5);
    playhead_step(&head, &playhead_history, 2.0, true);
    assert_true(head.is_live);
    playhead_seek(&head, &playhead_history, 2.0, 0.0);
    playhead_step(&head, &playhead_history, 2.0, false);
    assert_true(!head.is_live && head.at_s == 0.0); /* the oldest */
}

static void jumps_get_on_where_copies_are_far_apart(void **state) {
    struct playhead head = {.is_live = true};
    record(50.0, 5.0);
    playhead_jump(&head, &playhead_history, 52.0, -1.0);
    assert_true(head.at_s == 50.0);
    playhead_jump(&head, &playhead_history, 52.0, -1.0);
    assert_true(head.at_s == 45.0);
    playhead_jump(&head, &playhead_history, 52.0, 1.0);
    assert_true(head.at_s == 50.0);
    playhead_jump(&head, &playhead_history, 52.0, 1.0);
    assert_true(head.is_live);
}

static void what_is_forgotten_is_still_held(void **state) {
    struct playhead head = {.is_live = true};
    record(10.0, 0.5);
    playhead_seek(&head, &playhead_history, 10.0, 4.0);
    record(100.0, 0.5); /* radii from 40 to 100 */
    playhead_step(&head, &playhead_history, 100.0, false);
    assert_true(head.at_s == 4.0);
    playhead_step(&head, &playhead_history, 100.0, true);
    assert_true(head.at_s == 40.0);
}

static void nothing_is_no_past(void **state) {
    struct playhead head = {.is_live = true};
    history_fini(&playhead_history);
    playhead_jump(&head, &playhead_history, 0.0, -1.0);
    playhead_step(&head, &playhead_history, 0.0, false);
    assert_true(head.is_live);
    record(0.0, 1.0); /* a world that was started paused: its first tick is the present */
    playhead_jump(&head, &playhead_history, 0.0, -1.0);
    playhead_step(&head, &playhead_history, 0.0, false);
    playhead_seek(&head, &playhead_history, 0.0, -31.0);
    assert_true(head.is_live);
}

/* ==== How fast the world runs: slow servers, pauses, steps, loads, skipped frames, jitter ==== */

/* Where the world and the server's clock are. */
struct world {
    struct real_time meter;
    double time_s, clock_ms;
};

static struct world world_begin(void) {
    struct world world = {.clock_ms = 88000.0};
    real_time_init(&world.meter);
    return world;
}

/* The world runs for this long, with snapshots at this interval, at this factor of its rate. */
static void run(struct world *world, double for_ms, double every_ms, double factor) {
    for (double passed = 0.0; passed < for_ms; passed += every_ms) {
        world->clock_ms += every_ms;
        world->time_s += every_ms * 0.001 * factor;
        real_time_add(&world->meter, world->time_s, world->clock_ms, 1.0, false);
    }
}

static void a_world_that_keeps_up_is_not_behind(void **state) {
    struct world world = world_begin();
    run(&world, 10000.0, 1000.0 / 30.0, 1.0);
    assert_true(fabs(world.meter.factor - 1.0) < 1e-9);
    assert_true(real_time_behind(&world.meter) < 0.0);
}

static void a_slow_world_is_behind_within_seconds(void **state) {
    struct world world = world_begin();
    run(&world, 10000.0, 1000.0 / 30.0, 1.0);
    run(&world, 1000.0, 1000.0 / 3.0, 0.09); /* its snapshots are rare as well */
    assert_true(real_time_behind(&world.meter) > 0.0);
    run(&world, 3000.0, 1000.0 / 3.0, 0.09);
    assert_true(fabs(real_time_behind(&world.meter) - 0.09) < 0.001);
    run(&world, 4000.0, 1000.0 / 30.0, 1.0);
    assert_true(real_time_behind(&world.meter) < 0.0);
}

static void snapshots_seconds_apart_are_enough(void **state) {
    struct world world = world_begin();
    run(&world, 4000.0, 4000.0, 0.02);
    assert_true(real_time_behind(&world.meter) < 0.0); /* one says nothing */
    run(&world, 4000.0, 4000.0, 0.02);
    assert_true(fabs(real_time_behind(&world.meter) - 0.02) < 0.001);
}

static void skipped_and_late_snapshots_change_nothing(void **state) {
    struct world world = world_begin();
    const double gaps_ms[] = {33.0, 700.0, 16.0, 120.0, 1400.0, 33.0};
    for (int i = 0; i < 60; i++) {
        run(&world, gaps_ms[i % 6], gaps_ms[i % 6], 1.0);
        /* a clock that is read some ms late now and then */
        real_time_add(&world.meter, world.time_s + 1e-3, world.clock_ms + (i % 3 == 0 ? 15.0 : 1.0), 1.0,
                      false);
        world.clock_ms += 16.0;
        world.time_s += 0.016;
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
    assert_true(world.meter.factor > 0.97);
}

static void pauses_and_steps_do_not_count(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 33.0, 1.0);
    for (int i = 0; i < 70; i++) { /* paused for 70 s, a step now and then, the moment sent again */
        world.clock_ms += 1000.0;
        world.time_s += i % 7 == 0 ? 1.0 / 60.0 : 0.0;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 1.0, true);
    }
    real_time_add(&world.meter, world.time_s, world.clock_ms - 900.0, 1.0,
                  false); /* sent again as it resumes */
    world.clock_ms += 20000.0;
    for (int i = 0; i < 300; i++) {
        run(&world, 33.0, 33.0, 1.0);
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
    assert_true(fabs(world.meter.factor - 1.0) < 1e-9);
}

static void what_was_known_holds_over_a_pause(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 500.0, 0.3);
    real_time_add(&world.meter, world.time_s, world.clock_ms, 1.0, true);
    world.clock_ms += 9000.0;
    run(&world, 500.0, 500.0, 0.3);
    assert_true(fabs(real_time_behind(&world.meter) - 0.3) < 1e-9); /* not a green moment in between */
}

static void another_world_is_measured_afresh(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 100.0, 0.3);
    assert_true(real_time_behind(&world.meter) > 0.0);
    world.time_s = 0.0; /* a load */
    run(&world, 100.0, 100.0, 1.0);
    assert_true(world.meter.factor < 0.0 && real_time_behind(&world.meter) < 0.0);
    world.clock_ms = 500.0; /* another server */
    run(&world, 3000.0, 100.0, 1.0);
    assert_true(fabs(world.meter.factor - 1.0) < 1e-9);
}

static void the_verdict_does_not_flicker(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 50.0, 0.94);
    assert_true(real_time_behind(&world.meter) > 0.0);
    run(&world, 5000.0, 50.0, 0.96);
    assert_true(real_time_behind(&world.meter) > 0.0);
    run(&world, 5000.0, 50.0, 0.98);
    assert_true(real_time_behind(&world.meter) < 0.0);
    run(&world, 5000.0, 50.0, 0.96);
    assert_true(real_time_behind(&world.meter) < 0.0);
}

/* As fast as it goes: how fast that is is known, and nothing is due. */
static void the_pace_is_known_at_any_speed(void **state) {
    struct world world = world_begin();
    assert_true(real_time_pace(&world.meter) < 0.0);
    for (int n = 0; n < 90; n++) {
        world.clock_ms += 1000.0 / 30.0;
        world.time_s += 37.0 / 30.0;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 0.0, false);
    }
    assert_true(fabs(real_time_pace(&world.meter) - 37.0) < 1e-6 && real_time_behind(&world.meter) < 0.0);
    run(&world, 33.0, 33.0, 1.0);
    assert_true(real_time_pace(&world.meter) < 0.0); /* another speed */
}

/* The figure is of the ticks that are due at the speed. */
static void a_slow_or_fast_world_that_keeps_up_is_not_behind(void **state) {
    static const double speeds[] = {0.01, 0.05, 0.5, 4.0, 1000.0};
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct world world = world_begin();
        const double every_ms = fmax(1000.0 / 30.0, 1000.0 / 60.0 / speeds[i]);
        for (int n = 0; n < 200; n++) {
            world.clock_ms += every_ms;
            world.time_s += every_ms * 0.001 * speeds[i];
            real_time_add(&world.meter, world.time_s, world.clock_ms, speeds[i], false);
        }
        assert_true(fabs(world.meter.factor - 1.0) < 1e-6);
        assert_true(real_time_behind(&world.meter) < 0.0);
        for (int n = 0; n < 200; n++) { /* a tenth of it */
            world.clock_ms += every_ms;
            world.time_s += every_ms * 0.0001 * speeds[i];
            real_time_add(&world.meter, world.time_s, world.clock_ms, speeds[i], false);
        }
        assert_true(fabs(real_time_behind(&world.meter) - 0.1) < 1e-6);
    }
}

static void nothing_is_due_at_the_highest_speed(void **state) {
    struct world world = world_begin();
    run(&world, 10000.0, 1000.0 / 30.0, 0.5);
    assert_true(real_time_behind(&world.meter) > 0.0);
    for (int n = 0; n < 300; n++) {
        world.clock_ms += 33.0;
        world.time_s += 0.001;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 0.0, false);
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
}

/* At another speed the figure is measured from the start: no flash of amber. */
static void a_change_of_speed_is_not_behind(void **state) {
    struct world world = world_begin();
    run(&world, 5000.0, 1000.0 / 30.0, 1.0);
    for (int n = 0; n < 300; n++) {
        world.clock_ms += 1000.0 / 30.0;
        world.time_s += 0.1 / 30.0;
        real_time_add(&world.meter, world.time_s, world.clock_ms, 0.1, false);
        assert_true(real_time_behind(&world.meter) < 0.0);
    }
}

/* ==== Ticks as places and times; which seeks are sent ==== */

/* A recording of one world. */
static struct replay_line line_of(uint64_t first, uint64_t last) {
    const struct message_replay replay = {
        .world = 1, .worlds = 1, .first = first, .last = last, .span_count = 1, .spans = {{first, last}}};
    return replay_line_of(&replay, 60.0);
}

static double share(const struct replay_line *line, uint32_t world, uint64_t tick) {
    const struct replay_moment moment = {world, tick};
    return replay_line_share(line, &moment);
}

static void ticks_are_places(void **state) {
    const struct replay_line line = line_of(600, 22200), point = line_of(5, 5);
    assert_true(share(&line, 1, 600) == 0.0 && share(&line, 1, 0) == 0.0);
    assert_true(share(&line, 1, 22200) == 1.0 && share(&line, 1, UINT64_MAX) == 1.0);
    assert_true(share(&line, 1, 11400) == 0.5);
    for (uint64_t tick = 600; tick <= 22200; tick++) {
        assert_int_equal(replay_line_moment(&line, share(&line, 1, tick)).tick, tick);
    }
    assert_int_equal(replay_line_moment(&line, -3.0).tick, 600);
    assert_int_equal(replay_line_moment(&line, 7.0).tick, 22200);
    assert_true(share(&point, 1, 5) == 0.0);
    assert_int_equal(replay_line_moment(&point, 0.7).tick, 5);
}

static void worlds_follow_each_other(void **state) {
    struct message_replay replay = {.world = 2,
                                    .worlds = 3,
                                    .first = 0,
                                    .last = 99,
                                    .span_count = 3,
                                    .spans = {{0, 49}, {0, 99}, {500, 549}}};
    const struct replay_line line = replay_line_of(&replay, 60.0);
    assert_int_equal(replay_line_ticks(&line), 199);
    for (uint64_t offset = 0; offset < 200; offset++) {
        const struct replay_moment moment = replay_line_at(&line, offset);
        assert_int_equal(replay_line_offset(&line, &moment), offset);
        assert_int_equal(moment.world, offset < 50 ? 1 : offset < 150 ? 2 : 3);
    }
    const struct replay_moment end = {1, 49}, last = {3, 549}, beyond = {4, 0};
    assert_int_equal(replay_line_world_end(&line, &(struct replay_moment){2, 7}).tick, 99);
    assert_int_equal(replay_line_world_end(&line, &(struct replay_moment){3, 500}).tick, 549);
    assert_int_equal(replay_line_world_end(&line, &beyond).world, 4);
    assert_int_equal(replay_line_move(&line, &end, 1).world, 2);
    assert_int_equal(replay_line_move(&line, &end, 1).tick, 0);
    assert_int_equal(replay_line_move(&line, &last, 60).tick, 549);
    assert_int_equal(replay_line_offset(&line, &beyond), 199);
    replay.worlds = 70; /* more than are named: the one that plays alone */
    const struct replay_line alone = replay_line_of(&replay, 60.0);
    assert_int_equal(replay_line_ticks(&alone), 99);
    assert_int_equal(replay_line_moment(&alone, 0.0).world, 2);
}

static void moves_stay_on_the_line(void **state) {
    const struct replay_line line = line_of(100, 200);
    static const struct {
        uint64_t from;
        int64_t by;
        uint64_t to;
    } rows[] = {{150, -1, 149}, {150, 1, 151}, {100, -1, 100}, {130, -60, 100}, {190, 60, 200}, {5, 1, 101}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct replay_moment from = {1, rows[i].from};
        assert_int_equal(replay_line_move(&line, &from, rows[i].by).tick, rows[i].to);
    }
}

static void ticks_are_times(void **state) {
    char text[32];
    const struct replay_line long_line = line_of(0, 400000), short_line = line_of(0, 900);
    replay_line_time(&long_line, 83 * 60, text, sizeof text);
    assert_string_equal(text, "1:23");
    replay_line_time(&long_line, 3723 * 60, text, sizeof text);
    assert_string_equal(text, "1:02:03");
    replay_line_time(&short_line, 450, text, sizeof text);
    assert_string_equal(text, "0:07.5");
    replay_line_time(&short_line, 0, text, sizeof text);
    assert_string_equal(text, "0:00.0");
}

static void want(struct seeker *seeker, uint64_t tick) {
    const struct replay_moment wish = {1, tick};
    seeker_want(seeker, &wish);
}

static void the_newest_wish_is_sent_one_at_a_time(void **state) {
    struct seeker seeker = {0};
    assert_false(seeker_sends(&seeker, 1000.0) || seeker_is_busy(&seeker));
    want(&seeker, 10);
    assert_true(seeker_sends(&seeker, 1000.0));
    assert_false(seeker_sends(&seeker, 1001.0));
    want(&seeker, 20);
    want(&seeker, 30);
    assert_false(seeker_sends(&seeker, 1500.0)); /* the first is not answered */
    seeker_answer(&seeker);
    assert_true(seeker_is_busy(&seeker));
    assert_true(seeker_sends(&seeker, 1500.0));
    assert_int_equal(seeker.wish.tick, 30);
    seeker_answer(&seeker);
    assert_false(seeker_is_busy(&seeker));
    want(&seeker, 40);
    assert_false(seeker_sends(&seeker, 1600.0)); /* too soon */
    assert_true(seeker_sends(&seeker, 1701.0));
    want(&seeker, 50);
    assert_false(seeker_sends(&seeker, 5000.0));
    assert_true(seeker_sends(&seeker, 6702.0)); /* the answer is lost */
}

static bool is_in_list(const void *context, const char *name) {
    for (const char *const *at = context; *at != NULL; at++) {
        if (strcmp(*at, name) == 0) {
            return true;
        }
    }
    return false;
}

static void proposed_names_are_free(void **state) {
    char name[LIMIT_NAME_CHARS + 1];
    const char *const none[] = {NULL}, *const two[] = {"flock-3600", "flock-3600-2", NULL};
    save_name_propose("flock", 3600, is_in_list, none, name);
    assert_string_equal(name, "flock-3600");
    save_name_propose("flock", 3600, is_in_list, two, name);
    assert_string_equal(name, "flock-3600-3");
    save_name_propose("a_scenario_of_thirty_one_letter", 123456, is_in_list, none, name);
    assert_string_equal(name, "a_scenario_of_thirty_one-123456");
    assert_int_equal(strlen(name), LIMIT_NAME_CHARS);
}

static void ages_are_words(void **state) {
    static const struct {
        int64_t now_s;
        const char *words;
    } rows[] = {{1763751600, "just now"},       {1763751600 - 3600, "just now"},
                {1763751600 + 59, "just now"},  {1763751600 + 300, "5 min ago"},
                {1763751600 + 7200, "2 h ago"}, {1763751600 + 864000, "10 days ago"}};
    char words[32];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        save_age_format("2025-11-21T19:00:00Z", rows[i].now_s, words, sizeof words);
        assert_string_equal(words, rows[i].words);
    }
    save_age_format("2024-02-29T00:00:00Z", 1709164800 + 120, words, sizeof words);
    assert_string_equal(words, "2 min ago");
    save_age_format("yesterday", 0, words, sizeof words);
    assert_string_equal(words, "");
}

/* ==== Ghosts of the moments before, ways of those to come, headings that do not flicker ==== */

/* An agent that goes right with 100 px/s, ten snapshots a second. */
static struct history *history_create(double end_s) {
    struct history *history = calloc(1, sizeof *history);
    assert_non_null(history);
    for (int i = 0; i <= (int)lround(end_s * 10.0); i++) {
        const struct test_agent agent = {.id = 5, .x = 10.0f * (float)i, .y = 50, .vx = 100};
        struct snapshot *snapshot = make_snapshot(100.0 * i, &agent, 1);
        snapshot->tick = (uint64_t)i;
        history_add(history, snapshot);
        snapshot_destroy(snapshot);
    }
    return history;
}

static struct frame one_agent(double time_s, float *x, float *y, float *vx, float *vy, uint32_t *id,
                              uint16_t *kind) {
    return (struct frame){.count = 1,
                          .settled_count = 1,
                          .id = id,
                          .kind = kind,
                          .x = x,
                          .y = y,
                          .vx = vx,
                          .vy = vy,
                          .time_s = time_s};
}

static void ghosts_stand_at_quarters_of_a_second(void **state) {
    struct history *history = history_create(3.0);
    struct onion *onion = calloc(1, sizeof *onion);
    assert_non_null(onion);
    float x = 300, y = 50, vx = 100, vy = 0;
    uint32_t id = 5;
    uint16_t kind = 0;
    const struct selection none = {.has_agent = false}, other = {.has_agent = true, .id = 6};
    struct frame frame = one_agent(3.0, &x, &y, &vx, &vy, &id, &kind);
    onion_fill(onion, history, &frame, &none);
    assert_int_equal(onion->count, ONION_SKINS);
    assert_true(onion->rows[7].position.x == 270.0f || onion->rows[7].position.x == 280.0f); /* 2.75 s */
    assert_true(onion->rows[0].position.x == 100.0f && onion->rows[0].age > onion->rows[7].age);
    const float newest = onion->rows[7].position.x;
    frame.time_s = 2.9; /* the same moments, the same ghosts */
    onion_fill(onion, history, &frame, &none);
    assert_true(onion->rows[7].position.x == newest);
    onion_fill(onion, history, &frame, &other);
    assert_int_equal(onion->count, 0);
    history_fini(history);
    free(history);
    free(onion);
}

static void a_way_goes_on_as_it_does(void **state) {
    vec2 points[WAYS_STEPS + 1];
    struct way_motion motion = {.position = {10, 20}, .velocity = {100, 0}, .max_speed = 150};
    way_predict(&motion, points);
    assert_true(points[0].x == 10.0f && fabsf(points[WAYS_STEPS].x - 210.0f) < 0.1f);
    motion.gain = 100.0f; /* up to its greatest speed */
    way_predict(&motion, points);
    assert_true(fabsf(points[WAYS_STEPS].x - points[WAYS_STEPS - 1].x - 15.0f) < 0.1f);
    motion.gain = -200.0f; /* it stops and does not go back */
    way_predict(&motion, points);
    assert_true(points[WAYS_STEPS].x == points[WAYS_STEPS - 1].x && points[WAYS_STEPS].x > 10.0f);
    way_push(&motion, vec2_make(0.0f, 2.0f * 100.0f * 3.14159265f), 2.0f); /* half a turn a second */
    assert_true(fabsf(motion.turn - 3.14159265f) < 1e-4f && fabsf(motion.gain) < 1e-3f);
    way_predict(&motion, points);
    assert_true(vec2_length(vec2_sub(points[WAYS_STEPS], points[0])) < 1.0f); /* the circle is closed */
    assert_true(points[WAYS_STEPS / 4].y > 20.0f);
}

static void a_way_is_measured_in_the_history(void **state) {
    struct history *history = history_create(3.0);
    struct ways *ways = calloc(1, sizeof *ways);
    assert_non_null(ways);
    float x = 300, y = 50, vx = 0, vy = 100;
    uint32_t id = 5;
    uint16_t kind = 0;
    const float max_speed[NAME_TABLE_CAPACITY] = {100.0f};
    const struct selection none = {.has_agent = false};
    const struct frame frame = one_agent(3.0, &x, &y, &vx, &vy, &id, &kind);
    ways_fill(ways, history, &frame, &none, max_speed, NULL);
    assert_int_equal(ways->count, 1);
    assert_true(ways->rows[0].points[2].x < 300.0f); /* it has turned to the right of its way, and turns on */
    history_fini(history);
    free(history);
    free(ways);
}

/* The least cosine between headings of frames that follow each other. */
static float steadiness(float speed, float turn_per_frame, bool to_and_fro) {
    struct headings headings = {0};
    float x = 0, y = 0, vx = speed, vy = 0, dir_x = 1, dir_y = 0, least = 1.0f;
    uint32_t id = 5;
    uint16_t kind = 0;
    const float max_speed[NAME_TABLE_CAPACITY] = {100.0f};
    vec2 before = vec2_make(1.0f, 0.0f);
    struct frame frame = one_agent(0.0, &x, &y, &vx, &vy, &id, &kind);
    frame.dir_x = &dir_x;
    frame.dir_y = &dir_y;
    for (int i = 0; i < 60; i++) {
        const float turn =
            to_and_fro ? (i % 4 < 2 ? turn_per_frame : -turn_per_frame) : turn_per_frame * (float)i;
        dir_x = cosf(turn);
        dir_y = sinf(turn);
        frame.time_s = i / 60.0;
        headings_smooth(&headings, &frame, max_speed);
        const vec2 now = vec2_make(dir_x, dir_y);
        assert_true(fabsf(vec2_length(now) - 1.0f) < 1e-3f);
        least = i > 30 ? fminf(least, vec2_dot(now, before)) : least;
        before = now;
    }
    if (!to_and_fro && speed > 50.0f) { /* as it is */
        assert_true(fabsf(before.x - cosf(turn_per_frame * 59.0f)) < 1e-3f);
    }
    headings_fini(&headings);
    return least;
}

static void headings_that_twitch_are_smoothed(void **state) {
    assert_true(steadiness(100.0f, 0.02f, false) > 0.999f);
    assert_true(cosf(2.4f) < 0.0f && steadiness(100.0f, 1.2f, true) > 0.8f);
    assert_true(steadiness(5.0f, 0.5f, true) > 0.97f);
}

/* ==== The steps of the keys, the slider's dead zone, the words ==== */

static void speeds_have_ends(void **state) {
    assert_true(speeds_next(1.0, true) == 2.0 && speeds_next(1.0, false) == 0.5);
    assert_true(speeds_next(3.0, true) == 4.0 && speeds_next(3.0, false) == 2.0);
    /* those of the slider */
    assert_true(speeds_next(8.0, true) == SPEEDS_MOST && speeds_next(SPEEDS_MOST, true) == SPEEDS_MOST);
    assert_true(speeds_next(1000.0, true) == SPEEDS_MOST);
    assert_true(speeds_next(0.1, false) == SPEEDS_LEAST && speeds_next(0.01, false) == SPEEDS_LEAST);
    assert_true(speeds_next(0.1, false) == 0.05 && speeds_next(0.01, true) == 0.05);
}

static void the_usual_speed_is_easily_met(void **state) {
    assert_true(speeds_snap(0.84) == 1.0 && speeds_snap(1.19) == 1.0);
    assert_true(fabs(speeds_snap(0.831) - 0.83) < 1e-12 && fabs(speeds_snap(1.234) - 1.2) < 1e-12);
    assert_true(fabs(speeds_snap(0.0512) - 0.051) < 1e-12 && speeds_snap(SPEEDS_MOST) == SPEEDS_MOST);
}

static void expect_words(double speed, const char *words) {
    char text[SPEEDS_TEXT];
    speeds_format(speed, text, sizeof text);
    assert_string_equal(text, words);
}

static void words_have_no_idle_digits(void **state) {
    expect_words(1.0, "1x");
    expect_words(0.5, "0.5x");
    expect_words(0.25, "0.25x");
    expect_words(2.4, "2.4x");
    expect_words(37.4, "37x");
    expect_words(1000.0, "1000x");
}

/* ==== timeline ====
 * Places of ticks, lanes of branches, words. */

static struct message_branch branch_of(const char *name, const char *from, uint64_t at, uint64_t last,
                                       bool is_current) {
    struct message_branch branch = {.at = at, .last = last, .is_current = is_current};
    (void)snprintf(branch.name, sizeof branch.name, "%s", name);
    (void)snprintf(branch.from, sizeof branch.from, "%s", from);
    return branch;
}

/* b1 to 1800; b2 leaves it at 1000, to 1500; b3 at 400, to now, 1100; b4 leaves b2 at 1200, to 1300. */
static struct message_past make_past(void) {
    struct message_past past = {.has_branches = true, .branch_count = 4};
    past.branches[0] = branch_of("b1", "", 0, 1800, false);
    past.branches[1] = branch_of("b2", "b1", 1000, 1500, false);
    past.branches[2] = branch_of("b3", "b1", 400, 1100, true);
    past.branches[3] = branch_of("b4", "b2", 1200, 1300, false);
    return past;
}

static void branches_leave_the_line_and_each_other(void **state) {
    (void)state;
    const struct message_past past = make_past();
    const struct timeline line = timeline_make(&past, 1100.0, 60.0);
    assert_int_equal(line.lane_count, 3);
    assert_int_equal(line.left_out, 0);
    assert_string_equal(line.lanes[0].branch->name, "b1");
    assert_true(line.lanes[0].from == 400.0 && line.lanes[0].to == 1800.0);
    assert_int_equal(line.lanes[0].parent, TIMELINE_ON_LINE);
    assert_true(line.lanes[1].from == 1000.0);
    assert_int_equal(line.lanes[1].parent, 0);
    assert_int_equal(line.lanes[2].parent, 1);
    assert_int_equal(timeline_lane_of(&line, "b1", 400.0), TIMELINE_ON_LINE);
    assert_int_equal(timeline_lane_of(&line, "b1", 401.0), 0);
    assert_int_equal(timeline_lane_of(&line, "b3", 1100.0), TIMELINE_ON_LINE);
    assert_int_equal(timeline_lane_of(&line, "b9", 1.0), TIMELINE_NOWHERE);
    assert_true(line.end == 1800.0 && timeline_share(&line, 1800.0) == 1.0);
}

static void only_the_newest_branches_have_lanes(void **state) {
    (void)state;
    struct message_past past = {.has_branches = true, .branch_count = 8};
    for (int i = 0; i < 8; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "b%d", i + 1);
        past.branches[i] = branch_of(name, i == 0 ? "" : "b1", 10, 100, i == 7);
    }
    const struct timeline line = timeline_make(&past, 100.0, 60.0);
    assert_int_equal(line.lane_count, TIMELINE_LANES);
    assert_int_equal(line.left_out, 3);
    assert_string_equal(line.lanes[0].branch->name, "b4");
    assert_int_equal(timeline_lane_of(&line, "b2", 50.0), TIMELINE_NOWHERE);
}

/* A place and its tick, for worlds of every age. */
static void places_and_ticks_belong_to_each_other(void **state) {
    (void)state;
    for (double now = 1.0; now < 1e9; now *= 3.0) {
        struct message_past past = {.has_branches = true, .branch_count = 1};
        past.branches[0] = branch_of("b1", "", 0, (uint64_t)now, true);
        const struct timeline lines[] = {timeline_make(NULL, now, 60.0), timeline_make(&past, now, 60.0)};
        for (int i = 0; i < 2; i++) {
            double before = -1.0;
            assert_true(timeline_share(&lines[i], now) == 1.0);
            assert_true(timeline_share(&lines[i], now - 3600.0) <= 0.5);
            for (double share = 0.0; share <= 1.0; share += 0.01) {
                const double tick = timeline_tick(&lines[i], share);
                assert_true(tick >= before && tick <= now);
                assert_true(tick == 0.0 || fabs(timeline_share(&lines[i], tick) - share) < 1e-9);
                before = tick;
            }
        }
        assert_true(timeline_tick(&lines[1], 0.0) == 0.0 && timeline_kept(&lines[1]) == 0.0);
    }
}

static void marks_are_found_and_named(void **state) {
    (void)state;
    struct message_past past = make_past();
    char name[LIMIT_NAME_CHARS + 1], words[TIMELINE_TEXT];
    past.mark_count = 3;
    past.marks[0] = (struct message_mark){"m1", "b1", 300};
    past.marks[1] = (struct message_mark){"m3", "b1", 900}; /* not of the current branch */
    past.marks[2] = (struct message_mark){"m2", "b3", 500};
    const struct timeline line = timeline_make(&past, 1100.0, 60.0);
    assert_string_equal(timeline_find_mark(&line, 310.0, 0.01)->name, "m1");
    assert_string_equal(timeline_find_mark(&line, 500.0, 0.0)->name, "m2");
    assert_null(timeline_find_mark(&line, 900.0, 0.01));
    timeline_next_mark(&past, name);
    assert_string_equal(name, "m4");
    timeline_mark_text(&line, &past.marks[2], words);
    assert_string_equal(words, "mark m2: 10.0 s ago, tick 500");
    const struct message_change change = {
        .tick = 500, .by = 4, .name = "Ann", .op = "mouse", .text = "x 1, y 2", .count = 7};
    timeline_change_text(&line, &change, words);
    assert_string_equal(words, "Ann: mouse x 1, y 2, 7 times; 10.0 s ago, tick 500");
    const struct timeline old = timeline_make(&past, 3600.0 * 60.0 * 2.0, 60.0);
    timeline_moment_text(&old, 0.0, words);
    assert_string_equal(words, "2 h 0 min ago, tick 0");
}

/* What was before the moment that a world goes on from is its past as well. */
static void a_world_that_goes_back_keeps_what_was_before(void **state) {
    (void)state;
    static struct history history;
    const struct test_agent one[] = {{.id = 1, .x = 1}};
    history_init(&history);
    for (int i = 0; i < 10; i++) {
        add(&history, 1000 + 100 * i, 1, one, 1);
    }
    history_cut(&history, 1.5, 2);
    assert_int_equal(history.count, 5);
    assert_true(fabs(history_end_s(&history) - 1.4) < 1e-9);
    add(&history, 1500, 2, one, 1);
    assert_int_equal(history.count, 6); /* another epoch, not another world */
    history_fini(&history);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(a_recording_is_kept_in_any_order),
        cmocka_unit_test(it_reaches_back_a_minute_and_no_further),
        cmocka_unit_test(a_pause_adds_nothing_and_steps_do),
        cmocka_unit_test(large_crowds_are_kept_farther_apart),
        cmocka_unit_test(what_is_held_stays),
        cmocka_unit_test(a_preview_is_near_or_none),
        cmocka_unit_test(it_plays_on_when_it_is_told_to),
        cmocka_unit_test(steps_go_from_copy_to_copy),
        cmocka_unit_test(jumps_get_on_where_copies_are_far_apart),
        cmocka_unit_test(what_is_forgotten_is_still_held),
        cmocka_unit_test(nothing_is_no_past),
        cmocka_unit_test(a_world_that_keeps_up_is_not_behind),
        cmocka_unit_test(a_slow_world_is_behind_within_seconds),
        cmocka_unit_test(snapshots_seconds_apart_are_enough),
        cmocka_unit_test(skipped_and_late_snapshots_change_nothing),
        cmocka_unit_test(pauses_and_steps_do_not_count),
        cmocka_unit_test(what_was_known_holds_over_a_pause),
        cmocka_unit_test(another_world_is_measured_afresh),
        cmocka_unit_test(the_verdict_does_not_flicker),
        cmocka_unit_test(the_pace_is_known_at_any_speed),
        cmocka_unit_test(a_slow_or_fast_world_that_keeps_up_is_not_behind),
        cmocka_unit_test(nothing_is_due_at_the_highest_speed),
        cmocka_unit_test(a_change_of_speed_is_not_behind),
        cmocka_unit_test(ticks_are_places),
        cmocka_unit_test(worlds_follow_each_other),
        cmocka_unit_test(moves_stay_on_the_line),
        cmocka_unit_test(ticks_are_times),
        cmocka_unit_test(the_newest_wish_is_sent_one_at_a_time),
        cmocka_unit_test(proposed_names_are_free),
        cmocka_unit_test(ages_are_words),
        cmocka_unit_test(ghosts_stand_at_quarters_of_a_second),
        cmocka_unit_test(a_way_goes_on_as_it_does),
        cmocka_unit_test(a_way_is_measured_in_the_history),
        cmocka_unit_test(headings_that_twitch_are_smoothed),
        cmocka_unit_test(speeds_have_ends),
        cmocka_unit_test(the_usual_speed_is_easily_met),
        cmocka_unit_test(words_have_no_idle_digits),
        cmocka_unit_test(branches_leave_the_line_and_each_other),
        cmocka_unit_test(only_the_newest_branches_have_lanes),
        cmocka_unit_test(places_and_ticks_belong_to_each_other),
        cmocka_unit_test(marks_are_found_and_named),
        cmocka_unit_test(a_world_that_goes_back_keeps_what_was_before),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    history_fini(&playhead_history);
    return failed;
}
