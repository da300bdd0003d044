/* drover-fanout-rival: the least work that sends the same bytes to many clients: one epoll loop, one
 * timer, send().
 *
 * Accepts every client and sends it BYTES bytes HZ times a second (a line of x), skipping clients whose last
 * line is still in flight, as drover-server does. No parsing, no queues, no timeouts. Ends with SIGTERM.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/system/options.h"

enum { CLIENTS = 8192, EVENTS = 512, LOW_WATER = 16384 };

struct rival_options {
    uint32_t bytes;
    double hz;
};

struct rival {
    int epoll, listening, timer;
    char *line;
    size_t length;
    size_t sent[CLIENTS]; /* by descriptor; length: nothing on its way */
    int last;             /* the highest descriptor of a client, and */
    int clients[CLIENTS]; /* whether a descriptor is one */
};

static const struct field option_fields[] = {
    {.name = "bytes",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct rival_options, bytes),
     .min = 8,
     .max = 1e9,
     .unit = "N",
     .help = "Bytes of a frame."},
    {.name = "hz",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct rival_options, hz),
     .min = 1,
     .max = 480,
     .unit = "N",
     .help = "Frames a second."},
    {.type = FIELD_END},
};
static const struct options_def options_def = {
    .program = "drover-fanout-rival", .summary = "A bare epoll writer.", .table = option_fields};

static void drop(struct rival *rival, int client) {
    rival->clients[client] = 0;
    close(client);
}

static void watch(const struct rival *rival, int client, uint32_t events, int operation) {
    struct epoll_event event = {.events = events, .data = {.fd = client}};
    (void)epoll_ctl(rival->epoll, operation, client, &event);
}

/* Sends the rest of the line. */
static void push(struct rival *rival, int client) {
    const size_t before = rival->sent[client];
    const ssize_t count = send(client, rival->line + before, rival->length - before, MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN) {
        drop(rival, client);
        return;
    }
    rival->sent[client] += count < 0 ? 0 : (size_t)count;
    if (rival->sent[client] < rival->length) {
        watch(rival, client, EPOLLOUT, EPOLL_CTL_MOD);
    } else if (before > 0) {
        watch(rival, client, EPOLLRDHUP, EPOLL_CTL_MOD);
    }
}

static void accept_all(struct rival *rival) {
    for (;;) {
        const int client = accept(rival->listening, NULL, NULL);
        if (client < 0) {
            return;
        }
        if (client >= CLIENTS) {
            close(client);
            return;
        }
        const int on = 1;
        const int low_water = LOW_WATER;
        (void)fcntl(client, F_SETFL, O_NONBLOCK);
        (void)setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        (void)setsockopt(client, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &low_water, sizeof low_water);
        rival->clients[client] = 1;
        rival->sent[client] = rival->length;
        rival->last = client > rival->last ? client : rival->last;
        watch(rival, client, EPOLLRDHUP, EPOLL_CTL_ADD);
    }
}

static void send_frame(struct rival *rival) {
    uint64_t expired = 0;
    (void)!read(rival->timer, &expired, sizeof expired);
    for (int client = 0; client <= rival->last; client++) {
        if (rival->clients[client] && rival->sent[client] == rival->length) {
            rival->sent[client] = 0;
            push(rival, client);
        }
    }
}

static void serve(struct rival *rival) {
    struct epoll_event events[EVENTS];
    for (;;) {
        const int count = epoll_wait(rival->epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            const int descriptor = events[i].data.fd;
            if (descriptor == rival->timer) {
                send_frame(rival);
            } else if (descriptor == rival->listening) {
                accept_all(rival);
            } else if ((events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
                drop(rival, descriptor);
            } else {
                push(rival, descriptor);
            }
        }
    }
}

static int start(struct rival *rival, double hz) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const long period_ns = (long)(1e9 / hz);
    const struct itimerspec every = {
        .it_interval = {.tv_sec = period_ns / 1000000000, .tv_nsec = period_ns % 1000000000},
        .it_value = {.tv_nsec = 1000000}};
    rival->epoll = epoll_create1(0);
    rival->listening = socket(AF_INET, SOCK_STREAM, 0);
    rival->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    if (bind(rival->listening, (struct sockaddr *)&address, size) != 0 ||
        listen(rival->listening, 511) != 0 || fcntl(rival->listening, F_SETFL, O_NONBLOCK) != 0 ||
        getsockname(rival->listening, (struct sockaddr *)&address, &size) != 0 ||
        timerfd_settime(rival->timer, 0, &every, NULL) != 0) {
        perror("drover-fanout-rival");
        return -1;
    }
    watch(rival, rival->listening, EPOLLIN, EPOLL_CTL_ADD);
    watch(rival, rival->timer, EPOLLIN, EPOLL_CTL_ADD);
    (void)printf("drover-fanout-rival listening on 127.0.0.1:%u\n", (unsigned)ntohs(address.sin_port));
    return fflush(stdout);
}

int main(int argc, char **argv) {
    static struct rival rival;
    struct rival_options options = {.bytes = 60000, .hz = 30};
    struct failure failure = {0};
    const char *positional = NULL;
    const enum options_result result =
        options_parse(&options_def, argc, argv, &options, &positional, &failure);
    if (result == OPTIONS_EXIT) {
        return 0;
    }
    if (result != OPTIONS_RUN) {
        (void)fprintf(stderr, "drover-fanout-rival: %s\n", failure.message);
        return 2;
    }
    struct rlimit limit = {.rlim_cur = CLIENTS, .rlim_max = CLIENTS};
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    rival.length = options.bytes;
    rival.line = malloc(rival.length);
    if (rival.line == NULL || start(&rival, options.hz) != 0) {
        return 1;
    }
    memset(rival.line, 'x', rival.length);
    rival.line[rival.length - 1] = '\n';
    serve(&rival);
    return 0;
}
