/* A server's lines, one after the other, as the viewer reads them: keys, deltas, densities, snapshots and
 * messages. A refused line has a reason; an accepted one stays within its arrays and names, whatever came
 * before. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/message.h"
#include "common/snapshot/frame_layout.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_frame(const struct snapshot *frame) {
    if (frame->count < 0 || frame->count > frame->capacity || frame->target_count < 0 ||
        frame->target_count > LIMIT_TARGETS) {
        abort();
    }
    for (int32_t i = 0; i < frame->count; i++) {
        const bool has_state = frame->state[i] < frame->state_names.count || frame->state[i] == 0;
        const bool has_kind = frame->kind[i] < frame->kind_names.count || frame->kind[i] == 0;
        if (!has_state || !has_kind || frame->heading[i] < 0 || frame->heading[i] >= 36000 ||
            (i > 0 && frame->id[i] <= frame->id[i - 1])) {
            abort();
        }
    }
    for (int32_t i = 0; i < frame->target_count; i++) {
        if (frame->target_name[i] >= frame->target_names.count) {
            abort();
        }
    }
}

static void check_density(const struct density *density) {
    uint64_t sum = 0;
    for (int32_t i = 0; i < density->columns * density->rows; i++) {
        sum += density->count[i] + (uint64_t)(density->vx[i] & 0) + (uint64_t)(density->vy[i] & 0);
    }
    for (int32_t i = 0; i < density->kind_count * density->columns * density->rows; i++) {
        sum -= density->by_kind[i];
    }
    sum += density->kind_count > 0 ? density->inside : 0; /* once by cells, once by kinds */
    if (density->columns * density->rows > density->capacity || sum != density->inside) {
        abort();
    }
}

static void check_failure(const struct failure *failure) {
    if (failure->message[0] == '\0') {
        abort();
    }
}

static void read_message(const char *line, size_t length) {
    static struct message message; /* large */
    struct failure failure = {0};
    if (message_decode(line, length, &message, &failure) != 0) {
        check_failure(&failure);
    }
    message_fini(&message);
}

static void read_line(const struct frame_reader *reader, const char *line, size_t length) {
    struct failure failure = {0};
    const struct frame_layout *layout = frame_layout_of_line(line, length);
    if (layout == NULL) {
        read_message(line, length);
        return;
    }
    const enum frame_result result = layout->decode(reader, line, length, &failure);
    if (result == FRAME_REFUSED) {
        check_failure(&failure);
    } else if (result == FRAME_READY) {
        check_frame(reader->snapshot);
        if (layout->takes_grid) {
            check_density(reader->density);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct packed_decoder *stream = packed_decoder_create();
    struct snapshot *frame = snapshot_create();
    struct density density;
    if (stream == NULL || frame == NULL) {
        abort();
    }
    density_init(&density);
    const struct frame_reader reader = {stream, frame, &density};
    for (size_t begin = 0; begin < size;) {
        const uint8_t *end = memchr(data + begin, '\n', size - begin);
        const size_t length = end != NULL ? (size_t)(end - data) - begin : size - begin;
        char *line = malloc(length + 1); /* exactly its size: a sanitizer sees a byte too far */
        if (line == NULL) {
            abort();
        }
        memcpy(line, data + begin, length);
        line = length > 0 ? realloc(line, length) : line;
        if (line == NULL) {
            abort();
        }
        read_line(&reader, line, length);
        free(line);
        begin += length + 1;
    }
    density_fini(&density);
    snapshot_destroy(frame);
    packed_decoder_destroy(stream);
    return 0;
}
