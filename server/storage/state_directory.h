/* A folder that holds one world across starts of the server (--state DIR):
 *
 *     lock                      held as long as a server uses the folder; has its process id
 *     journal-000001.drover     recordings in a row; each begins with the world as it was known then
 *     checkpoint-000001.drover  a saved world: the state at the beginning of the journal of that number
 *     scenario                  the name of the scenario of its first start
 *     saves/NAME.drover         saved worlds (save_store.h)
 *
 * 1. A journal may lack its checkpoint (the first one, or a crash before it was on disk): it then continues the
 * journal before it.
 * 2. The last line of the last journal may be a checkpoint: the server was stopped in order.
 * 3. All files have mode 0600, all folders 0700. The functions wait for the disk: not for the simulation thread or the
 * loop (but for state_directory_next and the paths), or before they start.
 * 4. Other files in the folder are left alone.
 */
#ifndef DROVER_SERVER_STORAGE_STATE_DIRECTORY_H
#define DROVER_SERVER_STORAGE_STATE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/recording/checkpoint.h"
#include "server/storage/disk_file.h"
#include "server/storage/recording.h"

/* The files of a checkpoint in parts (recording/checkpoint.h). Beside checkpoint-000007.drover, the head, lie
 * checkpoint-000007.part-0000, checkpoint-000007.part-0001 and so on, one of each rank that wrote it.
 *
 * The parts are written and synced first. The head's name makes them count (file_write_whole): parts without a head are
 * what a crash has left, and state_directory_open removes them. All functions wait for the disk.
 */

enum { PART_FILES_PATH = 4096 };

/** The path of a part of the checkpoint that has this path. */
void part_file_path(const char *checkpoint, uint32_t number, char path[PART_FILES_PATH]);
/** Whether a name is that of a part; then *number is the part's, and head receives the name of its checkpoint. */
bool part_file_read_name(const char *name, uint32_t *number, char head[64]);

/** Reads the parts of one checkpoint, one after the other. */
struct part_files {
    char checkpoint[PART_FILES_PATH];
    int file;        /* of the part that was begun last; -1: none; owned */
    uint32_t number; /* its number */
    bool was_read;   /* some part was: the checkpoint is in parts */
};

/* The journals and checkpoints of a state folder: which there are, and which are read to continue.
 * Other files of the folder are not looked at.
 */

/* Of one number, a checkpoint is the world at the beginning of the journal: so this is also the order in time. */
enum state_file_kind { STATE_FILE_CHECKPOINT, STATE_FILE_JOURNAL };

struct state_file {
    uint32_t number; /* from 1 */
    enum state_file_kind kind;
    uint32_t parts; /* of a checkpoint in parts: the number behind that of its last one; else 0 */
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
bool state_files_have_world(const struct state_files *files);

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

enum { STATE_DIRECTORY_PATH = 4096 };

struct state_directory;

/** Makes the folder when there is none (but not the one it lies in), and locks it. NULL with *failure: in_use (with the
 * process id of the other server), io (path and reason: not a folder, not writable, of another user), busy. is_new: what
 * it holds counts as not there; state_directory_begin puts it aside. No journal or checkpoint is changed here. */
NODISCARD struct state_directory *state_directory_open(const char *path, bool is_new,
                                                       struct failure *failure);
/** Unlocks. NULL is fine. */
void state_directory_close(struct state_directory *directory);
const char *state_directory_path(const struct state_directory *directory);
/** The path of its folder of saves. */
const char *state_directory_saves(const struct state_directory *directory);
/** Whether there is a journal or checkpoint to continue from. A journal of which a crash left less than its first two
 * lines is none. */
bool state_directory_has_world(const struct state_directory *directory);
/** Whether a world was begun here of which no journal can be read: a crash came before its first lines were on disk, or
 * they were damaged since. */
bool state_directory_was_begun(const struct state_directory *directory);
/** Whether what the folder once held is missing, and how much is not known: state_directory_begin found that a world was begun, or
 * state_directory_read no journal behind the last checkpoint. */
bool state_directory_has_lost(const struct state_directory *directory);
/** Opens what is needed to continue as one recording, to be replayed from its last checkpoint that can be read: from
 * the checkpoint before the newest one on, or from the first journal on. Checkpoints whose beginning is damaged are left
 * out, with a line in the log. NULL with *failure when there is no way to continue (bad_save names the file). */
NODISCARD struct recording *state_directory_read(struct state_directory *directory, struct failure *failure);
/** The same, but where there is no way to continue the newest files are left out until there is one: *is_short. */
NODISCARD struct recording *state_directory_read_some(struct state_directory *directory, bool *is_short,
                                                      struct failure *failure);
/** The folder continues from this text, which begins as a journal does, alone: the other journals and checkpoints are put
 * aside as by state_directory_begin. 0, or -1 with *failure (io). */
NODISCARD int state_directory_replace(struct state_directory *directory, const char *text, size_t length,
                                      struct failure *failure);
/** The scenario that the folder's first world began with, whatever was loaded since; "" when the folder does not say. */
void state_directory_read_scenario(const struct state_directory *directory,
                                   char scenario[LIMIT_NAME_CHARS + 1]);
/** A world begins that the folder does not hold; before its first journal. Journals and checkpoints that are there are
 * put aside into DIR/old-YYYYMMDD-HHMMSS (saves stay), and the name of the scenario is kept; the log says so. 0, or -1
 * with *failure (io, busy). */
NODISCARD int state_directory_begin(struct state_directory *directory, const char *scenario,
                                    struct failure *failure);
/** What the journals hold is not continued to its end: they and their checkpoints are kept in DIR/old-YYYYMMDD-HHMMSS as
 * well (links to the same files), so that nothing deletes what was left out. The log says where; when it is not possible
 * nothing is deleted until the server ends. */
void state_directory_keep_left_out(struct state_directory *directory);
/** Whether the folder of this path still is the one that was locked. 0; or -1 with *failure (io): it was moved, or its
 * lock deleted, so that another server may use the path. */
NODISCARD int state_directory_check(const struct state_directory *directory, struct failure *failure);
/** The number that a new journal gets: one more than the largest that was used. Counts on. Any thread. */
uint32_t state_directory_next(struct state_directory *directory);
void state_directory_journal_path(const struct state_directory *directory, uint32_t number,
                                  char path[STATE_DIRECTORY_PATH]);
void state_directory_checkpoint_path(const struct state_directory *directory, uint32_t number,
                                     char path[STATE_DIRECTORY_PATH]);
/** After checkpoint `number` is safely on disk: deletes journals and checkpoints older than the checkpoint before it.
 * keep_bytes: UINT64_MAX keeps all; otherwise further old ones stay as long as all together have no more bytes. Any
 * thread, one at a time. */
void state_directory_prune(struct state_directory *directory, uint32_t number, uint64_t keep_bytes);

#endif
