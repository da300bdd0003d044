/* Orders of rank 0 (server/commands/simulation_state.h) over any exchange, for tests: what server/cluster does over MPI. */
#ifndef DROVER_TESTS_SUPPORT_FAKE_ORDERS_H
#define DROVER_TESTS_SUPPORT_FAKE_ORDERS_H

#include "server/commands/simulation_state.h"

struct fake_orders {
    struct state_ranks ranks; /* for the state of rank 0, once its world is joined */
    const struct exchange *exchange;
    atomic_bool is_lost; /* never */
};

void fake_orders_init(struct fake_orders *orders, const struct exchange *exchange);
/** Rank 0: the others' fake_orders_follow returns. */
void fake_orders_end(struct fake_orders *orders);
/** The others: does what rank 0 orders until it ends. */
void fake_orders_follow(struct simulation_state *state);

#endif
