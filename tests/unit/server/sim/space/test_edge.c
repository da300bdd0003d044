/* server/sim/space/edge.h */
#include <math.h>

#include "server/sim/space/edge.h"
#include "tests/unit/server/cmocka_all.h"

static struct bounds box(enum edge edge) {
    return (struct bounds){{800.0f, 600.0f}, edge};
}

static void test_difference_goes_the_short_way(void **state) {
    const struct bounds torus = box(EDGE_WRAP), plain = box(EDGE_OPEN);
    const vec2 from = {790.0f, 10.0f}, to = {10.0f, 590.0f};
    const vec2 around = bounds_difference(&torus, from, to), straight = bounds_difference(&plain, from, to);
    assert_true(around.x == 20.0f && around.y == -20.0f);
    assert_true(straight.x == -780.0f && straight.y == 580.0f);
    /* Points far outside count as where they wrap to. */
    const vec2 far = bounds_difference(&torus, (vec2){0.0f, 0.0f}, (vec2){8010.0f, -5990.0f});
    assert_true(fabsf(far.x - 10.0f) < 0.01f && fabsf(far.y - 10.0f) < 0.01f);
}

/* Rounding must never leave a wrapped coordinate on the upper border: x - W * floor(x / W) can be W for x =
 * -tiny. */
static void test_wrap_stays_inside(void **state) {
    const struct bounds torus = box(EDGE_WRAP);
    const float tricky[] = {-1e-9f, -1e-7f, 800.0f, 799.99997f, 1600.0f, -800.0f, -799.99997f, 1e6f, -1e6f,
                            2e9f,   -2e9f,  600.0f, 599.99997f, -0.0f,   1e-30f,  -1e-30f,     3e8f, -3e8f};
    for (size_t i = 0; i < sizeof tricky / sizeof *tricky; i++) {
        const vec2 point = bounds_settle(&torus, (vec2){tricky[i], tricky[i]});
        assert_true(point.x >= 0.0f && point.x < 800.0f);
        assert_true(point.y >= 0.0f && point.y < 600.0f);
    }
}

static void test_settle(void **state) {
    const struct bounds bounce = box(EDGE_BOUNCE), open = box(EDGE_OPEN);
    const vec2 inside = bounds_settle(&bounce, (vec2){-5.0f, 700.0f});
    assert_true(inside.x == 0.0f && inside.y == 600.0f);
    const vec2 free = bounds_settle(&open, (vec2){-5.0f, 3e7f});
    assert_true(free.x == -5.0f && free.y == (float)LIMIT_COORDINATE);
}

static void test_bounce_mirrors(void **state) {
    const struct bounds bounce = box(EDGE_BOUNCE);
    const struct motion low = bounds_apply(&bounce, (struct motion){6.0f, 300.0f, -50.0f, 20.0f}, 10.0f);
    assert_true(low.x == 14.0f && low.vx == 50.0f && low.y == 300.0f && low.vy == 20.0f);
    const struct motion high = bounds_apply(&bounce, (struct motion){400.0f, 595.0f, 1.0f, 70.0f}, 10.0f);
    assert_true(high.y == 585.0f && high.vy == -70.0f);
    /* Further out than the box is wide: clamped, not mirrored through the other side. */
    const struct motion wild =
        bounds_apply(&bounce, (struct motion){-5000.0f, 300.0f, -9000.0f, 0.0f}, 10.0f);
    assert_true(wild.x == 790.0f && wild.vx == 9000.0f);
    /* A body wider than the box. */
    const struct motion fat = bounds_apply(&bounce, (struct motion){100.0f, 100.0f, -1.0f, -1.0f}, 5000.0f);
    assert_true(fat.x == 400.0f && fat.y == 300.0f);
}

static void test_open_holds_at_the_limit(void **state) {
    const struct bounds open = box(EDGE_OPEN);
    const struct motion held = bounds_apply(&open, (struct motion){1.5e6f, 0.0f, 100.0f, 5.0f}, 1.0f);
    assert_true(held.x == (float)LIMIT_COORDINATE && held.vx == 0.0f && held.vy == 5.0f);
}

static void test_contain_turns_inward_in_time(void **state) {
    const struct bounds contain = box(EDGE_CONTAIN);
    vec2 desired = {0.0f, 0.0f};
    const struct motion middle = {400.0f, 300.0f, 100.0f, 0.0f};
    assert_false(bounds_contain(&contain, middle, 10.0f, 100.0f, 200.0f, 0.03f, &desired));
    const struct motion near = {780.0f, 300.0f, 100.0f, 30.0f}; /* stops after 25 px, 10 are left */
    assert_true(bounds_contain(&contain, near, 10.0f, 100.0f, 200.0f, 0.03f, &desired));
    assert_true(desired.x < 0.0f && desired.y > 0.0f);
    const struct motion outside = {-50.0f, 700.0f, 0.0f, 0.0f};
    assert_true(bounds_contain(&contain, outside, 10.0f, 100.0f, 200.0f, 0.03f, &desired));
    assert_true(desired.x > 0.0f && desired.y < 0.0f && vec2_length(desired) <= 100.001f);
    /* No force, no speed: nothing divides by zero. */
    assert_false(
        bounds_contain(&contain, (struct motion){400, 300, 0, 0}, 0.0f, 0.0f, 0.0f, 0.03f, &desired));
    assert_true(bounds_contain(&contain, (struct motion){-1, 300, 0, 0}, 0.0f, 0.0f, 0.0f, 0.03f, &desired));
    assert_true(isfinite(desired.x) && isfinite(desired.y));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_difference_goes_the_short_way),
        cmocka_unit_test(test_wrap_stays_inside),
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_bounce_mirrors),
        cmocka_unit_test(test_open_holds_at_the_limit),
        cmocka_unit_test(test_contain_turns_inward_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
