/* libdrover without sockets: bytes in, requests and events out, the time by number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/include/drover/drover.h"
#include "common/base/buffer.h"
#include "tests/unit/common/test_support.h"

enum { SESSION_BYTES = 1 << 20, TEXT_BYTES = 1 << 24 };

#define HELLO                                                                                                \
    "{\"op\":\"hello\",\"protocol\":1,\"server\":\"drover-server 0.1.0\",\"session\":1,\"role\":\"admin\","  \
    "\"tick\":0,\"time\":0,\"paused\":false,\"scenario\":{\"name\":\"a\",\"title\":\"A\","                   \
    "\"description\":\"\",\"size\":[800,600],\"edge\":\"wrap\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],"      \
    "\"targets\":[]}}\n"
#define FRAME(tick)                                                                                          \
    "{\"op\":\"snapshot\",\"tick\":" #tick ",\"time\":1.000000,\"agents\":[{\"id\":3,\"kind\":\"prey\","     \
    "\"state\":\"seek\",\"x\":12.34,\"y\":5.00,\"vx\":-3.20,\"vy\":0.00,\"heading\":180.00}],\"targets\":"   \
    "[{\"name\":\"mouse\",\"x\":400.00,\"y\":300.00}],\"clock\":88123.412}\n"

/* ---- a handle without a socket ---- */

static struct drover *begin(const struct drover_options *options) {
    struct drover *world = drover_create(options);
    assert_non_null(world);
    assert_int_equal(drover_advance(world, 1000.0), 0);
    drover_opened(world);
    return world;
}

static int feed(struct drover *world, const char *text) {
    return drover_feed(world, text, strlen(text));
}

/* A handle whose connection is ready; its pings are switched off unless the options say otherwise. */
static struct drover *begin_ready(void) {
    struct drover_options options = DROVER_OPTIONS;
    options.silence_ms = -1;
    struct drover *world = begin(&options);
    assert_int_equal(feed(world, HELLO), 0);
    return world;
}

/* Everything that is to be sent, as if it were sent at once. */
static const char *sent(struct drover *world) {
    static char text[65536];
    size_t at = 0, length = 0;
    const char *bytes;
    while ((bytes = drover_output(world, &length)) != NULL) {
        assert_true(at + length < sizeof text);
        memcpy(text + at, bytes, length);
        at += length;
        drover_sent(world, length);
    }
    text[at] = '\0';
    return text;
}

/* The next message; changes of the connection and frames before it are skipped. */
static const struct drover_message *next_message(struct drover *world) {
    enum drover_event event;
    do {
        event = drover_next(world);
    } while (event == DROVER_FRAME || event == DROVER_LINK);
    return event == DROVER_MESSAGE ? drover_this_message(world) : NULL;
}

static void assert_next(struct drover *world, const char *op, const char *code, uint64_t ticket) {
    const struct drover_message *message = next_message(world);
    assert_non_null(message);
    assert_string_equal(drover_message_op(message), op);
    if (code != NULL) {
        assert_string_equal(drover_message_code(message), code);
    }
    assert_int_equal(drover_message_ticket(message), ticket);
}

static void drain(struct drover *world) {
    while (drover_next(world) != DROVER_NOTHING) {}
}

/* ---- pieces ---- */

static void describe_frame(const struct drover_frame *frame, struct buffer *out) {
    buffer_printf(out, "frame %llu of world %u: %d\n", (unsigned long long)frame->tick,
                  (unsigned)frame->world, (int)frame->count);
    for (int32_t i = 0; i < frame->count; i++) {
        buffer_printf(out, "%u %s %s %d %d %d %d %d\n", (unsigned)frame->id[i],
                      drover_frame_kind(frame, frame->kind[i]), drover_frame_state(frame, frame->state[i]),
                      (int)frame->x[i], (int)frame->y[i], (int)frame->vx[i], (int)frame->vy[i],
                      (int)frame->heading[i]);
    }
    for (int32_t i = 0; i < frame->grid_columns * frame->grid_rows; i++) {
        buffer_printf(out, "%u ", (unsigned)frame->grid_count[i]);
    }
}

static void take_events(struct drover *world, struct buffer *out) {
    enum drover_event event;
    while ((event = drover_next(world)) != DROVER_NOTHING) {
        if (event == DROVER_FRAME) {
            describe_frame(drover_this_frame(world), out);
        } else if (event == DROVER_MESSAGE) {
            buffer_printf(out, "%s\n", drover_message_text(drover_this_message(world), NULL));
        }
    }
}

