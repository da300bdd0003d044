/* The journals and checkpoints of a state folder (state_directory.h): which there are, and which are read to continue.
 * Other files of the folder are not looked at.
 */
#ifndef DROVER_SERVER_STORAGE_STATE_FILES_H
#define DROVER_SERVER_STORAGE_STATE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/storage/disk_file.h"

/* Of one number, a checkpoint is the world at the beginning of the journal: so this is also the order in time. */
enum state_file_kind { STATE_FILE_CHECKPOINT, STATE_FILE_JOURNAL };

struct state_file {
    uint32_t number; /* from 1 */
    enum state_file_kind kind;
    uint32_t
        parts; /* of a checkpoint in parts: the number behind that of its last one (part_files.h); else 0 */
    uint64_t bytes; /* with those of its parts */
};

struct state_files {
    char folder[DISK_FILE_PATH];
    struct state_file *rows; /* malloc'd; by number, then kind */
    int count;
};

/** The path of a file of the folder. */
void state_file_path(const char *folder, enum state_file_kind kind, uint32_t number,
                     char path[DISK_FILE_PATH]);
/** The path of a row's file (part: -1), or of one of its parts. */
void state_file_path_of(const char *folder, const struct state_file *row, int part,
                        char path[DISK_FILE_PATH]);
/** What this is the name of; false: of neither ("checkpoint-1.drover" has too few digits). */
bool state_file_read_name(const char *name, enum state_file_kind *kind, uint32_t *number);

/** Lists a folder, without its trailing slash. 0, or -1 with *failure (io, busy). */
NODISCARD int state_files_scan(struct state_files *files, const char *folder, struct failure *failure);
void state_files_fini(struct state_files *files);
uint64_t state_files_bytes(const struct state_files *files);
uint32_t state_files_last_number(const struct state_files *files);
/** Whether anything is there to continue from: a checkpoint, or a journal that has more than the beginning of its first
 * two lines. */
bool state_files_hold_world(const struct state_files *files);

/** Returns the row from which to continue; all that follow belong to it, in the order of time. It is the checkpoint before
 * the newest one (so there is another when that one turns out to be damaged), or the first journal. Checkpoints whose
 * beginning is damaged are taken out of the list, with a line in the log. -1 with *failure (bad_save, which names a file;
 * busy) when there is no such row. */
NODISCARD int state_files_plan(struct state_files *files, struct failure *failure);
/** Whether no journal is missing from this row on. */
bool state_files_go_on(const struct state_files *files, int row);
/** Says in the log what is known to be missing from this row on: torn ends, empty journals, a newest one that is not
 * there. Returns whether the newest one is there and has its first two lines. */
bool state_files_report(const struct state_files *files, int row);
/** Whether all of it is one recording: no journal is missing. 0, or -1 with *failure (bad_save, which names it; no_save
 * when there is no file). */
NODISCARD int state_files_check_whole(const struct state_files *files, struct failure *failure);
/** How many rows from the start may be deleted once the checkpoint `number` is on disk: all that is older than the
 * checkpoint before it, while the rest has more than keep_bytes. */
int state_files_outdated(const struct state_files *files, uint32_t number, uint64_t keep_bytes);

#endif
