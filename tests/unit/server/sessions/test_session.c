/* A session over a real connection: lines in turns, requests that hold it back, what it sends, and its end. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>

#include "server/sessions/session.h"
#include "tests/unit/server/net/tcp_pair.h"

enum { LOG_BYTES = 16384, LONG_REPLY = 60000 };

struct fixture {
    uv_loop_t loop;
    struct session_host host;
    struct session *session;
    int client;          /* -1: closed by the test */
    char log[LOG_BYTES]; /* the lines that came, each with its number: "1:ping 2:! " */
    int lines, runnable, checks;
    bool is_closed;
};

/* ---- a host that obeys the lines it receives ---- */

static void add_to_log(struct fixture *fixture, const char *text) {
    const size_t length = strlen(fixture->log);
    (void)snprintf(fixture->log + length, sizeof fixture->log - length, "%u:%s ",
                   (unsigned)fixture->session->line, text);
}

static void send_text(struct session *session, const char *text) {
    struct buffer out;
    buffer_init(&out, 1 << 20);
    buffer_append_text(&out, text);
    session_send(session, &out);
    buffer_fini(&out);
}

static void leave(struct session *session) {
    struct buffer farewell;
    buffer_init(&farewell, 64);
    buffer_append_text(&farewell, "farewell\n");
    session_leave(session, &farewell);
    buffer_fini(&farewell);
}

static void send_long(struct session *session) {
    struct buffer out;
    buffer_init(&out, 1 << 20);
    for (int i = 0; i < LONG_REPLY - 1; i++) {
        buffer_append(&out, "x", 1);
    }
    buffer_append(&out, "\n", 1);
    session_send(session, &out);
    buffer_fini(&out);
}

static void on_line(void *context, struct session *session, const char *line, size_t length) {
    struct fixture *fixture = context;
    assert_true(session_is_open(session));
    assert_int_equal(strlen(line), length);
    fixture->lines++;
    add_to_log(fixture, line);
    if (strcmp(line, "wait") == 0) {
        session_expect_answer(session, false, false);
    } else if (strcmp(line, "wait long") == 0) {
        session_expect_answer(session, true, false);
    } else if (strcmp(line, "t") == 0) {
        session_expect_answer(session, 1, true);
    } else if (strcmp(line, "hold") == 0) {
        session_keep(session);
    } else if (strcmp(line, "leave") == 0) {
        leave(session);
    } else if (strcmp(line, "close") == 0) {
        session_close(session, "protocol", "as ordered");
    } else if (strcmp(line, "long") == 0) {
        send_long(session);
    }
}

static void on_too_long(void *context, struct session *session) {
    assert_true(session_is_open(session));
    add_to_log(context, "!");
}

static void on_runnable(void *context, struct session *session) {
    struct fixture *fixture = context;
    assert_true(session_is_runnable(session));
    fixture->runnable++;
}

static void on_check(void *context, struct session *session, uint64_t now_ms) {
    struct fixture *fixture = context;
    assert_true(session_is_open(session) && now_ms > 0);
    fixture->checks++;
}

static void on_closed(void *context, struct session *session) {
    struct fixture *fixture = context;
    assert_ptr_equal(session, fixture->session);
    fixture->is_closed = true;
}

/* ---- a session and its client ---- */

static int set_up_kind(void **state, enum framing_kind kind) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->session = calloc(1, sizeof *fixture->session);
    assert_non_null(fixture->session);
    fixture->host = (struct session_host){
        .handler = {.context = fixture, .on_line = on_line, .on_too_long = on_too_long, .on_check = on_check},
        .context = fixture,
        .on_runnable = on_runnable,
        .on_closed = on_closed};
    assert_int_equal(uv_loop_init(&fixture->loop), 0);
    const struct tcp_pair pair = tcp_pair_open();
    fixture->client = pair.client;
    assert_int_equal(session_open(fixture->session, &fixture->loop, &fixture->host, 7, pair.server, kind), 0);
    *state = fixture;
    return 0;
}

static int set_up(void **state) {
    return set_up_kind(state, FRAMING_LINES);
}

