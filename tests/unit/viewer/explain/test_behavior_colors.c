/* The tutorials' behaviors have their colors; all stand out from the background. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/draw/canvas.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"

/* WCAG relative luminance. */
static double luminance(color c) {
    double sum = 0.0;
    const double weights[3] = {0.0722, 0.7152, 0.2126};
    for (unsigned i = 0; i < 3; i++) {
        const double part = (double)((c >> (8 * i)) & 0xffu) / 255.0;
        sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(color a, color b) {
    const double la = luminance(a) + 0.05, lb = luminance(b) + 0.05;
    return la > lb ? la / lb : lb / la;
}

static void tutorial_states_look_as_in_the_tutorials(void **state) {
    const color wander = explain_behavior_color(PALETTE_CLASSIC, "wander"),
                seek = explain_behavior_color(PALETTE_CLASSIC, "seek");
    const color pursue = explain_behavior_color(PALETTE_CLASSIC, "pursue"),
                evade = explain_behavior_color(PALETTE_CLASSIC, "evade");
    const unsigned red = (wander >> 16) & 0xffu, green = (wander >> 8) & 0xffu, blue = wander & 0xffu;
    assert_true(red + 16 > blue && blue + 16 > red && green + 16 > red);  /* gray */
    assert_true(((seek >> 8) & 0xffu) > ((seek >> 16) & 0xffu) + 60);     /* green */
    assert_true(((pursue >> 16) & 0xffu) > 200 && (pursue & 0xffu) < 60); /* orange */
    assert_true(((evade >> 16) & 0xffu) > ((evade >> 8) & 0xffu) + 100);  /* red */
}

static void every_color_is_opaque_and_seen(void **state) {
    const char *const names[] = {"wander", "seek",  "pursue", "evade", "arrive", "flee", "rest", "idle",
                                 "orbit",  "hunt",  "a",      "b",     "c",      "d",    "e",    "f",
                                 "land",   "x-1_2", "",       "queue", "follow", "g",    "h",    "velocity"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int p = PALETTE_SAFE; p <= PALETTE_CLASSIC; p++) {
            const color c = explain_behavior_color((enum palette)p, names[i]);
            assert_int_equal(c >> 24, 255);
            assert_true(contrast(c, theme_color(PALETTE_SAFE, THEME_WORLD)) >= 4.5);
            assert_int_equal(explain_behavior_color((enum palette)p, names[i]), c);
        }
    }
    assert_true(
        contrast(theme_color(PALETTE_SAFE, THEME_TEXT_DIM), theme_color(PALETTE_SAFE, THEME_GROUND)) >= 7.0);
    assert_true(contrast(theme_color(PALETTE_SAFE, THEME_TEXT), theme_color(PALETTE_SAFE, THEME_GROUND)) >=
                12.0);
}

static void the_main_states_differ(void **state) {
    const char *const names[] = {"wander", "seek", "pursue", "evade", "arrive", "flee", "rest"};
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = i + 1; j < 7; j++) {
            const color a = explain_behavior_color(PALETTE_SAFE, names[i]),
                        b = explain_behavior_color(PALETTE_SAFE, names[j]);
            int distance = 0;
            for (unsigned shift = 0; shift < 24; shift += 8) {
                const int d = (int)((a >> shift) & 0xffu) - (int)((b >> shift) & 0xffu);
                distance += d < 0 ? -d : d;
            }
            assert_true(distance > 60);
        }
    }
}

/* Machado, Oliveira, Fernandes 2009, severity 1: linear RGB as seen without one kind of cone. */
static const double blindness[3][9] = {
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};

static void seen_as(color c, const double *matrix, double *lab) {
    double linear[3], seen[3], xyz[3];
    static const double to_xyz[9] = {0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505};
    static const double white[3] = {0.9505, 1.0, 1.089};
    for (unsigned i = 0; i < 3; i++) {
        const double part = (double)((c >> (16 - 8 * i)) & 0xffu) / 255.0;
        linear[i] = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++) {
        const double value =
            matrix[3 * i] * linear[0] + matrix[3 * i + 1] * linear[1] + matrix[3 * i + 2] * linear[2];
        seen[i] = fmin(fmax(value, 0.0), 1.0);
    }
    for (int i = 0; i < 3; i++) {
        xyz[i] = cbrt((to_xyz[3 * i] * seen[0] + to_xyz[3 * i + 1] * seen[1] + to_xyz[3 * i + 2] * seen[2]) /
                      white[i]);
    }
    lab[0] = 116.0 * xyz[1] - 16.0;
    lab[1] = 500.0 * (xyz[0] - xyz[1]);
    lab[2] = 200.0 * (xyz[1] - xyz[2]);
}

static void the_safe_palette_is_safe(void **state) {
    const char *const names[] = {"wander", "seek", "pursue", "evade"};
    for (int b = 0; b < 3; b++) {
        for (int i = 0; i < 4; i++) {
            for (int j = i + 1; j < 4; j++) {
                double x[3], y[3];
                seen_as(explain_behavior_color(PALETTE_SAFE, names[i]), blindness[b], x);
                seen_as(explain_behavior_color(PALETTE_SAFE, names[j]), blindness[b], y);
                assert_true(sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                                 (x[2] - y[2]) * (x[2] - y[2])) > 24.0);
            }
        }
    }
}

/* What stands side by side in one legend. */
static void neighbors_in_a_legend_are_far_apart(void **state) {
    static const char *const pairs[][2] = {{"avoid_obstacles", "pursue"}, {"avoid_obstacles", "seek"},
                                           {"avoid_obstacles", "wander"}, {"avoid_obstacles", "separation"},
                                           {"wander", "contain"},         {"separation", "evade"},
                                           {"separation", "alignment"},   {"separation", "cohesion"}};
    for (int p = 0; p < PALETTE_COUNT; p++) {
        const enum palette palette = (enum palette)p;
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
            const struct color_seen a = color_seen_of(explain_behavior_color(palette, pairs[i][0])),
                                    b = color_seen_of(explain_behavior_color(palette, pairs[i][1]));
            assert_true(color_seen_distance(&a, &b, VISION_NORMAL) > 28.0f);
        }
        const struct color_seen target = color_seen_of(theme_color(palette, THEME_TARGET)),
                                separation = color_seen_of(explain_behavior_color(palette, "separation"));
        assert_true(color_seen_least(&target, &separation) > 25.0f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tutorial_states_look_as_in_the_tutorials),
        cmocka_unit_test(every_color_is_opaque_and_seen),
        cmocka_unit_test(the_main_states_differ),
        cmocka_unit_test(the_safe_palette_is_safe),
        cmocka_unit_test(neighbors_in_a_legend_are_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