/* Feeds line by line at least, so that no frame is replaced by a newer one; piece: the largest piece of a line. */
static struct buffer decode(const char *bytes, size_t length, uint32_t piece, uint64_t *random) {
    struct drover *world = begin(NULL);
    struct buffer out;
    buffer_init(&out, TEXT_BYTES);
    for (size_t at = 0; at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        const size_t line = end != NULL ? (size_t)(end + 1 - bytes) - at : length - at;
        size_t count = piece == 0 ? line : 1 + test_below(random, piece);
        count = count < line ? count : line;
        assert_int_equal(drover_feed(world, bytes + at, count), 0);
        take_events(world, &out);
        at += count;
    }
    drover_close(world);
    assert_false(out.failed);
    return out;
}

static void pieces_make_no_difference(void **state) {
    uint64_t random = 7;
    char *bytes = malloc(SESSION_BYTES);
    FILE *file = fopen("tests/fuzz/corpus/client/session.jsonl", "rb");
    assert_true(file != NULL && bytes != NULL);
    const size_t length = fread(bytes, 1, SESSION_BYTES, file);
    assert_int_equal(fclose(file), 0);
    struct buffer whole = decode(bytes, length, 0, NULL);
    assert_true(whole.length > 10000);
    for (uint32_t piece = 1; piece < 20000; piece *= 3) {
        struct buffer pieces = decode(bytes, length, piece, &random);
        assert_string_equal(whole.data, pieces.data);
        buffer_fini(&pieces);
    }
    buffer_fini(&whole);
    free(bytes);
}

/* ---- beginning ---- */

static void a_hello_makes_it_ready(void **state) {
    struct drover_options options = DROVER_OPTIONS;
    options.name = "Ann \"A\"";
    options.token = "secret123";
    options.hello = "\"seq\":true";
    struct drover *world = begin(&options);
    assert_int_equal(drover_state(world), DROVER_CONNECTING);
    assert_string_equal(sent(world), "");
    assert_int_equal(feed(world, HELLO), 0);
    assert_int_equal(drover_state(world), DROVER_READY);
    assert_string_equal(
        sent(world),
        "{\"op\":\"hello\",\"protocol\":1,\"name\":\"Ann \\\"A\\\"\",\"token\":\"secret123\",\"seq\":true,"
        "\"id\":\"~hello\"}\n");
    assert_int_equal(drover_next(world), DROVER_LINK);
    assert_next(world, "hello", NULL, 0);
    assert_int_equal(drover_message_world(drover_this_message(world)), 1);
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"to\":\"hello\",\"id\":\"~hello\"}\n"), 0);
    assert_next(world, "reply", NULL, 0); /* it says which role the session has */
    drover_close(world);
}

static void assert_refused(const struct drover_options *options, const char *lines, const char *reason) {
    struct drover *world = begin(options);
    const uint64_t ticket = drover_request(world, "{\"op\":\"pause\"}");
    assert_int_equal(feed(world, lines), -1);
    assert_int_equal(drover_state(world), DROVER_REFUSED);
    assert_string_equal(drover_reason(world), reason);
    const struct drover_message *message;
    do {
        message = next_message(world);
    } while (message != NULL && drover_message_ticket(message) != ticket);
    assert_non_null(message);
    assert_int_equal(drover_send(world, "{\"op\":\"pause\"}"), -1);
    drover_close(world);
}

static void what_no_further_try_would_change_is_final(void **state) {
    struct drover_options options = DROVER_OPTIONS;
    assert_refused(NULL, "{\"op\":\"hello\",\"protocol\":2,\"server\":\"x\",\"session\":1}\n",
                   "the server speaks protocol 2, this library 1");
    assert_refused(NULL,
                   "{\"op\":\"hello\",\"protocol\":1,\"server\":\"x\",\"session\":1,\"role\":\"none\"}\n",
                   "the server wants a token");
    options.token = "secret123";
    assert_refused(&options,
                   "{\"op\":\"hello\",\"protocol\":1,\"server\":\"x\",\"session\":1,\"role\":\"none\"}\n{"
                   "\"op\":\"error\",\"id\":"
                   "\"~hello\",\"code\":\"denied\",\"field\":\"token\",\"message\":\"wrong\"}\n",
                   "the server refuses the token");
    assert_refused(NULL, "{\"op\":\"bye\",\"reason\":\"auth\",\"message\":\"no token came\"}\n",
                   "no token came");
    options = (struct drover_options)DROVER_OPTIONS;
    options.hello = "nonsense";
    struct drover *world = drover_create(&options);
    assert_int_equal(drover_state(world), DROVER_ENDED);
    assert_true(strstr(drover_reason(world), "options.hello: ") == drover_reason(world));
    drover_close(world);
}

static void what_is_no_server_is_tried_again(void **state) {
    static const char *const lines[] = {"HTTP/1.1 400 Bad Request\n", "{\"op\":\"reply\"}\n", "7\n",
                                        "\"hello\"\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct drover *world = begin(NULL);
        assert_int_equal(feed(world, lines[i]), -1);
        assert_int_equal(drover_state(world), DROVER_WAITING);
        assert_string_equal(drover_reason(world), "this is not a drover server: its first line is no hello");
        drover_close(world);
    }
}

