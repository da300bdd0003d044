/* See client_decoder.h. */
#include "clients/c/client_decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/line_reader.h"
#include "common/snapshot/snapshot_packed.h"

struct client_decoder {
    struct line_reader lines;
    struct packed_decoder *key;
    struct snapshot *snapshot;           /* read into; NULL until it is needed */
    struct density *density;             /* the same */
    const struct frame_layout *expected; /* NULL: any */
    uint32_t epoch;
    bool has_world; /* a hello or scenario of this connection described one */
};

struct client_decoder *client_decoder_create(size_t max_line_bytes) {
    struct client_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) {
        return NULL;
    }
    line_reader_init(&decoder->lines, max_line_bytes);
    decoder->key = packed_decoder_create();
    if (decoder->key == NULL) {
        client_decoder_destroy(decoder);
        return NULL;
    }
    return decoder;
}

void client_decoder_destroy(struct client_decoder *decoder) {
    if (decoder != NULL) {
        line_reader_fini(&decoder->lines);
        packed_decoder_destroy(decoder->key);
        snapshot_destroy(decoder->snapshot);
        density_destroy(decoder->density);
        free(decoder);
    }
}

void client_decoder_reset(struct client_decoder *decoder) {
    line_reader_fini(&decoder->lines);
    packed_decoder_reset(decoder->key);
    decoder->has_world = false;
}

void client_decoder_expect(struct client_decoder *decoder, int layout) {
    decoder->expected = frame_layout_row(layout);
}

char *client_decoder_reserve(struct client_decoder *decoder, size_t wish, size_t *size) {
    return line_reader_reserve(&decoder->lines, wish, size);
}

void client_decoder_commit(struct client_decoder *decoder, size_t count) {
    line_reader_commit(&decoder->lines, count);
}

int client_decoder_feed(struct client_decoder *decoder, const char *bytes, size_t length) {
    while (length > 0) {
        size_t size = 0;
        char *space = client_decoder_reserve(decoder, length, &size);
        if (space == NULL) {
            return -1;
        }
        const size_t count = size < length ? size : length;
        memcpy(space, bytes, count);
        client_decoder_commit(decoder, count);
        bytes += count;
        length -= count;
    }
    return 0;
}

/* ---- events ---- */

static enum client_event_type read_message(struct client_decoder *decoder, const char *line, size_t length,
                                           struct client_event *event) {
    struct drover_message *message = line_message_create(line, length, &event->failure);
    if (message == NULL && event->failure.code != FAILURE_INTERNAL) {
        message = line_message_unreadable(line, length, event->failure.message);
    }
    if (message == NULL) {
        return event->failure.code == FAILURE_INTERNAL ? CLIENT_NO_MEMORY : CLIENT_MESSAGE_REFUSED;
    }
    if (line_message_begins_world(message)) {
        decoder->has_world = true;
        decoder->epoch++;
        packed_decoder_reset(decoder->key);
    }
    message->world = decoder->epoch;
    event->message = message;
    return CLIENT_MESSAGE;
}

static bool is_expected(const struct client_decoder *decoder, const struct frame_layout *layout) {
    return decoder->has_world &&
           (decoder->expected == NULL || decoder->expected->takes_grid == layout->takes_grid);
}

/* The memory that frames are read into. False when there is none. */
static bool prepare(struct client_decoder *decoder, const struct frame_layout *layout) {
    if (decoder->snapshot == NULL) {
        decoder->snapshot = snapshot_create();
    }
    if (decoder->density == NULL && layout->takes_grid) {
        decoder->density = density_create();
    }
    return decoder->snapshot != NULL && (decoder->density != NULL || !layout->takes_grid);
}

/* CLIENT_NEED_MORE: nothing to report. */
static enum client_event_type read_frame(struct client_decoder *decoder, const struct frame_layout *layout,
                                         const char *line, size_t length, struct client_event *event) {
    if (!is_expected(decoder, layout)) {
        return CLIENT_NEED_MORE;
    }
    if (!prepare(decoder, layout)) {
        return CLIENT_NO_MEMORY;
    }
    const struct frame_reader reader = {decoder->key, decoder->snapshot, decoder->density};
    switch (layout->decode(&reader, line, length, &event->failure)) {
    case FRAME_READY:
        break;
    case FRAME_KEY:
        return CLIENT_NEED_MORE;
    default:
        return CLIENT_FRAME_REFUSED;
    }
    decoder->snapshot->epoch = decoder->epoch;
    event->snapshot = decoder->snapshot;
    event->density = layout->takes_grid ? decoder->density : NULL;
    return CLIENT_FRAME;
}

static enum client_event_type read_line(struct client_decoder *decoder, const char *line, size_t length,
                                        struct client_event *event) {
    const struct frame_layout *layout = frame_layout_of_line(line, length);
    if (length == 0) {
        return CLIENT_NEED_MORE;
    }
    return layout != NULL ? read_frame(decoder, layout, line, length, event)
                          : read_message(decoder, line, length, event);
}

enum client_event_type client_decoder_next(struct client_decoder *decoder, struct client_event *event) {
    char *line = NULL;
    size_t length = 0;
    enum line_event found;
    *event = (struct client_event){.type = CLIENT_NEED_MORE};
    while (event->type == CLIENT_NEED_MORE &&
           (found = line_reader_next(&decoder->lines, &line, &length)) != LINE_NEED_MORE) {
        event->type = found == LINE_TOO_LONG ? CLIENT_LINE_TOO_LONG : read_line(decoder, line, length, event);
    }
    event->epoch = decoder->epoch;
    assert((event->type == CLIENT_MESSAGE) == (event->message != NULL));
    assert((event->type == CLIENT_FRAME) == (event->snapshot != NULL));
    return event->type;
}

void client_decoder_replace_snapshot(struct client_decoder *decoder, struct snapshot *next) {
    assert(next == NULL || next != decoder->snapshot);
    decoder->snapshot = next;
}

void client_decoder_replace_density(struct client_decoder *decoder, struct density *next) {
    assert(next == NULL || next != decoder->density);
    decoder->density = next;
}
