/* Scales: directions go around, numbers go away from the ground, and what the legend says is easily read. */
#include <math.h>

#include "tests/unit/server/cmocka_all.h"
#include "viewer/explain/theme.h"

static void directions_are_equally_light_and_come_around(void **state) {
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const enum palette palette = (enum palette)p;
        const struct color_seen first = color_seen_of(color_scale_heading(palette, 0.0f));
        const struct color_seen around = color_seen_of(color_scale_heading(palette, 1.0f));
        assert_true(color_seen_distance(&first, &around, VISION_NORMAL) < 1.0f);
        for (int i = 0; i < 64; i++) {
            const float turn = (float)i / 64.0f;
            const struct color_seen here = color_seen_of(color_scale_heading(palette, turn));
            const struct color_seen back = color_seen_of(color_scale_heading(palette, turn + 0.5f));
            const struct color_seen next = color_seen_of(color_scale_heading(palette, turn + 1.0f / 64.0f));
            assert_true(fabsf(here.lab[VISION_NORMAL][0] - first.lab[VISION_NORMAL][0]) < 4.0f);
            assert_true(color_seen_distance(&here, &back, VISION_NORMAL) > 50.0f);
            assert_true(color_seen_distance(&here, &next, VISION_NORMAL) < 10.0f);
        }
    }
}

static void larger_numbers_are_farther_from_the_ground(void **state) {
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const enum palette palette = (enum palette)p;
        const float way = theme_is_light(palette) ? -1.0f : 1.0f;
        float value = -1e9f, heat = -1e9f;
        for (int i = 0; i <= 16; i++) {
            const float share = (float)i / 16.0f;
            const struct color_seen v = color_seen_of(color_scale_value(palette, share));
            const struct color_seen h = color_seen_of(color_scale_heat(palette, share));
            assert_true(way * v.lab[VISION_NORMAL][0] > value && way * h.lab[VISION_NORMAL][0] > heat);
            value = way * v.lab[VISION_NORMAL][0];
            heat = way * h.lab[VISION_NORMAL][0];
        }
        assert_int_equal(color_scale_heat(palette, 0.0f), theme_color(palette, THEME_WORLD));
        assert_int_equal(color_scale_value(palette, -3.0f), color_scale_value(palette, 0.0f));
        assert_int_equal(color_scale_value(palette, 7.0f), color_scale_value(palette, 1.0f));
        assert_int_equal(color_scale_value(palette, NAN), color_scale_value(palette, 0.0f));
    }
}

static void a_scale_says_its_numbers(void **state) {
    const struct color_scale speed = color_scale_of_values(PALETTE_SAFE, "speed, px/s", 200.0f);
    assert_string_equal(speed.title, "speed, px/s");
    assert_string_equal(speed.low, "0");
    assert_string_equal(speed.high, "200");
    assert_false(speed.is_cyclic);
    assert_int_equal(speed.steps[0], color_scale_value(PALETTE_SAFE, 0.0f));
    assert_int_equal(speed.steps[COLOR_SCALE_STEPS - 1], color_scale_value(PALETTE_SAFE, 1.0f));
    const struct color_scale heading = color_scale_of_headings(PALETTE_SAFE_LIGHT);
    assert_true(heading.is_cyclic);
    assert_string_equal(heading.low, heading.high);
    assert_string_equal(heading.middle, "left");
}

static void ends_are_round_numbers(void **state) {
    static const float rows[][2] = {{0.0f, 1}, {0.3f, 1}, {1, 1},   {1.01f, 2}, {2, 2},     {3, 5},
                                    {7, 10},   {10, 10},  {11, 20}, {240, 500}, {501, 1000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_float_equal(color_scale_round(rows[i][0]), rows[i][1], 1e-3f);
    }
    assert_true(isfinite(color_scale_round(1e30f)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_equally_light_and_come_around),
        cmocka_unit_test(larger_numbers_are_farther_from_the_ground),
        cmocka_unit_test(a_scale_says_its_numbers),
        cmocka_unit_test(ends_are_round_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