/* ---- requests ---- */

static void requests_and_answers_go_together(void **state) {
    struct drover *world = begin_ready();
    drain(world);
    const uint64_t a = drover_request(world, "{\"op\":\"pause\"}");
    const uint64_t b = drover_request(world, " {\"op\":\"step\",\n\"id\":7}");
    const uint64_t c = drover_request(world, "{}");
    assert_int_equal(drover_send(world, "{\"op\":\"mouse\",\"x\":1,\"y\":2}"), 0);
    assert_string_equal(sent(world),
                        "{\"id\":\"~1\",\"op\":\"pause\"}\n{\"op\":\"step\", \"id\":7}\n{\"id\":\"~3\"}\n"
                        "{\"op\":\"mouse\",\"x\":1,\"y\":2}\n");
    assert_int_equal(
        feed(world,
             "{\"op\":\"event\",\"event\":\"x\",\"id\":7}\n{\"op\":\"reply\",\"to\":\"step\",\"id\":7,"
             "\"new\":[1]}\n"
             "{\"op\":\"error\",\"id\":\"~3\",\"code\":\"invalid\",\"field\":\"op\",\"message\":\"no op\"}\n"
             "{\"op\":\"reply\",\"to\":\"pause\",\"id\":\"~1\"}\n{\"op\":\"reply\",\"id\":\"~1\"}\n"),
        0);
    assert_next(world, "event", NULL, 0);
    assert_next(world, "reply", NULL, b);
    assert_string_equal(drover_message_text(drover_this_message(world), NULL),
                        "{\"op\":\"reply\",\"to\":\"step\",\"id\":7,\"new\":[1]}");
    assert_next(world, "error", "invalid", c);
    assert_string_equal(drover_message_string(drover_this_message(world), "field"), "op");
    assert_int_equal(drover_message_is_local(drover_this_message(world)), 0);
    assert_next(world, "reply", NULL, a);
    assert_next(world, "reply", NULL, 0); /* answered already */
    drover_close(world);
}

static void assert_unreadable(struct drover *world, const char *line, const char *why, uint64_t ticket) {
    assert_int_equal(feed(world, line), 0);
    assert_next(world, "error", "unreadable", ticket);
    assert_string_equal(drover_message_string(drover_this_message(world), "message"), why);
    assert_int_equal(drover_message_is_local(drover_this_message(world)), 1);
}

/* It is an error with the request's ticket; the connection stays. */
static void an_answer_that_cannot_be_read_is_an_error(void **state) {
    struct drover *world = begin_ready();
    drain(world);
    drover_set_timeout(world, -1);
    const uint64_t a = drover_request(world, "{\"op\":\"list\",\"id\":7}");
    const uint64_t b = drover_request(world, "{\"op\":\"list\"}");
    const uint64_t c = drover_request(world, "{\"op\":\"list\",\"id\":\"\\u00e9\\\"\"}");
    (void)sent(world);
    assert_unreadable(world, "{\"op\":\"reply\",\"to\":\"list\",\"id\":7,\"name\":\"\xff\"}\n",
                      "the answer cannot be read: byte 41: not UTF-8", a);
    assert_unreadable(
        world, "{\"op\":\"reply\",\"to\":\"a\\\"id\\\":7\",\"in\":[{\"id\":7}],\"id\":\"~2\",\"in\":1}\n",
        "the answer cannot be read: byte 57: duplicate key \"in\"", b);
    assert_unreadable(world, "{\"op\":\"error\",\"id\":\"\xc3\xa9\\\"\",\"message\":\"\\ud800\"}\n",
                      "the answer cannot be read: byte 37: a high surrogate without a low one", c);
    assert_int_equal(drover_state(world), DROVER_READY);
    drover_close(world);
}

/* It is not known whose answer it was: the connection is given up, and with it every request that is out. */
static void a_line_that_cannot_be_read_ends_the_connection(void **state) {
    static const char *const lines[] = {"{\"op\":\"reply\",\"id\n",
                                        "{\"op\":\"reply\",\"id\":\n",
                                        "{\"op\":\"reply\",\"id\":\"~1\n",
                                        "{\"op\":\"reply\",\"id\":\"\xff\"}\n",
                                        "{\"op\":\"reply\",\"in\":[{\"id\":\"~1\"}}\n",
                                        "{\"op\":\"scenario\",\"id\":\"~1\",\"name\":\"\xff\"}\n",
                                        "no JSON\n",
                                        "7\n"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct drover *world = begin_ready();
        drain(world);
        drover_set_timeout(world, -1);
        const uint64_t ticket = drover_request(world, "{\"op\":\"list\"}");
        (void)sent(world);
        assert_int_equal(feed(world, lines[i]), -1);
        assert_int_equal(drover_state(world), DROVER_WAITING);
        assert_non_null(strstr(drover_reason(world), "a message cannot be read: "));
        assert_next(world, "error", "lost", ticket);
        assert_non_null(
            strstr(drover_message_string(drover_this_message(world), "message"), drover_reason(world)));
        drover_close(world);
    }
}

