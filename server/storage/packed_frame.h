/* Bytes as one zstd frame: for files that are written in pieces that are complete each. Pure. */
#ifndef DROVER_SERVER_STORAGE_PACKED_FRAME_H
#define DROVER_SERVER_STORAGE_PACKED_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"

/** Whether a file of this name is compressed when it is written: the name ends in .zst. */
bool packed_frame_is_name(const char *path);
/** Appends the bytes as a frame of its own, with a checksum. Failure (the buffer's limit, or memory) is
 * out->failed. */
void packed_frame_append(const char *bytes, size_t length, struct buffer *out);

#endif
