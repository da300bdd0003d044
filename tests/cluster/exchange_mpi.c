/* What every struct exchange promises, held by that over MPI: run by mpirun. Exit code 1, and a line, on a rank where a
 * promise is broken. */
#include <stdio.h>
#include <stdlib.h>

#include "server/cluster/cluster.h"
#include "tests/support/exchange_conformance.h"

static int check(const struct cluster *cluster, enum exchange_mode mode) {
    struct exchange_mpi *mpi = exchange_mpi_create(cluster, mode);
    if (mpi == NULL) {
        return EXIT_FAILURE;
    }
    const char *broken = exchange_conformance(exchange_mpi_exchange(mpi));
    const struct exchange_times times = exchange_mpi_times(mpi);
    if (broken == NULL && (times.calls == 0 || times.wait_ns == 0)) {
        broken = "the time in the exchange is measured";
    }
    exchange_mpi_destroy(mpi);
    if (broken != NULL) {
        (void)printf("rank %d of %d: broken: %s\n", cluster->rank, cluster->ranks, broken);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    struct cluster cluster;
    bool is_alike = true;
    if (cluster_begin(&cluster, &argc, &argv, "program test_exchange_mpi\n", &is_alike) != 0) {
        return EXIT_FAILURE;
    }
    const int copy = check(&cluster, EXCHANGE_COPY);
    const int stripes = check(&cluster, EXCHANGE_STRIPES);
    if (cluster.rank == 0 && copy == EXIT_SUCCESS && stripes == EXIT_SUCCESS) {
        (void)printf("%d ranks keep all promises\n", cluster.ranks);
    }
    cluster_end(&cluster);
    return copy == EXIT_SUCCESS && stripes == EXIT_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