static void what_is_no_request_is_refused(void **state) {
    static const char *const texts[] = {"",
                                        "7",
                                        "[]",
                                        "{\"op\":",
                                        "{\"a\":1,\"a\":2}",
                                        "{\"id\":true}",
                                        "{\"id\":-1}",
                                        "{\"op\":\"a\"} x",
                                        "{\"op\":\"a\n\"}"};
    struct drover *world = begin_ready();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(drover_send(world, texts[i]), -1);
        assert_int_equal(drover_request(world, texts[i]), 0);
        assert_true(drover_reason(world)[0] != '\0');
    }
    assert_string_equal(sent(world), "");
    drover_close(world);
}

static void requests_wait_for_a_connection(void **state) {
    struct drover *world = begin(NULL);
    const uint64_t a = drover_request(world, "{\"op\":\"pause\"}");
    assert_string_equal(sent(world), "");
    drover_lost(world, "connection refused");
    assert_int_equal(drover_timeout(world), 250);
    drover_opened(world);
    assert_int_equal(feed(world, HELLO), 0);
    assert_string_equal(sent(world), "{\"id\":\"~1\",\"op\":\"pause\"}\n");
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"id\":\"~1\"}\n"), 0);
    assert_next(world, "hello", NULL, 0);
    assert_next(world, "reply", NULL, a);
    drover_close(world);
}

static void what_may_have_taken_effect_is_lost(void **state) {
    struct drover *world = begin_ready();
    size_t length = 0;
    drain(world);
    const uint64_t a = drover_request(world, "{\"op\":\"spawn\"}");
    assert_int_equal(drover_send(world, "{\"op\":\"pause\"}"), 0);
    const uint64_t b = drover_request(world, "{\"op\":\"step\"}");
    const uint64_t c = drover_request(world, "{\"op\":\"resume\"}");
    const char *bytes = drover_output(world, &length);
    /* the newline of the step's line is missing, and nothing of resume's went */
    drover_sent(world, (size_t)(strstr(bytes, "resume") - bytes) - 18);
    drover_lost(world, "the server closed the connection");
    assert_int_equal(drover_state(world), DROVER_WAITING);
    assert_next(world, "error", "lost", a);
    assert_int_equal(drover_message_is_local(drover_this_message(world)), 1);
    assert_non_null(strstr(drover_message_string(drover_this_message(world), "message"),
                           "the server closed the connection"));
    assert_next(world, "error", "lost", b);
    assert_null(next_message(world));
    drover_opened(world);
    assert_int_equal(feed(world, HELLO), 0);
    assert_string_equal(sent(world), "{\"id\":\"~4\",\"op\":\"resume\"}\n");
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"id\":\"~4\"}\n"), 0);
    assert_next(world, "hello", NULL, 0);
    assert_next(world, "reply", NULL, c);
    assert_int_equal(drover_connections(world), 2);
    drover_close(world);
}

static void nothing_is_sent_twice(void **state) {
    enum { REQUESTS = 400 };
    uint64_t random = 11;
    int answered[REQUESTS] = {0}, given = 0;
    struct drover *world = begin_ready();
    struct buffer all;
    buffer_init(&all, TEXT_BYTES);
    for (int turn = 0; turn < 4000; turn++) {
        char text[64];
        size_t length = 0;
        const char *bytes = drover_output(world, &length);
        if (bytes != NULL) {
            const size_t count = 1 + test_below(&random, (uint32_t)length);
            buffer_append(&all, bytes, count);
            drover_sent(world, count);
        }
        if (test_below(&random, 8) == 0 && given < REQUESTS) {
            (void)snprintf(text, sizeof text, "{\"op\":\"spawn\",\"id\":%d,\"count\":1}", given);
            assert_int_equal(drover_request(world, text), ++given);
        }
        if (test_below(&random, 20) == 0) {
            drover_lost(world, "gone");
            buffer_append_text(&all, "|");
            drover_opened(world);
            assert_int_equal(feed(world, HELLO), 0);
        }
        for (const struct drover_message *message; (message = next_message(world)) != NULL;) {
            if (drover_message_ticket(message) != 0) {
                assert_string_equal(drover_message_code(message), "lost");
                answered[drover_message_ticket(message) - 1]++;
            }
        }
    }
    for (int i = 0; i < given; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "\"id\":%d,\"count", i);
        const char *first = strstr(all.data, text);
        assert_true(first == NULL || strstr(first + 1, text) == NULL);
        assert_in_range(answered[i], 0, 1);
    }
    assert_int_equal(given, REQUESTS);
    buffer_fini(&all);
    drover_close(world);
}

