/* A thread that writes one file after another, so that no other thread ever waits for a disk.
 *
 * 1. Bytes are put in order and leave in order. A position counts the bytes that were put since the start, over all
 * files.
 * 2. What is put is written at least every FILE_WRITER_FLUSH_MS, and synced (fdatasync) at least every sync_s seconds;
 * with is_always as soon as it was put: what arrives during a sync goes into the next one.
 * 3. Nothing is ever left out: when FILE_WRITER_ROOM bytes wait, or the system refuses (a full disk), the writer has
 * failed: nothing more is written into that file, which keeps what it has, and file_writer_has_failed says why. Another
 * file can be begun (file_writer_begin_again).
 * 4. A path that ends in .zst is compressed, in frames (output_file.h): what a flush has written can be read after a
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

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/storage/whole_file.h"

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
