/* A rank that is not rank 0: it does what rank 0 orders, with a state of its own, and has no sessions. */
#ifndef DROVER_SERVER_CLUSTER_FOLLOWER_H
#define DROVER_SERVER_CLUSTER_FOLLOWER_H

#include "server/cluster/cluster.h"
#include "server/cluster/lifeline.h"
#include "server/cluster/order_channel.h"
#include "server/cluster/rank_teller.h"
#include "server/scenario/built_world.h"

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
