/* Streams of bytes, their queues, the window of the peer. */

#include "tests/unit/server/cmocka_all.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "server/net/peer_socket.h"
#include "server/net/stream.h"
#include "tests/unit/server/net/tcp_pair.h"

/* ==== A stream over a real connection: what arrives, what is sent, and each of its ends ==== */

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

static void offer_stream(struct stream *stream, char fill, size_t length) {
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
    offer_stream(&fixture->stream, 'f', 1);
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
    offer_stream(&fixture->stream, 'a', LARGE_BYTES);
    assert_true(send_queue_is_writing(&fixture->stream.queue));
    offer_stream(&fixture->stream, 'b', 4);
    offer_stream(&fixture->stream, 'c', 4);
    offer_stream(&fixture->stream, 'd', 4);
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
    offer_stream(&fixture->stream, 'f', 3);
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

/* ==== The send queue: order, limits, newest frame wins ==== */

static struct shared_bytes *make(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    memcpy(copy, text, strlen(text) + 1);
    struct shared_bytes *bytes = shared_bytes_create(copy, strlen(text));
    assert_non_null(bytes);
    return bytes;
}

static void push(struct send_queue *queue, const char *text) {
    struct shared_bytes *line = make(text);
    assert_int_equal(send_queue_push(queue, line), 0);
    shared_bytes_release(line);
}

static void offer_send_queue(struct send_queue *queue, const char *text) {
    struct shared_bytes *frame = make(text);
    send_queue_offer_frame(queue, frame);
    shared_bytes_release(frame);
}

static void push_event(struct send_queue *queue, const char *text, bool is_accepted) {
    assert_true(send_queue_accepts(queue, strlen(text)) == is_accepted);
    if (is_accepted) {
        push(queue, text);
    }
}

/* Takes a batch and checks its texts, "a b c". */
static void expect_batch(struct send_queue *queue, const char *expected) {
    struct shared_bytes *batch[SEND_QUEUE_BATCH];
    char found[256] = "";
    const int count = send_queue_begin_write(queue, false, batch);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        assert_true(used + batch[i]->length + 2 < sizeof found);
        if (used > 0) {
            found[used++] = ' ';
        }
        memcpy(found + used, batch[i]->data, batch[i]->length);
        used += batch[i]->length;
    }
    found[used] = '\0';
    assert_string_equal(found, expected);
}

static void test_control_before_frames(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100);
    assert_true(send_queue_is_empty(&queue));
    offer_send_queue(&queue, "F1");
    push(&queue, "a");
    push(&queue, "b");
    expect_batch(&queue, "a b F1");
    assert_true(send_queue_is_writing(&queue));
    assert_false(send_queue_is_empty(&queue));
    send_queue_end_write(&queue);
    assert_true(send_queue_is_empty(&queue));
    assert_int_equal(queue.frames_sent, 1);
    send_queue_fini(&queue);
}

static void test_one_write_at_a_time(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100);
    push(&queue, "a");
    expect_batch(&queue, "a");
    push(&queue, "b");
    expect_batch(&queue, "");
    assert_int_equal(queue.control_bytes, 2);
    send_queue_end_write(&queue);
    assert_int_equal(queue.control_bytes, 1);
    expect_batch(&queue, "b");
    send_queue_end_write(&queue);
    assert_int_equal(queue.control_bytes, 0);
    send_queue_fini(&queue);
}

static void test_newest_frame_wins(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100);
    offer_send_queue(&queue, "F1");
    expect_batch(&queue, "F1");
    offer_send_queue(&queue, "F2");
    offer_send_queue(&queue, "F3");
    offer_send_queue(&queue, "F4");
    assert_int_equal(queue.frames_skipped, 2);
    send_queue_end_write(&queue);
    expect_batch(&queue, "F4");
    send_queue_end_write(&queue);
    offer_send_queue(&queue, "F5");
    send_queue_drop_frame(&queue);
    send_queue_drop_frame(&queue);
    assert_int_equal(queue.frames_skipped, 3);
    assert_int_equal(queue.frames_sent, 2);
    assert_true(send_queue_is_empty(&queue));
    send_queue_fini(&queue);
}

static void test_limit(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 8);
    push_event(&queue, "longer than the limit", true); /* one line always fits */
    push_event(&queue, "x", false);
    expect_batch(&queue, "longer than the limit");
    push_event(&queue, "x", false); /* bytes being written still count */
    push(&queue, "reply");          /* the request is answered all the same */
    send_queue_end_write(&queue);
    expect_batch(&queue, "reply");
    send_queue_end_write(&queue);
    push_event(&queue, "1234", true);
    push_event(&queue, "5678", true);
    push_event(&queue, "9", false);
    send_queue_fini(&queue);
}

