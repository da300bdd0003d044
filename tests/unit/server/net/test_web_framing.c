/* WebSocket: handshake and frames. */

#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "server/net/stream.h"
#include "server/net/web_framing.h"
#include "server/web/web_exchange.h"

/* ==== Messages out of WebSocket frames, however they arrive, and the close code of what is refused ==== */

enum { MAX_BYTES = 16, LOG_BYTES = 256 };

/* Frames of a client with a mask of four zeros: their payload is readable. */
#define MASKED "\0\0\0\0"

struct outcome {
    char messages[LOG_BYTES];
    int code;
    bool by_peer;
    size_t reply_bytes;
};

static void take_all(struct framing *framing, struct outcome *outcome) {
    char *message = NULL;
    size_t length = 0;
    while (framing_next(framing, &message, &length) == FRAMING_MESSAGE) {
        assert_int_equal(strlen(message), length);
        const size_t used = strlen(outcome->messages);
        (void)snprintf(outcome->messages + used, LOG_BYTES - used, "%s|", message);
    }
}

static struct outcome feed(const char *bytes, size_t length, size_t step) {
    struct outcome outcome = {.code = 0};
    struct framing framing;
    struct buffer replies;
    assert_int_equal(framing_init_web(&framing, MAX_BYTES), 0);
    buffer_init(&replies, 4096);
    for (size_t at = 0; at < length; at += step) {
        size_t room = 0;
        char *space = framing_reserve(&framing, step, &room);
        const size_t count = length - at < step ? length - at : step;
        memcpy(space, bytes + at, count);
        assert_int_equal(framing_commit(&framing, count), PROTOCOL_SNIFF_OURS);
        framing_take_replies(&framing, &replies);
        take_all(&framing, &outcome);
    }
    assert_int_equal(framing_end(&framing), 0);
    outcome.code = framing_end_code(&framing, &outcome.by_peer);
    outcome.reply_bytes = replies.length;
    buffer_fini(&replies);
    framing_fini(&framing);
    return outcome;
}

#define EXPECT(bytes, text, end)                                                                             \
    for (size_t step_ = 1; step_ < 40; step_++) {                                                            \
        const struct outcome outcome_ = feed(bytes, sizeof(bytes) - 1, step_);                               \
        assert_string_equal(outcome_.messages, text);                                                        \
        assert_int_equal(outcome_.code, end);                                                                \
    }

static void messages_do_not_depend_on_the_pieces(void **state) {
    EXPECT("\x81\x83" MASKED "one\x81\x80" MASKED "\x81\x83" MASKED "two", "one||two|", 0);
    EXPECT("\x01\x81" MASKED "o\x00\x81" MASKED "n\x80\x81" MASKED "e", "one|", 0);
    EXPECT("\x81\x83\x20\x20\x20\x20"
           "ONE",
           "one|", 0);
    EXPECT("\x81\x90" MASKED "0123456789abcdef", "0123456789abcdef|", 0);
    EXPECT("\x01\x81" MASKED "a\x89\x82" MASKED "hi\x80\x81" MASKED "b", "ab|", 0);
    EXPECT("\x81\x84" MASKED "a\n\tb", "a\n\tb|", 0);
}

