/* Orders from rank 0 to all others (server/commands/simulation_state.h), over MPI. A rank that waits for one naps. One thread
 * at a time uses it.
 */
#ifndef DROVER_SERVER_CLUSTER_ORDERS_H
#define DROVER_SERVER_CLUSTER_ORDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/cluster/cluster.h"
#include "server/cluster/exchange_mpi.h"
#include "server/cluster/lifeline.h"
#include "server/commands/simulation_state.h"
#include "server/scenario/built_world.h"
#include "server/simulation/rank_report.h"

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

struct rank_teller;

/** The arguments must outlive it. NULL without memory. */
NODISCARD struct rank_teller *rank_teller_create(const struct cluster *cluster,
                                                 struct exchange_mpi *exchange);
/** NULL is fine. */
void rank_teller_destroy(struct rank_teller *teller);

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
                                             struct rank_teller *teller, struct lifeline *lifeline);
/** Ends the others' work (RANK_ORDER_END). NULL is fine. */
void conductor_destroy(struct conductor *conductor);
/** Valid as long as it lives. */
const struct state_ranks *conductor_ranks(const struct conductor *conductor);

/* A rank that is not rank 0: it does what rank 0 orders, with a state of its own, and has no sessions. */

struct follower_def {
    const struct cluster *cluster;
    struct order_channel *channel;
    const struct exchange *exchange;
    struct rank_teller *teller;
    struct lifeline *lifeline;
    struct world_overrides overrides; /* simd is used */
    int threads;                      /* that work on a tick, 1 or more */
};

/** Returns when rank 0 orders the end. A rank that cannot do what is ordered, or finds that its world is another one than
 * rank 0's, ends the program (cluster_fail). */
void follower_run(const struct follower_def *def);

#endif
