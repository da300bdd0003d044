/* Ways of a wrapping world are the short ones; a point is a copy of one place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viewer/model/camera.h"

static const vec2 size = {800.0f, 480.0f}, open_world = {0.0f, 0.0f};

static void assert_vec2(vec2 found, float x, float y) {
    assert_true(found.x == x && found.y == y);
}

static void the_way_is_the_short_one(void **state) {
    assert_vec2(torus_short_way(vec2_make(700.0f, -470.0f), size), -100.0f, 10.0f);
    assert_vec2(torus_short_way(vec2_make(700.0f, -470.0f), open_world), 700.0f, -470.0f);
    assert_vec2(torus_nearest(vec2_make(790.0f, 10.0f), vec2_make(5.0f, 470.0f), size), -10.0f, 490.0f);
}

static void a_point_is_a_copy_of_one_place(void **state) {
    assert_vec2(torus_wrap(vec2_make(-10.0f, 490.0f), size), 790.0f, 10.0f);
    assert_vec2(torus_wrap(vec2_make(800.0f, 0.0f), size), 0.0f, 0.0f);
    assert_vec2(torus_wrap(vec2_make(-1e-9f, 0.0f), size), 0.0f, 0.0f); /* rounding gives the size itself */
    assert_vec2(torus_wrap(vec2_make(-10.0f, 490.0f), open_world), -10.0f, 490.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_is_the_short_one),
        cmocka_unit_test(a_point_is_a_copy_of_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
