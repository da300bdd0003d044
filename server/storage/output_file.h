/* A file that grows at its end, plain or compressed; the part of file_writer.h that uses the file system. Used by one
 * thread, which waits for the disk.
 *
 * A compressed file (.zst) is a row of zstd frames that each stand alone. A frame is closed when it has
 * OUTPUT_FILE_FRAME_BYTES or is OUTPUT_FILE_FRAME_NS old. output_file_flush writes what an open frame has so far, so
 * that a reader of the torn frame gets it.
 *
 * What is written are lines of JSON, whole at each flush: each gets its sum (recording/line_sum.h).
 */
#ifndef DROVER_SERVER_STORAGE_OUTPUT_FILE_H
#define DROVER_SERVER_STORAGE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/storage/disk_file.h"

#define OUTPUT_FILE_FRAME_BYTES ((size_t)1 << 20)
#define OUTPUT_FILE_FRAME_NS    ((uint64_t)1000000000)

struct output_file {
    int descriptor; /* -1: there is no file */
    char path[DISK_FILE_PATH];
    uint64_t bytes, max_bytes;      /* in the file; 0: any */
    struct ZSTD_CCtx_s *compressor; /* NULL: a plain file */
    char *packed;                   /* what the compressor gives, before it is written */
    size_t packed_size;
    uint32_t sum, line; /* of the lines so far; of those and what there is of the next one */
    bool holds_brace;   /* the last byte so far, a brace, is not written: a newline may follow */
    uint64_t frame_bytes,
        frame_ns; /* that the open frame was given; when it was begun. 0 bytes: none is open */
};

/** Makes the file. On failure (exists, io, busy) *file is as output_file_abandon leaves it. */
NODISCARD int output_file_create(struct output_file *file, const char *path, uint64_t max_bytes,
                                 struct failure *failure);
/** Appends bytes; of a compressed file some stay in the compressor until the next flush. -1 with *failure: io; full:
 * the file would pass max_bytes (the lines that still fit into a plain file were written). */
NODISCARD int output_file_write(struct output_file *file, const char *bytes, size_t length,
                                struct failure *failure);
/** Hands everything to the system; closes a frame that is old enough. */
NODISCARD int output_file_flush(struct output_file *file, struct failure *failure);
/** Whether a frame is open; *until_ns: when it is to be closed. */
bool output_file_has_frame(const struct output_file *file, uint64_t *until_ns);
NODISCARD int output_file_sync(struct output_file *file, struct failure *failure);
/** Closes the frame, syncs and closes the file; that happens on failure too, as far as it can. */
NODISCARD int output_file_close(struct output_file *file, struct failure *failure);
/** Removes the file, which is still open: it says nothing. */
void output_file_remove(struct output_file *file);
/** Closes the file as it is. */
void output_file_abandon(struct output_file *file);

#endif
