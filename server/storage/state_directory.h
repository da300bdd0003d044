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
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/storage/recording.h"

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
bool state_directory_holds_world(const struct state_directory *directory);
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
