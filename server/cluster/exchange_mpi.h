/* struct exchange (server/sim/math/exchange.h) over MPI. One thread at a time uses it.
 *
 * Its memory is taken when it is made, and where something is larger than ever before; none of its functions fails, so
 * a rank without memory ends the program (cluster_fail).
 */
#ifndef DROVER_SERVER_CLUSTER_EXCHANGE_MPI_H
#define DROVER_SERVER_CLUSTER_EXCHANGE_MPI_H

#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/cluster/cluster.h"
#include "server/sim/math/exchange.h"

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

#endif
