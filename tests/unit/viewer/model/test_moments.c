/* Ghosts of the moments before, ways of those to come, headings that do not flicker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/interpolate.h"
#include "viewer/model/trails.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ghosts_stand_at_quarters_of_a_second),
        cmocka_unit_test(a_way_goes_on_as_it_does),
        cmocka_unit_test(a_way_is_measured_in_the_history),
        cmocka_unit_test(headings_that_twitch_are_smoothed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
