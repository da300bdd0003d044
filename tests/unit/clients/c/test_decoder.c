/* The decoder of the C client, and its pace. */

#include "tests/unit/common/test_support.h"

#include <math.h>
#include <stdio.h>

#include "clients/c/handle.h"

/* ==== A recorded session of a server, in pieces of any size: the same messages and frames ==== */

enum { LINE_BYTES = 1 << 20, TEXT_BYTES = 1 << 24 };

#define HELLO                                                                                                \
    "{\"op\":\"hello\",\"protocol\":1,\"server\":\"drover-server 0.1.0\",\"session\":1,\"role\":\"admin\","  \
    "\"tick\":0,\"time\":0,\"paused\":false,\"scenario\":{\"name\":\"a\",\"title\":\"A\","                   \
    "\"description\":\"\",\"size\":[800,600],\"edge\":\"wrap\",\"seed\":1,\"tick_hz\":60,\"kinds\":[],"      \
    "\"targets\":[]}}\n"
#define KEY                                                                                                  \
    "{\"op\":\"key\",\"tick\":1,\"key\":4,\"n\":1,\"scale\":100,\"id\":\"AQAAAA==\",\"x\":\"AAAAAA==\","     \
    "\"y\":\"AAAAAA==\"}\n"
#define DELTA "{\"op\":\"delta\",\"tick\":2,\"time\":1,\"key\":4,\"n\":1,\"targets\":[],\"clock\":1}\n"

/* ---- the events of a stream as text ---- */

static void describe(const struct client_event *event, struct buffer *out) {
    buffer_printf(out, "%d of world %u: ", (int)event->type, (unsigned)event->epoch);
    if (event->message != NULL) {
        buffer_printf(out, "message %s", drover_message_op(event->message));
    }
    if (event->density != NULL) {
        buffer_printf(out, "density of %u", (unsigned)event->density->inside);
    }
    if (event->snapshot != NULL) {
        assert_int_equal(event->snapshot->epoch, event->epoch);
        snapshot_encode_fields(event->snapshot, event->snapshot->fields, out);
    }
    buffer_printf(out, "%s\n", event->failure.message);
}

static void take_events(struct client_decoder *decoder, struct buffer *out) {
    struct client_event event;
    while (client_decoder_next(decoder, &event) != CLIENT_NEED_MORE) {
        describe(&event, out);
        drover_message_free(event.message);
    }
}

static void feed_bytes(struct client_decoder *decoder, const char *bytes, size_t length) {
    while (length > 0) {
        size_t size = 0;
        char *space = client_decoder_reserve(decoder, length, &size);
        assert_non_null(space);
        size = size < length ? size : length;
        memcpy(space, bytes, size);
        client_decoder_commit(decoder, size);
        bytes += size;
        length -= size;
    }
}

/* piece: the largest piece, of a random size with *random; 0: all at once. */
static struct buffer decode(const char *bytes, size_t length, uint32_t piece, uint64_t *random) {
    struct client_decoder *decoder = client_decoder_create(LINE_BYTES);
    struct buffer out;
    assert_non_null(decoder);
    buffer_init(&out, TEXT_BYTES);
    for (size_t at = 0; at < length;) {
        size_t count = piece == 0 ? length : random == NULL ? piece : 1 + test_below(random, piece);
        count = count < length - at ? count : length - at;
        feed_bytes(decoder, bytes + at, count);
        take_events(decoder, &out);
        at += count;
    }
    client_decoder_destroy(decoder);
    assert_false(out.failed);
    return out;
}

static char *recorded(size_t *length) {
    FILE *file = fopen("tests/fuzz/corpus/client/session.jsonl", "rb");
    char *bytes = malloc(LINE_BYTES);
    assert_true(file != NULL && bytes != NULL);
    *length = fread(bytes, 1, LINE_BYTES, file);
    assert_int_equal(fclose(file), 0);
    assert_in_range(*length, 10000, LINE_BYTES - 1);
    return bytes;
}

