/* See cluster.h. */
#include "server/cluster/cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <mpi.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "common/system/duty.h"
#include "common/system/log.h"
#include "server/cluster/mpi_wait.h"

enum {
    ADDRESSES = 16,
    CONNECT_MS = 2000, /* for one address */
    LOOK_MS = 20,      /* between looks at MPI while ranks connect */
    GRACE_MS = 800,    /* for sessions to receive that rank 0 ends; mpirun kills it after a second */
    ALIVE_S = 1,       /* between signs of life, of which */
    ALIVE_MISSED = 4,  /* may be missing */
    HURRY_MS = 500, /* for the tick under way, and the end of the other ranks, when rank 0 is to end, and */
    HURRY_GRACE_MS = 300, /* for sessions then */
    BEATS = 10,           /* in the span after which a rank hangs */
    BEAT_MOST_MS = 250,
    SAID_MS = 2 * BEAT_MOST_MS /* rank 1 has noticed by then, too */
};

/* Where rank 0 listens. key: proves that a caller is a rank of this job. */
struct place {
    uint64_t key;
    uint32_t addresses[ADDRESSES]; /* in network byte order */
    int32_t count;
    uint16_t port; /* the same */
};

struct greeting {
    uint64_t key;
    int32_t rank;
};

struct lifeline {
    const struct cluster *cluster;
    struct pollfd *ends;       /* owned; rank 0: one a rank, its own is -1; others: the first is rank 0 */
    struct rank_pulse *pulses; /* owned; of those at the ends, and rank 0's own */
    int count;
    int alarm[2];              /* a pipe that wakes the thread, with an ALARM_ */
    uint64_t span_ns, next_ns; /* after which a rank hangs, 0: never; when the next beat is due */
    uint64_t hurried_ns;       /* when rank 0 was to end; 0: it is not */
    uint64_t slow_steps;       /* of the rank of the last RANK_IS_SLOW */
    pthread_t thread;
    bool has_thread;
    atomic_bool is_lost, may_go;
    pthread_mutex_t mutex; /* of those below */
    pthread_cond_t left;
    bool has_left;
    void (*wake)(void *context);
    void *context;
};

enum { ALARM_END = 'e', ALARM_HURRY = 'h', ALARM_GIVE_UP = 'g' };

/* ---- sockets ---- */

static void set_option(int socket_number, int level, int name, int value) {
    (void)setsockopt(socket_number, level, name, &value, sizeof value);
}

/* The system asks the other end for signs of life. */
static void keep_alive(int socket_number) {
    set_option(socket_number, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    set_option(socket_number, IPPROTO_TCP, TCP_KEEPIDLE, ALIVE_S);
    set_option(socket_number, IPPROTO_TCP, TCP_KEEPINTVL, ALIVE_S);
    set_option(socket_number, IPPROTO_TCP, TCP_KEEPCNT, ALIVE_MISSED);
#endif
#ifdef TCP_USER_TIMEOUT /* there are none while bytes are on their way */
    set_option(socket_number, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * ALIVE_S * (1 + ALIVE_MISSED));
#endif
}

static int make_socket(void) {
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made >= 0) {
        const struct timeval span = {.tv_sec = CONNECT_MS / 1000};
        (void)setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span);
        (void)setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &span, sizeof span); /* connect goes by it, too */
    }
    return made;
}

