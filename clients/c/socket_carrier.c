/* drover_connect and what waits: plain sockets and poll. Everything else is in handle.c.
 *
 * A socket is open from the begin of a try until the connection is gone. Addresses of a host are tried in their order.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clients/c/handle.h"
#include "common/system/clock.h"
#include "common/text/server_address.h"

enum { READ_BYTES = 256 * 1024, READS_A_TURN = 64, DEFAULT_TRY_MS = 5000 };

struct socket_carrier {
    struct carrier carrier; /* the first member */
    struct address address;
    char path[sizeof((struct sockaddr_un *)NULL)->sun_path]; /* of unix:PATH; "" for TCP */
    struct addrinfo *addresses, *next;                       /* of this try */
    int socket;                                              /* -1: none */
    bool is_connecting;
};

static struct socket_carrier *carrier_of(const struct drover *world) {
    return (struct socket_carrier *)world->carrier;
}

static double now_ms(void) {
    return (double)clock_now_ns() * 1e-6;
}

/* ---- closing ---- */

static void close_socket(struct socket_carrier *carrier) {
    if (carrier->socket >= 0) {
        (void)close(carrier->socket);
    }
    carrier->socket = -1;
    carrier->is_connecting = false;
}

static void free_addresses(struct socket_carrier *carrier) {
    if (carrier->addresses != NULL) {
        freeaddrinfo(carrier->addresses);
    }
    carrier->addresses = carrier->next = NULL;
}

static void destroy(struct carrier *base) {
    struct socket_carrier *carrier = (struct socket_carrier *)base;
    close_socket(carrier);
    free_addresses(carrier);
    free(carrier);
}

static void lose(struct drover *world, const char *reason, int problem) {
    close_socket(carrier_of(world));
    free_addresses(carrier_of(world));
    world->problem = problem;
    drover_lost(world, reason);
}

/* ---- connecting ---- */

static int open_socket(int family) {
    const int fd = socket(family, SOCK_STREAM, 0), on = 1;
    if (fd < 0) {
        return -1;
    }
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        (void)close(fd);
        return -1;
    }
    if (family != AF_UNIX) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return fd;
}

static void opened(struct drover *world) {
    carrier_of(world)->is_connecting = false;
    free_addresses(carrier_of(world));
    drover_opened(world);
}

/* Begins to connect to this address. 0, or an errno. */
static int begin(struct drover *world, int family, const struct sockaddr *address, socklen_t length) {
    struct socket_carrier *carrier = carrier_of(world);
    const int silence_ms = world->options.silence_ms;
    carrier->socket = open_socket(family);
    if (carrier->socket < 0) {
        return errno;
    }
    world->try_until_ms = world->now_ms + (silence_ms > 0 ? silence_ms : DEFAULT_TRY_MS);
    if (connect(carrier->socket, address, length) == 0) {
        opened(world);
        return 0;
    }
    if (errno == EINPROGRESS || errno == EINTR) {
        carrier->is_connecting = true;
        return 0;
    }
    const int problem = errno;
    close_socket(carrier);
    return problem;
}

/* The next address of the host that takes a connection; when there is none, the try has failed. */
static void begin_next(struct drover *world, int problem) {
    struct socket_carrier *carrier = carrier_of(world);
    while (carrier->next != NULL) {
        const struct addrinfo *address = carrier->next;
        carrier->next = address->ai_next;
        problem = begin(world, address->ai_family, address->ai_addr, address->ai_addrlen);
        if (problem == 0) {
            return;
        }
    }
    lose(world, strerror(problem), problem);
}

static void begin_unix(struct drover *world) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, carrier_of(world)->path, sizeof address.sun_path);
    const int problem = begin(world, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
    if (problem != 0) {
        lose(world, strerror(problem), problem);
    }
}

static void begin_try(struct drover *world) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct socket_carrier *carrier = carrier_of(world);
    drover_opening(world);
    if (carrier->path[0] != '\0') {
        begin_unix(world);
        return;
    }
    const int result = getaddrinfo(carrier->address.host, carrier->address.port, &hints, &carrier->addresses);
    if (result != 0) {
        carrier->addresses = NULL;
        lose(world, gai_strerror(result), 0);
        return;
    }
    carrier->next = carrier->addresses;
    begin_next(world, EADDRNOTAVAIL);
}

