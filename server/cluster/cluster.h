/* The ranks that one mpirun has started: where they run, how one of them ends all. */
#ifndef DROVER_SERVER_CLUSTER_CLUSTER_H
#define DROVER_SERVER_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"

enum { CLUSTER_HOST_BYTES = 64 };

/** Where a rank runs; all ranks have this of each other. */
struct cluster_rank {
    char host[CLUSTER_HOST_BYTES]; /* the name of its machine */
    int64_t process;               /* its number there */
};

struct cluster {
    int rank, ranks;
    struct cluster_rank *all; /* owned; one each */
    int here;                 /* how many of them are on this machine */
};

enum { CLUSTER_TRAITS_BYTES = 4096 };

/** Begins MPI. It is used by one thread at a time. -1: it cannot be used in this way, or there is no memory (said on
 * stderr). traits: lines `NAME VALUE` of less than CLUSTER_TRAITS_BYTES, what all ranks must have alike; *is_alike: whether they have
 * (rank 0 says on stderr which does not, and what it has). */
NODISCARD int cluster_begin(struct cluster *cluster, int *argc, char ***argv, const char *traits,
                            bool *is_alike);
/** Ends the program with CLUSTER_EXIT_HUNG unless it is called again within so many seconds; 0: there is no such limit. For what waits
 * for all ranks while nothing watches them: MPI's begin and end. */
void cluster_limit(double seconds);
/** Ends it; all ranks. */
void cluster_end(struct cluster *cluster);
/** Writes `rank 2 on HOST: REASON` to the log and ends the program on all ranks with exit code 1. Any thread. */
_Noreturn void cluster_fail(const struct cluster *cluster, const char *reason);
/** The cores of this machine. */
int cluster_cores(void);
/** The exit codes of a program that ended because a rank has other bits than the others, and because one hangs. */
enum { CLUSTER_EXIT_DIFFERENT = 3, CLUSTER_EXIT_HUNG = 3 };
/** The same as cluster_fail, with that exit code, for the rank that differs. */
_Noreturn void cluster_differ(const struct cluster *cluster, int rank, const char *reason);
/** How many threads are to work on a tick of this rank: the cores that it may use, shared with the ranks that may use them as
 * well. */
int cluster_threads(const struct cluster *cluster);

/** Ends this rank at once, and some seconds later an mpirun that is its parent and is still there: it waits for a machine that is gone. */
_Noreturn void cluster_leave(int code);

#endif
