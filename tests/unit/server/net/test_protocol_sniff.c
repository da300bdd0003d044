/* HTTP and TLS by their first bytes, however few have arrived, and HTTP by its lines; never the protocol itself. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "server/net/stream.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(http),
        cmocka_unit_test(tls),
        cmocka_unit_test(ours),
        cmocka_unit_test(http_by_its_lines),
        cmocka_unit_test(answer_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