static void answers_have_a_time(void **state) {
    struct drover *world = begin_ready();
    drain(world);
    drover_set_timeout(world, 500);
    const uint64_t a = drover_request(world, "{\"op\":\"step\"}");
    (void)sent(world);
    assert_int_equal(drover_timeout(world), 500);
    assert_int_equal(drover_advance(world, 1499.0), 0);
    assert_null(next_message(world));
    assert_int_equal(drover_advance(world, 1500.0), 0);
    assert_next(world, "error", "timeout", a);
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"id\":\"~1\"}\n"), 0);
    assert_next(world, "reply", NULL, 0); /* too late */
    drover_lost(world, "gone");
    drover_set_timeout(world, 100);
    const uint64_t b = drover_request(world, "{\"op\":\"step\"}");
    assert_int_equal(drover_advance(world, 1600.0), 0);
    assert_next(world, "error", "unsent", b);
    drover_set_timeout(world, -1);
    assert_true(drover_request(world, "{\"op\":\"step\"}") != 0);
    assert_int_equal(drover_advance(world, 1e9), 0);
    assert_null(next_message(world));
    drover_close(world);
}

/* ---- connections ---- */

static void waits_grow(void **state) {
    static const int waits[] = {250, 500, 1000, 2000, 4000, 5000, 5000};
    struct drover *world = begin(NULL);
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        drover_lost(world, "connection refused");
        drover_lost(world, "said twice");
        assert_int_equal(drover_timeout(world), waits[i]);
        assert_string_equal(drover_reason(world), "connection refused");
        drover_opened(world);
    }
    assert_int_equal(
        feed(world,
             HELLO "{\"op\":\"bye\",\"reason\":\"full\",\"message\":\"the server is full\",\"retry_s\":7}\n"),
        0);
    drover_lost(world, "the server closed the connection");
    assert_int_equal(drover_timeout(world), 7000);
    assert_string_equal(drover_reason(world), "the server is full");
    drover_close(world);
}

static void reconnecting_can_be_left(void **state) {
    struct drover_options options = DROVER_OPTIONS;
    options.reconnect = DROVER_RECONNECT_LATER;
    struct drover *world = begin(&options);
    drover_lost(world, "connection refused");
    assert_int_equal(drover_state(world), DROVER_ENDED);
    drover_close(world);
    world = begin(&options);
    assert_int_equal(feed(world, HELLO), 0);
    drover_lost(world, "gone");
    assert_int_equal(drover_state(world), DROVER_WAITING);
    drover_close(world);
    options.reconnect = DROVER_RECONNECT_NEVER;
    world = begin(&options);
    const uint64_t a = drover_request(world, "{\"op\":\"step\"}");
    drover_lost(world, "gone");
    assert_next(world, "error", "unsent", a);
    drain(world);
    assert_int_equal(drover_wait(world, 0), -1);
    drover_close(world);
}

static const char *renewed(struct drover *world) {
    drover_lost(world, "gone");
    drover_opened(world);
    assert_int_equal(feed(world, HELLO), 0);
    return sent(world);
}

static void subscriptions_are_renewed(void **state) {
    struct drover *world = begin_ready();
    assert_int_equal(drover_send(world, "{\"op\":\"subscribe\",\"hz\":20}"), 0);
    assert_string_equal(sent(world), "{\"id\":\"~1\",\"op\":\"subscribe\",\"hz\":20}\n");
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"to\":\"subscribe\",\"id\":\"~1\"}\n"), 0);
    assert_true(drover_request(world, "{\"op\":\"subscribe\",\"hz\":-1}") != 0);
    (void)sent(world);
    assert_int_equal(
        feed(world, "{\"op\":\"error\",\"id\":\"~2\",\"code\":\"out_of_range\",\"message\":\"\"}\n"), 0);
    assert_string_equal(renewed(world), "{\"op\":\"subscribe\",\"hz\":20,\"id\":\"~renew\"}\n");
    assert_int_equal(drover_send(world, "{\"op\":\"set_region\",\"region\":[0,0,9,9]}"), 0);
    (void)sent(world); /* not answered: it is renewed all the same */
    assert_string_equal(renewed(world), "{\"op\":\"subscribe\",\"hz\":20,\"id\":\"~renew\"}\n"
                                        "{\"op\":\"set_region\",\"region\":[0,0,9,9],\"id\":\"~renew\"}\n");
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"to\":\"subscribe\",\"id\":\"~renew\"}\n"), 0);
    assert_int_equal(drover_send(world, "{\"op\":\"unsubscribe\"}"), 0);
    (void)sent(world);
    assert_string_equal(renewed(world), "");
    drover_close(world);
}