/* Requests are handed out while less than half of the limit waits, written or not. */
static void test_room(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 8);
    assert_true(send_queue_has_room(&queue));
    push(&queue, "123");
    assert_true(send_queue_has_room(&queue));
    push(&queue, "4");
    assert_false(send_queue_has_room(&queue));
    expect_batch(&queue, "123 4");
    assert_false(send_queue_has_room(&queue));
    send_queue_end_write(&queue);
    assert_true(send_queue_has_room(&queue));
    send_queue_fini(&queue);
}

/* More lines than a batch or the first ring: order holds, the frame waits for all of them. */
static void test_many_lines(void **state) {
    struct send_queue queue;
    send_queue_init(&queue, 100000);
    char text[8] = "0000";
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            text[0] = (char)('0' + i / 10);
            text[1] = (char)('0' + i % 10);
            push(&queue, text);
        }
        offer_send_queue(&queue, "F");
        int seen = 0;
        bool frame_seen = false;
        struct shared_bytes *batch[SEND_QUEUE_BATCH];
        int count = 0;
        while ((count = send_queue_begin_write(&queue, false, batch)) > 0) {
            for (int i = 0; i < count; i++) {
                assert_false(frame_seen);
                frame_seen = batch[i]->data[0] == 'F';
                if (!frame_seen) {
                    assert_int_equal(batch[i]->data[0], '0' + seen / 10);
                    assert_int_equal(batch[i]->data[1], '0' + seen % 10);
                    seen++;
                }
            }
            send_queue_end_write(&queue);
        }
        assert_int_equal(seen, 100);
        assert_true(frame_seen);
    }
    send_queue_fini(&queue);
}

/* Every reference is released, in whatever state the queue ends. */
static void test_references(void **state) {
    struct send_queue queue;
    struct shared_bytes *line = make("line");
    struct shared_bytes *frame = make("frame");
    send_queue_init(&queue, 100);
    assert_int_equal(send_queue_push(&queue, line), 0);
    send_queue_offer_frame(&queue, frame);
    expect_batch(&queue, "line frame");
    assert_int_equal(send_queue_push(&queue, line), 0);
    send_queue_offer_frame(&queue, frame);
    assert_int_equal(line->references, 3);
    assert_int_equal(frame->references, 3);
    send_queue_fini(&queue);
    assert_int_equal(line->references, 1);
    assert_int_equal(frame->references, 1);
    shared_bytes_release(line);
    shared_bytes_release(frame);
}

static void offer_keyed(struct send_queue *queue, struct shared_bytes *key, uint64_t number,
                        const char *text) {
    struct shared_bytes *frame = make(text);
    send_queue_offer_keyed(queue, key, number, frame);
    shared_bytes_release(frame);
}

/* Whatever a slow reader misses, every frame sent can be decoded. */
static void test_keys(void **state) {
    struct send_queue queue;
    struct shared_bytes *k1 = make("K1"), *k2 = make("K2"), *k3 = make("K3");
    send_queue_init(&queue, 100);
    offer_keyed(&queue, k1, 1, "a1");
    expect_batch(&queue, "K1 a1");
    offer_keyed(&queue, k1, 1, "b1");
    offer_keyed(&queue, k2, 2, "a2"); /* skipped, and its key with it */
    offer_keyed(&queue, k3, 3, "a3");
    offer_keyed(&queue, k3, 3, "b3");
    send_queue_end_write(&queue);
    push(&queue, "reply");
    expect_batch(&queue, "reply K3 b3");
    send_queue_end_write(&queue);
    offer_keyed(&queue, k3, 3, "c3");
    expect_batch(&queue, "c3");
    offer_keyed(&queue, k3, 3, "d3");
    send_queue_clear_key(&queue); /* resync: what waited goes, the next has its key */
    send_queue_end_write(&queue);
    expect_batch(&queue, "");
    offer_keyed(&queue, k3, 3, "e3");
    expect_batch(&queue, "K3 e3");
    send_queue_end_write(&queue);
    for (int i = 0; i < SEND_QUEUE_BATCH - 1; i++) {
        push(&queue, "r");
    }
    offer_keyed(&queue, k2, 4, "a4"); /* one place is left: both wait */
    expect_batch(&queue, "r r r r r r r r r r r r r r r r r r r r r r r r r r r r r r r");
    send_queue_end_write(&queue);
    expect_batch(&queue, "K2 a4");
    offer_keyed(&queue, k1, 5, "never");
    send_queue_fini(&queue);
    assert_true(k1->references == 1 && k2->references == 1 && k3->references == 1);
    shared_bytes_release(k1);
    shared_bytes_release(k2);
    shared_bytes_release(k3);
}