static bool receive(int from, void *bytes, size_t size) {
    return recv(from, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

static bool give(int to, const void *bytes, size_t size) {
    return send(to, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* ---- rank 0 listens ---- */

static void list_addresses(struct place *place) {
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) {
        return;
    }
    for (const struct ifaddrs *one = all; one != NULL && place->count < ADDRESSES; one = one->ifa_next) {
        if (one->ifa_addr != NULL && one->ifa_addr->sa_family == AF_INET) {
            struct sockaddr_in address;
            memcpy(&address, one->ifa_addr, sizeof address);
            place->addresses[place->count++] = address.sin_addr.s_addr;
        }
    }
    freeifaddrs(all);
}

/* -1: it cannot. */
static int listen_anywhere(struct place *place) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    const int door = make_socket();
    if (door < 0 || bind(door, (struct sockaddr *)&address, sizeof address) != 0 || listen(door, 64) != 0 ||
        getsockname(door, (struct sockaddr *)&address, &length) != 0) {
        if (door >= 0) {
            (void)close(door);
        }
        return -1;
    }
    place->port = address.sin_port;
    list_addresses(place);
    return door;
}

/* Accepts a connection that has the key, as the rank that it names. */
static void let_in(struct lifeline *lifeline, int door, uint64_t key) {
    struct greeting greeting;
    const int guest = accept(door, NULL, NULL);
    if (guest < 0) {
        return;
    }
    const struct timeval span = {.tv_sec = CONNECT_MS / 1000};
    (void)setsockopt(guest, SOL_SOCKET, SO_RCVTIMEO, &span, sizeof span);
    (void)fcntl(guest, F_SETFD, FD_CLOEXEC);
    const bool is_good = receive(guest, &greeting, sizeof greeting) && greeting.key == key &&
                         greeting.rank > 0 && greeting.rank < lifeline->cluster->ranks &&
                         lifeline->ends[greeting.rank].fd < 0 && give(guest, &key, sizeof key);
    if (!is_good) {
        (void)close(guest);
        return;
    }
    keep_alive(guest);
    lifeline->ends[greeting.rank].fd = guest;
}

/* Lets ranks in until all have tried. */
static void welcome(struct lifeline *lifeline, int door, uint64_t key) {
    MPI_Request request;
    int all_tried = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (all_tried == 0) {
        struct pollfd look = {.fd = door, .events = POLLIN};
        if (poll(&look, 1, LOOK_MS) > 0) {
            let_in(lifeline, door, key);
        }
        MPI_Test(&request, &all_tried, MPI_STATUS_IGNORE);
    }
}

static void say_missing(const struct lifeline *lifeline) {
    for (int r = 1; r < lifeline->cluster->ranks; r++) {
        if (lifeline->ends[r].fd < 0) {
            log_write(LOG_WARN, "cluster",
                      "rank %d on %s cannot connect to rank 0: its loss will be noticed by mpirun alone", r,
                      lifeline->cluster->all[r].host);
        }
    }
}

/* ---- the others connect ---- */

static int connect_to(const struct lifeline *lifeline, const struct place *place, uint32_t address) {
    const struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = place->port, .sin_addr = {.s_addr = address}};
    const struct greeting greeting = {.key = place->key, .rank = lifeline->cluster->rank};
    uint64_t answer = 0;
    const int made = make_socket();
    if (made < 0) {
        return -1;
    }
    if (connect(made, (const struct sockaddr *)&there, sizeof there) != 0 ||
        !give(made, &greeting, sizeof greeting) || !receive(made, &answer, sizeof answer) ||
        answer != place->key) {
        (void)close(made);
        return -1;
    }
    keep_alive(made);
    return made;
}

/* The loopback address is that of rank 0 on its own machine alone. */
static bool may_be_there(const struct cluster *cluster, uint32_t address) {
    const bool is_here = strcmp(cluster->all[0].host, cluster->all[cluster->rank].host) == 0;
    return is_here || ntohl(address) >> 24 != IN_LOOPBACKNET;
}

static void connect_to_first(struct lifeline *lifeline, const struct place *place) {
    for (int i = 0; i < place->count && lifeline->ends[0].fd < 0; i++) {
        if (may_be_there(lifeline->cluster, place->addresses[i])) {
            lifeline->ends[0].fd = connect_to(lifeline, place, place->addresses[i]);
        }
    }
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* the one in `welcome` */
    mpi_wait(&request, 1, MPI_WAIT_NAP);
}

static uint64_t choose_key(void) {
    uint64_t key = clock_now_ns();
    const int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (source >= 0) {
        const ssize_t size = read(source, &key, sizeof key);
        (void)size; /* without it the time must do */
        (void)close(source);
    }
    return key;
}

static void meet(struct lifeline *lifeline) {
    struct place place = {.key = choose_key()};
    const bool is_first = lifeline->cluster->rank == 0;
    const int door = is_first ? listen_anywhere(&place) : -1;
    MPI_Bcast(&place, (int)sizeof place, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!is_first) {
        connect_to_first(lifeline, &place);
        return;
    }
    welcome(lifeline, door, place.key);
    if (door >= 0) {
        (void)close(door);
    }
    say_missing(lifeline);
}

/* ---- the thread ---- */

/* rank 2 on HOST (process N) REASON: the world ends */
static void say(const struct lifeline *lifeline, int rank, const char *reason) {
    const struct cluster_rank *it = &lifeline->cluster->all[rank];
    if (lifeline->cluster->rank <= 1) {
        log_write(LOG_ERROR, "cluster", "rank %d on %s (process %" PRId64 ") %s: the world ends", rank,
                  it->host, it->process, reason);
    }
}

static void beat(const struct lifeline *lifeline, int code) {
    struct rank_beat beat = mpi_wait_beat();
    beat.code = code;
    for (int i = 0; i < lifeline->count; i++) {
        if (lifeline->ends[i].fd >= 0) {
            (void)send(lifeline->ends[i].fd, &beat, sizeof beat, MSG_NOSIGNAL | MSG_DONTWAIT);
        }
    }
}

/* Until sessions know, but for so long at most. */
static void notify_sessions(struct lifeline *lifeline, int64_t grace_ms) {
    struct timespec end;
    (void)clock_gettime(CLOCK_REALTIME, &end);
    const int64_t ns = end.tv_nsec + grace_ms * 1000000;
    end.tv_sec += ns / 1000000000;
    end.tv_nsec = ns % 1000000000;
    pthread_mutex_lock(&lifeline->mutex);
    if (lifeline->wake != NULL) {
        lifeline->wake(lifeline->context);
        while (!lifeline->has_left && pthread_cond_timedwait(&lifeline->left, &lifeline->mutex, &end) == 0) {}
    }
    pthread_mutex_unlock(&lifeline->mutex);
}

static _Noreturn void end_all(struct lifeline *lifeline, int code, int64_t grace_ms) {
    atomic_store(&lifeline->is_lost, true);
    if (lifeline->cluster->rank == 0) {
        notify_sessions(lifeline, grace_ms);
        beat(lifeline, code); /* the others need not say it again */
    }
    log_stop();
    if (lifeline->cluster->rank > 1) { /* rank 1 is to say it before mpirun ends it because of this one */
        (void)nanosleep(&(struct timespec){.tv_nsec = SAID_MS * 1000000L}, NULL);
    }
    cluster_leave(code);
}

/* Something came from this end, or it is closed. */
static void look_at(struct lifeline *lifeline, int rank) {
    struct rank_beat beat;
    struct pollfd *end = &lifeline->ends[rank];
    const ssize_t size = recv(end->fd, &beat, sizeof beat, MSG_WAITALL);
    if (size == (ssize_t)sizeof beat) {
        if (beat.code != 0) {
            cluster_leave(beat.code);
        }
        rank_pulse_take(&lifeline->pulses[rank], &beat, clock_now_ns());
        return;
    }
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return;
    }
    if (!atomic_load(&lifeline->may_go)) {
        say(lifeline, rank, "is lost");
        end_all(lifeline, EXIT_FAILURE, GRACE_MS);
    }
    lifeline->pulses[rank].is_heard = false;
    end->events = 0;
    end->fd = -1 - end->fd; /* not looked at any more; closed at the end */
}

