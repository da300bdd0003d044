/* Waiting for MPI. Open MPI moves data only while it is called, and its own waiting takes all of a core; so a rank
 * calls it again and again, and naps in between when what it waits for is not part of a tick.
 */
#ifndef DROVER_SERVER_CLUSTER_MPI_WAIT_H
#define DROVER_SERVER_CLUSTER_MPI_WAIT_H

#include <mpi.h>
#include <stddef.h>

#include "server/cluster/rank_rules.h"

enum mpi_patience {
    MPI_WAIT_SPIN, /* within a tick: the core is given up to threads that are ready, but there are no naps for a while */
    MPI_WAIT_NAP /* between ticks: naps from 0.05 ms, which grow to 0.2 ms, and to 2 ms in a long pause */
};

/* Bytes go in pieces; each that arrives is a sign of progress, so that a slow network, or a host that is busy with other programs, is not
 * taken for one that has stopped. */
enum { MPI_WAIT_PIECE = 1 << 18 };

/** Returns when all of them are done. */
void mpi_wait(MPI_Request *requests, int count, enum mpi_patience patience);
/** What the thread that uses MPI is doing. Any thread. */
struct rank_beat mpi_wait_beat(void);

#endif
