/* A window and its frame stay on the screen; text suits it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viewer/platform/window_fit.h"

static const struct window_border none = {0, 0, 0, 0}, frame = {1, 24, 1, 3};

static void assert_area(struct window_area area, int32_t x, int32_t y, int32_t width, int32_t height) {
    assert_int_equal(area.x, x);
    assert_int_equal(area.y, y);
    assert_int_equal(area.width, width);
    assert_int_equal(area.height, height);
}

static void what_fits_stays(void **state) {
    const struct window_area screen = {0, 0, 1920, 1080};
    assert_area(window_fit((struct window_area){320, 140, 1280, 800}, frame, screen), 320, 140, 1280, 800);
    assert_area(window_fit((struct window_area){0, 0, 1920, 1080}, none, screen), 0, 0, 1920, 1080);
    /* it hangs over: moved, as large as it was */
    assert_area(window_fit((struct window_area){-50, 900, 1280, 800}, frame, screen), 1, 277, 1280, 800);
}

static void what_does_not_fit_is_made_smaller(void **state) {
    const struct window_area wide = {0, 0, 1280, 800}, laptop = {0, 0, 1366, 768}, old = {0, 0, 640, 480};
    assert_area(window_fit((struct window_area){0, 0, 1280, 800}, frame, wide), 1, 24, 1278, 773);
    assert_area(window_fit((struct window_area){43, -16, 1280, 800}, frame, laptop), 43, 24, 1280, 741);
    assert_area(window_fit((struct window_area){-320, -160, 1280, 800}, none, old), 0, 0, 640, 480);
    /* a bar at the top, another screen at the left */
    const struct window_area second = {1920, 30, 1366, 738};
    assert_area(window_fit((struct window_area){0, 0, 3000, 2000}, frame, second), 1921, 54, 1364, 711);
    /* invalid values change no size */
    assert_area(window_fit((struct window_area){5, 5, 320, 240}, frame, (struct window_area){0, 0, 0, 0}), 1,
                24, 320, 240);
}

static void text_suits_the_screen(void **state) {
    assert_true(window_text_scale_for(96.0, 800, false) == 1.0);
    assert_true(window_text_scale_for(0.0, 1080, false) == 1.0); /* nothing is known */
    assert_true(window_text_scale_for(0.0, 1440, false) == 1.0);
    assert_true(window_text_scale_for(0.0, 2160, false) == 1.5);  /* 4K: 12 px would be too small to read */
    assert_true(window_text_scale_for(96.0, 2160, false) == 1.0); /* the desktop wants it so */
    assert_true(window_text_scale_for(72.0, 1080, false) == 1.0); /* never smaller */
    assert_true(window_text_scale_for(118.0, 768, false) == 1.0); /* a laptop's screen: 1366x768, 13 inch */
    assert_true(window_text_scale_for(120.0, 1080, false) == 1.25);
    assert_true(window_text_scale_for(191.7, 2160, false) == 2.0); /* nearly twice */
    assert_true(window_text_scale_for(288.0, 2160, false) == 3.0);
    assert_true(window_text_scale_for(305.0, 1080, false) == 1.75); /* a projector that claims to be tiny */
    assert_true(window_text_scale_for(1000.0, 480, false) == 1.0);
    assert_true(window_text_scale_for(1000.0, 4320, false) == 4.0);
}

static void full_screen_is_looked_at_from_afar(void **state) {
    assert_true(window_text_scale_for(96.0, 768, true) == 1.0);
    assert_true(window_text_scale_for(96.0, 1080, true) == 1.0);
    assert_true(window_text_scale_for(96.0, 1440, true) == 1.25);
    assert_true(window_text_scale_for(96.0, 2160, true) == 2.0);
    assert_true(window_text_scale_for(288.0, 2160, true) == 3.0);
}

static void desktops_say_how_large_text_is(void **state) {
    assert_true(window_resources_dpi(NULL) == 0.0);
    assert_true(window_resources_dpi("") == 0.0);
    assert_true(window_resources_dpi("Xft.dpi:\t192\n") == 192.0);
    assert_true(window_resources_dpi("Xcursor.size:\t24\nXft.dpi: 143.5\nXft.rgba:\trgb\n") == 143.5);
    assert_true(window_resources_dpi("*Xft.dpi: 200\nXft.dpi.more: 1\nXft.dpi:\n") == 0.0);
    assert_true(window_resources_dpi("Xft.dpi: 1e99") == 1.0);
    assert_true(window_resources_dpi("Xft.dpi: 99999999999999999999") <= 1e10);
    assert_true(window_resources_dpi("Xft.dpi: many\n") == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(what_does_not_fit_is_made_smaller),
        cmocka_unit_test(text_suits_the_screen),
        cmocka_unit_test(desktops_say_how_large_text_is),
        cmocka_unit_test(full_screen_is_looked_at_from_afar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