static const char *const reasons[] = {
    [RANK_IS_SILENT] = "does not answer; nothing was heard of it",
    [RANK_HANGS] = "hangs: it does not use its processor",
    [RANK_IS_STUCK] = "waits, as all others do, and nothing arrives",
    [RANK_IS_SLOW] = "computes, and the others wait for it",
};

static void judge(struct lifeline *lifeline, uint64_t now_ns) {
    char reason[160];
    int rank = 0;
    const enum rank_verdict verdict =
        rank_watch_judge(lifeline->pulses, lifeline->count, now_ns, lifeline->span_ns, &rank);
    if (verdict == RANK_IS_FINE || (lifeline->cluster->rank != 0 && verdict != RANK_IS_SILENT)) {
        return;
    }
    (void)snprintf(reason, sizeof reason, "%s, for %g s (--rank-timeout)", reasons[verdict],
                   (double)lifeline->span_ns * 1e-9);
    if (verdict != RANK_IS_SLOW) {
        say(lifeline, rank, reason);
        end_all(lifeline, CLUSTER_EXIT_HUNG, GRACE_MS);
    }
    if (lifeline->slow_steps != lifeline->pulses[rank].beat.steps) { /* once for a wait */
        lifeline->slow_steps = lifeline->pulses[rank].beat.steps;
        log_write(LOG_WARN, "cluster", "rank %d on %s (process %" PRId64 ") %s", rank,
                  lifeline->cluster->all[rank].host, lifeline->cluster->all[rank].process, reason);
    }
}

