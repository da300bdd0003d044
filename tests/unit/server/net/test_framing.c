/* Messages out of bytes, however they arrive, and no message of another protocol. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "server/net/stream.h"

enum { MAX_BYTES = 8 };

static enum protocol_sniff feed(struct framing *framing, const char *bytes, size_t length) {
    size_t size = 0;
    char *space = framing_reserve(framing, length, &size);
    assert_non_null(space);
    assert_true(size >= length);
    memcpy(space, bytes, length);
    return framing_commit(framing, length);
}

enum { LOG_BYTES = 128 };

static void append(char log[LOG_BYTES], const char *text) {
    const size_t length = strlen(log);
    assert_true(length + strlen(text) < LOG_BYTES);
    (void)snprintf(log + length, LOG_BYTES - length, "%s", text);
}

/* Appends the next message and '|', or '!' for one that is too long. Returns false when there is none. */
static bool take(struct framing *framing, char log[LOG_BYTES]) {
    char *message = NULL;
    size_t length = 0;
    switch (framing_next(framing, &message, &length)) {
    case FRAMING_NEED_MORE:
        return false;
    case FRAMING_TOO_LONG:
        append(log, "!");
        return true;
    case FRAMING_MESSAGE:
        assert_int_equal(strlen(message), length);
        append(log, message);
        append(log, "|");
        return true;
    }
    return false;
}

/* What the bytes are cut into, fed in pieces of `step`. */
static void expect(const char *bytes, size_t step, const char *expected) {
    char log[LOG_BYTES] = "";
    struct framing framing;
    framing_init(&framing, MAX_BYTES);
    const size_t length = strlen(bytes);
    for (size_t at = 0; at < length; at += step) {
        (void)feed(&framing, bytes + at, length - at < step ? length - at : step);
        while (take(&framing, log)) {}
    }
    assert_int_equal(framing_end(&framing), 0);
    while (take(&framing, log)) {}
    assert_true(framing_is_empty(&framing));
    framing_fini(&framing);
    assert_string_equal(log, expected);
}

static void messages_do_not_depend_on_the_pieces(void **state) {
    for (size_t step = 1; step < 12; step++) {
        expect("one\ntwo\r\n\nthree\n", step, "one|two||three|");
        expect("12345678\n", step, "12345678|");
        expect("123456789\nnext\n", step, "!next|");
        expect("much longer than the limit\r\na\nmuch longer again\nb\n", step, "!a|!b|");
    }
}

static void the_end_completes_the_last_message(void **state) {
    for (size_t step = 1; step < 8; step++) {
        expect("a\nlast", step, "a|last|");
        expect("G", step, "G|");
        expect("longer than the limit", step, "!");
        expect("", step, "");
    }
}

static void a_partial_message_waits(void **state) {
    char log[LOG_BYTES] = "";
    struct framing framing;
    framing_init(&framing, MAX_BYTES);
    (void)feed(&framing, "ab", 2);
    assert_false(take(&framing, log));
    assert_false(framing_is_empty(&framing));
    (void)feed(&framing, "c\nd", 3);
    assert_true(take(&framing, log));
    assert_false(take(&framing, log));
    assert_string_equal(log, "abc|");
    assert_false(framing_is_empty(&framing));
    framing_clear(&framing);
    assert_true(framing_is_empty(&framing));
    (void)feed(&framing, "e\n", 2);
    assert_true(take(&framing, log));
    assert_string_equal(log, "abc|e|");
    framing_fini(&framing);
}

/* Feeds a line of so many bytes in pieces and takes it. */
static void pass_long_line(struct framing *framing, size_t length) {
    char piece[1024];
    memset(piece, 'x', sizeof piece);
    char *message = NULL;
    size_t taken = 0;
    for (size_t at = 0; at < length; at += sizeof piece) {
        (void)feed(framing, piece, sizeof piece);
        assert_int_equal(framing_next(framing, &message, &taken), FRAMING_NEED_MORE);
        assert_true(framing->lines.capacity <= 2 * length + sizeof piece);
    }
    (void)feed(framing, "\n", 1);
    assert_int_equal(framing_next(framing, &message, &taken), FRAMING_MESSAGE);
    assert_int_equal(taken, length);
}

static void a_higher_limit_takes_longer_lines_and_gives_their_memory_back(void **state) {
    struct framing framing;
    char *message = NULL;
    size_t length = 0;
    framing_init(&framing, 4096);
    pass_long_line(&framing, 4096);
    framing_set_limit(&framing, 1 << 20);
    assert_int_equal(framing_limit(&framing), 1 << 20);
    pass_long_line(&framing, 1 << 20);
    assert_true(framing.lines.capacity >= 1 << 20);
    assert_int_equal(framing_next(&framing, &message, &length), FRAMING_NEED_MORE);
    assert_int_equal(framing.lines.capacity, 0);
    pass_long_line(&framing, 8192);
    framing_fini(&framing);
}

/* What the bytes are recognized as, fed one by one; and no message comes of them before. */
static void expect_protocol(const char *bytes, size_t length, enum protocol_sniff expected) {
    char log[LOG_BYTES] = "";
    struct framing framing;
    framing_init(&framing, MAX_BYTES);
    enum protocol_sniff protocol = PROTOCOL_SNIFF_UNSURE;
    for (size_t i = 0; i < length; i++) {
        const enum protocol_sniff before = protocol;
        protocol = feed(&framing, bytes + i, 1);
        assert_true(before == PROTOCOL_SNIFF_UNSURE || protocol == before); /* decided once */
        if (protocol == PROTOCOL_SNIFF_UNSURE) {
            assert_false(take(&framing, log));
        }
    }
    assert_int_equal(protocol, expected);
    framing_fini(&framing);
}

static void the_first_bytes_tell_the_protocol(void **state) {
    expect_protocol("GET / HT", 8, PROTOCOL_SNIFF_HTTP);
    expect_protocol("\x16\x03\x01", 3, PROTOCOL_SNIFF_TLS);
    expect_protocol("GE", 2, PROTOCOL_SNIFF_UNSURE);
    expect_protocol("{}\nGET /", 8, PROTOCOL_SNIFF_OURS);
    expect_protocol("GETTER\n", 7, PROTOCOL_SNIFF_OURS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_do_not_depend_on_the_pieces),
        cmocka_unit_test(the_end_completes_the_last_message),
        cmocka_unit_test(a_partial_message_waits),
        cmocka_unit_test(a_higher_limit_takes_longer_lines_and_gives_their_memory_back),
        cmocka_unit_test(the_first_bytes_tell_the_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
