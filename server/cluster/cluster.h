/* The ranks that one mpirun has started: where they run, how one of them ends all; their exchange, the connections between them,
 * and the orders that rank 0 gives. */
#ifndef DROVER_SERVER_CLUSTER_CLUSTER_H
#define DROVER_SERVER_CLUSTER_CLUSTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"
#include "server/scenario/scenario.h"
#include "server/sim/math/exchange.h"
#include "server/simulation/rank_report.h"

enum { CLUSTER_HOST_BYTES = 64 };

/** Where a rank runs; all ranks have this of each other. */
struct cluster_rank {
    char host[CLUSTER_HOST_BYTES]; /* the name of its machine */
    int64_t process;               /* its number there */
    uint64_t
        memory; /* bytes that it and its machine or control group can still give; UINT64_MAX: not known */
};

struct cluster {
    int rank, ranks;
    struct cluster_rank *all; /* owned; one each */
    int here;                 /* how many of them are on this machine */
};

enum { CLUSTER_TRAITS_BYTES = 4096 };

/** Begins MPI. It is used by one thread at a time. -1: it cannot be used in this way, or there is no memory (said on
 * stderr). traits: lines `NAME VALUE` of less than CLUSTER_TRAITS_BYTES, what all ranks must have alike; *is_alike: whether they have
 * (rank 0 says on stderr which does not, and what it has). */
NODISCARD int cluster_begin(struct cluster *cluster, int *argc, char ***argv, const char *traits,
                            bool *is_alike);
/** Ends the program with CLUSTER_EXIT_HUNG unless it is called again within so many seconds; 0: there is no such limit. For what waits
 * for all ranks while nothing watches them: MPI's begin and end. */
void cluster_limit(double seconds);
/** Ends it; all ranks. */
void cluster_end(struct cluster *cluster);
/** Writes `rank 2 on HOST: REASON` to the log and ends the program on all ranks with exit code 1. Any thread. */
_Noreturn void cluster_fail(const struct cluster *cluster, const char *reason);
/** The machines of the ranks, each once, by their first rank: an array for the caller to free, of *count. NULL without memory. */
NODISCARD struct host_room *cluster_hosts(const struct cluster *cluster, int *count);
/** The cores of this machine. */
int cluster_cores(void);
/** The exit codes of a program that ended because a rank has other bits than the others, and because one hangs. */
enum { CLUSTER_EXIT_DIFFERENT = 3, CLUSTER_EXIT_HUNG = 3 };
/** The same as cluster_fail, with that exit code, for the rank that differs. */
_Noreturn void cluster_differ(const struct cluster *cluster, int rank, const char *reason);
/** How many threads are to work on a tick of this rank: the cores that it may use, shared with the ranks that may use them as
 * well. */
int cluster_threads(const struct cluster *cluster);

/** Ends this rank at once, and some seconds later an mpirun that is its parent and is still there: it waits for a machine that is gone. */
_Noreturn void cluster_leave(int code);

/* struct exchange (server/sim/math/exchange.h) over MPI. One thread at a time uses it.
 *
 * Its memory is taken when it is made, and where something is larger than ever before; none of its functions fails, so
 * a rank without memory ends the program (cluster_fail).
 */

struct exchange_mpi;

/** What a rank spent in the functions of the exchange so far. */
struct exchange_times {
    uint64_t wait_ns;
    uint64_t bytes; /* that it gave to others */
    uint64_t calls;
};

/** Collective. cluster: must outlive it. NULL without memory. */
NODISCARD struct exchange_mpi *exchange_mpi_create(const struct cluster *cluster, enum exchange_mode mode);
/** Collective. NULL is fine. */
void exchange_mpi_destroy(struct exchange_mpi *mpi);
/** Valid as long as it lives. */
const struct exchange *exchange_mpi_exchange(const struct exchange_mpi *mpi);
struct exchange_times exchange_mpi_times(const struct exchange_mpi *mpi);
/** Notes that a tick of this rank took so long, waiting included: the time without waiting decides how many rows it gets
 * (exchange->cut). */
void exchange_mpi_note_tick(struct exchange_mpi *mpi, uint64_t work_ns);

