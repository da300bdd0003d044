/* A recording on disk: the lines of one file, or of several that follow each other (the journals of a state folder), with
 * an index of its worlds, checkpoints and hashes. Files are plain (.drover) or zstd frames (.drover.zst), told apart by
 * their first bytes. Only regular files are opened (regular_file.h). Used by one thread at a time.
 *
 * 1. Opening reads everything once for the index; nothing but a line at a time is kept in memory.
 * 2. What stands behind the last newline of a file is torn, as a crash leaves it: it is skipped and counted. A line that is
 * not as it was written (recording/recording_line.h; no JSON) ends its file here: what was behind it may need what was in it.
 * A later file goes on when it begins where the lines before the damage end, or with a world of its own. The facts say
 * what is damaged.
 * 3. Each file begins with its own `drover` and `world` lines; those of a later file that say what is known already
 * begin no further world.
 */
#ifndef DROVER_SERVER_STORAGE_RECORDING_H
#define DROVER_SERVER_STORAGE_RECORDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/recording/core_changes.h"
#include "server/recording/recording_line.h"
#include "server/recording/replay.h"
#include "server/scenario/scenario.h"
#include "server/storage/recording_facts.h"

struct recording;

/** Opens files, in order. NULL with *failure: no_save (no such file), bad_save (no recording, a line too long), io,
 * busy (memory). */
NODISCARD struct recording *recording_open(const char *const *paths, int count, struct failure *failure);
void recording_close(struct recording *recording);
/** Whether its last world, or one before it, can be played to its end: from its text, or from a checkpoint that is as it was written (its sum
 * shows that; without one the checkpoint is read). */
bool recording_can_begin(struct recording *recording);
/** The path of a file, from 0; NULL: there are no more. */
const char *recording_path(const struct recording *recording, int file);
const struct recording_facts *recording_facts(const struct recording *recording);
/** For a replay; valid as long as the recording, which has one position. overrides: copied; seed and tick_hz are not used. */
struct recording_source recording_source(struct recording *recording,
                                         const struct world_overrides *overrides);
/** Lets another thread end the seek of a source: as built_world_make. NULL at first. */
void recording_allow_giving_up(struct recording *recording, const atomic_bool *given_up);
/** Whether all that is played from a moment on comes out as recorded, as far as the numbers of cores say. A scenario that
 * cannot be read counts as unchanged: it is refused when it is played.
 *
 * from             NULL: the start
 * changes, newest  core_changes and CORE_NUMBER (recording/core_changes.h), or those of a test
 * returns          0; or -1 with *failure: version (the message says which cores, what changed, and --anyway) */
NODISCARD int recording_check_core(struct recording *recording, const struct recording_moment *from,
                                   const struct core_change *changes, uint32_t newest,
                                   struct failure *failure);
/** Reads the scenario of a world (by its number), with the effective seed and rate. 0, or -1 with *failure; then it is
 * empty. */
NODISCARD int recording_read_scenario(struct recording *recording, uint32_t world, struct scenario *out,
                                      struct failure *failure);
/** After a seek: why checkpoints nearer to its moment were passed over; "" when none was. */
const char *recording_passed_over(const struct recording *recording);
/** Whether a checkpoint holds the world that it says: reads it, and compares the hash of that world with the one in its line
 * and with those of other lines about the same moment.
 *
 * checkpoint  its index in facts->checkpoints
 * returns     0, or -1 with *failure. The position of the source stays */
NODISCARD int recording_check_checkpoint(struct recording *recording, int checkpoint,
                                         struct failure *failure);
/** Reads all lines from the start: calls visit for each that ends with a newline; stops when it returns false. The
 * position of the source stays. */
NODISCARD int recording_visit(struct recording *recording,
                              bool (*visit)(void *context, const char *line, size_t length), void *context,
                              struct failure *failure);

#endif
