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
    (void)state;
    struct trails trails;
    uint32_t ids[2] = {4, 9};
    float x[2] = {0, 500}, y[2] = {0, 0};
    bool is_broken;
    assert_int_equal(trails_init(&trails), 0);
    for (int i = 0; i < 10; i++) {
        struct frame frame = frame_of(ids, x, y, 2, 1.0 + 0.06 * i);
        trails_add(&trails, &frame, 30.0f);
        frame.time_s += 0.001;
        trails_add(&trails, &frame, 30.0f); /* not due */
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
    trails_add(&trails, &alone, 30.0f);
    trails_add(&trails, &alone, 30.0f); /* paused */
    assert_int_equal(trails_find(&trails, 9)->count, 11);
    assert_null(trails_find(&trails, 4));
    assert_non_null(trails_find(&trails, 9));
    alone.time_s = 0.1;
    trails_add(&trails, &alone, 30.0f); /* back in time */
    assert_int_equal(trails_find(&trails, 9)->count, 1);
    trails_fini(&trails);
}

static void trails_stay_bounded(void **state) {
    (void)state;
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
        trails_add(&trails, &frame, 30.0f);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_trail_follows_and_breaks),
                                       cmocka_unit_test(trails_stay_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