/* Beats, and what follows from those of the others. */
static void tend(struct lifeline *lifeline, uint64_t now_ns) {
    const uint64_t every_ns = lifeline->span_ns / BEATS;
    const uint64_t most_ns = BEAT_MOST_MS * UINT64_C(1000000);
    /* This process did not run itself: what came meanwhile is not read yet. */
    for (int i = 0; now_ns > lifeline->next_ns + lifeline->span_ns / 2 && i < lifeline->count; i++) {
        struct rank_pulse *pulse = &lifeline->pulses[i];
        pulse->heard_ns = pulse->stepped_ns = pulse->moved_ns = now_ns;
    }
    lifeline->next_ns = now_ns + (every_ns < most_ns ? every_ns : most_ns);
    beat(lifeline, 0);
    if (lifeline->cluster->rank == 0) {
        const struct rank_beat own = mpi_wait_beat();
        rank_pulse_take(&lifeline->pulses[0], &own, now_ns);
    }
    judge(lifeline, now_ns);
}

/* Rank 0 is to end, and waits for the others: for none that hangs, and for the span of the others at most. */
static void hurry(struct lifeline *lifeline, uint64_t now_ns) {
    const uint64_t hurry_ns = HURRY_MS * UINT64_C(1000000), since_ns = now_ns - lifeline->hurried_ns;
    int rank = 0;
    if (since_ns < hurry_ns || mpi_wait_beat().doing == RANK_WORKS) {
        return;
    }
    const enum rank_verdict verdict =
        lifeline->span_ns == 0 ? RANK_IS_FINE
                               : rank_watch_judge(lifeline->pulses, lifeline->count, now_ns, hurry_ns, &rank);
    /* At the end a rank may wait for its disk. */
    const bool is_in_tick = !atomic_load(&lifeline->may_go);
    if (verdict == RANK_IS_SILENT || (is_in_tick && (verdict == RANK_HANGS || verdict == RANK_IS_STUCK))) {
        say(lifeline, rank, reasons[verdict]);
    } else if (since_ns > lifeline->span_ns) {
        log_write(LOG_ERROR, "cluster", "the other ranks do not come to an end: the world ends without them");
    } else {
        return;
    }
    end_all(lifeline, EXIT_FAILURE, HURRY_GRACE_MS);
}

/* How long the thread may sleep; -1: until something happens. */
static int sleep_ms(const struct lifeline *lifeline, uint64_t now_ns) {
    if (lifeline->hurried_ns != 0) {
        return LOOK_MS;
    }
    if (lifeline->span_ns == 0) {
        return -1;
    }
    return lifeline->next_ns > now_ns ? (int)((lifeline->next_ns - now_ns) / 1000000) + 1 : 0;
}

static void *run(void *argument) {
    struct lifeline *lifeline = argument;
    struct pollfd *alarm = &lifeline->ends[lifeline->count];
    lifeline->next_ns = clock_now_ns();
    for (int i = 0; i < lifeline->count; i++) {
        lifeline->pulses[i] = (struct rank_pulse){.is_heard = lifeline->ends[i].fd >= 0,
                                                  .heard_ns = lifeline->next_ns,
                                                  .stepped_ns = lifeline->next_ns,
                                                  .moved_ns = lifeline->next_ns};
    }
    for (;;) {
        const int result =
            poll(lifeline->ends, (nfds_t)lifeline->count + 1, sleep_ms(lifeline, clock_now_ns()));
        if (result < 0 && errno != EINTR) {
            return NULL;
        }
        char why = ALARM_END;
        if (result > 0 && alarm->revents != 0) {
            if (read(lifeline->alarm[0], &why, 1) != 1 || why == ALARM_END) {
                return NULL;
            }
            lifeline->hurried_ns = clock_now_ns();
            if (why == ALARM_GIVE_UP) {
                log_write(LOG_WARN, "cluster",
                          "what the ranks are at takes too long: the world ends within it");
                end_all(lifeline, EXIT_FAILURE, HURRY_GRACE_MS);
            }
        }
        for (int i = 0; result > 0 && i < lifeline->count; i++) {
            if (lifeline->ends[i].fd >= 0 && lifeline->ends[i].revents != 0) {
                look_at(lifeline, i);
            }
        }
        const uint64_t now_ns = clock_now_ns();
        if (lifeline->span_ns != 0 && now_ns >= lifeline->next_ns) {
            tend(lifeline, now_ns);
        }
        if (lifeline->hurried_ns != 0) {
            hurry(lifeline, now_ns);
        }
    }
}

