/* common/log: level, shape of a line, no forged lines. stderr is turned to a file for the length of a test.
 */
#include "common/system/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/common/test_support.h"

static size_t captured(char *text, size_t size) {
    char path[] = "/tmp/drover_test_log_XXXXXX";
    const int file = mkstemp(path);
    const int saved = dup(STDERR_FILENO);
    assert_true(file >= 0 && saved >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    log_write(LOG_DEBUG, "net", "hidden");
    log_write(LOG_WARN, "net", "session %d\nforged \x1B[31m", 3);
    log_set_level(LOG_DEBUG);
    log_write(LOG_DEBUG, "sim", "shown");
    char large[3000];
    memset(large, 'q', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    log_write(LOG_ERROR, "sim", "%s", large);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    const ssize_t length = pread(file, text, size - 1, 0);
    close(saved);
    close(file);
    unlink(path);
    assert_true(length > 0);
    text[length] = '\0';
    return (size_t)length;
}

static void writes_lines(void **state) {
    char text[8192];
    (void)captured(text, sizeof text);
    assert_null(strstr(text, "hidden"));
    const char *first = strstr(text, "Z warn  net: session 3?forged ?[31m\n");
    assert_non_null(first);
    assert_int_equal(first - text, 23); /* 2026-01-31T12:00:00.123 */
    assert_int_equal(text[10], 'T');
    assert_int_equal(text[19], '.');
    assert_non_null(strstr(text, "Z debug sim: shown\n"));
    assert_non_null(strstr(text, "Z error sim: qqqq"));
    assert_int_equal(text[strlen(text) - 1], '\n');
}

static void names_are_null_ended(void **state) {
    assert_string_equal(log_level_names[LOG_ERROR], "error");
    assert_string_equal(log_level_names[LOG_DEBUG], "debug");
    assert_null(log_level_names[LOG_DEBUG + 1]);
}

/* The same with the thread: in order, whole at the end; and the program's last lines. */
static void writes_by_a_thread(void **state) {
    char path[] = "/tmp/drover_test_log_XXXXXX";
    const int file = mkstemp(path);
    const int saved = dup(STDERR_FILENO);
    assert_true(file >= 0 && saved >= 0);
    assert_true(dup2(file, STDERR_FILENO) >= 0);
    log_start();
    for (int i = 0; i < 1000; i++) {
        log_write(LOG_INFO, "net", "number %d", i);
    }
    log_plain("drover-server: it\nends");
    log_stop();
    log_plain("behind");
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    FILE *lines = fdopen(file, "r");
    assert_non_null(lines);
    rewind(lines);
    char line[256];
    for (int i = 0; i < 1000; i++) {
        int number = -1;
        assert_non_null(fgets(line, sizeof line, lines));
        assert_int_equal(sscanf(line + 23, "Z info  net: number %d\n", &number), 1);
        assert_int_equal(number, i);
    }
    assert_non_null(fgets(line, sizeof line, lines));
    assert_string_equal(line, "drover-server: it?ends\n");
    assert_non_null(fgets(line, sizeof line, lines));
    assert_string_equal(line, "behind\n");
    assert_null(fgets(line, sizeof line, lines));
    assert_int_equal(fclose(lines), 0);
    close(saved);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(writes_lines), cmocka_unit_test(writes_by_a_thread),
                                       cmocka_unit_test(names_are_null_ended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
