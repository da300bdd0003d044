/* Trails follow, break at jumps, and go with their agent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/viewer/make_snapshot.h"
#include "viewer/model/trails.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trail_follows_and_breaks),
        cmocka_unit_test(rare_pictures_break_no_trail),
        cmocka_unit_test(fast_time_makes_no_longer_trails),
        cmocka_unit_test(trails_stay_bounded),
        cmocka_unit_test(over_the_border_of_a_wrapping_world_a_trail_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
