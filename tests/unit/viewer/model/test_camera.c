/* The world fits the window, keeps its shape, and points find their way back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/model/camera.h"

static void assert_near(float found, float wanted, float tolerance) {
    if (!(fabsf(found - wanted) <= tolerance)) {
        fail_msg("found %f, wanted %f", (double)found, (double)wanted);
    }
}

static void fits_the_tighter_side(void **state) {
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
    const struct camera_margins margins = {10, 40, 30, 20};
    const struct camera camera = camera_fit(vec2_make(800, 600), vec2_make(1280, 800), margins);
    const vec2 low = camera_to_window(&camera, vec2_make(0, 0));
    const vec2 high = camera_to_window(&camera, vec2_make(800, 600));
    assert_true(low.x >= 10.0f - 1e-3f && low.y >= 40.0f - 1e-3f);
    assert_true(high.x <= 1250.0f + 1e-3f && high.y <= 780.0f + 1e-3f);
    assert_near(low.y, 40.0f, 1e-3f); /* the tighter side is used up */
    assert_near(high.y, 780.0f, 1e-3f);
    assert_near(low.x - 10.0f, 1250.0f - high.x, 1e-3f); /* the other is centered */
}

static void goes_there_and_back(void **state) {
    const struct camera_margins margins = {16, 48, 16, 16};
    const struct camera camera = camera_fit(vec2_make(800, 480), vec2_make(1111, 777), margins);
    for (float x = -200.0f; x <= 1000.0f; x += 77.0f) {
        const vec2 back = camera_to_world(&camera, camera_to_window(&camera, vec2_make(x, 900.0f - x)));
        assert_near(back.x, x, 1e-2f);
        assert_near(back.y, 900.0f - x, 1e-2f);
    }
}

static void leaves_room_beside_it(void **state) {
    const struct camera_margins sides = {16, 48, 16, 16};
    const float strip = 244.0f;
    static const vec2 worlds[] = {{800, 560}, {900, 600}, {800, 480}, {600, 600}, {400, 800}, {900, 900}};
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
        const vec2 window = vec2_make(960, 600), world = worlds[i];
        struct camera_margins margins = sides;
        const float wider = camera_beside(world, window, sides, strip);
        margins.left += wider;
        assert_true(camera_fit(world, window, margins).offset.x >= 16.0f + strip - 1e-3f);
        assert_true(wider >= 0.0f && wider <= strip);
    }
    assert_true(camera_beside(vec2_make(400, 800), vec2_make(960, 600), sides, strip) ==
                0.0f); /* there is room */
    assert_near(camera_beside(vec2_make(600, 600), vec2_make(960, 600), sides, strip), 96.0f, 1e-3f);
    assert_true(camera_beside(vec2_make(800, 480), vec2_make(700, 600), sides, strip) ==
                0.0f); /* it costs too much */
}

static void survives_a_window_smaller_than_its_margins(void **state) {
    const struct camera_margins margins = {500, 500, 500, 500};
    const struct camera camera = camera_fit(vec2_make(0, 0), vec2_make(10, 10), margins);
    assert_true(camera.scale > 0.0f && isfinite(camera.scale));
}

static void zooming_keeps_what_is_under_the_cursor(void **state) {
    const struct camera_margins margins = {16, 48, 280, 54};
    const vec2 world = {800, 600}, window = {1280, 800}, at = {300, 400};
    const vec2 middle = camera_room_center(window, margins);
    struct camera_view view = {0};
    struct camera camera = camera_view_place(&view, world, window, margins);
    const vec2 held = camera_to_world(&camera, at);
    for (int i = 0; i < 60; i++) {
        camera_view_zoom(&view, &camera, middle, at, i < 30 ? 1.2f : 0.9f, 0.1f, 20.0f);
        camera = camera_view_place(&view, world, window, margins);
        assert_near(camera_to_window(&camera, held).x, at.x, 0.5f);
        assert_near(camera_to_window(&camera, held).y, at.y, 0.5f);
        assert_true(camera.scale >= 0.1f && camera.scale <= 20.0f);
    }
    const float scale = camera.scale; /* another window: the same place and scale */
    const vec2 center = camera_to_world(&camera, middle);
    camera = camera_view_place(&view, world, vec2_make(700, 500), margins);
    assert_near(camera.scale, scale, 1e-4f);
    const vec2 again = camera_to_world(&camera, camera_room_center(vec2_make(700, 500), margins));
    assert_near(again.x, center.x, 0.1f);
    camera_view_fit(&view);
    camera = camera_view_place(&view, world, window, margins);
    assert_near(camera.scale, camera_fit(world, window, margins).scale, 1e-6f);
}

static void panning_and_following_move_the_world(void **state) {
    const struct camera_margins margins = {16, 48, 16, 16};
    const vec2 world = {800, 600}, window = {1000, 700}, middle = camera_room_center(window, margins);
    struct camera_view view = {0};
    struct camera camera = camera_view_place(&view, world, window, margins);
    const vec2 before = camera_to_window(&camera, vec2_make(100, 100));
    camera_view_pan(&view, &camera, middle, vec2_make(30, -20));
    camera = camera_view_place(&view, world, window, margins);
    assert_near(camera_to_window(&camera, vec2_make(100, 100)).x, before.x + 30.0f, 0.01f);
    assert_near(camera_to_window(&camera, vec2_make(100, 100)).y, before.y - 20.0f, 0.01f);
    camera_view_center(&view, &camera, vec2_make(700, 50));
    camera = camera_view_place(&view, world, window, margins);
    assert_near(camera_to_window(&camera, vec2_make(700, 50)).x, middle.x, 0.01f);
    assert_near(camera_to_window(&camera, vec2_make(700, 50)).y, middle.y, 0.01f);
}

/* The card lies beside a world that keeps its size, and over one that it would make a stamp. */
static void a_card_makes_no_stamp(void **state) {
    const vec2 window = vec2_make(1280.0f, 800.0f);
    const struct camera_margins margins = {202.0f, 48.0f, 280.0f, 54.0f};
    assert_true(camera_clear(vec2_make(1000.0f, 700.0f), window, margins, 480.0f) == 0.0f);
    assert_true(camera_clear(vec2_make(300.0f, 900.0f), window, margins, 480.0f) == 480.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_the_tighter_side),
        cmocka_unit_test(respects_margins),
        cmocka_unit_test(goes_there_and_back),
        cmocka_unit_test(zooming_keeps_what_is_under_the_cursor),
        cmocka_unit_test(panning_and_following_move_the_world),
        cmocka_unit_test(leaves_room_beside_it),
        cmocka_unit_test(survives_a_window_smaller_than_its_margins),
        cmocka_unit_test(a_card_makes_no_stamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
