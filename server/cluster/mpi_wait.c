/* See mpi_wait.h. */
#define _GNU_SOURCE /* pthread_getcpuclockid */
#include "server/cluster/mpi_wait.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
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
/* Written by the thread that uses MPI. clock: of its processor time; until it has waited once, one that always runs. */
static atomic_uint_least64_t steps;
static atomic_int doing = RANK_WORKS, processor_clock = CLOCK_MONOTONIC;

void mpi_wait_share_cores(void) {
    has_shared_cores = true;
}

static void begin(enum mpi_patience patience) {
    clockid_t clock = CLOCK_MONOTONIC;
    (void)pthread_getcpuclockid(pthread_self(), &clock);
    atomic_store_explicit(&processor_clock, clock, memory_order_relaxed);
    atomic_fetch_add_explicit(&steps, 1, memory_order_relaxed);
    atomic_store_explicit(&doing, patience == MPI_WAIT_NAP ? RANK_IS_IDLE : RANK_WAITS, memory_order_relaxed);
}

static void end(void) {
    atomic_fetch_add_explicit(&steps, 1, memory_order_relaxed);
    atomic_store_explicit(&doing, RANK_WORKS, memory_order_relaxed);
}

struct rank_beat mpi_wait_beat(void) {
    struct timespec spent = {0};
    (void)clock_gettime(atomic_load_explicit(&processor_clock, memory_order_relaxed), &spent);
    return (struct rank_beat){
        .steps = atomic_load_explicit(&steps, memory_order_relaxed),
        .processor_ns = (uint64_t)spent.tv_sec * 1000000000 + (uint64_t)spent.tv_nsec,
        .doing = (uint32_t)atomic_load_explicit(&doing, memory_order_relaxed),
    };
}

static bool is_done(MPI_Request *requests, int count) {
    int done = 0;
    MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    return done != 0;
}

/* Each of them that is done is a step. */
static void count_done(MPI_Request *requests, int count) {
    int index = 0, done = 1;
    while (done != 0 && index != MPI_UNDEFINED) {
        MPI_Testany(count, requests, &index, &done, MPI_STATUS_IGNORE);
        atomic_fetch_add_explicit(&steps, done != 0, memory_order_relaxed);
    }
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
    begin(patience);
    do {
        const uint64_t waited_ns = clock_now_ns() - since_ns;
        if (waited_ns > LATE) {
            count_done(requests, count);
        }
        if (waited_ns > (patience == MPI_WAIT_NAP || has_shared_cores ? BUSY : LATE)) {
            nap(waited_ns);
        } else if (waited_ns > BUSY) {
            (void)sched_yield();
        }
    } while (!is_done(requests, count));
    end();
}