static int count_of(const char *text, const char *what) {
    int count = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}

static void a_session_is_read_whole(void **state) {
    size_t length = 0;
    char *bytes = recorded(&length);
    struct buffer events = decode(bytes, length, 0, NULL);
    assert_true(strncmp(events.data, "1 of world 1: message hello\n", 28) == 0); /* hello */
    assert_int_equal(count_of(events.data, "message scenario\n"), 2);            /* scenario */
    assert_int_equal(count_of(events.data, "1 of world 2: message scenario\n"), 1);
    assert_int_equal(count_of(events.data, "\n2 of world "), count_of(bytes, "\"op\":\"delta\"") +
                                                                 count_of(bytes, "\"op\":\"density\"") +
                                                                 count_of(bytes, "\"op\":\"snapshot\""));
    assert_int_equal(count_of(events.data, "density of 8"), count_of(events.data, "1: density of 8"));
    assert_int_equal(count_of(events.data, "\n3 of") + count_of(events.data, "\n4 of"), 0); /* refused */
    buffer_fini(&events);
    free(bytes);
}

static void pieces_make_no_difference(void **state) {
    size_t length = 0;
    uint64_t random = 7;
    char *bytes = recorded(&length);
    struct buffer whole = decode(bytes, length, 0, NULL);
    struct buffer single = decode(bytes, length, 1, NULL);
    assert_string_equal(whole.data, single.data);
    for (uint32_t piece = 2; piece < 20000; piece *= 3) {
        struct buffer pieces = decode(bytes, length, piece, &random);
        assert_string_equal(whole.data, pieces.data);
        buffer_fini(&pieces);
    }
    buffer_fini(&single);
    buffer_fini(&whole);
    free(bytes);
}

/* ---- single rules ---- */

static enum client_event_type next_type(struct client_decoder *decoder) {
    struct client_event event;
    const enum client_event_type type = client_decoder_next(decoder, &event);
    drover_message_free(event.message);
    return type;
}

static void feed(struct client_decoder *decoder, const char *text) {
    feed_bytes(decoder, text, strlen(text));
}

static void frames_wait_for_a_world(void **state) {
    struct client_decoder *decoder = client_decoder_create(LINE_BYTES);
    assert_non_null(decoder);
    feed(decoder, KEY DELTA "\n" HELLO DELTA KEY DELTA);
    assert_int_equal(next_type(decoder), CLIENT_MESSAGE); /* those before it are skipped */
    assert_int_equal(next_type(decoder), CLIENT_FRAME_REFUSED);
    assert_int_equal(next_type(decoder), CLIENT_FRAME);
    assert_int_equal(next_type(decoder), CLIENT_NEED_MORE);
    feed(decoder, HELLO DELTA); /* another world: the key is that of the old one */
    assert_int_equal(next_type(decoder), CLIENT_MESSAGE);
    assert_int_equal(next_type(decoder), CLIENT_FRAME_REFUSED);
    client_decoder_destroy(decoder);
}

static void another_connection_starts_from_nothing(void **state) {
    struct client_event event;
    struct client_decoder *decoder = client_decoder_create(LINE_BYTES);
    assert_non_null(decoder);
    feed(decoder, HELLO KEY "{\"op\":\"rep");
    assert_int_equal(next_type(decoder), CLIENT_MESSAGE);
    assert_int_equal(next_type(decoder), CLIENT_NEED_MORE);
    client_decoder_reset(decoder);
    feed(decoder, DELTA HELLO);
    assert_int_equal(client_decoder_next(decoder, &event), CLIENT_MESSAGE);
    assert_string_equal(drover_message_op(event.message), "hello");
    assert_int_equal(event.epoch, 2);
    drover_message_free(event.message);
    client_decoder_destroy(decoder);
}

