/* Rank 0's way to the other ranks: struct state_ranks over MPI. The thread that has the state of the simulation uses it. */
#ifndef DROVER_SERVER_CLUSTER_CONDUCTOR_H
#define DROVER_SERVER_CLUSTER_CONDUCTOR_H

#include "common/base/nodiscard.h"
#include "server/cluster/cluster.h"
#include "server/cluster/lifeline.h"
#include "server/cluster/order_channel.h"
#include "server/cluster/rank_teller.h"
#include "server/commands/simulation_state.h"

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

#endif