static void rules(void **state) {
    EXPECT("\x81\x81" MASKED "a\x81\x01z", "a|", WEB_CLOSE_PROTOCOL);
    EXPECT("\xc1\x81" MASKED "a", "", WEB_CLOSE_PROTOCOL);
    EXPECT("\x82\x81" MASKED "a", "", WEB_CLOSE_NOT_TEXT);
    EXPECT("\x81\x81" MASKED "a\x81\x91" MASKED, "a|", WEB_CLOSE_TOO_LONG); /* the head alone */
    EXPECT("\x81\xff\x40\0\0\0\0\0\0\0" MASKED, "", WEB_CLOSE_TOO_LONG);
    EXPECT("\x01\x8f" MASKED "0123456789abcde\x80\x82" MASKED, "", WEB_CLOSE_TOO_LONG);
    EXPECT("\x81\x90" MASKED "0123456789abcdef\x81\x90" MASKED, "0123456789abcdef|", 0);
    EXPECT("\x81\x91" MASKED "0123456789abcdefg", "", WEB_CLOSE_TOO_LONG);
    EXPECT("\x01\x8f" MASKED "0123456789abcde\x80\x82" MASKED "fg", "", WEB_CLOSE_TOO_LONG);
    EXPECT("\x81\x82" MASKED "\xc3(", "", WEB_CLOSE_NOT_UTF8);
    EXPECT("\x80\x81" MASKED "a", "", WEB_CLOSE_PROTOCOL);
    EXPECT("\x88\x81" MASKED "a", "", WEB_CLOSE_PROTOCOL);
}

static void the_peer_closes(void **state) {
    EXPECT("\x81\x81" MASKED "a\x88\x82" MASKED "\x03\xe9\x81\x81" MASKED "b", "a|", 1001);
    EXPECT("\x88\x80" MASKED, "", WEB_CLOSE_NORMAL);
    const struct outcome closed = feed("\x88\x80" MASKED, 6, 6);
    assert_true(closed.by_peer);
    const struct outcome refused = feed("\x82\x80" MASKED, 6, 6);
    assert_false(refused.by_peer);
}

static void the_last_ping_is_answered(void **state) {
    static const char pings[] = "\x89\x81" MASKED "a\x89\x82" MASKED "bb\x89\x83" MASKED "ccc";
    assert_int_equal(feed(pings, sizeof pings - 1, sizeof pings - 1).reply_bytes, 5);
    assert_int_equal(feed("\x8a\x81" MASKED "a", 7, 7).reply_bytes, 0);
}

/* ==== The handshake of WebSocket: the example of RFC 6455, and what is not a handshake ==== */

static const struct web_handshake good = {.upgrade = "websocket",
                                          .connection = "keep-alive, Upgrade",
                                          .version = "13",
                                          .key = "dGhlIHNhbXBsZSBub25jZQ==",
                                          .protocols = "chat, drover.v1"};

static unsigned status_of(struct web_handshake handshake) {
    unsigned status = 0;
    const char *reason = NULL;
    const bool is_good = web_handshake_check(&handshake, &status, &reason);
    assert_true(is_good == (reason == NULL));
    return status;
}

static void the_rfc_s_example(void **state) {
    char accept[WEB_ACCEPT_CHARS + 1];
    web_handshake_accept(good.key, accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_int_equal(status_of(good), 0);
}

static void what_is_none(void **state) {
    struct web_handshake other = good;
    other.upgrade = "h2c";
    assert_int_equal(status_of(other), 426);
    other = good;
    other.connection = NULL;
    assert_int_equal(status_of(other), 426);
    other = good;
    other.version = "8";
    assert_int_equal(status_of(other), 426);
    other = good;
    other.key = "dGhlIHNhbXBsZSBub25jZQ=";
    assert_int_equal(status_of(other), 400);
    other = good;
    other.protocols = "drover.v10, Drover.V1";
    assert_int_equal(status_of(other), 400);
}

static void words_of_a_list(void **state) {
    assert_true(web_handshake_lists("a,\tUPGRADE ,b", "upgrade"));
    assert_true(web_handshake_lists("upgrade", "upgrade"));
    assert_false(web_handshake_lists("upgrades, xupgrade, up grade", "upgrade"));
    assert_false(web_handshake_lists("", "upgrade"));
    assert_false(web_handshake_lists(NULL, "upgrade"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_do_not_depend_on_the_pieces),
        cmocka_unit_test(rules),
        cmocka_unit_test(the_peer_closes),
        cmocka_unit_test(the_last_ping_is_answered),
        cmocka_unit_test(the_rfc_s_example),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(words_of_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