static int set_up_web(void **state) {
    return set_up_kind(state, FRAMING_WEB);
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    if (fixture->client >= 0) {
        client_reset(fixture->client); /* also of a session that does not read */
    }
    for (int i = 0; i < 1000 && !fixture->is_closed; i++) {
        loop_turn(&fixture->loop);
        const uint64_t now_ms = session_now_ms(fixture->session);
        assert_false(stream_check(&fixture->session->stream, now_ms + STREAM_UNREAD_MS));
    }
    assert_true(fixture->is_closed);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture->session);
    free(fixture);
    return 0;
}

/* Lets the loop run until so many lines came. */
static void wait_for_lines(struct fixture *fixture, int lines) {
    for (int i = 0; i < 5000 && fixture->lines < lines; i++) {
        loop_turn(&fixture->loop);
    }
    assert_int_equal(fixture->lines, lines);
}

/* What the client receives up to the end of the stream must be this. */
static void expect_rest(struct fixture *fixture, const char *expected) {
    size_t length = 0;
    char *text = client_read_all(&fixture->loop, fixture->client, &length);
    assert_string_equal(text, expected);
    free(text);
}

static void send_times(struct fixture *fixture, const char *line, int times) {
    for (int i = 0; i < times; i++) {
        client_send(fixture->client, line);
    }
}

/* ---- lines ---- */

static void lines_come_whole_and_numbered(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "on");
    loop_settle(&fixture->loop);
    assert_int_equal(fixture->lines, 0);
    client_send(fixture->client, "e\r\n\ntwo\nthr");
    wait_for_lines(fixture, 2);
    client_send(fixture->client, "ee\n");
    wait_for_lines(fixture, 3);
    assert_string_equal(fixture->log, "1:one 3:two 4:three ");
    assert_false(session_is_runnable(fixture->session));
}

static void lines_come_byte_by_byte(void **state) {
    struct fixture *fixture = *state;
    const char text[] = "a\nbc\r\ndef\n";
    for (const char *at = text; *at != '\0'; at++) {
        const char byte[2] = {*at, '\0'};
        client_send(fixture->client, byte);
        loop_turn(&fixture->loop);
    }
    wait_for_lines(fixture, 3);
    assert_string_equal(fixture->log, "1:a 2:bc 3:def ");
}

static void a_line_that_is_too_long_is_skipped(void **state) {
    struct fixture *fixture = *state;
    char long_part[1025] = "";
    memset(long_part, 'x', sizeof long_part - 1);
    for (int i = 0; i < 2 * LIMIT_LINE_BYTES / 1024; i++) {
        client_send(fixture->client, long_part);
        loop_turn(&fixture->loop);
    }
    client_send(fixture->client, "\nnext\n");
    wait_for_lines(fixture, 1);
    assert_string_equal(fixture->log, "1:! 2:next ");
    assert_true(session_is_open(fixture->session));
}

static void a_turn_has_a_limit(void **state) {
    struct fixture *fixture = *state;
    char text[2 * (2 * SESSION_LINES_PER_TURN + 1) + 1] = "";
    for (size_t i = 0; i < sizeof text - 1; i += 2) {
        memcpy(text + i, "x\n", 2);
    }
    client_send(fixture->client, text); /* at once: on loopback it arrives in one piece */
    for (int i = 0; i < 5000 && fixture->runnable == 0; i++) {
        loop_turn(&fixture->loop);
    }
    assert_int_equal(fixture->lines, SESSION_LINES_PER_TURN);
    assert_true(session_is_runnable(fixture->session));
    session_run(fixture->session);
    assert_int_equal(fixture->lines, 2 * SESSION_LINES_PER_TURN);
    session_run(fixture->session);
    assert_int_equal(fixture->lines, 2 * SESSION_LINES_PER_TURN + 1);
    assert_false(session_is_runnable(fixture->session));
}

static void a_lone_line_is_waited_for(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "one\n");
    wait_for_lines(fixture, 1);
    assert_true(fixture->session->is_waiting);
    client_send(fixture->client, "two\nthree\n");
    wait_for_lines(fixture, 3);
    assert_false(fixture->session->is_waiting);
}

/* ---- requests that wait ---- */

