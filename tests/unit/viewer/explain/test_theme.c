/* Words can be read on what lies behind them, and arrows be seen on the ground, in both themes. */
#include <stdio.h>

#include "tests/unit/server/cmocka_all.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"

static const enum palette grounds[] = {PALETTE_SAFE, PALETTE_SAFE_LIGHT};

static void contrast_is_that_of_the_standard(void **state) {
    assert_float_equal(color_contrast(0xff000000u, 0xffffffffu), 21.0f, 1e-3f);
    assert_float_equal(color_contrast(0xff777777u, 0xffffffffu), 4.478f, 1e-2f);
    assert_float_equal(color_contrast(0xff336699u, 0xff336699u), 1.0f, 1e-6f);
}

static void at_least(enum theme_part words, enum theme_part behind, float least) {
    for (int i = 0; i < 2; i++) {
        const float contrast =
            color_contrast(theme_color(grounds[i], words), theme_color(grounds[i], behind));
        if (contrast < least) {
            fail_msg("theme %d: part %d on part %d has a contrast of %.2f", i, (int)words, (int)behind,
                     (double)contrast);
        }
    }
}

static void words_can_be_read(void **state) {
    static const enum theme_part words[] = {THEME_TEXT,    THEME_TEXT_DIM, THEME_FAINT, THEME_ACCENT,
                                            THEME_OK,      THEME_WARN,     THEME_BAD,   THEME_VELOCITY,
                                            THEME_DESIRED, THEME_STEERING, THEME_TARGET};
    static const enum theme_part behind[] = {THEME_PANEL, THEME_LEGEND, THEME_CAPTION, THEME_POP, THEME_WELL};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        for (size_t b = 0; b < sizeof behind / sizeof behind[0]; b++) {
            at_least(words[w], behind[b], 4.5f);
        }
    }
    static const enum theme_part text_behind[] = {
        THEME_FRAME,    THEME_FRAME_OVER, THEME_BUTTON, THEME_BUTTON_OVER, THEME_ROW,  THEME_ROW_OVER,
        THEME_ROW_DOWN, THEME_SECTION,    THEME_LIT,    THEME_MARKED,      THEME_TOOL, THEME_HINT};
    for (size_t b = 0; b < sizeof text_behind / sizeof text_behind[0]; b++) {
        at_least(THEME_TEXT, text_behind[b], 4.5f);
    }
    at_least(THEME_ACCENT, THEME_SECTION, 4.5f);
    at_least(THEME_FAINT, THEME_BUTTON, 4.5f);
    at_least(THEME_ON_BUTTON, THEME_AGREE, 4.5f);
    at_least(THEME_ON_BUTTON, THEME_CAUTION, 4.5f);
    at_least(THEME_ON_BUTTON, THEME_GRAVE, 4.5f);
    at_least(THEME_ON_WARN, THEME_WARN, 4.5f);
}

static void lines_can_be_seen(void **state) {
    static const enum theme_part lines[] = {THEME_FLOW,     THEME_FLOW_SECOND, THEME_PATH_LINE, THEME_WALL,
                                            THEME_VELOCITY, THEME_DESIRED,     THEME_STEERING,  THEME_TARGET,
                                            THEME_SELECTED, THEME_NEIGHBOR,    THEME_RADIUS};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        at_least(lines[i], THEME_WORLD, 3.0f);
    }
    at_least(THEME_CURVE, THEME_WELL, 3.0f);
    at_least(THEME_KNOB, THEME_FRAME, 3.0f);
}

static void a_color_is_moved_only_where_it_cannot_be_read(void **state) {
    for (int i = 0; i < 2; i++) {
        const color panel = theme_color(grounds[i], THEME_PANEL), text = theme_color(grounds[i], THEME_TEXT);
        assert_int_equal(theme_readable(grounds[i], text), text);
        assert_true(color_contrast(theme_readable(grounds[i], panel), panel) >= 4.5f);
        static const char *const names[] = {"seek", "flee", "pursue", "wander", "arrive", "cohesion"};
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            const color fill = explain_behavior_color(grounds[i], names[n]);
            assert_true(color_contrast(theme_readable(grounds[i], fill), panel) >= 4.5f);
        }
    }
    const color seek = explain_behavior_color(PALETTE_SAFE, "seek");
    assert_int_equal(theme_readable(PALETTE_SAFE, seek), seek);
}

static void only_the_light_palettes_are_light(void **state) {
    assert_false(theme_is_light(PALETTE_SAFE) || theme_is_light(PALETTE_CLASSIC));
    assert_true(theme_is_light(PALETTE_SAFE_LIGHT) && theme_is_light(PALETTE_CLASSIC_LIGHT));
    for (int part = 0; part < THEME_COUNT; part++) { /* no part was left out of the table */
        assert_int_not_equal(theme_color(PALETTE_SAFE, (enum theme_part)part), 0);
        assert_int_not_equal(theme_color(PALETTE_SAFE_LIGHT, (enum theme_part)part), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contrast_is_that_of_the_standard),
        cmocka_unit_test(words_can_be_read),
        cmocka_unit_test(lines_can_be_seen),
        cmocka_unit_test(a_color_is_moved_only_where_it_cannot_be_read),
        cmocka_unit_test(only_the_light_palettes_are_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
