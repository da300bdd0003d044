/* See cluster.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "server/cluster/cluster.h"

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/log.h"
#include "server/cluster/mpi_wait.h"
#include "server/simulation/worker_pool.h"

/* Open MPI does not give back all memory that its parts took, some of them are unloaded, and its owners cannot be found
 * then. So AddressSanitizer does not look at what MPI_Init takes, and looks for leaks before MPI_Finalize. */
#ifdef __SANITIZE_ADDRESS__
/* NOLINTBEGIN(bugprone-reserved-identifier): they are the sanitizer's */
void __lsan_disable(void);
void __lsan_enable(void);
void __lsan_do_leak_check(void);
/* NOLINTEND(bugprone-reserved-identifier) */
#else
#define __lsan_disable()       ((void)0)
#define __lsan_enable()        ((void)0)
#define __lsan_do_leak_check() ((void)0)
#endif

/* Open MPI's own option for ranks that share cores. */
static bool is_told_to_yield(void) {
    const char *setting = getenv("OMPI_MCA_mpi_yield_when_idle");
    return setting != NULL && strcmp(setting, "1") == 0;
}

static int meet(struct cluster *cluster) {
    struct cluster_rank own = {.process = getpid()};
    (void)gethostname(own.host, sizeof own.host - 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &cluster->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &cluster->ranks);
    cluster->all = calloc((size_t)cluster->ranks, sizeof *cluster->all);
    if (cluster->all == NULL) {
        return -1;
    }
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, cluster->all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < cluster->ranks; i++) {
        cluster->here += strcmp(cluster->all[i].host, own.host) == 0 ? 1 : 0;
    }
    if (cluster->here > cluster_cores() || is_told_to_yield()) {
        mpi_wait_share_cores();
    }
    return 0;
}

int cluster_begin(struct cluster *cluster, int *argc, char ***argv) {
    int level = MPI_THREAD_SINGLE;
    *cluster = (struct cluster){0};
    __lsan_disable();
    MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level);
    __lsan_enable();
    if (level < MPI_THREAD_SERIALIZED) {
        log_plain(
            "drover-cluster: this MPI cannot be used by a thread after another (MPI_THREAD_SERIALIZED)");
        MPI_Finalize();
        return -1;
    }
    if (meet(cluster) != 0) {
        log_plain("drover-cluster: out of memory");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        return -1;
    }
    return 0;
}

void cluster_end(struct cluster *cluster) {
    free(cluster->all);
    cluster->all = NULL;
    __lsan_do_leak_check();
    MPI_Finalize();
}

static _Noreturn void end_all(const struct cluster *cluster, int rank, const char *reason, int code) {
    log_write(LOG_ERROR, "cluster", "rank %d on %s: %s", rank, cluster->all[rank].host, reason);
    log_stop();
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

void cluster_fail(const struct cluster *cluster, const char *reason) {
    end_all(cluster, cluster->rank, reason, EXIT_FAILURE);
}

void cluster_differ(const struct cluster *cluster, int rank, const char *reason) {
    end_all(cluster, rank, reason, CLUSTER_EXIT_DIFFERENT);
}

int cluster_cores(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

int cluster_threads(const struct cluster *cluster) {
    cpu_set_t may;
    if (sched_getaffinity(0, sizeof may, &may) != 0) {
        return 1;
    }
    const int own = CPU_COUNT(&may);
    const int threads = own < cluster_cores() ? own : own / (cluster->here > 0 ? cluster->here : 1);
    const int most = threads < WORKER_POOL_THREADS_MAX ? threads : WORKER_POOL_THREADS_MAX;
    return most > 0 ? most : 1;
}