static void waiting_requests_hold_lines_back(void **state) {
    struct fixture *fixture = *state;
    send_times(fixture, "wait\n", SESSION_COMMANDS + 2);
    for (int i = 0; i < 5000 && fixture->lines < SESSION_COMMANDS; i++) {
        loop_turn(&fixture->loop);
        session_run(fixture->session);
    }
    loop_settle(&fixture->loop);
    session_run(fixture->session);
    assert_int_equal(fixture->lines, SESSION_COMMANDS);
    assert_false(fixture->session->stream.is_reading);
    const int runnable = fixture->runnable;
    session_answered(fixture->session, false, false);
    assert_int_equal(fixture->runnable, runnable + 1);
    session_run(fixture->session);
    assert_int_equal(fixture->lines, SESSION_COMMANDS + 1);
    for (int i = 0; i < SESSION_COMMANDS; i++) {
        session_answered(fixture->session, false, false);
    }
    assert_int_equal(fixture->session->outstanding, 0);
}

static void long_answers_hold_lines_back(void **state) {
    struct fixture *fixture = *state;
    send_times(fixture, "wait long\n", SESSION_LONG_ANSWERS);
    client_send(fixture->client, "next\n");
    wait_for_lines(fixture, SESSION_LONG_ANSWERS);
    loop_settle(&fixture->loop);
    assert_int_equal(fixture->lines, SESSION_LONG_ANSWERS);
    session_answered(fixture->session, true, false);
    session_run(fixture->session);
    assert_int_equal(fixture->lines, SESSION_LONG_ANSWERS + 1);
    assert_int_equal(fixture->session->outstanding_long, SESSION_LONG_ANSWERS - 1);
}

/* What waits for its go does not keep the go from being read, however long the answers are. */
static void a_seat_takes_lines_until_its_go(void **state) {
    struct fixture *fixture = *state;
    fixture->session->has_seat = true;
    send_times(fixture, "t\n", SESSION_SEAT_COMMANDS + 2);
    for (int i = 0; i < 5000 && fixture->lines < SESSION_SEAT_COMMANDS; i++) {
        loop_turn(&fixture->loop);
        session_run(fixture->session);
    }
    loop_settle(&fixture->loop);
    session_run(fixture->session);
    assert_int_equal(fixture->lines, SESSION_SEAT_COMMANDS);
    session_answered(fixture->session, 1, true);
    session_run(fixture->session);
    assert_int_equal(fixture->lines, SESSION_SEAT_COMMANDS + 1);
    fixture->session->has_seat = false; /* it was lost */
    for (int i = 0; i < SESSION_SEAT_COMMANDS; i++) {
        session_answered(fixture->session, 1, true);
        session_run(fixture->session);
        const bool may_go_on = i + 1 > SESSION_SEAT_COMMANDS - SESSION_LONG_ANSWERS;
        assert_int_equal(fixture->lines, SESSION_SEAT_COMMANDS + (may_go_on ? 2 : 1));
    }
}

static void a_held_session_takes_no_line(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "hold\nnext\n");
    wait_for_lines(fixture, 1);
    loop_settle(&fixture->loop);
    session_run(fixture->session);
    assert_int_equal(fixture->lines, 1);
    session_release(fixture->session);
    session_run(fixture->session);
    assert_string_equal(fixture->log, "1:hold 2:next ");
}

/* Replies that wait to be read hold lines back; a client that reads gets every one. */
static void unread_replies_hold_lines_back(void **state) {
    enum { REQUESTS = 40 };
    struct fixture *fixture = *state;
    send_times(fixture, "long\n", REQUESTS);
    loop_settle(&fixture->loop);
    session_run(fixture->session);
    assert_true(fixture->lines < REQUESTS);
    assert_false(fixture->session->stream.is_reading);
    assert_true(fixture->session->stream.queue.control_bytes <= LIMIT_CONTROL_BYTES / 2 + LONG_REPLY);
    size_t got = 0;
    for (int i = 0; i < 5000 && got < (size_t)REQUESTS * LONG_REPLY; i++) {
        char part[65536];
        const ssize_t count = recv(fixture->client, part, sizeof part, MSG_DONTWAIT);
        got += count > 0 ? (size_t)count : 0;
        loop_turn(&fixture->loop);
        session_run(fixture->session);
    }
    assert_int_equal(got, (size_t)REQUESTS * LONG_REPLY);
    assert_int_equal(fixture->lines, REQUESTS);
    assert_true(fixture->session->stream.is_reading);
}

/* ---- what is sent ---- */

static void tell(struct session *session, size_t length) {
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'e', length);
    struct shared_bytes *line = shared_bytes_create(text, length);
    assert_non_null(line);
    session_send_event(session, line);
    shared_bytes_release(line);
}

