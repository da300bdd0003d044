/* See cluster.h. */
#define _GNU_SOURCE /* sched_getaffinity, pthread_getcpuclockid */
#include "server/cluster/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "common/system/process.h"
#include "server/cluster/mpi_wait.h"
#include "server/simulation/worker_pool.h"

/* ---- waiting ---- */

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

/* Ranks share cores here: from now on they nap within ticks as well, so that the one that all wait for can run. Once, at the
 * start. */
static void share_cores(void) {
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

/* ---- the ranks ---- */

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

/* mpirun gets so many signals after so many seconds, one a second. */
enum { LAUNCHER_S = 10, LAUNCHER_SIGNALS = 3 };

/* Open MPI's own option for ranks that share cores. */
static bool is_told_to_yield(void) {
    const char *setting = getenv("OMPI_MCA_mpi_yield_when_idle");
    return setting != NULL && strcmp(setting, "1") == 0;
}

static int meet(struct cluster *cluster) {
    struct cluster_rank own = {.process = getpid(), .memory = memory_free_of_files("")};
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
        share_cores();
    }
    return 0;
}

/* ---- what all have alike ---- */

static size_t line_length(const char *text) {
    return strcspn(text, "\n");
}

/* The value of a trait, in a text of lines; NULL: it is not there. */
static const char *find_trait(const char *traits, const char *name, size_t length) {
    while (*traits != '\0') {
        if (strncmp(traits, name, length) == 0 && traits[length] == ' ') {
            return traits + length + 1;
        }
        traits += line_length(traits);
        traits += *traits == '\n' ? 1 : 0;
    }
    return NULL;
}

/* Says which traits a rank has other than rank 0. */
static bool compare_traits(const struct cluster *cluster, int rank, const char *first, const char *other) {
    const bool is_alike = strcmp(first, other) == 0;
    for (const char *line = first; !is_alike && cluster->rank == 0 && *line != '\0';) {
        const size_t length = strcspn(line, " ");
        const char *wanted = line + length + 1, *own = find_trait(other, line, length);
        line += line_length(line) + 1;
        if (own != NULL &&
            (line_length(own) != line_length(wanted) || strncmp(own, wanted, line_length(own)) != 0)) {
            log_plain("drover-cluster: rank %d on %s (process %" PRId64
                      ") has another %.*s: \"%.*s\", rank 0 has \"%.*s\"; allowed: the same on all ranks",
                      rank, cluster->all[rank].host, cluster->all[rank].process, (int)length,
                      wanted - length - 1, (int)line_length(own), own, (int)line_length(wanted), wanted);
        }
    }
    return is_alike;
}

/* The bytes of a message must never change, nor that it is the first one: ranks of other versions are to be found by it. */
static int compare(struct cluster *cluster, const char *traits, bool *is_alike) {
    char own[CLUSTER_TRAITS_BYTES] = "", *all = malloc((size_t)cluster->ranks * sizeof own);
    if (all == NULL) {
        return -1;
    }
    (void)snprintf(own, sizeof own, "%s", traits);
    MPI_Allgather(own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    *is_alike = true;
    for (int r = 1; r < cluster->ranks; r++) {
        *is_alike = compare_traits(cluster, r, all, all + (size_t)r * sizeof own) && *is_alike;
    }
    free(all);
    return 0;
}

/* ---- begin and end ---- */

static void say_limit(int number) {
    static const char text[] =
        "drover-cluster: the ranks do not all begin, or end: one of them hangs, or is another program; "
        "--rank-timeout allows more time\n";
    (void)number;
    const ssize_t size = write(STDERR_FILENO, text, sizeof text - 1);
    (void)size;
    _exit(CLUSTER_EXIT_HUNG);
}

void cluster_limit(double seconds) {
    double whole;
    const double part = modf(seconds, &whole);
    const struct itimerval span = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)(part * 1e6)}};
    (void)signal(SIGALRM, say_limit);
    (void)setitimer(ITIMER_REAL, &span, NULL);
}

int cluster_begin(struct cluster *cluster, int *argc, char ***argv, const char *traits, bool *is_alike) {
    int level = MPI_THREAD_SINGLE;
    *cluster = (struct cluster){0};
    /* hwloc's plugin for graphics cards asks the X server, and ends the process with it. */
    (void)setenv("HWLOC_COMPONENTS", "-gl", 0);
    __lsan_disable();
    MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level);
    __lsan_enable();
    if (level < MPI_THREAD_SERIALIZED) {
        log_plain(
            "drover-cluster: this MPI cannot be used by a thread after another (MPI_THREAD_SERIALIZED)");
        MPI_Finalize();
        return -1;
    }
    if (meet(cluster) != 0 || compare(cluster, traits, is_alike) != 0) {
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

/* ---- an end before its time ---- */

static bool is_mpirun(pid_t process) {
    char path[64], name[32] = "";
    (void)snprintf(path, sizeof path, "/proc/%ld/comm", (long)process);
    FILE *file = fopen(path, "r");
    const bool is_read = file != NULL && fgets(name, sizeof name, file) != NULL;
    if (file != NULL) {
        (void)fclose(file);
    }
    name[strcspn(name, "\n")] = '\0';
    return is_read &&
           (strcmp(name, "mpirun") == 0 || strcmp(name, "mpiexec") == 0 || strcmp(name, "orterun") == 0);
}

/* mpirun ends within two seconds after a rank, unless it cannot reach a machine, for whose answer it waits without end. */
static void end_launcher(void) {
    const struct timespec second = {.tv_sec = 1};
    const pid_t launcher = getppid();
    sigset_t all;
    if (!is_mpirun(launcher) || fork() != 0) {
        return;
    }
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)setsid(); /* mpirun ends the group of each rank */
    closefrom(0);   /* it waits for their ends as well */
    for (int i = 0; i < LAUNCHER_S + LAUNCHER_SIGNALS && kill(launcher, 0) == 0; i++) {
        if (i >= LAUNCHER_S) { /* the first process of a container heeds SIGTERM alone, the second time */
            (void)kill(launcher, i == LAUNCHER_S ? SIGKILL : SIGTERM);
        }
        (void)nanosleep(&second, NULL);
    }
    _exit(EXIT_SUCCESS);
}

void cluster_leave(int code) {
    end_launcher();
    _exit(code);
}

static _Noreturn void end_all(const struct cluster *cluster, int rank, const char *reason, int code) {
    log_write(LOG_ERROR, "cluster", "rank %d on %s: %s", rank, cluster->all[rank].host, reason);
    log_stop();
    end_launcher();
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

void cluster_fail(const struct cluster *cluster, const char *reason) {
    end_all(cluster, cluster->rank, reason, EXIT_FAILURE);
}

void cluster_differ(const struct cluster *cluster, int rank, const char *reason) {
    end_all(cluster, rank, reason, CLUSTER_EXIT_DIFFERENT);
}

struct host_room *cluster_hosts(const struct cluster *cluster, int *count) {
    struct host_room *hosts = calloc((size_t)cluster->ranks, sizeof *hosts);
    *count = 0;
    for (int r = 0; hosts != NULL && r < cluster->ranks; r++) {
        const struct cluster_rank *rank = &cluster->all[r];
        struct host_room *host = hosts;
        while (host < hosts + *count && strcmp(host->name, rank->host) != 0) {
            host++;
        }
        if (host == hosts + *count) {
            ++*count;
            memcpy(host->name, rank->host, sizeof host->name);
            host->free = rank->memory;
        }
        host->ranks++;
        host->free = rank->memory < host->free ? rank->memory : host->free;
    }
    return hosts;
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
