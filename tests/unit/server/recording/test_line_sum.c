/* Sums of lines: the CRC-32 that everybody has, chained, and any single flipped bit is noticed. */
#include "tests/unit/server/cmocka_all.h"

#include <string.h>

#include "server/recording/recording_line.h"

static const char lines[] = "{\"op\":\"drover\",\"format\":1,\"core\":1}\n"
                            "{\"op\":\"at\",\"tick\":96,\"seq\":3,\"paused\":true}\n"
                            "{\"op\":\"end\",\"tick\":96,\"seq\":3}\n";

static struct buffer seal(const char *text) {
    struct buffer out;
    uint32_t sum = 0;
    buffer_init(&out, 1 << 16);
    line_sum_append(&out, text, strlen(text), &sum);
    assert_false(out.failed);
    return out;
}

/* The number of the first line that is wrong, from 1; 0: none. */
static uint64_t find_wrong(const char *text, size_t length) {
    struct line_sum_check check = {0};
    const char *end = text + length;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        newline = newline == NULL ? end : newline;
        if (line_sum_wrong(&check, line, (size_t)(newline - line)) != NULL) {
            return check.lines;
        }
        line = newline + 1;
    }
    return 0;
}

static void test_values(void **state) {
    static const char digits[] = "123456789";
    assert_int_equal(line_sum(0, digits, 9), 0xcbf43926);
    for (size_t i = 0; i <= 9; i++) { /* in two pieces */
        assert_int_equal(line_sum(line_sum(0, digits, i), digits + i, 9 - i), 0xcbf43926);
    }
    char long_text[1000];
    memset(long_text, 'a', sizeof long_text);
    assert_int_equal(line_sum(0, long_text, sizeof long_text), 0x9a38da03);
}

static void test_lines(void **state) {
    struct buffer out = seal(lines), again = seal(out.data);
    assert_int_equal(out.length, strlen(lines) + 3 * LINE_SUM_BYTES);
    assert_int_equal(again.length, out.length);
    assert_memory_equal(again.data, out.data, out.length);
    assert_int_equal(find_wrong(out.data, out.length), 0);
    assert_int_equal(find_wrong(lines, strlen(lines)), 0); /* without sums */
    buffer_fini(&out);
    buffer_fini(&again);
}

static void test_any_flipped_bit(void **state) {
    struct buffer out = seal(lines);
    uint64_t line = 1;
    for (size_t at = 0; at + 1 < out.length; at++) { /* but for the last newline */
        for (int bit = 0; bit < 8; bit++) {
            out.data[at] = (char)(out.data[at] ^ 1 << bit);
            const uint64_t wrong = find_wrong(out.data, out.length);
            out.data[at] = (char)(out.data[at] ^ 1 << bit);
            assert_true(wrong == line || (line == 1 && wrong == 2));
        }
        line += out.data[at] == '\n';
    }
    buffer_fini(&out);
}

static void test_lines_that_are_lost(void **state) {
    struct buffer out = seal(lines);
    const char *second = strchr(out.data, '\n') + 1, *third = strchr(second, '\n') + 1;
    const size_t removed = (size_t)(third - second), left = out.length - (size_t)(third - out.data);
    memmove(out.data + (second - out.data), third, left);
    assert_int_equal(find_wrong(out.data, out.length - removed), 2);
    buffer_fini(&out);
}

/* Ends of lines as some programs write them: every sum is there, and none where it was. */
static void test_carriage_returns(void **state) {
    struct buffer out = seal(lines), other;
    buffer_init(&other, 2 * out.length);
    for (size_t i = 0; i < out.length; i++) {
        buffer_append(&other, out.data[i] == '\n' ? "\r\n" : &out.data[i], out.data[i] == '\n' ? 2 : 1);
    }
    assert_int_equal(find_wrong(other.data, other.length), 1);
    buffer_fini(&out);
    buffer_fini(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),           cmocka_unit_test(test_lines),
        cmocka_unit_test(test_any_flipped_bit),  cmocka_unit_test(test_lines_that_are_lost),
        cmocka_unit_test(test_carriage_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