static void events_over_the_limit_are_left_out(void **state) {
    struct fixture *fixture = *state;
    fixture->session->subscription.is_active = true;
    for (int i = 0; i < 40; i++) {
        tell(fixture->session, LONG_REPLY);
    }
    const uint64_t left_out = fixture->session->left_out;
    assert_in_range(left_out, 1, 39);
    assert_true(fixture->session->stream.queue.control_bytes <= LIMIT_CONTROL_BYTES);
    assert_false(session_is_behind(fixture->session)); /* it has read nothing yet */
    tell(fixture->session, 1);
    assert_int_equal(fixture->session->left_out, left_out + 1); /* from the first one on, all */
    struct shared_bytes *frame = shared_bytes_create(strdup("frame\n"), 6);
    assert_non_null(frame);
    session_offer_frame(fixture->session, frame);
    shared_bytes_release(frame);
    assert_null(fixture->session->stream.queue.frame);
    assert_int_equal(fixture->session->stream.queue.frames_skipped, 1);
    free(client_read(&fixture->loop, fixture->client, (size_t)(40 - left_out) * LONG_REPLY));
    loop_settle(&fixture->loop);
    assert_true(session_is_behind(fixture->session));
    assert_int_equal(session_catch_up(fixture->session), left_out + 1);
    assert_false(session_is_behind(fixture->session));
    tell(fixture->session, 3);
    char *text = client_read(&fixture->loop, fixture->client, 3);
    assert_string_equal(text, "eee");
    free(text);
}

static void a_closed_session_sends_nothing(void **state) {
    struct fixture *fixture = *state;
    fixture->session->subscription.is_active = true;
    send_text(fixture->session, "before\n");
    session_close(fixture->session, "idle", "a text");
    assert_false(session_is_open(fixture->session));
    assert_false(fixture->session->subscription.is_active);
    send_text(fixture->session, "after\n");
    tell(fixture->session, 3);
    struct shared_bytes *frame = shared_bytes_create(strdup("frame\n"), 6);
    assert_non_null(frame);
    session_offer_frame(fixture->session, frame);
    session_offer_keyed(fixture->session, frame, 1, frame);
    shared_bytes_release(frame);
    session_close(fixture->session, "slow", "twice");
    client_send(fixture->client, "unheard\n");
    expect_rest(fixture, "before\n{\"op\":\"bye\",\"reason\":\"idle\",\"message\":\"a text\"}\n");
    assert_int_equal(fixture->lines, 0);
}

/* ---- the end ---- */

static void bye_waits_for_answers(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "wait\nleave\nunheard\n");
    wait_for_lines(fixture, 2);
    loop_settle(&fixture->loop);
    assert_true(session_is_open(fixture->session));
    send_text(fixture->session, "answer\n");
    session_answered(fixture->session, false, false);
    assert_false(session_is_open(fixture->session));
    expect_rest(fixture, "answer\nfarewell\n"
                         "{\"op\":\"bye\",\"reason\":\"client\",\"message\":\"you asked to leave\"}\n");
    assert_int_equal(fixture->lines, 2);
}

static void a_session_closed_in_its_line_takes_no_more(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "one\nclose\nunheard\n");
    expect_rest(fixture, "{\"op\":\"bye\",\"reason\":\"protocol\",\"message\":\"as ordered\"}\n");
    assert_string_equal(fixture->log, "1:one 2:close ");
    assert_false(session_is_runnable(fixture->session));
}

static void a_half_closed_client_gets_its_answers(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "wait\nlast");
    assert_return_code(shutdown(fixture->client, SHUT_WR), errno);
    wait_for_lines(fixture, 2);
    assert_string_equal(fixture->log, "1:wait 2:last ");
    assert_true(session_is_half_closed(fixture->session));
    assert_true(session_is_open(fixture->session));
    send_text(fixture->session, "answer\n");
    session_answered(fixture->session, false, false);
    expect_rest(fixture, "answer\n"
                         "{\"op\":\"bye\",\"reason\":\"client\",\"message\":\"you closed your side\"}\n");
}

static void a_half_closed_subscriber_stays(void **state) {
    struct fixture *fixture = *state;
    fixture->session->subscription.is_active = true;
    assert_return_code(shutdown(fixture->client, SHUT_WR), errno);
    loop_settle(&fixture->loop);
    assert_true(fixture->session->stream.is_eof);
    session_check(fixture->session, session_now_ms(fixture->session) + STREAM_UNREAD_MS);
    assert_true(session_is_open(fixture->session));
    assert_int_equal(fixture->checks, 1);
    session_close(fixture->session, "shutdown", "x");
    expect_rest(fixture, "{\"op\":\"bye\",\"reason\":\"shutdown\",\"message\":\"x\"}\n");
}