/* Pings that wait longer and longer behind frames: the same is subscribed to with fewer of them. */
static void slow(struct drover *world) {
    (void)feed(world, HELLO);
    assert_int_equal(drover_advance(world, 1000.0), 0);
    (void)feed(world, "{\"op\":\"reply\",\"to\":\"ping\",\"id\":\"~ping\",\"t0\":1000}\n");
    assert_int_equal(drover_send(world, "{\"op\":\"subscribe\",\"hz\":20}"), 0);
    (void)sent(world);
    (void)feed(world, "{\"op\":\"reply\",\"to\":\"subscribe\",\"id\":\"~1\"}\n");
    assert_int_equal(drover_send(world, "{\"op\":\"set_region\",\"region\":[0,0,9,9]}"), 0);
    (void)sent(world);
    (void)feed(world, "{\"op\":\"reply\",\"to\":\"set_region\",\"id\":\"~2\"}\n");
    for (double now_ms = 1000.0; now_ms <= 1400.0; now_ms += 100.0) {
        assert_int_equal(drover_advance(world, now_ms), 0);
    }
}

static void a_slow_link_gets_fewer_frames(void **state) {
    struct drover *world = begin(NULL);
    slow(world);
    assert_float_equal(drover_paced_hz(world), 0.1, 1e-9);
    assert_non_null(strstr(sent(world), "{\"op\":\"subscribe\",\"id\":\"~renew\",\"hz\":0.10}\n"
                                        "{\"op\":\"set_region\",\"region\":[0,0,9,9],\"id\":\"~renew\"}\n"));
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"to\":\"subscribe\",\"id\":\"~renew\"}\n"), 0);
    /* another subscription that waits for its answer is not overtaken by the one before */
    assert_int_equal(drover_send(world, "{\"op\":\"subscribe\",\"hz\":10}"), 0);
    (void)sent(world);
    for (double now_ms = 1500.0; now_ms <= 2000.0; now_ms += 100.0) {
        assert_int_equal(drover_advance(world, now_ms), 0);
    }
    assert_null(strstr(sent(world), "subscribe"));
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"to\":\"subscribe\",\"id\":\"~3\"}\n"), 0);
    assert_int_equal(drover_advance(world, 2100.0), 0);
    assert_non_null(strstr(sent(world), "\"hz\":0.10"));
    drain(world);
    drover_close(world);
}

static void a_fixed_rate_stays(void **state) {
    struct drover_options options = DROVER_OPTIONS;
    options.fixed_hz = 1;
    struct drover *world = begin(&options);
    slow(world);
    assert_true(drover_paced_hz(world) < 0.0);
    assert_null(strstr(sent(world), "subscribe"));
    drain(world);
    drover_close(world);
}

/* A caller that was away cannot tell how long an answer took. */
static void an_absence_is_no_slow_link(void **state) {
    struct drover *world = begin(NULL);
    (void)feed(world, HELLO "{\"op\":\"reply\",\"to\":\"ping\",\"id\":\"~ping\",\"t0\":1000}\n");
    assert_int_equal(drover_send(world, "{\"op\":\"subscribe\"}"), 0);
    (void)sent(world);
    (void)feed(world, "{\"op\":\"reply\",\"to\":\"subscribe\",\"id\":\"~1\"}\n");
    assert_int_equal(drover_advance(world, 2000.0), 0);
    assert_non_null(strstr(sent(world), "\"t0\":2000"));
    assert_int_equal(drover_advance(world, 4000.0), 0);
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"to\":\"ping\",\"id\":\"~ping\",\"t0\":2000}\n"), 0);
    assert_int_equal(drover_advance(world, 4010.0), 0);
    assert_true(drover_paced_hz(world) < 0.0);
    drain(world);
    drover_close(world);
}

static void a_silent_server_is_gone(void **state) {
    struct drover *world = begin(NULL);
    assert_int_equal(feed(world, HELLO), 0);
    assert_int_equal(drover_advance(world, 1000.0), 0);
    assert_string_equal(sent(world), "{\"op\":\"ping\",\"id\":\"~ping\",\"t0\":1000}\n");
    assert_int_equal(drover_advance(world, 1004.0), 0);
    assert_int_equal(feed(world, "{\"op\":\"reply\",\"to\":\"ping\",\"id\":\"~ping\",\"t0\":1000}\n"), 0);
    assert_float_equal(drover_ping_ms(world), 4.0, 1e-9);
    assert_int_equal(drover_advance(world, 2000.0), 0); /* a ping */
    /* the caller was away: an answer may be there */
    assert_int_equal(drover_advance(world, 60000.0), 0);
    for (double now_ms = 61000.0; now_ms < 65001.0; now_ms += 1000.0) {
        assert_int_equal(drover_advance(world, now_ms), 0);
    }
    assert_int_equal(drover_advance(world, 65001.0), -1);
    assert_int_equal(drover_state(world), DROVER_WAITING);
    assert_string_equal(drover_reason(world), "the server gives no sign of life");
    drover_opened(world);
    assert_int_equal(drover_advance(world, 67000.0), 0);
    assert_int_equal(drover_advance(world, 69000.0), 0);
    assert_int_equal(drover_advance(world, 70002.0), -1);
    assert_string_equal(drover_reason(world), "the server does not answer");
    drover_close(world);
}

