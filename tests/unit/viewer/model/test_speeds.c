/* The steps of the keys, the slider's dead zone, the words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "viewer/model/replay.h"

static void speeds_have_ends(void **state) {
    assert_true(speeds_next(1.0, true) == 2.0 && speeds_next(1.0, false) == 0.5);
    assert_true(speeds_next(3.0, true) == 4.0 && speeds_next(3.0, false) == 2.0);
    /* those of the slider */
    assert_true(speeds_next(8.0, true) == SPEEDS_MOST && speeds_next(SPEEDS_MOST, true) == SPEEDS_MOST);
    assert_true(speeds_next(1000.0, true) == SPEEDS_MOST);
    assert_true(speeds_next(0.1, false) == SPEEDS_LEAST && speeds_next(0.01, false) == SPEEDS_LEAST);
    assert_true(speeds_next(0.1, false) == 0.05 && speeds_next(0.01, true) == 0.05);
}

static void the_usual_speed_is_easily_met(void **state) {
    assert_true(speeds_snap(0.84) == 1.0 && speeds_snap(1.19) == 1.0);
    assert_true(fabs(speeds_snap(0.831) - 0.83) < 1e-12 && fabs(speeds_snap(1.234) - 1.2) < 1e-12);
    assert_true(fabs(speeds_snap(0.0512) - 0.051) < 1e-12 && speeds_snap(SPEEDS_MOST) == SPEEDS_MOST);
}

static void expect_words(double speed, const char *words) {
    char text[SPEEDS_TEXT];
    speeds_format(speed, text, sizeof text);
    assert_string_equal(text, words);
}

static void words_have_no_idle_digits(void **state) {
    expect_words(1.0, "1x");
    expect_words(0.5, "0.5x");
    expect_words(0.25, "0.25x");
    expect_words(2.4, "2.4x");
    expect_words(37.4, "37x");
    expect_words(1000.0, "1000x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_have_ends),
        cmocka_unit_test(the_usual_speed_is_easily_met),
        cmocka_unit_test(words_have_no_idle_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
