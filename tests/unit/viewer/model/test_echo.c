/* From a motion of the mouse to the frame that shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viewer/model/meters.h"

static void measures_what_came_back(void **state) {
    struct echo echo;
    echo_init(&echo);
    assert_true(echo_median_ms(&echo) < 0.0);
    echo_note_sent(&echo, vec2_make(10.0f, 20.0f), 100.0);
    echo_note_sent(&echo, vec2_make(11.0f, 20.0f), 110.0);
    echo_note_sent(&echo, vec2_make(12.0f, 20.0f), 120.0);
    echo_note_seen(&echo, vec2_make(50.0f, 20.0f), 130.0); /* another client's */
    assert_true(echo_median_ms(&echo) < 0.0);
    echo_note_seen(&echo, vec2_make(11.01f, 20.0f), 150.0);
    assert_true(echo_median_ms(&echo) == 40.0);
    echo_note_seen(&echo, vec2_make(10.0f, 20.0f), 160.0);  /* older than one that was answered */
    echo_note_seen(&echo, vec2_make(11.01f, 20.0f), 170.0); /* the same frame again */
    assert_int_equal(echo.count, 1);
    echo_note_seen(&echo, vec2_make(12.0f, 20.0f), 180.0);
    assert_int_equal(echo.count, 2);
    assert_true(echo_median_ms(&echo) == 60.0);
}

static void forgets_the_oldest(void **state) {
    struct echo echo;
    echo_init(&echo);
    for (int i = 0; i < 3 * ECHO_SENT; i++) {
        echo_note_sent(&echo, vec2_make((float)i, 0.0f), i);
    }
    echo_note_seen(&echo, vec2_make(5.0f, 0.0f), 1000.0);
    assert_int_equal(echo.count, 0);
    echo_note_seen(&echo, vec2_make(3.0f * ECHO_SENT - 1.0f, 0.0f), 1000.0);
    assert_int_equal(echo.count, 1);
    assert_int_equal(echo.sent_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(measures_what_came_back),
                                       cmocka_unit_test(forgets_the_oldest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
