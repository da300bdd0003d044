/* A stream over a real connection: what arrives, what is sent, and each of its ends. */
#include "tests/unit/server/cmocka_all.h"

#include <stdio.h>

#include "common/base/limits.h"
#include "server/net/stream.h"
#include "tests/unit/server/net/tcp_pair.h"

enum { LARGE_BYTES = 4 << 20 }; /* more than the kernel keeps for a peer that does not read */

struct fixture {
    uv_loop_t loop;
    struct stream stream;
    int client; /* -1: closed by the test */
    char space[256];
    char received[256];
    bool has_bytes, has_end, has_room, is_closed;
    int endings;
};

static char *on_reserve(struct stream *stream, size_t wish, size_t *size) {
    struct fixture *fixture = stream->owner;
    assert_true(wish > 0);
    *size = sizeof fixture->space;
    return fixture->space;
}

static void on_bytes(struct stream *stream, size_t count) {
    struct fixture *fixture = stream->owner;
    assert_int_equal(stream->phase, STREAM_OPEN);
    const size_t length = strlen(fixture->received);
    assert_true(length + count < sizeof fixture->received);
    memcpy(fixture->received + length, fixture->space, count);
    fixture->has_bytes = true;
}

static void on_end(struct stream *stream) {
    struct fixture *fixture = stream->owner;
    assert_false(fixture->has_end);
    fixture->has_end = true;
}

static void on_room(struct stream *stream) {
    struct fixture *fixture = stream->owner;
    fixture->has_room = true;
}

static void on_ending(struct stream *stream) {
    struct fixture *fixture = stream->owner;
    assert_int_not_equal(stream->phase, STREAM_OPEN);
    fixture->endings++;
}

static void on_closed(struct stream *stream) {
    struct fixture *fixture = stream->owner;
    assert_int_equal(stream->phase, STREAM_CLOSED);
    assert_false(fixture->is_closed);
    fixture->is_closed = true;
}

static const struct stream_host host = {.reserve = on_reserve,
                                        .on_bytes = on_bytes,
                                        .on_end = on_end,
                                        .on_room = on_room,
                                        .on_ending = on_ending,
                                        .on_closed = on_closed};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    assert_int_equal(uv_loop_init(&fixture->loop), 0);
    const struct tcp_pair pair = tcp_pair_open();
    fixture->client = pair.client;
    assert_int_equal(stream_open(&fixture->stream, &fixture->loop, &host, fixture, 7, pair.server), 0);
    *state = fixture;
    return 0;
}

/* Every test has begun the end of its stream, which comes when the client closes. */
static int tear_down(void **state) {
    struct fixture *fixture = *state;
    if (fixture->client >= 0) {
        close(fixture->client);
    }
    loop_until(&fixture->loop, &fixture->is_closed);
    assert_int_equal(fixture->endings, 1);
    assert_int_equal(uv_loop_close(&fixture->loop), 0);
    free(fixture);
    return 0;
}

static struct shared_bytes *bytes_of(char fill, size_t length) {
    char *data = malloc(length);
    assert_non_null(data);
    memset(data, fill, length);
    struct shared_bytes *bytes = shared_bytes_create(data, length);
    assert_non_null(bytes);
    return bytes;
}

static void send_bytes(struct stream *stream, char fill, size_t length) {
    struct shared_bytes *bytes = bytes_of(fill, length);
    assert_int_equal(stream_send(stream, bytes), 0);
    shared_bytes_release(bytes);
}

static void offer(struct stream *stream, char fill, size_t length) {
    struct shared_bytes *bytes = bytes_of(fill, length);
    stream_offer_frame(stream, bytes);
    shared_bytes_release(bytes);
}

static void finish(struct stream *stream) {
    struct buffer last;
    buffer_init(&last, 64);
    buffer_append_text(&last, "last\n");
    stream_finish(stream, &last);
}

static void close_client(struct fixture *fixture) {
    close(fixture->client);
    fixture->client = -1;
}

/* ---- bytes ---- */

static void bytes_arrive_and_leave_in_order(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "ab");
    loop_until(&fixture->loop, &fixture->has_bytes);
    client_send(fixture->client, "c\n");
    for (int i = 0; i < 1000 && strlen(fixture->received) < 4; i++) {
        loop_turn(&fixture->loop);
    }
    assert_string_equal(fixture->received, "abc\n");
    assert_int_equal(fixture->stream.bytes_received, 4);
    send_bytes(&fixture->stream, '1', 2);
    send_bytes(&fixture->stream, '2', 1);
    offer(&fixture->stream, 'f', 1);
    finish(&fixture->stream);
    size_t length = 0;
    char *text = client_read_all(&fixture->loop, fixture->client, &length);
    assert_string_equal(text, "112flast\n");
    assert_int_equal(fixture->stream.bytes_sent, 9);
    free(text);
}

