/* Connections between rank 0 and each other rank, over which both say several times a second that they are there and what they
 * do (rank_watch.h): a rank that is lost, or that all others wait for in vain, ends the world. MPI does not say so (a rank
 * whose partner is gone waits without end), and mpirun ends the ranks that are left without a reason.
 *
 * 1. The end of a process is noticed at once, a machine that is gone or a cable that is pulled after some five seconds, a rank that
 * hangs after the span of --rank-timeout.
 * 2. Rank 0 then writes a line that names the rank, calls `wake`, and ends within a second, with exit code 1, or
 * CLUSTER_EXIT_HUNG; the others end with it, and its mpirun after it. When rank 0 is the one, rank 1 writes the line.
 * 3. A rank to which no connection can be made is watched by mpirun alone; rank 0 says so.
 */
#ifndef DROVER_SERVER_CLUSTER_LIFELINE_H
#define DROVER_SERVER_CLUSTER_LIFELINE_H

#include <stdatomic.h>

#include "common/base/nodiscard.h"
#include "server/cluster/cluster.h"

struct lifeline;

/** Connects the ranks and starts a thread that watches. Collective. cluster: must outlive it. span_s: after which a rank hangs;
 * 0: never. NULL without memory, descriptors or threads. */
NODISCARD struct lifeline *lifeline_create(const struct cluster *cluster, double span_s);
/** From now on ranks may end. Each rank calls it before another one can see that it ends. */
void lifeline_let_go(struct lifeline *lifeline);
/** Collective; after lifeline_let_go. NULL is fine. */
void lifeline_destroy(struct lifeline *lifeline);
/** Becomes true when a rank is lost; valid as long as the lifeline. */
const atomic_bool *lifeline_is_lost(const struct lifeline *lifeline);
/** Rank 0: wake(context) is called then, by the lifeline's thread. NULL: nothing is. */
void lifeline_watch(struct lifeline *lifeline, void (*wake)(void *context), void *context);

/** Rank 0 is to end: from now on a rank hangs after half a second, and the others get the span to end in. */
void lifeline_hurry(struct lifeline *lifeline);
/** The same, and what rank 0 is busy with takes too long: all end at once. */
void lifeline_give_up(struct lifeline *lifeline);
/** Rank 0, after `wake`: sessions know. Ends the program. */
_Noreturn void lifeline_leave(struct lifeline *lifeline);

#endif
