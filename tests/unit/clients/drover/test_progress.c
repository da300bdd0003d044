/* clients/drover/progress: what the line says. */
#include "clients/drover/command.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/common/test_support.h"

static void test_the_line_has_a_bar_a_share_and_the_time_left(void **state) {
    char line[PROGRESS_LINE];
    assert_string_equal(progress_line(line, "verify", 50, 100, 61.6),
                        "verify [###############...............]  50 %  1:02 left");
    assert_string_equal(progress_line(line, "diff", 1, 3600, 2.0),
                        "diff [..............................]   0 %  1:59:58 left");
    assert_string_equal(progress_line(line, "cut", 100, 100, 3.0),
                        "cut [##############################] 100 %  0:00 left");
}

static void test_nothing_is_guessed_at_the_beginning(void **state) {
    char line[PROGRESS_LINE];
    assert_string_equal(progress_line(line, "verify", 0, 100, 9.0),
                        "verify [..............................]   0 %");
    assert_string_equal(progress_line(line, "verify", 10, 100, 0.1),
                        "verify [###...........................]  10 %");
    assert_string_equal(progress_line(line, "verify", 7, 0, 9.0), "verify 7");
}

static void test_more_than_all_is_all(void **state) {
    char line[PROGRESS_LINE];
    assert_string_equal(progress_line(line, "verify", 150, 100, 3.0),
                        "verify [##############################] 100 %  0:00 left");
    (void)progress_line(line, "a command with a very long name indeed", UINT64_MAX - 1, UINT64_MAX, 1e12);
    assert_in_range(strlen(line), 1, PROGRESS_LINE - 1);
}

/* A log gets a line after ten seconds, twenty, forty and so on. */
static void test_a_log_gets_few_lines(void **state) {
    char line[256] = "";
    struct progress progress;
    FILE *log = tmpfile();
    const int errors = dup(STDERR_FILENO);
    assert_non_null(log);
    assert_int_equal(dup2(fileno(log), STDERR_FILENO), STDERR_FILENO);
    progress_begin(&progress, "verify", 1000);
    progress_show(&progress, 1);
    for (uint64_t second = 1; second < 100; second++) {
        progress.begun_ns -= UINT64_C(1000000000);
        progress_show(&progress, 10 * second);
    }
    progress_end(&progress);
    assert_int_equal(dup2(errors, STDERR_FILENO), STDERR_FILENO);
    (void)close(errors);
    rewind(log);
    for (int percent = 10; percent <= 80; percent *= 2) {
        char begin[64];
        (void)snprintf(begin, sizeof begin, " %d %%", percent);
        assert_non_null(fgets(line, sizeof line, log));
        assert_non_null(strstr(line, begin));
    }
    assert_null(fgets(line, sizeof line, log));
    assert_int_equal(fclose(log), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_line_has_a_bar_a_share_and_the_time_left),
        cmocka_unit_test(test_nothing_is_guessed_at_the_beginning),
        cmocka_unit_test(test_more_than_all_is_all),
        cmocka_unit_test(test_a_log_gets_few_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
