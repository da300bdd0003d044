/* A thread that writes one file after another, so that no other thread ever waits for a disk.
 *
 * 1. Bytes are put in order and leave in order. A position counts the bytes that were put since the start, over all
 * files.
 * 2. What is put is written at least every FILE_WRITER_FLUSH_MS, and synced (fdatasync) at least every sync_s seconds;
 * with is_always as soon as it was put: what arrives during a sync goes into the next one.
 * 3. Nothing is ever left out: when FILE_WRITER_ROOM bytes wait, or the system refuses (a full disk), the writer has
 * failed: nothing more is written into that file, which keeps what it has, and file_writer_has_failed says why. Another
 * file can be begun (file_writer_begin_again).
 * 4. A path that ends in .zst is compressed, in frames: what a flush has written can be read after a
 * crash, the end of the torn frame included.
 * 5. All signals are blocked in the thread. Files are made with O_CREAT|O_EXCL|O_CLOEXEC, mode 0600, and locked
 * (flock). A file is synced before it is closed, whatever sync_s is.
 * 6. No allocation after file_writer_create. Times are those of the monotonic clock.
 */
#ifndef DROVER_SERVER_STORAGE_FILE_WRITER_H
#define DROVER_SERVER_STORAGE_FILE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/storage/disk_file.h"

/* Bytes as one zstd frame: for files that are written in pieces that are complete each. Pure. */

/** Whether a file of this name is compressed when it is written: the name ends in .zst. */
bool packed_frame_is_name(const char *path);
/** Appends the bytes as a frame of its own, with a checksum. Failure (the buffer's limit, or memory) is
 * out->failed. */
void packed_frame_append(const char *bytes, size_t length, struct buffer *out);

/* A file that grows at its end, plain or compressed; the part of a writer that uses the file system. Used by one
 * thread, which waits for the disk.
 *
 * A compressed file (.zst) is a row of zstd frames that each stand alone. A frame is closed when it has
 * OUTPUT_FILE_FRAME_BYTES or is OUTPUT_FILE_FRAME_NS old. output_file_flush writes what an open frame has so far, so
 * that a reader of the torn frame gets it.
 *
 * What is written are lines of JSON, whole at each flush: each gets its sum (recording/recording_line.h).
 */

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

enum {
    FILE_WRITER_FLUSH_MS = 50,
    FILE_WRITER_ROOM = 8 * 1024 * 1024,         /* bytes that were put and copied */
    FILE_WRITER_OWNED_ROOM = 512 * 1024 * 1024, /* bytes that were given */
    FILE_WRITER_MARKS = 32                      /* blocks that were given and further files */
};

struct file_writer;

struct file_writer_def {
    const char *path; /* of the first file; copied */
    double sync_s;    /* 0: only when a file is closed */
    bool is_always;
    bool
        is_patient; /* the first file may be impossible to make: the writer has failed then, and may go on later */
    uint64_t max_bytes; /* 0: any; otherwise the writer fails rather than write more into one file */
    /** Called by the thread when file_writer_synced grew (is_always alone) and once when the writer failed; must not
     * wait. NULL: not. */
    void (*notify)(void *context);
    void *context;
};

/** Makes the first file and the thread. NULL with *failure: exists, io (path and the system's reason), busy. */
NODISCARD struct file_writer *file_writer_create(const struct file_writer_def *def, struct failure *failure);
/** Appends bytes, at least one, which are copied. Returns the position after them; 0 when the writer has failed. Waits
 * for nothing but a short lock. Any thread. */
uint64_t file_writer_put(struct file_writer *writer, const char *bytes, size_t length);
/** Appends malloc'd bytes, at least one, which are the writer's from now on, whatever is returned; they count for
 * FILE_WRITER_OWNED_ROOM instead. */
uint64_t file_writer_put_owned(struct file_writer *writer, char *bytes, size_t length);
/** What is put from now on goes to another file, made by the thread; the former one is synced and closed. */
void file_writer_next_file(struct file_writer *writer, const char *path);
/** After a failure: what is put from now on goes to another file, made by the thread. What was put before and had not
 * been written is lost, though file_writer_written and file_writer_synced count it from then on. The file is on trial:
 * it is removed when the writer fails again before file_writer_settle. False: the thread is not ready for it yet. */
bool file_writer_begin_again(struct file_writer *writer, const char *path);
/** The file that is on trial stays. */
void file_writer_settle(struct file_writer *writer);
/** How much of what was put has reached the system (survives the end of the process); the disk. Any thread, no lock. */
uint64_t file_writer_written(const struct file_writer *writer);
uint64_t file_writer_synced(const struct file_writer *writer);
/** When the file last was on disk (clock_now_ns), and how many bytes its file system had left for others when it was last
 * synced, or failed. */
struct file_writer_disk {
    uint64_t synced_ns, free_bytes;
};
/** Any thread; waits for nothing. */
struct file_writer_disk file_writer_read_disk(const struct file_writer *writer);
/** Waits until all that was put is on disk, at most wait_s seconds. Not for a thread that may not wait for the disk.
 * Returns whether it is. */
bool file_writer_sync_now(struct file_writer *writer, double wait_s);
/** Whether the writer failed, and why: io (path and the system's reason), or full (max_bytes; the disk is too slow).
 * failure may be NULL. Any thread. */
bool file_writer_has_failed(struct file_writer *writer, struct failure *failure);
/** Waits until what was put so far has reached the system: true; or until the writer fails, or wait_s seconds have
 * passed: false with *failure (io, full). Any thread that may wait. */
NODISCARD bool file_writer_wait(struct file_writer *writer, double wait_s, struct failure *failure);
/** Writes and syncs what was put and ends the thread; gives up after wait_s seconds without progress (a thread that
 * waits for a disk goes on alone then, but notify is not called any more). Returns whether everything is on disk. NULL
 * is fine. */
bool file_writer_destroy(struct file_writer *writer, double wait_s);
/** The same, and says why not everything is on disk: *failure (io, full). writer is not NULL. */
NODISCARD bool file_writer_end(struct file_writer *writer, double wait_s, struct failure *failure);

#endif
