/* A server's bytes for a client, cut into pieces that the input chooses: the same events as from one piece, each
 * whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/handle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_BYTES = 1 << 16, TEXT_BYTES = 1 << 28 };

static void require(bool is_so) {
    if (!is_so) {
        abort();
    }
}

static void describe_frame(const struct client_event *event, struct buffer *out) {
    const struct snapshot *frame = event->snapshot;
    require(frame->count >= 0 && frame->count <= frame->capacity && frame->epoch == event->epoch);
    snapshot_encode_fields(frame, frame->fields, out);
    if (event->density != NULL) {
        require(event->density->columns * event->density->rows <= event->density->capacity);
        buffer_printf(out, "%u", (unsigned)event->density->inside);
    }
}

static void describe(const struct client_event *event, struct buffer *out) {
    buffer_printf(out, "%d %u %s", (int)event->type, (unsigned)event->epoch, event->failure.message);
    switch (event->type) {
    case CLIENT_MESSAGE:
        require(event->message != NULL && event->epoch <= 1000000);
        buffer_append_text(out, drover_message_op(event->message));
        break;
    case CLIENT_FRAME:
        describe_frame(event, out);
        break;
    case CLIENT_MESSAGE_REFUSED:
    case CLIENT_FRAME_REFUSED:
        require(event->failure.message[0] != '\0');
        break;
    default:
        break;
    }
}

/* seed 0: one piece. */
static struct buffer decode(const uint8_t *data, size_t size, uint32_t seed) {
    struct client_decoder *decoder = client_decoder_create(LINE_BYTES);
    struct client_event event;
    struct buffer out;
    buffer_init(&out, TEXT_BYTES);
    require(decoder != NULL);
    for (size_t at = 0; at < size;) {
        seed = seed * 1664525u + (seed != 0 ? 1013904223u : 0u);
        const size_t wanted = seed == 0 ? size : (seed >> 24) % 2 == 0 ? (seed >> 16) % 8 + 1 : seed >> 20;
        size_t room = 0, count = wanted == 0 ? 1 : wanted < size - at ? wanted : size - at;
        char *space = client_decoder_reserve(decoder, count, &room);
        require(space != NULL);
        count = count < room ? count : room;
        memcpy(space, data + at, count);
        client_decoder_commit(decoder, count);
        while (client_decoder_next(decoder, &event) != CLIENT_NEED_MORE) {
            describe(&event, &out);
            drover_message_free(event.message);
        }
        at += count;
    }
    client_decoder_destroy(decoder);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t seed = 1;
    for (size_t i = 0; i < size && i < 64; i++) {
        seed = seed * 31u + data[i];
    }
    struct buffer whole = decode(data, size, 0), pieces = decode(data, size, seed | 1u);
    require(whole.length == pieces.length &&
            (whole.length == 0 || memcmp(whole.data, pieces.data, whole.length) == 0));
    buffer_fini(&whole);
    buffer_fini(&pieces);
    return 0;
}
