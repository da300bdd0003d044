/* clients/drover/run/run_progress: what the line says, and how the time left is guessed. */
#include "clients/drover/run/run.h"

#include "tests/unit/common/test_support.h"

static void test_the_line(void **state) {
    char line[RUN_PROGRESS_LINE];
    const struct run_counts half = {.total = 60, .done = 29, .begun = 1.0};
    const struct run_counts bad = {.total = 60, .done = 40, .failed = 2};
    assert_string_equal(run_progress_line(line, &half, 62.0, true),
                        "run 29/60 [###############...............]  50 %  1:02 left");
    assert_string_equal(run_progress_line(line, &half, -1.0, false), "run 29/60  50 %");
    assert_string_equal(run_progress_line(line, &bad, 5.0, false), "run 42/60  70 %  0:05 left  2 failed");
}

static void test_the_time_left_is_that_of_the_median_run(void **state) {
    struct run_progress progress = {.jobs = 2};
    const struct run_counts counts = {.total = 13, .done = 2, .failed = 1};
    assert_true(run_progress_left(&progress, &counts, 10.0) < 0.0);
    run_progress_note(&progress, 100.0);
    run_progress_note(&progress, 1.0);
    run_progress_note(&progress, 3.0);
    assert_true(run_progress_left(&progress, &counts, 10.0) == 15.0); /* ten runs of 3 s, two at a time */
    const struct run_counts last = {.total = 13, .done = 12, .begun = 0.5};
    assert_true(run_progress_left(&progress, &last, 10.0) == 1.5); /* one process has it */
    run_progress_end(&progress);
}

static void test_before_a_run_has_ended_its_share_is_the_guess(void **state) {
    struct run_progress progress = {.jobs = 1};
    const struct run_counts counts = {.total = 4, .begun = 0.5};
    assert_true(run_progress_left(&progress, &counts, 10.0) == 70.0);
    assert_true(run_progress_left(&progress, &counts, 0.1) < 0.0);
    run_progress_end(&progress);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_line),
        cmocka_unit_test(test_the_time_left_is_that_of_the_median_run),
        cmocka_unit_test(test_before_a_run_has_ended_its_share_is_the_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