static void a_stalled_client_is_closed(void **state) {
    struct fixture *fixture = *state;
    for (int i = 0; i < 40; i++) {
        send_long(fixture->session);
    }
    loop_settle(&fixture->loop);
    const uint64_t now_ms = session_now_ms(fixture->session);
    session_check(fixture->session, now_ms);
    assert_true(session_is_open(fixture->session));
    session_check(fixture->session, now_ms + LIMIT_STALL_SECONDS * 1000u);
    assert_false(session_is_open(fixture->session));
    assert_int_equal(fixture->session->stream.phase, STREAM_FLUSHING);
}

static void http_is_refused_before_a_line(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n{}\n");
    size_t length = 0;
    char *text = client_read_all(&fixture->loop, fixture->client, &length);
    struct buffer answer;
    buffer_init(&answer, 4096);
    protocol_sniff_answer(NULL, &answer);
    assert_string_equal(text, answer.data);
    buffer_fini(&answer);
    free(text);
    assert_int_equal(fixture->lines, 0);
}

static void a_refused_peer_gets_bye(void **state) {
    struct fixture *fixture = *state;
    const struct tcp_pair pair = tcp_pair_open();
    session_refuse(pair.server, FRAMING_LINES, "full", "too many");
    size_t length = 0;
    char *text = client_read_all(&fixture->loop, pair.client, &length);
    assert_string_equal(text,
                        "{\"op\":\"bye\",\"reason\":\"full\",\"message\":\"too many\",\"retry_s\":2}\n");
    free(text);
    close(pair.client);
}

/* ---- WebSocket ---- */

/* The client's bytes must be these. */
static void expect_bytes(struct fixture *fixture, const char *expected, size_t length) {
    char *bytes = client_read(&fixture->loop, fixture->client, length);
    assert_memory_equal(bytes, expected, length);
    free(bytes);
}

static void each_line_is_a_message(void **state) {
    struct fixture *fixture = *state;
    struct buffer lines;
    buffer_init(&lines, 4096);
    buffer_append_text(&lines, "{\"a\":1}\n{\"b\":22}\n");
    session_send(fixture->session, &lines);
    buffer_fini(&lines);
    expect_bytes(fixture, "\x81\x07{\"a\":1}\x81\x08{\"b\":22}", 19);
    struct shared_bytes *frame = shared_bytes_create(strdup("{\"c\":3}\n"), 8);
    session_offer_frame(fixture->session, frame);
    shared_bytes_release(frame);
    expect_bytes(fixture, "\x81\x07{\"c\":3}", 9);
}

static void bye_has_a_close_frame_behind_it(void **state) {
    struct fixture *fixture = *state;
    session_close(fixture->session, "full", "no room");
    static const char expected[] =
        "\x81\x3c{\"op\":\"bye\",\"reason\":\"full\",\"message\":\"no room\",\"retry_s\":2}"
        "\x88\x06\x03\xf5"
        "full";
    expect_bytes(fixture, expected, sizeof expected - 1);
}

static void a_refused_websocket_gets_messages(void **state) {
    struct fixture *fixture = *state;
    const struct tcp_pair pair = tcp_pair_open();
    static const char expected[] =
        "\x81\x3c{\"op\":\"bye\",\"reason\":\"full\",\"message\":\"no room\",\"retry_s\":2}"
        "\x88\x06\x03\xf5"
        "full";
    session_refuse(pair.server, FRAMING_WEB, "full", "no room");
    size_t length = 0;
    char *bytes = client_read_all(&fixture->loop, pair.client, &length);
    assert_int_equal(length, sizeof expected - 1);
    assert_memory_equal(bytes, expected, length);
    free(bytes);
    close(pair.client);
}