/* ---- frames ---- */

static void the_newest_frame_wins(void **state) {
    struct drover *world = begin_ready();
    drain(world);
    assert_int_equal(feed(world, FRAME(1) FRAME(2) "{\"op\":\"event\",\"event\":\"x\"}\n" FRAME(3)), 0);
    assert_int_equal(drover_next(world), DROVER_MESSAGE);
    assert_null(drover_this_frame(world));
    assert_int_equal(drover_next(world), DROVER_FRAME);
    const struct drover_frame *frame = drover_this_frame(world);
    assert_true(frame->tick == 3 && frame->missed == 2 && frame->count == 1 && frame->world == 1);
    assert_true(frame->id[0] == 3 && frame->x[0] == 1234 && frame->y[0] == 500 && frame->vx[0] == -320);
    assert_true(frame->columns == (DROVER_POS | DROVER_VEL | DROVER_HEADING | DROVER_STATE | DROVER_KIND));
    assert_string_equal(drover_frame_kind(frame, frame->kind[0]), "prey");
    assert_string_equal(drover_frame_state(frame, 99), "");
    assert_string_equal(drover_frame_target(frame, 0), "mouse");
    assert_true(frame->target_count == 1 && frame->target_x[0] == 40000);
    assert_int_equal(drover_frame_row(frame, 3), 0);
    assert_int_equal(drover_frame_row(frame, 4), -1);
    assert_int_equal(feed(world, FRAME(4)), 0);
    assert_true(frame->tick == 3); /* the caller's until drover_next */
    assert_int_equal(drover_next(world), DROVER_FRAME);
    assert_int_equal(drover_this_frame(world)->missed, 0);
    assert_int_equal(drover_next(world), DROVER_NOTHING);
    assert_null(drover_this_frame(world));
    drover_close(world);
}

static void frames_can_be_kept(void **state) {
    struct drover *world = begin_ready();
    drain(world);
    assert_null(drover_take_frame(world, NULL));
    assert_int_equal(feed(world, FRAME(1)), 0);
    assert_int_equal(drover_next(world), DROVER_FRAME);
    struct drover_frame *first = drover_take_frame(world, NULL);
    assert_int_equal(feed(world, FRAME(2)), 0);
    assert_int_equal(drover_next(world), DROVER_FRAME);
    struct drover_frame *second = drover_take_frame(world, first);
    assert_int_equal(feed(world, FRAME(3)), 0);
    assert_int_equal(drover_next(world), DROVER_FRAME);
    assert_true(second->tick == 2 && drover_this_frame(world)->tick == 3);
    drover_close(world);
    assert_int_equal(second->x[0], 1234);
    drover_frame_free(second);
}

static void frames_of_a_world_that_went_are_left_out(void **state) {
    struct drover *world = begin_ready();
    drain(world);
    assert_int_equal(feed(world, FRAME(1) "{\"op\":\"scenario\",\"name\":\"b\"}\n"), 0);
    assert_next(world, "scenario", NULL, 0);
    assert_int_equal(drover_message_world(drover_this_message(world)), 2);
    assert_int_equal(drover_next(world), DROVER_NOTHING);
    assert_int_equal(feed(world, FRAME(1)), 0);
    assert_int_equal(drover_next(world), DROVER_FRAME);
    assert_int_equal(drover_this_frame(world)->world, 2);
    drover_close(world);
}

static void a_frame_without_its_key_is_asked_for(void **state) {
    struct drover *world = begin_ready();
    assert_int_equal(
        feed(world,
             "{\"op\":\"delta\",\"tick\":2,\"time\":1,\"key\":4,\"n\":1,\"targets\":[],\"clock\":1}\n"
             "{\"op\":\"delta\",\"tick\":2,\"time\":1,\"key\":4,\"n\":1,\"targets\":[],\"clock\":1}\n"),
        0);
    assert_string_equal(sent(world), "{\"op\":\"resync\",\"id\":\"~resync\"}\n");
    drover_close(world);
}

