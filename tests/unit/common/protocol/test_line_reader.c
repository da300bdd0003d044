/* common/line_reader: the same lines for any pieces of the stream; too-long lines are reported once. */
#include "common/protocol/line_reader.h"

#include <stdio.h>

#include "tests/unit/common/test_support.h"

enum { MAX_LINE = 16, TRACE_BYTES = 4096 };

/* Feeds text in pieces and writes the events: "<line>" or "!". */
static void trace_lines(const char *text, size_t length, size_t (*piece)(uint64_t *), uint64_t seed,
                        char *trace) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    size_t used = 0;
    trace[0] = '\0';
    for (size_t at = 0; at < length;) {
        size_t room = 0;
        char *space = line_reader_reserve(&reader, piece(&seed), &room);
        assert_non_null(space);
        assert_true(room > 0);
        size_t count = piece(&seed);
        count = count > room ? room : count;
        count = count > length - at ? length - at : count;
        memcpy(space, text + at, count);
        line_reader_commit(&reader, count);
        at += count;
        char *line = NULL;
        size_t line_length = 0;
        enum line_event event;
        while ((event = line_reader_next(&reader, &line, &line_length)) != LINE_NEED_MORE) {
            if (event == LINE_TOO_LONG) {
                used += (size_t)snprintf(trace + used, TRACE_BYTES - used, "!");
            } else {
                assert_int_equal(line[line_length], '\0');
                used += (size_t)snprintf(trace + used, TRACE_BYTES - used, "<%s>", line);
            }
            assert_true(used < TRACE_BYTES);
        }
        assert_true(reader.end - reader.begin <= MAX_LINE + 1);
    }
    line_reader_fini(&reader);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): one of a table of functions */
static size_t one_byte(uint64_t *seed) {
    (void)seed;
    return 1;
}
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static size_t all_at_once(uint64_t *seed) {
    (void)seed;
    return 4096;
}
static size_t random_piece(uint64_t *seed) {
    return 1 + test_below(seed, 40);
}

static const char mixed[] =
    "one\ntwo\r\n\n\r\n0123456789abcdef\n0123456789abcdef\r\n0123456789abcdefg\nafter\n"
    "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz\nx\n"
    "0123456789abcde\r\r\n0123456789abcdef\r\r\nlast\nhalf";
static const char expected[] =
    "<one><two><><><0123456789abcdef><0123456789abcdef>!<after>!<x><0123456789abcde\r>!<last>";

static void cuts_the_same_lines_however_they_come(void **state) {
    char trace[TRACE_BYTES];
    trace_lines(mixed, sizeof mixed - 1, all_at_once, 0, trace);
    assert_string_equal(trace, expected);
    trace_lines(mixed, sizeof mixed - 1, one_byte, 0, trace);
    assert_string_equal(trace, expected);
    for (uint64_t seed = 1; seed < 300; seed++) {
        trace_lines(mixed, sizeof mixed - 1, random_piece, seed, trace);
        assert_string_equal(trace, expected);
    }
}

static void an_endless_line_costs_bounded_memory(void **state) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    int reports = 0;
    for (int i = 0; i < 10000; i++) {
        size_t room = 0;
        char *space = line_reader_reserve(&reader, 64, &room);
        assert_non_null(space);
        memset(space, 'z', 64);
        line_reader_commit(&reader, 64);
        char *line = NULL;
        size_t length = 0;
        enum line_event event;
        while ((event = line_reader_next(&reader, &line, &length)) != LINE_NEED_MORE) {
            assert_int_equal(event, LINE_TOO_LONG);
            reports++;
        }
    }
    assert_int_equal(reports, 1);
    assert_true(reader.capacity < 512);
    line_reader_fini(&reader);
}

static void keeps_nul_bytes_in_a_line(void **state) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    size_t room = 0;
    char *space = line_reader_reserve(&reader, 4, &room);
    assert_non_null(space);
    memcpy(space, "a\0b\n", 4);
    line_reader_commit(&reader, 4);
    char *line = NULL;
    size_t length = 0;
    assert_int_equal(line_reader_next(&reader, &line, &length), LINE_READY);
    assert_int_equal(length, 3);
    assert_memory_equal(line, "a\0b", 4);
    assert_int_equal(line_reader_next(&reader, &line, &length), LINE_NEED_MORE);
    line_reader_fini(&reader);
}

/* Feeds the text, ends the stream and returns the lines behind the last newline, as trace_lines writes them.
 */
static void expect_last(const char *text, const char *last) {
    struct line_reader reader;
    line_reader_init(&reader, MAX_LINE);
    size_t room = 0, length = strlen(text), line_length = 0;
    char *line = NULL, trace[64] = "";
    char *space = line_reader_reserve(&reader, length, &room);
    assert_non_null(space);
    memcpy(space, text, length);
    line_reader_commit(&reader, length);
    while (line_reader_next(&reader, &line, &line_length) != LINE_NEED_MORE) {}
    assert_int_equal(line_reader_end(&reader), 0);
    assert_int_equal(line_reader_end(&reader), 0); /* ends only once */
    enum line_event event;
    while ((event = line_reader_next(&reader, &line, &line_length)) != LINE_NEED_MORE) {
        const size_t used = strlen(trace);
        (void)snprintf(trace + used, sizeof trace - used, event == LINE_READY ? "<%s>" : "!", line);
    }
    assert_string_equal(trace, last);
    line_reader_fini(&reader);
}

static void the_end_of_the_stream_ends_a_line(void **state) {
    expect_last("", "");
    expect_last("one\n", "");
    expect_last("one\ntwo", "<two>");
    expect_last("two\r", "<two>");
    expect_last("0123456789abcdef", "<0123456789abcdef>");
    expect_last("0123456789abcdefg", ""); /* was reported as too long already */
    expect_last("0123456789abcdefghij", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_the_same_lines_however_they_come),
        cmocka_unit_test(an_endless_line_costs_bounded_memory),
        cmocka_unit_test(the_end_of_the_stream_ends_a_line),
        cmocka_unit_test(keeps_nul_bytes_in_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