static void a_stream_that_is_not_read_leaves_bytes_in_the_kernel(void **state) {
    struct fixture *fixture = *state;
    stream_stop_reading(&fixture->stream);
    client_send(fixture->client, "later");
    loop_settle(&fixture->loop);
    assert_false(fixture->has_bytes);
    stream_read(&fixture->stream);
    loop_until(&fixture->loop, &fixture->has_bytes);
    assert_string_equal(fixture->received, "later");
    finish(&fixture->stream);
}

static void the_newest_frame_wins(void **state) {
    struct fixture *fixture = *state;
    offer(&fixture->stream, 'a', LARGE_BYTES);
    assert_true(send_queue_is_writing(&fixture->stream.queue));
    offer(&fixture->stream, 'b', 4);
    offer(&fixture->stream, 'c', 4);
    offer(&fixture->stream, 'd', 4);
    assert_int_equal(fixture->stream.queue.frames_skipped, 2);
    char *text = client_read(&fixture->loop, fixture->client, (size_t)LARGE_BYTES + 4);
    assert_string_equal(text + LARGE_BYTES, "dddd");
    free(text);
    assert_true(fixture->has_room);
    assert_int_equal(stream_behind_ms(&fixture->stream), 0);
    finish(&fixture->stream);
}

enum { ORDERS = 400, MOST_BYTES = 40000 };

/* What a client received so far, as lines "cNNNNNN...\n" and "fNNNNNN...\n". */
struct lines {
    struct buffer text;
    size_t checked;
    unsigned next_control, last_frame;
};

/* Every line is whole; control lines come in order without a gap, frames in order. */
static void check_lines(struct lines *lines) {
    char *end = NULL;
    while ((end = memchr(lines->text.data + lines->checked, '\n', lines->text.length - lines->checked)) !=
           NULL) {
        const char *line = lines->text.data + lines->checked;
        const unsigned number = (unsigned)strtoul(line + 1, NULL, 10);
        if (line[0] == 'c') {
            assert_int_equal(number, lines->next_control++);
        } else {
            assert_int_equal(line[0], 'f');
            assert_true(number > lines->last_frame);
            lines->last_frame = number;
        }
        for (const char *at = line + 7; at < end; at++) {
            assert_int_equal(*at, 'x');
        }
        lines->checked = (size_t)(end - lines->text.data) + 1;
    }
}

static void receive(struct fixture *fixture, struct lines *lines, size_t most) {
    char *space = buffer_reserve(&lines->text, most);
    assert_non_null(space);
    const ssize_t got = recv(fixture->client, space, most, MSG_DONTWAIT);
    assert_int_not_equal(got, 0);
    buffer_commit(&lines->text, got > 0 ? (size_t)got : 0);
    if (lines->text.length > 0) {
        check_lines(lines);
    }
}

static struct shared_bytes *numbered_line(char kind, unsigned number, size_t length) {
    char *data = malloc(length + 1);
    assert_non_null(data);
    (void)snprintf(data, length, "%c%06u", kind, number);
    memset(data + 7, 'x', length - 8);
    data[length - 1] = '\n';
    struct shared_bytes *bytes = shared_bytes_create(data, length);
    assert_non_null(bytes);
    return bytes;
}