static void shares_have_names(void **state) {
    struct drover_share shares[2];
    struct drover *world = begin_ready();
    drain(world);
    assert_int_equal(feed(world, "{\"op\":\"snapshot\",\"tick\":1,\"time\":1,\"agents\":[{\"id\":1,\"kind\":"
                                 "\"a\",\"state\":\"s\",\"x\":1,\"y\":1,"
                                 "\"vx\":0,\"vy\":0,\"heading\":0,\"desired\":[1.5,2],\"steering\":[3,4],"
                                 "\"forces\":{\"seek\":[5,6.5],\"flee\":[7,8]}}"
                                 "],\"targets\":[],\"clock\":1}\n"),
                     0);
    assert_int_equal(drover_next(world), DROVER_FRAME);
    const struct drover_frame *frame = drover_this_frame(world);
    assert_true(frame->desired[0] == 150 && frame->desired[1] == 200 && frame->steering[1] == 400);
    assert_int_equal(drover_frame_shares(frame, 0, shares, 2), 2);
    assert_string_equal(shares[0].behavior, "seek");
    assert_true(fabs(shares[0].y - 6.5) < 1e-9);
    assert_string_equal(shares[1].part, "");
    assert_int_equal(drover_frame_shares(frame, 0, NULL, 0), 2);
    assert_int_equal(drover_frame_shares(frame, 1, shares, 2), 0);
    drover_close(world);
}

/* ---- texts ---- */

static void members_are_found_by_path(void **state) {
    struct drover *world = begin_ready();
    drain(world);
    assert_int_equal(
        feed(world, "{\"op\":\"x\",\"a\":{\"b\":[1,{\"c\":\"d\"},[true]],\"n\":null},\"f\":false}\n"), 0);
    const struct drover_message *message = next_message(world);
    assert_true(drover_message_number(message, "a.b[0]", 9) == 1.0 &&
                drover_message_number(message, "a.b[5]", 9) == 9.0);
    assert_string_equal(drover_message_string(message, "a.b[1].c"), "d");
    assert_int_equal(drover_message_flag(message, "a.b[2][0]", 7), 1);
    assert_int_equal(drover_message_flag(message, "f", 7), 0);
    assert_int_equal(drover_message_flag(message, "a", 7), 7);
    assert_int_equal(drover_message_type(message, ""), DROVER_OBJECT);
    assert_int_equal(drover_message_type(message, "a.n"), DROVER_NULL);
    assert_int_equal(drover_message_type(message, "a.b"), DROVER_ARRAY);
    assert_int_equal(drover_message_count(message, "a.b"), 3);
    assert_int_equal(drover_message_count(message, "a"), 2);
    assert_string_equal(drover_message_key(message, "", 2), "f");
    assert_null(drover_message_key(message, "", 3));
    static const char *const wrong[] = {"a.",      ".",    "a..b", "a.b[",  "a.b[x]",
                                        "a.b[-1]", "a[0]", "op.x", "a.b[0", "a.b[99999999999]"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(drover_message_type(message, wrong[i]), DROVER_ABSENT);
    }
    drover_close(world);
}

static void texts_are_quoted(void **state) {
    char out[64];
    assert_int_equal(drover_quote("a\"b\\c\n\xC3\xA4\xFF", out, sizeof out), 20);
    assert_string_equal(out, "\"a\\\"b\\\\c\\u000a\xC3\xA4\xEF\xBF\xBD\"");
    assert_int_equal(drover_quote("abcdef", out, 4), 8);
    assert_string_equal(out, "\"ab");
    assert_int_equal(drover_quote("a", NULL, 0), 3);
    assert_int_equal(drover_base64("abcd", 4, out, sizeof out), 8);
    assert_string_equal(out, "YWJjZA==");
    assert_int_equal(drover_base64("abcd", 4, out, 8), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(a_hello_makes_it_ready),
        cmocka_unit_test(what_no_further_try_would_change_is_final),
        cmocka_unit_test(what_is_no_server_is_tried_again),
        cmocka_unit_test(requests_and_answers_go_together),
        cmocka_unit_test(an_answer_that_cannot_be_read_is_an_error),
        cmocka_unit_test(a_line_that_cannot_be_read_ends_the_connection),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(requests_wait_for_a_connection),
        cmocka_unit_test(what_may_have_taken_effect_is_lost),
        cmocka_unit_test(nothing_is_sent_twice),
        cmocka_unit_test(answers_have_a_time),
        cmocka_unit_test(waits_grow),
        cmocka_unit_test(reconnecting_can_be_left),
        cmocka_unit_test(subscriptions_are_renewed),
        cmocka_unit_test(a_slow_link_gets_fewer_frames),
        cmocka_unit_test(a_fixed_rate_stays),
        cmocka_unit_test(an_absence_is_no_slow_link),
        cmocka_unit_test(a_silent_server_is_gone),
        cmocka_unit_test(the_newest_frame_wins),
        cmocka_unit_test(frames_can_be_kept),
        cmocka_unit_test(frames_of_a_world_that_went_are_left_out),
        cmocka_unit_test(a_frame_without_its_key_is_asked_for),
        cmocka_unit_test(shares_have_names),
        cmocka_unit_test(members_are_found_by_path),
        cmocka_unit_test(texts_are_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
