/* What comes in: lines, protocols, frames of WebSocket. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "server/net/stream.h"
#include "server/net/web_framing.h"

/* ==== Messages out of bytes, however they arrive, and no message of another protocol ==== */

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

/* ==== protocol sniff ====
 * HTTP and TLS by their first bytes, however few have arrived, and HTTP by its lines; never the protocol itself. */

static void expect_look(const char *bytes, size_t length, enum protocol_sniff last) {
    for (size_t i = 0; i < length; i++) {
        const enum protocol_sniff found = protocol_sniff_look(bytes, i);
        if (found != PROTOCOL_SNIFF_UNSURE && found != last) {
            fail_msg("%.*s: %d", (int)i, bytes, (int)found);
        }
    }
    assert_int_equal(protocol_sniff_look(bytes, length), last);
}

static void http(void **state) {
    static const char *const lines[] = {"GET / HTTP/1.1\r\n",
                                        "POST /x HTTP/1.0\n",
                                        "HEAD / HTTP/1.1",
                                        "OPTIONS * H",
                                        "CONNECT a:1 HTTP/1.1",
                                        "DELETE /",
                                        "PUT /a",
                                        "PATCH /",
                                        "TRACE / H",
                                        "PRI * HTTP/2.0\r\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        expect_look(lines[i], strlen(lines[i]), PROTOCOL_SNIFF_HTTP);
    }
}

static void tls(void **state) {
    expect_look("\x16\x03\x01\x02\x00", 5, PROTOCOL_SNIFF_TLS);
    assert_int_equal(protocol_sniff_look("\x16", 1), PROTOCOL_SNIFF_UNSURE);
    assert_int_equal(protocol_sniff_look("\x16\x02", 2), PROTOCOL_SNIFF_OURS);
}

static void ours(void **state) {
    static const char *const lines[] = {
        "{\"op\":\"ping\"}\n", "\n", "GETTER", "get / http", "PING\r\n", "\xff", "G\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        expect_look(lines[i], strlen(lines[i]), PROTOCOL_SNIFF_OURS);
    }
    assert_int_equal(protocol_sniff_look("", 0), PROTOCOL_SNIFF_UNSURE);
}

static bool is_http(const char *line) {
    return protocol_sniff_is_http(line, strlen(line));
}

static void http_by_its_lines(void **state) {
    static const char *const foreign[] = {
        "FOO / HTTP/1.1",  "patch /x HTTP/1.0",         "QUERY * http/2.0",
        "x HTTP/1.1 \t\r", "Host: 127.0.0.1:7717",      "host:",
        "HOST : a",        "Content-Length: 40",        "content-type:text/plain",
        " HTTP/1.1",       "Transfer-Encoding: chunked"};
    static const char *const ours[] = {"",
                                       "{\"op\":\"hello\",\"name\":\"a HTTP/1.1\"}",
                                       "{\"Host:\":1}",
                                       "HTTP/1.1",
                                       "a HTTP/1.",
                                       "a HTTP/x.y",
                                       "ghost: a",
                                       "hosts: a",
                                       ": a",
                                       "host"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (!is_http(foreign[i])) {
            fail_msg("%s", foreign[i]);
        }
    }
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (is_http(ours[i])) {
            fail_msg("%s", ours[i]);
        }
    }
}

/* The body of the answer, after its head said how long it is. */
static void expect_answer(const char *web_address, const char *expected) {
    struct buffer answer;
    buffer_init(&answer, 4096);
    protocol_sniff_answer(web_address, &answer);
    const char *body = strstr(answer.data, "\r\n\r\n");
    assert_non_null(body);
    char length[64];
    (void)snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(expected));
    assert_non_null(strstr(answer.data, length));
    assert_string_equal(body + 4, expected);
    buffer_fini(&answer);
}

static void answer_is_whole(void **state) {
    expect_answer(NULL, "This port speaks the Drover protocol: one JSON object a line, not HTTP, not TLS\n");
    expect_answer("http://127.0.0.1:7718/",
                  "This port speaks the Drover protocol: one JSON object a line, not HTTP, not TLS\n"
                  "The page for browsers is at http://127.0.0.1:7718/\n");
}

/* ==== The heads of frames, and whole control frames ==== */

static void expect_head(size_t payload, const char *expected, size_t length) {
    char head[WEB_FRAME_HEAD_BYTES];
    assert_int_equal(web_frame_head(WEB_TEXT, payload, head), length);
    assert_memory_equal(head, expected, length);
}

static void lengths(void **state) {
    expect_head(0, "\x81\x00", 2);
    expect_head(125, "\x81\x7d", 2);
    expect_head(126, "\x81\x7e\x00\x7e", 4);
    expect_head(65535, "\x81\x7e\xff\xff", 4);
    expect_head(65536, "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10);
}

static void control_frames(void **state) {
    struct buffer out;
    char longest[300];
    buffer_init(&out, 4096);
    web_frame_append(&out, WEB_PING, "", 0);
    assert_int_equal(out.length, 2);
    assert_memory_equal(out.data, "\x89\x00", 2);
    buffer_clear(&out);
    web_frame_append_close(&out, WEB_CLOSE_TRY_LATER, "full");
    assert_int_equal(out.length, 8);
    assert_memory_equal(out.data,
                        "\x88\x06\x03\xf5"
                        "full",
                        8);
    buffer_clear(&out);
    memset(longest, 'x', sizeof longest);
    memcpy(longest + 122, "\xc3\xa9", 3);
    web_frame_append_close(&out, WEB_CLOSE_NORMAL, longest);
    assert_int_equal(out.length, 2 + 2 + 122); /* the character at the end is whole or not there */
    buffer_fini(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_do_not_depend_on_the_pieces),
        cmocka_unit_test(the_end_completes_the_last_message),
        cmocka_unit_test(a_partial_message_waits),
        cmocka_unit_test(a_higher_limit_takes_longer_lines_and_gives_their_memory_back),
        cmocka_unit_test(the_first_bytes_tell_the_protocol),
        cmocka_unit_test(http),
        cmocka_unit_test(tls),
        cmocka_unit_test(ours),
        cmocka_unit_test(http_by_its_lines),
        cmocka_unit_test(answer_is_whole),
        cmocka_unit_test(lengths),
        cmocka_unit_test(control_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