static void a_silent_peer_is_pinged_and_closed(void **state) {
    struct fixture *fixture = *state;
    const uint64_t now_ms = session_now_ms(fixture->session);
    session_check(fixture->session, now_ms + LIMIT_WEB_PING_SECONDS * 1000u - 1);
    session_check(fixture->session, now_ms + LIMIT_WEB_PING_SECONDS * 1000u);
    session_check(fixture->session, now_ms + LIMIT_WEB_PING_SECONDS * 1000u + 1);
    struct buffer line;
    buffer_init(&line, 64);
    buffer_append_text(&line, "{}\n");
    session_send(fixture->session, &line);
    buffer_fini(&line);
    expect_bytes(fixture, "\x89\x00\x81\x02{}", 6);
    session_check(fixture->session, now_ms + LIMIT_WEB_SILENT_SECONDS * 1000u);
    assert_false(session_is_open(fixture->session));
}

static void a_full_read_ends_the_turn(void **state) {
    struct fixture *fixture = *state;
    static const char ping[] = {'\x89', '\x80', 0, 0, 0, 0};
    enum { PINGS = 10 * WEB_FRAMING_READ_BYTES / sizeof ping };
    static char pings[PINGS * sizeof ping];
    for (size_t i = 0; i < PINGS; i++) {
        memcpy(pings + i * sizeof ping, ping, sizeof ping);
    }
    assert_int_equal(send(fixture->client, pings, sizeof pings, 0), sizeof pings);
    const uint64_t *received = &fixture->session->stream.bytes_received;
    for (uint64_t before = 0; before < sizeof pings; before = *received) {
        loop_turn(&fixture->loop);
        assert_true(*received - before <= WEB_FRAMING_READ_BYTES);
        if (session_is_runnable(fixture->session)) {
            session_run(fixture->session);
        }
    }
    assert_true(session_is_open(fixture->session));
}

static void a_peer_that_is_not_read_is_not_silent(void **state) {
    struct fixture *fixture = *state;
    const uint64_t now_ms = session_now_ms(fixture->session);
    stream_stop_reading(&fixture->session->stream);
    session_check(fixture->session, now_ms + LIMIT_WEB_SILENT_SECONDS * 1000u);
    assert_true(session_is_open(fixture->session));
}

static void early_bytes_are_the_first_ones(void **state) {
    struct fixture *fixture = *state;
    static const char early[] = "\x81\x83\0\0\0\0one\x81\x83\0\0\0\0t";
    session_take_early(fixture->session, early, sizeof early - 1);
    client_send(fixture->client, "wo");
    wait_for_lines(fixture, 2);
    assert_string_equal(fixture->log, "1:one 2:two ");
}

#define WEB_TEST(name)     cmocka_unit_test_setup_teardown(name, set_up_web, tear_down)
#define SESSION_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        SESSION_TEST(lines_come_whole_and_numbered),
        SESSION_TEST(lines_come_byte_by_byte),
        SESSION_TEST(a_line_that_is_too_long_is_skipped),
        SESSION_TEST(a_turn_has_a_limit),
        SESSION_TEST(a_lone_line_is_waited_for),
        SESSION_TEST(waiting_requests_hold_lines_back),
        SESSION_TEST(long_answers_hold_lines_back),
        SESSION_TEST(a_seat_takes_lines_until_its_go),
        SESSION_TEST(a_held_session_takes_no_line),
        SESSION_TEST(unread_replies_hold_lines_back),
        SESSION_TEST(events_over_the_limit_are_left_out),
        SESSION_TEST(a_closed_session_sends_nothing),
        SESSION_TEST(bye_waits_for_answers),
        SESSION_TEST(a_session_closed_in_its_line_takes_no_more),
        SESSION_TEST(a_half_closed_client_gets_its_answers),
        SESSION_TEST(a_half_closed_subscriber_stays),
        SESSION_TEST(a_stalled_client_is_closed),
        SESSION_TEST(http_is_refused_before_a_line),
        SESSION_TEST(a_refused_peer_gets_bye),
    };
    const struct CMUnitTest web_tests[] = {
        WEB_TEST(each_line_is_a_message),
        WEB_TEST(bye_has_a_close_frame_behind_it),
        WEB_TEST(a_refused_websocket_gets_messages),
        WEB_TEST(a_silent_peer_is_pinged_and_closed),
        WEB_TEST(a_full_read_ends_the_turn),
        WEB_TEST(a_peer_that_is_not_read_is_not_silent),
        WEB_TEST(early_bytes_are_the_first_ones),
    };
    const int failed = web_framing_is_built() ? cmocka_run_group_tests(web_tests, NULL, NULL) : 0;
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
