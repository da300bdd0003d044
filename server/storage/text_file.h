/* A file of text that can be read from any place: plain, or zstd frames, told apart by the first bytes. Only regular
 * files are opened (regular_file.h). What is behind the length that the file had when it was opened is not read; a file
 * that became shorter meanwhile is an error. Several streams may read one file; one thread.
 *
 * A compressed file that is torn or broken gives what can be read: the stream goes on at the next frame, and `breaks`
 * counts the places. Where a frame is not as it was written, TEXT_FILE_BREAK stands in the text, so that a line there is
 * none; a last frame that is torn, as a crash leaves it, has no such mark. Offsets are those of the text, without
 * compression.
 */
#ifndef DROVER_SERVER_STORAGE_TEXT_FILE_H
#define DROVER_SERVER_STORAGE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/* No line of a file of Drover ends with it. */
#define TEXT_FILE_BREAK "?\n"

struct text_file;
struct text_stream;

/** NULL with *failure: no_save (no such file), io (the system's reason, or not a regular file), busy (memory,
 * descriptors). */
NODISCARD struct text_file *text_file_open(const char *path, struct failure *failure);
/** After its streams. NULL is fine. */
void text_file_close(struct text_file *file);
const char *text_file_path(const struct text_file *file);
/** Bytes on disk. */
uint64_t text_file_bytes(const struct text_file *file);

/** A stream at the start of the file. NULL without memory. */
NODISCARD struct text_stream *text_stream_new(struct text_file *file);
void text_stream_free(struct text_stream *stream);
/** Goes to a place that a stream of this file has been at. 0, or -1 with *failure. */
NODISCARD int text_stream_seek(struct text_stream *stream, uint64_t offset, struct failure *failure);
/** The next bytes of the text, at most `size`. 0 at the end; -1 with *failure (io). */
NODISCARD ptrdiff_t text_stream_read(struct text_stream *stream, char *out, size_t size,
                                     struct failure *failure);
/** The places where compressed text could not be read, so far. */
uint64_t text_stream_breaks(const struct text_stream *stream);

#endif