static void what_is_wrong_is_reported_and_skipped(void **state) {
    struct client_event event;
    struct client_decoder *decoder = client_decoder_create(1024);
    char longer[1100];
    assert_non_null(decoder);
    memset(longer, ' ', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    feed(decoder, "no JSON\n");
    assert_int_equal(client_decoder_next(decoder, &event), CLIENT_MESSAGE_REFUSED);
    assert_true(event.failure.message[0] != '\0');
    feed(decoder, longer);
    feed(decoder, "\n" HELLO KEY "{\"op\":\"delta\",\"tick\":-2}\n" DELTA);
    assert_int_equal(next_type(decoder), CLIENT_LINE_TOO_LONG);
    assert_int_equal(next_type(decoder), CLIENT_MESSAGE);
    assert_int_equal(client_decoder_next(decoder, &event), CLIENT_FRAME_REFUSED);
    assert_true(event.failure.message[0] != '\0');
    assert_int_equal(next_type(decoder), CLIENT_FRAME); /* the key is still there */
    client_decoder_destroy(decoder);
}

static void a_frame_can_be_kept(void **state) {
    struct client_event event;
    struct client_decoder *decoder = client_decoder_create(LINE_BYTES);
    struct client_frame *frame = calloc(1, sizeof *frame);
    assert_true(decoder != NULL && frame != NULL);
    feed(decoder, HELLO KEY DELTA DELTA DELTA);
    assert_int_equal(next_type(decoder), CLIENT_MESSAGE);
    assert_int_equal(client_decoder_next(decoder, &event), CLIENT_FRAME);
    struct snapshot *first = event.snapshot;
    client_frame_fill(frame, decoder, &event, 0.0, 0);
    assert_ptr_equal(frame->snapshot, first);
    assert_int_equal(client_decoder_next(decoder, &event), CLIENT_FRAME); /* it makes another one */
    assert_true(event.snapshot != first && first->tick == 2);
    client_frame_fill(frame, decoder, &event, 0.0, 0); /* which is kept; the decoder has the first again */
    assert_int_equal(client_decoder_next(decoder, &event), CLIENT_FRAME);
    assert_ptr_equal(event.snapshot, first);
    drover_frame_free(&frame->shown);
    client_decoder_destroy(decoder);
}

/* ==== pace ====
 * The rule of a slow link, on a link of numbers: frames and pings queue before it, and it carries so many frames a second. */

enum { STEP_MS = 10, AWAY_MS = 20 }; /* AWAY_MS: there and back without a queue */

struct link {
    struct pace pace;
    double wish_hz, carries_hz; /* frames a second */
    double now_ms, asked_hz, due_frames;
    double queued, came;     /* frames in the queue; what is left of the next to leave it */
    double all;              /* frames that left it */
    double ping_out_ms;      /* HUGE_VAL: none */
    double ping_back_frames; /* what was in the queue before it */
    double worst_ms;         /* the longest wait of a frame that joins the queue, since it was set to 0 */
};

static void begin(struct link *link, double wish_hz, double carries_hz) {
    *link = (struct link){
        .wish_hz = wish_hz, .carries_hz = carries_hz, .asked_hz = wish_hz, .ping_out_ms = HUGE_VAL};
    pace_init(&link->pace);
}

static void move_frames(struct link *link) {
    const double moved = fmin(link->queued, link->carries_hz * STEP_MS / 1000.0);
    link->queued += link->asked_hz * STEP_MS / 1000.0;
    link->queued -= moved;
    link->all += moved;
    link->ping_back_frames -= link->carries_hz * STEP_MS / 1000.0;
    for (link->came += moved; link->came >= 1.0; link->came -= 1.0) {
        pace_frame(&link->pace);
    }
    link->worst_ms = fmax(link->worst_ms, 1000.0 * link->queued / link->carries_hz);
}

static void move_ping(struct link *link) {
    if (link->ping_out_ms < HUGE_VAL) {
        const double trip_ms = link->now_ms - link->ping_out_ms;
        const bool is_back = link->ping_back_frames <= 0.0 && trip_ms >= AWAY_MS;
        pace_ping(&link->pace, link->wish_hz, link->now_ms, trip_ms, is_back);
        link->ping_out_ms = is_back ? HUGE_VAL : link->ping_out_ms;
    } else if (fmod(link->now_ms, 250.0) == 0.0) {
        link->ping_out_ms = link->now_ms;
        link->ping_back_frames = link->queued;
    }
}

static void run(struct link *link, double seconds) {
    for (double end_ms = link->now_ms + 1000.0 * seconds; link->now_ms < end_ms; link->now_ms += STEP_MS) {
        move_ping(link);
        link->asked_hz = pace_hz(&link->pace, link->wish_hz);
        move_frames(link);
    }
}

/* After 10 s no frame waits longer than a second, and most of what the link carries is used. */
static void frames_are_sparse_not_old(void **state) {
    static const double carries[] = {3.0, 5.0, 8.0, 20.0, 28.0};
    for (size_t i = 0; i < sizeof carries / sizeof carries[0]; i++) {
        struct link link;
        begin(&link, 30.0, carries[i]);
        run(&link, 10.0);
        link.worst_ms = link.all = 0.0;
        run(&link, 120.0);
        if (link.worst_ms > 1000.0) {
            fail_msg("carries %g: %g ms", carries[i], link.worst_ms);
        }
        assert_true(link.all >= 0.6 * 120.0 * carries[i]);
    }
}

static void it_is_as_usual_again_on_a_fast_link(void **state) {
    struct link link;
    begin(&link, 30.0, 3.0);
    run(&link, 20.0);
    assert_true(link.asked_hz < 5.0);
    link.carries_hz = 1000.0;
    run(&link, 90.0);
    assert_float_equal(link.asked_hz, 30.0, 1e-9);
    run(&link, 30.0);
    assert_float_equal(link.asked_hz, 30.0, 1e-9);
}

/* A long way is not a slow link, and neither is one that carries what is asked for. */
static void a_fast_link_is_left_alone(void **state) {
    struct link link;
    begin(&link, 30.0, 60.0);
    run(&link, 60.0);
    assert_float_equal(link.asked_hz, 30.0, 1e-9);
    pace_init(&link.pace);
    for (double now_ms = 0.0; now_ms < 60000.0; now_ms += 1000.0) {
        pace_ping(&link.pace, 30.0, now_ms, 450.0, true);
        assert_float_equal(pace_hz(&link.pace, 30.0), 30.0, 1e-9);
    }
}

/* A world that stands sends no frames: nothing says what the link carries. */
static void without_frames_nothing_is_learned(void **state) {
    struct pace pace;
    pace_init(&pace);
    pace_ping(&pace, 30.0, 0.0, 5.0, true);
    pace_ping(&pace, 30.0, 1000.0, 310.0, false);
    assert_float_equal(pace_hz(&pace, 30.0), PACE_LATE_HZ, 1e-9);
    pace_ping(&pace, 30.0, 1600.0, 900.0, true); /* it waited behind others */
    assert_float_equal(pace_hz(&pace, 30.0), PACE_LATE_HZ, 1e-9);
    pace_ping(&pace, 30.0, 2000.0, 6.0, true);
    assert_float_equal(pace_hz(&pace, 30.0), 30.0, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_is_read_whole),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(frames_wait_for_a_world),
        cmocka_unit_test(another_connection_starts_from_nothing),
        cmocka_unit_test(what_is_wrong_is_reported_and_skipped),
        cmocka_unit_test(a_frame_can_be_kept),
        cmocka_unit_test(frames_are_sparse_not_old),
        cmocka_unit_test(it_is_as_usual_again_on_a_fast_link),
        cmocka_unit_test(a_fast_link_is_left_alone),
        cmocka_unit_test(without_frames_nothing_is_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
