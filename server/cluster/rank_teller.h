/* What a rank measures in its ticks and reports to rank 0 (server/simulation/rank_report.h). The thread that has the
 * state uses it.
 */
#ifndef DROVER_SERVER_CLUSTER_RANK_TELLER_H
#define DROVER_SERVER_CLUSTER_RANK_TELLER_H

#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/cluster/cluster.h"
#include "server/cluster/exchange_mpi.h"
#include "server/commands/simulation_state.h"
#include "server/simulation/rank_report.h"

struct rank_teller;

/** The arguments must outlive it. NULL without memory. */
NODISCARD struct rank_teller *rank_teller_create(const struct cluster *cluster,
                                                 struct exchange_mpi *exchange);
/** NULL is fine. */
void rank_teller_destroy(struct rank_teller *teller);
/** A tick begins. */
void rank_teller_begin_tick(struct rank_teller *teller);
/** It is done. */
void rank_teller_end_tick(struct rank_teller *teller);
/** Collective (RANK_ORDER_TIMES). Rank 0 gets the reports of all ranks, one a rank, valid until the next call; the others get
 * NULL. */
const struct rank_report *rank_teller_tell(struct rank_teller *teller, const struct simulation_state *state);

#endif