static void finish_connecting(struct drover *world) {
    struct socket_carrier *carrier = carrier_of(world);
    struct pollfd poller = {.fd = carrier->socket, .events = POLLOUT};
    int problem = 0;
    socklen_t size = sizeof problem;
    const bool is_late = world->now_ms > world->try_until_ms;
    if (poll(&poller, 1, 0) <= 0 && !is_late) {
        return;
    }
    if (getsockopt(carrier->socket, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) {
        problem = errno;
    }
    if (problem == 0 && poller.revents != 0) {
        opened(world);
    } else {
        close_socket(carrier);
        begin_next(world, problem != 0 ? problem : ETIMEDOUT);
    }
}

/* ---- bytes ---- */

/* What goes wrong is noticed by the reader. */
static void flush(struct drover *world) {
    const struct socket_carrier *carrier = carrier_of(world);
    size_t length = 0;
    const char *bytes = NULL;
    while (carrier->socket >= 0 && !carrier->is_connecting &&
           (bytes = drover_output(world, &length)) != NULL) {
        const ssize_t count = send(carrier->socket, bytes, length, MSG_NOSIGNAL);
        if (count > 0) {
            drover_sent(world, (size_t)count);
        } else if (errno != EINTR) {
            return;
        }
    }
}

/* Returns whether more may be there. */
static bool read_once(struct drover *world) {
    struct socket_carrier *carrier = carrier_of(world);
    size_t size = 0;
    char *space = handle_reserve(world, READ_BYTES, &size);
    if (space == NULL) {
        lose(world, "out of memory", ENOMEM);
        return false;
    }
    const ssize_t count = recv(carrier->socket, space, size, 0);
    if (count > 0) {
        if (handle_read(world, (size_t)count) != 0) {
            close_socket(carrier);
        }
        return carrier->socket >= 0 && (size_t)count == size;
    }
    if (count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) {
        return errno == EINTR;
    }
    const int problem = count == 0 ? 0 : errno;
    lose(world, problem == 0 ? "the server closed the connection" : strerror(problem), problem);
    return false;
}

static void move_bytes(struct drover *world) {
    flush(world); /* first: what is written before the server says bye was sent to it */
    for (int i = 0;
         i < READS_A_TURN && carrier_of(world)->socket >= 0 && !handle_is_full(world) && read_once(world);
         i++) {}
    flush(world);
}

/* ---- turns ---- */

static bool is_over(const struct drover *world) {
    return world->state == DROVER_ENDED || world->state == DROVER_REFUSED;
}

int drover_turn(struct drover *world) {
    struct socket_carrier *carrier = carrier_of(world);
    if (carrier != NULL && !is_over(world)) {
        world->now_ms = fmax(world->now_ms, now_ms());
        if (world->state == DROVER_WAITING && world->now_ms >= world->retry_ms) {
            begin_try(world);
        }
        if (carrier->is_connecting) {
            finish_connecting(world);
        }
        if (carrier->socket >= 0 && !carrier->is_connecting) {
            move_bytes(world);
        }
        if (drover_advance(world, world->now_ms) != 0) {
            close_socket(carrier);
        }
        flush(world);
    }
    return handle_has_event(world) ? 1 : carrier == NULL || is_over(world) ? -1 : 0;
}

int drover_fd(const struct drover *world) {
    return world->carrier != NULL ? carrier_of(world)->socket : -1;
}

int drover_poll_events(const struct drover *world) {
    const struct socket_carrier *carrier = carrier_of(world);
    if (carrier == NULL || carrier->socket < 0) {
        return 0;
    }
    const int writes = carrier->is_connecting || world->book.output.length > 0 ? POLLOUT : 0;
    return writes | (carrier->is_connecting || handle_is_full(world) ? 0 : POLLIN);
}

static int least(int a, int b) {
    return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

/* One turn, waiting for the socket until `until_ms` at most (HUGE_VAL: without end). */
static int wait_once(struct drover *world, double until_ms) {
    struct pollfd poller = {.fd = drover_fd(world), .events = (short)drover_poll_events(world)};
    world->now_ms = fmax(world->now_ms, now_ms());
    const int left = until_ms == HUGE_VAL ? -1 : (int)fmin(fmax(ceil(until_ms - world->now_ms), 0.0), 1e6);
    (void)poll(&poller, poller.fd >= 0 ? 1 : 0, least(left, drover_timeout(world)));
    return drover_turn(world);
}

/* When a wait of so many ms ends. */
static double end_of(struct drover *world, int timeout_ms) {
    world->now_ms = fmax(world->now_ms, now_ms());
    return timeout_ms < 0 ? HUGE_VAL : world->now_ms + timeout_ms;
}

int drover_wait(struct drover *world, int timeout_ms) {
    if (world->carrier == NULL) {
        return handle_has_event(world) ? 1 : -1;
    }
    const double until_ms = end_of(world, timeout_ms);
    int result = drover_turn(world);
    while (result == 0 && world->now_ms < until_ms) {
        result = wait_once(world, until_ms);
    }
    return result;
}

int drover_wait_ready(struct drover *world, int timeout_ms) {
    if (world->carrier == NULL) {
        return world->state == DROVER_READY ? 0 : -1;
    }
    const double until_ms = end_of(world, timeout_ms);
    (void)drover_turn(world);
    while (world->state != DROVER_READY && !is_over(world) && world->now_ms < until_ms &&
           !handle_is_full(world)) {
        (void)wait_once(world, until_ms);
    }
    if (world->state != DROVER_READY && world->reason[0] == '\0') {
        handle_say(world, "there is no connection yet");
    }
    return world->state == DROVER_READY ? 0 : -1;
}

int drover_flush(struct drover *world, int timeout_ms) {
    if (world->carrier == NULL) {
        return -1;
    }
    const double until_ms = end_of(world, timeout_ms);
    (void)drover_turn(world);
    while (!request_book_is_sent(&world->book) && !is_over(world) && world->now_ms < until_ms) {
        (void)wait_once(world, until_ms);
    }
    return request_book_is_sent(&world->book) ? 0 : -1;
}

static struct drover_message *answer_without_server(const struct drover *world, enum failure_code code) {
    return line_message_error("",
                              code == FAILURE_FULL   ? "full"
                              : code == FAILURE_NONE ? "unsent"
                                                     : "invalid",
                              world->reason);
}

struct drover_message *drover_ask(struct drover *world, const char *request) {
    struct failure failure;
    struct request_entry *entry = NULL;
    if (world->carrier == NULL) {
        return NULL;
    }
    entry = handle_add(world, request, true, &failure);
    if (entry == NULL) {
        return answer_without_server(world, failure.code);
    }
    entry->is_asked = true;
    drover_message_free(world->answer);
    world->answer = NULL;
    flush(world);
    (void)drover_turn(world);
    while (world->answer == NULL && !is_over(world)) {
        (void)wait_once(world, HUGE_VAL);
    }
    struct drover_message *answer = world->answer;
    world->answer = NULL;
    return answer;
}

/* ---- life ---- */

static int read_address(struct socket_carrier *carrier, const char *text, struct failure *failure) {
    static const char prefix[] = "unix:";
    const size_t length = sizeof prefix - 1;
    (void)snprintf(carrier->address.port, sizeof carrier->address.port, "%d", DROVER_PORT);
    if (strncmp(text, prefix, length) != 0) {
        return address_parse(text, &carrier->address, failure);
    }
    if (strlen(text + length) == 0 || strlen(text + length) >= sizeof carrier->path) {
        return failure_set(failure, FAILURE_BAD_PARAM, NULL,
                           "invalid path \"%s\"; 1 to %zu characters are allowed", text + length,
                           sizeof carrier->path - 1);
    }
    (void)snprintf(carrier->path, sizeof carrier->path, "%s", text + length);
    return 0;
}

struct drover *drover_connect(const char *address, const struct drover_options *options) {
    struct drover *world = drover_create(options);
    struct socket_carrier *carrier = calloc(1, sizeof *carrier);
    struct failure failure;
    if (world == NULL || carrier == NULL) {
        free(carrier);
        drover_close(world);
        return NULL;
    }
    carrier->carrier = (struct carrier){now_ms, flush, destroy};
    carrier->socket = -1;
    world->carrier = &carrier->carrier;
    world->now_ms = now_ms();
    if (read_address(carrier, address, &failure) != 0) {
        handle_say(world, "%s", failure.message);
        handle_end(world, DROVER_ENDED);
    } else if (!is_over(world)) {
        begin_try(world);
    }
    return world;
}