/* ==== peer window ====
 * The rule for slow readers: which peer is slow, when its next frame may begin, and that every wait ends. */

static void slow_after_a_skip(void **state) {
    struct peer_window window = {0};
    assert_false(peer_window_is_watched(&window, 0));
    assert_false(peer_window_is_watched(&window, 1000));
    peer_window_note_skip(&window, 1000);
    assert_true(peer_window_is_watched(&window, 1000));
    peer_window_note_skip(&window, 2000);
    assert_true(peer_window_is_watched(&window, 2000 + PEER_WINDOW_WATCH_MS - 1));
    assert_false(peer_window_is_watched(&window, 2000 + PEER_WINDOW_WATCH_MS));
}

static void half_must_be_free(void **state) {
    struct peer_window window = {0};
    assert_true(peer_window_allows(&window, 100000, 0)); /* the widest so far */
    assert_false(peer_window_allows(&window, 49999, 10));
    assert_false(peer_window_allows(&window, 0, 20));
    assert_true(peer_window_allows(&window, 50000, 30));
    assert_true(peer_window_allows(&window, 200000, 40)); /* it grew */
    assert_false(peer_window_allows(&window, 99999, 50));
    assert_true(peer_window_allows(&window, 100000, 60));
}

/* Held for a second, counted from when the holding began, then released and learned again. */
static void every_wait_ends(void **state) {
    struct peer_window window = {0};
    assert_true(peer_window_allows(&window, 100000, 0));
    assert_false(peer_window_allows(&window, 1000, 500));
    assert_false(peer_window_allows(&window, 1000, 500 + PEER_WINDOW_HOLD_MS - 1));
    assert_true(peer_window_allows(&window, 1000, 500 + PEER_WINDOW_HOLD_MS));
    assert_true(peer_window_allows(&window, 1000, 1600)); /* 1000 is now the widest */
    assert_true(peer_window_allows(&window, 500, 1700));
    assert_false(peer_window_allows(&window, 499, 1800));
    assert_true(peer_window_allows(&window, 0, 1800 + PEER_WINDOW_HOLD_MS));
    assert_true(peer_window_allows(&window, 0, 5000)); /* a shut window holds no frame either */
}

/* For any windows, a frame may begin at least once in every second. */
static void never_starves(void **state) {
    struct peer_window window = {0};
    uint64_t random = 1, last = 0;
    for (uint64_t now = 0; now < 200000; now += 7) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t most = now / 20000 * 30000 + 1;
        if (peer_window_allows(&window, (uint32_t)((random >> 33) % most), now)) {
            last = now;
        }
        assert_true(now - last <= PEER_WINDOW_HOLD_MS + 7);
    }
}

/* A real connection: the window shuts when the client does not read. */
static void the_window_is_read(void **state) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int listening = socket(AF_INET, SOCK_STREAM, 0), peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listening, 1), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(connect(peer, (struct sockaddr *)&address, size), 0);
    const int own = accept(listening, NULL, NULL);
    static char bytes[20000];
    uint32_t before = 0, after = 0;
    uint32_t untouched = 7;
    assert_int_equal(peer_window_read(-1, &untouched), -1);
    assert_int_equal(untouched, 7);
    const int can_tell = peer_window_read(own, &before);
    while (send(own, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {}
    const int result = peer_window_read(own, &after);
    close(peer);
    close(own);
    close(listening);
    if (can_tell != 0) {
        skip(); /* this system does not report it */
    }
    assert_int_equal(result, 0);
    assert_true(before > 1000);
    assert_true(after < before / 2);
}

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
        cmocka_unit_test(test_control_before_frames),
        cmocka_unit_test(test_one_write_at_a_time),
        cmocka_unit_test(test_newest_frame_wins),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_references),
        cmocka_unit_test(slow_after_a_skip),
        cmocka_unit_test(half_must_be_free),
        cmocka_unit_test(every_wait_ends),
        cmocka_unit_test(never_starves),
        cmocka_unit_test(the_window_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
