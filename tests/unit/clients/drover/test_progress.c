/* clients/drover/progress: what the line says. */
#include "clients/drover/progress.h"

#include "tests/unit/common/test_support.h"

static void test_the_line_has_a_bar_a_share_and_the_time_left(void **state) {
    char line[PROGRESS_LINE];
    (void)state;
    assert_string_equal(progress_line(line, "verify", 50, 100, 61.6),
                        "verify [###############...............]  50 %  1:02 left");
    assert_string_equal(progress_line(line, "diff", 1, 3600, 2.0),
                        "diff [..............................]   0 %  1:59:58 left");
    assert_string_equal(progress_line(line, "cut", 100, 100, 3.0),
                        "cut [##############################] 100 %  0:00 left");
}

static void test_nothing_is_guessed_at_the_beginning(void **state) {
    char line[PROGRESS_LINE];
    (void)state;
    assert_string_equal(progress_line(line, "verify", 0, 100, 9.0),
                        "verify [..............................]   0 %");
    assert_string_equal(progress_line(line, "verify", 10, 100, 0.1),
                        "verify [###...........................]  10 %");
    assert_string_equal(progress_line(line, "verify", 7, 0, 9.0), "verify 7");
}

static void test_more_than_all_is_all(void **state) {
    char line[PROGRESS_LINE];
    (void)state;
    assert_string_equal(progress_line(line, "verify", 150, 100, 3.0),
                        "verify [##############################] 100 %  0:00 left");
    (void)progress_line(line, "a command with a very long name indeed", UINT64_MAX - 1, UINT64_MAX, 1e12);
    assert_in_range(strlen(line), 1, PROGRESS_LINE - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_line_has_a_bar_a_share_and_the_time_left),
        cmocka_unit_test(test_nothing_is_guessed_at_the_beginning),
        cmocka_unit_test(test_more_than_all_is_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
