/* Orders from rank 0 to all others (server/commands/simulation_state.h), over MPI. A rank that waits for one naps. One thread
 * at a time uses it.
 */
#ifndef DROVER_SERVER_CLUSTER_ORDER_CHANNEL_H
#define DROVER_SERVER_CLUSTER_ORDER_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/cluster/cluster.h"

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
/** Rank 0: gives the others an order. */
void order_channel_give(struct order_channel *channel, const struct order_head *head, const void *bytes);
/** The others: waits for one. Its bytes, with a NUL behind them, are the channel's, valid until the next call. */
const char *order_channel_take(struct order_channel *channel, struct order_head *head);

#endif