/* Connections between rank 0 and each other rank, over which both say several times a second that they are there and what they
 * do (rank_rules.h): a rank that is lost, or that all others wait for in vain, ends the world. MPI does not say so (a rank
 * whose partner is gone waits without end), and mpirun ends the ranks that are left without a reason.
 *
 * 1. The end of a process is noticed at once, a machine that is gone or a cable that is pulled after some five seconds, a rank that
 * hangs after the span of --rank-timeout.
 * 2. Rank 0 then writes a line that names the rank, calls `wake`, and ends within a second, with exit code 1, or
 * CLUSTER_EXIT_HUNG; the others end with it, and its mpirun after it. When rank 0 is the one, rank 1 writes the line.
 * 3. A rank to which no connection can be made is watched by mpirun alone; rank 0 says so.
 */

struct lifeline;

/** Connects the ranks and starts a thread that watches. Collective. cluster: must outlive it. span_s: after which a rank hangs;
 * 0: never. NULL without memory, descriptors or threads. */
NODISCARD struct lifeline *lifeline_create(const struct cluster *cluster, double span_s);
/** From now on ranks may end. Each rank calls it before another one can see that it ends. */
void lifeline_release(struct lifeline *lifeline);
/** Collective; after lifeline_release. NULL is fine. */
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

/* Orders from rank 0 to all others (server/commands/simulation_state.h), over MPI. A rank that waits for one naps. One thread
 * at a time uses it.
 */

struct order_channel;

/** What goes before the bytes of an order; goes as the bytes that it is, since all ranks run one program. */
struct order_head {
    uint32_t order; /* enum rank_order */
    bool has_digest;
    uint64_t digest; /* what came of the order before on rank 0 (struct state_ranks, check) */
    uint64_t size;   /* of the bytes that follow */
};

/** Collective. cluster: must outlive it. NULL without memory. */
NODISCARD struct order_channel *order_channel_create(const struct cluster *cluster);
/** Collective. NULL is fine. */
void order_channel_destroy(struct order_channel *channel);

/* What a rank measures in its ticks and reports to rank 0 (server/simulation/rank_report.h). The thread that has the
 * state uses it.
 */

struct rank_sender;

/** The arguments must outlive it. NULL without memory. */
NODISCARD struct rank_sender *rank_sender_create(const struct cluster *cluster,
                                                 struct exchange_mpi *exchange);
/** NULL is fine. */
void rank_sender_destroy(struct rank_sender *sender);

/* Rank 0's way to the other ranks: struct state_ranks over MPI. The thread that has the state of the simulation uses it. */

struct conductor;

/** What goes before the text of a world. */
struct order_world {
    bool is_fresh; /* the text is a scenario's; otherwise a saved world's (checkpoint.h), */
    bool is_path;  /* or the path of a checkpoint in parts, with its NUL */
    bool is_paused;
    uint64_t seed;  /* with is_fresh, as the world has it */
    double tick_hz; /* the same */
    uint64_t hash;  /* with is_fresh and is_path: of the world as it was built */
};

/** The others are in follower_run. The arguments must outlive it. NULL without memory. */
NODISCARD struct conductor *conductor_create(const struct cluster *cluster, struct order_channel *channel,
                                             struct rank_sender *sender, struct lifeline *lifeline);
/** Ends the others' work (RANK_ORDER_END). NULL is fine. */
void conductor_destroy(struct conductor *conductor);
/** Valid as long as it lives. */
const struct state_ranks *conductor_ranks(const struct conductor *conductor);

/* A rank that is not rank 0: it does what rank 0 orders, with a state of its own, and has no sessions. */

struct follower_def {
    const struct cluster *cluster;
    struct order_channel *channel;
    const struct exchange *exchange;
    struct rank_sender *sender;
    struct lifeline *lifeline;
    struct world_overrides overrides; /* simd is used */
    int threads;                      /* that work on a tick, 1 or more */
};

/** Returns when rank 0 orders the end. A rank that cannot do what is ordered, or finds that its world is another one than
 * rank 0's, ends the program (cluster_fail). */
void follower_run(const struct follower_def *def);

#endif
