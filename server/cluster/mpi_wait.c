/* See mpi_wait.h. */
#include "server/cluster/mpi_wait.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/system/clock.h"

/* ns. A look takes less than a microsecond. */
enum {
    BUSY = 30000, /* that long no other thread gets the core */
    LATE =
        20000000, /* a rank that lets others wait so long in a tick has no core of its own, or is stopped */
    NAP_LEAST = 50000,
    NAP_MOST = 2000000,
    NAP_PART = 100 /* a nap is that part of the time waited so far: 0.2 ms after 20 ms */
};

static bool has_shared_cores;

void mpi_wait_share_cores(void) {
    has_shared_cores = true;
}

static bool is_done(MPI_Request *requests, int count) {
    int done = 0;
    MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    return done != 0;
}

static void nap(uint64_t waited_ns) {
    const uint64_t part_ns = waited_ns / NAP_PART;
    const uint64_t least_ns = part_ns < NAP_MOST ? part_ns : NAP_MOST;
    const struct timespec span = {.tv_nsec = (long)(least_ns > NAP_LEAST ? least_ns : NAP_LEAST)};
    (void)nanosleep(&span, NULL);
}

void mpi_wait(MPI_Request *requests, int count, enum mpi_patience patience) {
    if (is_done(requests, count)) {
        return;
    }
    const uint64_t since_ns = clock_now_ns();
    do {
        const uint64_t waited_ns = clock_now_ns() - since_ns;
        if (waited_ns > (patience == MPI_WAIT_NAP || has_shared_cores ? BUSY : LATE)) {
            nap(waited_ns);
        } else if (waited_ns > BUSY) {
            (void)sched_yield();
        }
    } while (!is_done(requests, count));
}
