/* How much memory frames may take together: the forms' keys, frames that are made, wait or are being written.
 *
 * One for all forms, of the loop. What is counted is what readers can hold on to; the world and the copy that
 * a frame is made of are not.
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
    return memory->held.now < memory->limit ? memory->limit - memory->held.now : 0;
}

#endif
