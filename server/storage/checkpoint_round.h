/* A checkpoint that ranks write together (recording/checkpoint.h): one object on each rank, over struct exchange.
 *
 *     checkpoint_round_begin    between two ticks: every rank copies its part into memory, rank 0 the head as well, and
 *                               a thread writes and syncs it while ticks go on
 *     checkpoint_round_look     between two later ticks, now and then: once all parts are on disk, rank 0 writes the head
 *
 * 1. The name of the head makes the checkpoint count: a crash at any moment leaves the checkpoint before it.
 * 2. The folder is one that all ranks see under the same path: on one machine, or on a network file system.
 *    checkpoint_round_check says whether it is.
 * 3. begin, look and check are collective: all ranks call them in the same order between the same ticks, each as often as the
 *    others; a rank that leaves one out holds up all others.
 * 4. When a rank cannot write its part, the checkpoint does not come to be: its parts are removed.
 */
#ifndef DROVER_SERVER_STORAGE_CHECKPOINT_ROUND_H
#define DROVER_SERVER_STORAGE_CHECKPOINT_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"
#include "server/sim/math/exchange.h"

struct checkpoint_round;

/** exchange: must live as long. NULL without memory or threads. */
NODISCARD struct checkpoint_round *checkpoint_round_new(const struct exchange *exchange);
/** Waits for what is being written. NULL is fine. */
void checkpoint_round_destroy(struct checkpoint_round *round);

/** Whether all ranks see the folder that rank 0 sees under this path. Collective; rank 0 makes a file there for a
 * moment. 0; or -1 on all ranks with *failure (io), which names the ranks that do not. */
NODISCARD int checkpoint_round_check(const struct exchange *exchange, const char *folder,
                                     struct failure *failure);

/** Whether a checkpoint is being written; the same on all ranks. */
bool checkpoint_round_is_busy(const struct checkpoint_round *round);

/** Begins a checkpoint. Collective. Not while one is being written.
 *
 * state     the same on all ranks, but for the agents by slot; the text of its scenario is needed on rank 0 alone
 * path      of the head: checkpoint-NNNNNN.drover in a folder that all ranks see
 * returns   the hash of the world, which the checkpoint states */
uint64_t checkpoint_round_begin(struct checkpoint_round *round, const struct simulation_state *state,
                                const char *path);

enum checkpoint_progress {
    CHECKPOINT_WRITING,
    CHECKPOINT_WRITTEN, /* it counts; *bytes */
    CHECKPOINT_FAILED,  /* *failure, which names the rank */
};
/** How far the ranks are; the same on all of them. Collective. Not busy after the last two. bytes: of all its files. */
enum checkpoint_progress checkpoint_round_look(struct checkpoint_round *round, uint64_t *bytes,
                                               struct failure *failure);

#endif
