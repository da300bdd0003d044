/* Lines of the log as bytes: both formats, and texts that try to be more than one line. */
#include "common/system/log_line.h"

#include <string.h>

#include "tests/unit/common/test_support.h"

static const char *written(struct log_line line) {
    static char out[LOG_LINE_BYTES + 1];
    line.time = (struct timespec){.tv_sec = 1769860800, .tv_nsec = 123456789};
    const size_t length = log_line_write(&line, out);
    assert_true(length <= LOG_LINE_BYTES);
    out[length] = '\0';
    assert_ptr_equal(strchr(out, '\n'), out + length - 1);
    return out;
}

static void text(void **state) {
    const struct log_about about = {7, "192.0.2.1", "full"};
    const struct log_line line = {.level = LOG_WARN, .module = "net", .text = "it is", .about = &about};
    assert_string_equal(written(line), "2026-01-31T12:00:00.123Z warn  net: it is\n");
    struct log_line bare = line;
    bare.is_bare = true;
    assert_string_equal(written(bare), "it is\n");
}

static void json(void **state) {
    const struct log_about about = {7, "192.0.2.1", "full"};
    struct log_line line = {
        .level = LOG_INFO, .module = "net", .text = "it is", .about = &about, .format = LOG_JSON};
    assert_string_equal(written(line),
                        "{\"ts\":\"2026-01-31T12:00:00.123Z\",\"level\":\"info\",\"module\":\"net\",\"msg\":"
                        "\"it is\",\"session\":7,\"address\":\"192.0.2.1\",\"code\":\"full\"}\n");
    line.about = NULL;
    line.is_bare = true; /* an object all the same */
    assert_string_equal(written(line),
                        "{\"ts\":\"2026-01-31T12:00:00.123Z\",\"level\":\"info\",\"module\":\"net\",\"msg\":"
                        "\"it is\"}\n");
}

static void priorities(void **state) {
    static const char *const wanted[] = {"<3>{", "<4>{", "<6>{", "<7>{"};
    for (int level = LOG_ERROR; level <= LOG_DEBUG; level++) {
        const struct log_line line = {.level = (enum log_level)level,
                                      .module = "net",
                                      .text = "",
                                      .format = LOG_JSON,
                                      .has_priority = true};
        assert_memory_equal(written(line), wanted[level], 4);
    }
}

static void texts_cannot_forge(void **state) {
    struct log_line line = {.module = "net",
                            .text = "a\n<3>b\r\x1B[31m\x7F \xC2\x9B \xE2\x80\xA8 \"\\ \xFF \xC3\xA4"};
    assert_non_null(strstr(written(line), "error net: a?<3>b??[31m? ? ? \"\\ \xFF \xC3\xA4\n"));
    line.format = LOG_JSON;
    assert_non_null(strstr(written(line),
                           "\"msg\":\"a\\u000a<3>b\\u000d\\u001b[31m\\u007f \\u009b \\u2028 \\\"\\\\ "
                           "\xEF\xBF\xBD \xC3\xA4\"}\n"));
}

static void the_longest_line_is_whole(void **state) {
    char large[LOG_LINE_TEXT], address[64];
    memset(large, 1, sizeof large - 1);
    memset(address, 2, sizeof address - 1);
    large[sizeof large - 1] = address[sizeof address - 1] = '\0';
    const struct log_about about = {UINT32_MAX, address, "protocol"};
    const struct log_line line = {
        .module = "net", .text = large, .about = &about, .format = LOG_JSON, .has_priority = true};
    const char *out = written(line);
    assert_non_null(strstr(out, "\",\"session\":4294967295,\"address\":\"\\u0002"));
    assert_non_null(strstr(out, ",\"code\":\"protocol\"}\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text), cmocka_unit_test(json),
                                       cmocka_unit_test(priorities), cmocka_unit_test(texts_cannot_forge),
                                       cmocka_unit_test(the_longest_line_is_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
