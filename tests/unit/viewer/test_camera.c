/* The world fits the window, keeps its shape, and points find their way back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/camera.h"

static void assert_near(float found, float wanted, float tolerance) {
    if (!(fabsf(found - wanted) <= tolerance)) {
        fail_msg("found %f, wanted %f", (double)found, (double)wanted);
    }
}

static void fits_the_tighter_side(void **state) {
    (void)state;
    const struct camera_margins none = {0, 0, 0, 0};
    struct camera wide = camera_fit(vec2_make(800, 400), vec2_make(1600, 2000), none);
    assert_near(wide.scale, 2.0f, 1e-6f);
    assert_near(wide.offset.x, 0.0f, 1e-4f);
    assert_near(wide.offset.y, 600.0f, 1e-4f);
    struct camera tall = camera_fit(vec2_make(400, 800), vec2_make(2000, 1600), none);
    assert_near(tall.scale, 2.0f, 1e-6f);
    assert_near(tall.offset.x, 600.0f, 1e-4f);
}

static void respects_margins(void **state) {
    (void)state;
    const struct camera_margins margins = {10, 40, 30, 20};
    const struct camera camera = camera_fit(vec2_make(800, 600), vec2_make(1280, 800), margins);
    const vec2 low = camera_to_window(&camera, vec2_make(0, 0));
    const vec2 high = camera_to_window(&camera, vec2_make(800, 600));
    assert_true(low.x >= 10.0f - 1e-3f && low.y >= 40.0f - 1e-3f);
    assert_true(high.x <= 1250.0f + 1e-3f && high.y <= 780.0f + 1e-3f);
    assert_near(low.y, 40.0f, 1e-3f); /* the tighter side is used up */
    assert_near(high.y, 780.0f, 1e-3f);
    assert_near(low.x - 10.0f, 1250.0f - high.x, 1e-3f); /* the other is centred */
}

static void goes_there_and_back(void **state) {
    (void)state;
    const struct camera_margins margins = {16, 48, 16, 16};
    const struct camera camera = camera_fit(vec2_make(800, 480), vec2_make(1111, 777), margins);
    for (float x = -200.0f; x <= 1000.0f; x += 77.0f) {
        const vec2 back = camera_to_world(&camera, camera_to_window(&camera, vec2_make(x, 900.0f - x)));
        assert_near(back.x, x, 1e-2f);
        assert_near(back.y, 900.0f - x, 1e-2f);
    }
}

static void survives_a_window_smaller_than_its_margins(void **state) {
    (void)state;
    const struct camera_margins margins = {500, 500, 500, 500};
    const struct camera camera = camera_fit(vec2_make(0, 0), vec2_make(10, 10), margins);
    assert_true(camera.scale > 0.0f && isfinite(camera.scale));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_the_tighter_side),
        cmocka_unit_test(respects_margins),
        cmocka_unit_test(goes_there_and_back),
        cmocka_unit_test(survives_a_window_smaller_than_its_margins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