/* ---- life ---- */

static void free_parts(struct lifeline *lifeline) {
    for (int i = 0; i < lifeline->count; i++) {
        const int end = lifeline->ends[i].fd;
        if (end >= 0 || lifeline->ends[i].events == 0) {
            (void)close(end >= 0 ? end : -1 - end);
        }
    }
    (void)close(lifeline->alarm[0]);
    (void)close(lifeline->alarm[1]);
    pthread_cond_destroy(&lifeline->left);
    pthread_mutex_destroy(&lifeline->mutex);
    free(lifeline->pulses);
    free(lifeline->ends);
    free(lifeline);
}

/* NULL without memory or descriptors. */
static struct lifeline *prepare(const struct cluster *cluster) {
    struct lifeline *lifeline = calloc(1, sizeof *lifeline);
    const int count = cluster->rank == 0 ? cluster->ranks : 1;
    if (lifeline == NULL) {
        return NULL;
    }
    lifeline->cluster = cluster;
    lifeline->ends = calloc((size_t)count + 1, sizeof *lifeline->ends);
    lifeline->pulses = calloc((size_t)count, sizeof *lifeline->pulses);
    lifeline->count = count;
    if (lifeline->ends == NULL || lifeline->pulses == NULL || pipe(lifeline->alarm) != 0) {
        free(lifeline->pulses);
        free(lifeline->ends);
        free(lifeline);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        lifeline->ends[i] = (struct pollfd){.fd = -1, .events = POLLIN};
    }
    lifeline->ends[count] = (struct pollfd){.fd = lifeline->alarm[0], .events = POLLIN};
    (void)fcntl(lifeline->alarm[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(lifeline->alarm[1], F_SETFD, FD_CLOEXEC);
    (void)pthread_mutex_init(&lifeline->mutex, NULL);
    (void)pthread_cond_init(&lifeline->left, NULL);
    return lifeline;
}

struct lifeline *lifeline_create(const struct cluster *cluster, double span_s) {
    struct lifeline *lifeline = prepare(cluster);
    if (lifeline == NULL) {
        return NULL;
    }
    lifeline->span_ns = (uint64_t)(span_s * 1e9);
    meet(lifeline);
    lifeline->has_thread = thread_start(&lifeline->thread, run, lifeline) == 0;
    if (!lifeline->has_thread) {
        free_parts(lifeline);
        return NULL;
    }
    return lifeline;
}

static bool sound_alarm(const struct lifeline *lifeline, char why) {
    return write(lifeline->alarm[1], &why, 1) == 1;
}

void lifeline_release(struct lifeline *lifeline) {
    atomic_store(&lifeline->may_go, true);
}

void lifeline_destroy(struct lifeline *lifeline) {
    if (lifeline == NULL) {
        return;
    }
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    mpi_wait(&request, 1, MPI_WAIT_SPIN); /* it naps soon: a rank may still write its part of a checkpoint */
    if (sound_alarm(lifeline, ALARM_END) && lifeline->has_thread) {
        pthread_join(lifeline->thread, NULL);
    }
    free_parts(lifeline);
}

const atomic_bool *lifeline_is_lost(const struct lifeline *lifeline) {
    return &lifeline->is_lost;
}

void lifeline_watch(struct lifeline *lifeline, void (*wake_function)(void *context), void *context) {
    pthread_mutex_lock(&lifeline->mutex);
    lifeline->wake = wake_function;
    lifeline->context = context;
    pthread_mutex_unlock(&lifeline->mutex);
}

void lifeline_hurry(struct lifeline *lifeline) {
    (void)sound_alarm(lifeline, ALARM_HURRY);
}

void lifeline_give_up(struct lifeline *lifeline) {
    (void)sound_alarm(lifeline, ALARM_GIVE_UP);
}

void lifeline_leave(struct lifeline *lifeline) {
    pthread_mutex_lock(&lifeline->mutex);
    lifeline->has_left = true;
    pthread_cond_signal(&lifeline->left);
    pthread_mutex_unlock(&lifeline->mutex);
    for (;;) {
        (void)pause(); /* the thread ends the program */
    }
}