/* Control lines and frames of random sizes for a client that reads in random pieces. */
static void lines_stay_whole_and_in_order(void **state) {
    struct fixture *fixture = *state;
    struct lines lines = {0};
    buffer_init(&lines.text, 64u << 20);
    uint32_t random = 1;
    unsigned controls = 0, frames = 0;
    for (int i = 0; i < ORDERS; i++) {
        random = random * 1664525u + 1013904223u;
        const size_t length = 8 + (random >> 8) % MOST_BYTES;
        const bool is_frame = random >> 31 != 0;
        struct shared_bytes *line =
            numbered_line(is_frame ? 'f' : 'c', is_frame ? ++frames : controls++, length);
        if (is_frame) {
            stream_offer_frame(&fixture->stream, line);
        } else {
            assert_int_equal(stream_send(&fixture->stream, line), 0);
        }
        shared_bytes_release(line);
        receive(fixture, &lines, 1 + (random >> 4) % (2 * MOST_BYTES));
        if (random % 3 == 0) {
            loop_turn(&fixture->loop);
        }
    }
    for (int i = 0; i < 10000 && !send_queue_is_empty(&fixture->stream.queue); i++) {
        receive(fixture, &lines, 1 << 20);
        loop_turn(&fixture->loop);
    }
    for (int i = 0; i < 100 && lines.text.length < fixture->stream.bytes_sent; i++) {
        receive(fixture, &lines, 1 << 20);
    }
    assert_int_equal(lines.text.length, fixture->stream.bytes_sent);
    assert_int_equal(lines.checked, lines.text.length);
    assert_int_equal(lines.next_control, controls);
    assert_int_equal(fixture->stream.queue.frames_sent + fixture->stream.queue.frames_skipped, frames);
    assert_int_equal(lines.last_frame, frames); /* the newest one is never lost */
    buffer_fini(&lines.text);
    finish(&fixture->stream);
}

/* ---- the end ---- */

static void an_end_sends_what_waits(void **state) {
    struct fixture *fixture = *state;
    send_bytes(&fixture->stream, 'a', LARGE_BYTES);
    send_bytes(&fixture->stream, 'b', 3);
    offer(&fixture->stream, 'f', 3);
    finish(&fixture->stream);
    assert_int_equal(fixture->stream.phase, STREAM_FLUSHING);
    assert_int_equal(fixture->endings, 1);
    client_send(fixture->client, "unheard"); /* discarded: on_bytes would fail */
    size_t length = 0;
    char *text = client_read_all(&fixture->loop, fixture->client, &length);
    assert_int_equal(length, LARGE_BYTES + 8);
    assert_string_equal(text + LARGE_BYTES, "bbblast\n"); /* the frame was dropped */
    assert_int_equal(fixture->stream.queue.frames_skipped, 1);
    free(text);
}

static void a_stream_lingers_until_the_peer_closes(void **state) {
    struct fixture *fixture = *state;
    finish(&fixture->stream);
    assert_int_equal(fixture->stream.phase, STREAM_LINGERING);
    char *text = client_read(&fixture->loop, fixture->client, 5);
    free(text);
    loop_settle(&fixture->loop);
    assert_false(stream_check(&fixture->stream, fixture->stream.phase_deadline_ms - 1));
    assert_int_equal(fixture->stream.phase, STREAM_LINGERING);
    close_client(fixture);
    loop_until(&fixture->loop, &fixture->is_closed);
}

static void lingering_has_a_limit(void **state) {
    struct fixture *fixture = *state;
    finish(&fixture->stream);
    assert_int_equal(fixture->stream.phase_deadline_ms, stream_now_ms(&fixture->stream) + STREAM_LINGER_MS);
    assert_false(stream_check(&fixture->stream, fixture->stream.phase_deadline_ms));
    assert_int_equal(fixture->stream.phase, STREAM_CLOSED);
}

/* While the peer reads, an end may take longer than STREAM_FLUSH_MS. */
static void progress_extends_an_end(void **state) {
    struct fixture *fixture = *state;
    const uint64_t now_ms = stream_now_ms(&fixture->stream);
    send_bytes(&fixture->stream, 'a', LARGE_BYTES);
    finish(&fixture->stream);
    free(client_read(&fixture->loop, fixture->client, LARGE_BYTES / 2));
    assert_false(stream_check(&fixture->stream, now_ms + STREAM_FLUSH_MS));
    assert_int_equal(fixture->stream.phase, STREAM_FLUSHING);
    assert_false(stream_check(&fixture->stream, now_ms + 2 * STREAM_FLUSH_MS - 1));
    assert_int_equal(fixture->stream.phase, STREAM_FLUSHING);
    assert_false(stream_check(&fixture->stream, now_ms + 2 * STREAM_FLUSH_MS));
    assert_int_equal(fixture->stream.phase, STREAM_CLOSED);
}

static void a_hurried_end_does_not_wait_for_progress(void **state) {
    struct fixture *fixture = *state;
    send_bytes(&fixture->stream, 'a', LARGE_BYTES);
    finish(&fixture->stream);
    stream_hurry(&fixture->stream);
    const uint64_t deadline_ms = fixture->stream.phase_deadline_ms;
    free(client_read(&fixture->loop, fixture->client, LARGE_BYTES / 2));
    assert_false(stream_check(&fixture->stream, deadline_ms - 1));
    assert_int_equal(fixture->stream.phase, STREAM_FLUSHING);
    assert_false(stream_check(&fixture->stream, deadline_ms));
    assert_int_equal(fixture->stream.phase, STREAM_CLOSED);
}

