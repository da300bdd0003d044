/* A recorded session of a server, in pieces of any size: the same messages and frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/handle.h"
#include "tests/unit/common/test_support.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_is_read_whole),
        cmocka_unit_test(pieces_make_no_difference),
        cmocka_unit_test(frames_wait_for_a_world),
        cmocka_unit_test(another_connection_starts_from_nothing),
        cmocka_unit_test(what_is_wrong_is_reported_and_skipped),
        cmocka_unit_test(a_frame_can_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
