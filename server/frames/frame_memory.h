/* The memory that all frames together take: keys, and frames that are made, wait or are being written.
 *
 * The loop has one for all views. It counts the bytes that slow readers can hold on to, not the world and the
 * snapshot that a frame is made from.
 */
#ifndef DROVER_SERVER_FRAMES_FRAME_MEMORY_H
#define DROVER_SERVER_FRAMES_FRAME_MEMORY_H

#include <stddef.h>

#include "common/base/shared_bytes.h"

struct frame_memory {
    struct byte_meter held;
    size_t limit; /* bytes */
};

/** Bytes that may still be taken. */
static inline size_t frame_memory_room(const struct frame_memory *memory) {
    const size_t held = memory->held.now;
    return held < memory->limit ? memory->limit - held : 0;
}

#endif