static void a_hurried_stream_lingers_briefly(void **state) {
    struct fixture *fixture = *state;
    stream_hurry(&fixture->stream);
    finish(&fixture->stream);
    assert_int_equal(fixture->stream.phase_deadline_ms,
                     stream_now_ms(&fixture->stream) + STREAM_HURRIED_LINGER_MS);
}

/* ---- peers ---- */

static void a_half_closed_peer_still_receives(void **state) {
    struct fixture *fixture = *state;
    client_send(fixture->client, "bye");
    assert_return_code(shutdown(fixture->client, SHUT_WR), errno);
    loop_until(&fixture->loop, &fixture->has_end);
    assert_string_equal(fixture->received, "bye");
    assert_true(stream_is_half_closed(&fixture->stream));
    assert_int_equal(fixture->stream.phase, STREAM_OPEN);
    assert_false(stream_check(&fixture->stream, stream_now_ms(&fixture->stream) + STREAM_UNREAD_MS));
    assert_int_equal(fixture->stream.phase, STREAM_OPEN);
    send_bytes(&fixture->stream, 'a', 2);
    finish(&fixture->stream);
    size_t length = 0;
    char *text = client_read_all(&fixture->loop, fixture->client, &length);
    assert_string_equal(text, "aalast\n");
    free(text);
}

static void a_peer_that_resets_is_found_unread(void **state) {
    struct fixture *fixture = *state;
    stream_stop_reading(&fixture->stream);
    client_reset(fixture->client);
    fixture->client = -1;
    loop_settle(&fixture->loop);
    const uint64_t stopped_ms = fixture->stream.stopped_ms;
    assert_false(stream_check(&fixture->stream, stopped_ms + STREAM_UNREAD_MS - 1));
    assert_int_equal(fixture->stream.phase, STREAM_OPEN);
    assert_false(stream_check(&fixture->stream, stopped_ms + STREAM_UNREAD_MS));
    assert_int_equal(fixture->stream.phase, STREAM_CLOSED);
}

static void a_peer_that_resets_ends_the_stream(void **state) {
    struct fixture *fixture = *state;
    client_reset(fixture->client);
    fixture->client = -1;
    loop_until(&fixture->loop, &fixture->is_closed);
    assert_false(fixture->has_end);
}

static void a_peer_that_takes_nothing_stalls(void **state) {
    struct fixture *fixture = *state;
    send_bytes(&fixture->stream, 'a', LARGE_BYTES);
    loop_settle(&fixture->loop);
    const uint64_t now_ms = stream_now_ms(&fixture->stream);
    assert_false(stream_check(&fixture->stream, now_ms)); /* sees what the kernel took */
    assert_false(stream_check(&fixture->stream, now_ms + LIMIT_STALL_SECONDS * 1000u - 1));
    assert_true(stream_check(&fixture->stream, now_ms + LIMIT_STALL_SECONDS * 1000u));
    loop_turn(&fixture->loop);
    assert_true(stream_behind_ms(&fixture->stream) > 0);
    assert_true(stream_behind_ms(&fixture->stream) >= stream_stalled_ms(&fixture->stream));
    free(client_read(&fixture->loop, fixture->client, LARGE_BYTES));
    loop_settle(&fixture->loop);
    assert_false(stream_check(&fixture->stream, now_ms + 2 * LIMIT_STALL_SECONDS * 1000u));
    finish(&fixture->stream);
}

#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        STREAM_TEST(bytes_arrive_and_leave_in_order),
        STREAM_TEST(a_stream_that_is_not_read_leaves_bytes_in_the_kernel),
        STREAM_TEST(the_newest_frame_wins),
        STREAM_TEST(lines_stay_whole_and_in_order),
        STREAM_TEST(an_end_sends_what_waits),
        STREAM_TEST(a_stream_lingers_until_the_peer_closes),
        STREAM_TEST(lingering_has_a_limit),
        STREAM_TEST(progress_extends_an_end),
        STREAM_TEST(a_hurried_end_does_not_wait_for_progress),
        STREAM_TEST(a_hurried_stream_lingers_briefly),
        STREAM_TEST(a_half_closed_peer_still_receives),
        STREAM_TEST(a_peer_that_resets_is_found_unread),
        STREAM_TEST(a_peer_that_resets_ends_the_stream),
        STREAM_TEST(a_peer_that_takes_nothing_stalls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
