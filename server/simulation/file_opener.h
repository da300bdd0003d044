/* A thread that opens and closes the files of recordings that clients ask for: neither the simulation nor the loop waits
 * for a disk. A file is the owner's when its first lines have reached the system; one of the last seconds when it is whole
 * and on disk. A file that cannot be written is removed.
 *
 * One file at a time is opened, or is open and waits to be taken by its owner; others wait their turn.
 */
#ifndef DROVER_SERVER_SIMULATION_FILE_OPENER_H
#define DROVER_SERVER_SIMULATION_FILE_OPENER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"
#include "server/storage/file_writer.h"

enum { FILE_OPENER_PATH = 4096 };

struct file_opener;

struct file_opener_def {
    const char *folder; /* made when it is not there; copied */
    double sync_s;
    void *context;
    void (*on_ready)(void *context);   /* a file can be taken, or the next one be opened; from any thread */
    void (*on_written)(void *context); /* file_writer_def.notify */
    /** Puts the first lines of a recording, or all of them (record->last), on the thread. *from: the tick of the first. 0,
     * or -1 with *failure. */
    int (*fill)(void *context, const struct request_record *record, struct file_writer *writer,
                uint64_t *from, struct failure *failure);
};

/** Starts the thread. NULL without memory or threads. */
NODISCARD struct file_opener *file_opener_create(const struct file_opener_def *def);
/** Closes what was not taken. NULL is fine. */
void file_opener_destroy(struct file_opener *opener);

/** Whether the owner's file is open, or could not be opened: file_opener_take says. Begins to open it when no other is in
 * the way. record: on, or last; its name is that of the file, without .drover; "": after the time. owner: not 0. Any
 * thread; waits for nothing. */
bool file_opener_has_opened(struct file_opener *opener, uint32_t owner, const struct request_record *record);
/** The owner's file: a writer, the caller's, and its path. NULL with *failure (exists, io). */
NODISCARD struct file_writer *file_opener_take(struct file_opener *opener, uint32_t owner,
                                               char path[FILE_OPENER_PATH], struct failure *failure);
/** The same for a file of the last seconds, which is on disk: its path, and the tick that it begins with. 0, or -1 with
 * *failure (exists, io, full), and there is no file. */
NODISCARD int file_opener_take_whole(struct file_opener *opener, uint32_t owner, char path[FILE_OPENER_PATH],
                                     uint64_t *from, struct failure *failure);
/** Ends a writer that was taken for nothing, later, and removes its file. */
void file_opener_discard(struct file_opener *opener, struct file_writer *writer, const char *path);
/** Ends a writer, later. */
void file_opener_close(struct file_opener *opener, struct file_writer *writer);

#endif
