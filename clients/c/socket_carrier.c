/* drover_connect and what waits: the system's sockets. Everything else is in handle.c.
 *
 * A socket is open from the begin of a try until the connection is gone. Addresses of a host are tried in their order.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/c/handle.h"
#include "clients/c/mqtt_lines.h"
#include "clients/c/system_sockets.h"
#include "common/system/clock.h"

enum { READ_BYTES = 256 * 1024, READS_A_TURN = 64, DEFAULT_TRY_MS = 5000 };

struct socket_carrier {
    struct carrier carrier; /* the first member */
    struct address address;
    struct mqtt_lines *mqtt; /* between the socket and the handle, of mqtt://; NULL for a server itself */
    char path[SOCKET_PATH_BYTES];      /* of unix:PATH; "" for TCP */
    struct addrinfo *addresses, *next; /* of this try */
    int socket;                        /* -1: none */
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
        system_socket_close(carrier->socket);
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
    mqtt_lines_destroy(carrier->mqtt);
    system_sockets_end();
    free(carrier);
}

static void lose(struct drover *world, const char *reason, int problem) {
    close_socket(carrier_of(world));
    free_addresses(carrier_of(world));
    world->problem = problem;
    drover_lost(world, reason);
}

/* ---- connecting ---- */

static void opened(struct drover *world) {
    carrier_of(world)->is_connecting = false;
    free_addresses(carrier_of(world));
    drover_opened(world);
    if (carrier_of(world)->mqtt != NULL) {
        mqtt_lines_begin(carrier_of(world)->mqtt);
    }
}

/* Begins to connect to this address. 0, or an errno. */
static int begin(struct drover *world, int family, const struct sockaddr *address, socklen_t length) {
    struct socket_carrier *carrier = carrier_of(world);
    const int silence_ms = world->options.silence_ms;
    int problem = 0;
    carrier->socket = system_socket_open(family, &problem);
    if (carrier->socket < 0) {
        return problem;
    }
    world->try_until_ms = world->now_ms + (silence_ms > 0 ? silence_ms : DEFAULT_TRY_MS);
    problem = system_socket_connect(carrier->socket, address, length);
    if (problem == 0) {
        opened(world);
    } else if (problem == EINPROGRESS) {
        carrier->is_connecting = true;
        problem = 0;
    } else {
        close_socket(carrier);
    }
    return problem;
}

/* The next address of the host that takes a connection; when there is none, the try has failed. */
static void begin_next(struct drover *world, int problem) {
    struct socket_carrier *carrier = carrier_of(world);
    while (carrier->next != NULL) {
        const struct addrinfo *address = carrier->next;
        carrier->next = address->ai_next;
        problem = begin(world, address->ai_family, address->ai_addr, (socklen_t)address->ai_addrlen);
        if (problem == 0) {
            return;
        }
    }
    lose(world, system_socket_problem(problem), problem);
}

static void begin_path(struct drover *world) {
    struct sockaddr_storage address;
    const socklen_t length = system_sockets_path(carrier_of(world)->path, &address);
    const int problem = begin(world, AF_UNIX, (const struct sockaddr *)&address, length);
    if (problem != 0) {
        lose(world, system_socket_problem(problem), problem);
    }
}

static void begin_try(struct drover *world) {
    struct socket_carrier *carrier = carrier_of(world);
    drover_opening(world);
    if (carrier->path[0] != '\0') {
        begin_path(world);
        return;
    }
    const char *reason = system_sockets_find(&carrier->address, &carrier->addresses);
    if (reason != NULL) {
        carrier->addresses = NULL;
        lose(world, reason, 0);
        return;
    }
    carrier->next = carrier->addresses;
    begin_next(world, EADDRNOTAVAIL);
}

static void finish_connecting(struct drover *world) {
    struct socket_carrier *carrier = carrier_of(world);
    const bool is_late = world->now_ms > world->try_until_ms;
    const bool is_decided = system_socket_wait(carrier->socket, POLLOUT, 0);
    if (!is_decided && !is_late) {
        return;
    }
    const int problem = system_socket_outcome(carrier->socket);
    if (problem == 0 && is_decided) {
        opened(world);
    } else {
        close_socket(carrier);
        begin_next(world, problem != 0 ? problem : ETIMEDOUT);
    }
}

/* ---- bytes ---- */

/* What is to go out now; NULL when there is nothing. */
static const char *next_output(struct drover *world, size_t *length) {
    struct mqtt_lines *mqtt = carrier_of(world)->mqtt;
    if (mqtt == NULL) {
        return drover_output(world, length);
    }
    mqtt_lines_take(mqtt, world);
    *length = mqtt->out.length;
    return *length > 0 ? mqtt->out.data : NULL;
}

static void note_sent(struct drover *world, size_t count) {
    struct mqtt_lines *mqtt = carrier_of(world)->mqtt;
    if (mqtt == NULL) {
        drover_sent(world, count);
        return;
    }
    memmove(mqtt->out.data, mqtt->out.data + count, mqtt->out.length - count);
    mqtt->out.length -= count;
}

/* What goes wrong is noticed by the reader. */
static void flush(struct drover *world) {
    const struct socket_carrier *carrier = carrier_of(world);
    size_t length = 0;
    const char *bytes = NULL;
    int problem = 0;
    while (carrier->socket >= 0 && !carrier->is_connecting && (bytes = next_output(world, &length)) != NULL) {
        const ptrdiff_t count = system_socket_send(carrier->socket, bytes, length, &problem);
        if (count <= 0) {
            return;
        }
        note_sent(world, (size_t)count);
    }
}

/* Where the next bytes of the socket may lie, and that so many came: 0, or -1 when the connection is to be closed. */
static char *reserve_input(struct drover *world, size_t *size) {
    struct mqtt_lines *mqtt = carrier_of(world)->mqtt;
    *size = READ_BYTES;
    return mqtt == NULL ? handle_reserve(world, READ_BYTES, size) : buffer_reserve(&mqtt->in, READ_BYTES);
}

static int take_input(struct drover *world, size_t count) {
    struct mqtt_lines *mqtt = carrier_of(world)->mqtt;
    if (mqtt == NULL) {
        return handle_read(world, count);
    }
    buffer_commit(&mqtt->in, count);
    return mqtt_lines_give(mqtt, world);
}

/* Returns whether more may be there. */
static bool read_once(struct drover *world) {
    struct socket_carrier *carrier = carrier_of(world);
    size_t size = 0;
    char *space = reserve_input(world, &size);
    if (space == NULL) {
        lose(world, "out of memory", ENOMEM);
        return false;
    }
    int problem = 0;
    const ptrdiff_t count = system_socket_receive(carrier->socket, space, size, &problem);
    if (count > 0) {
        if (take_input(world, (size_t)count) != 0) {
            close_socket(carrier);
        }
        return carrier->socket >= 0 && (size_t)count == size;
    }
    if (count < 0 && problem != EAGAIN) {
        lose(world, system_socket_problem(problem), problem);
    } else if (count == 0) {
        lose(world, "the server closed the connection", 0);
    }
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
            if (carrier->mqtt != NULL) {
                mqtt_lines_explain(carrier->mqtt, world);
            }
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
    const size_t waiting = carrier->mqtt != NULL ? carrier->mqtt->out.length : world->book.output.length;
    const int writes = carrier->is_connecting || waiting > 0 ? POLLOUT : 0;
    return writes | (carrier->is_connecting || handle_is_full(world) ? 0 : POLLIN);
}

static int least(int a, int b) {
    return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

/* One turn, waiting for the socket until `until_ms` at most (HUGE_VAL: without end). */
static int wait_once(struct drover *world, double until_ms) {
    world->now_ms = fmax(world->now_ms, now_ms());
    const int left = until_ms == HUGE_VAL ? -1 : (int)fmin(fmax(ceil(until_ms - world->now_ms), 0.0), 1e6);
    (void)system_socket_wait(drover_fd(world), drover_poll_events(world), least(left, drover_timeout(world)));
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

static int read_address(struct socket_carrier *carrier, const char *text,
                        const struct drover_options *options, struct failure *failure) {
    static const char prefix[] = "unix:";
    const size_t length = sizeof prefix - 1;
    (void)snprintf(carrier->address.port, sizeof carrier->address.port, "%d", DROVER_PORT);
    if (address_is_mqtt(text)) {
        const uint64_t seed = clock_now_ns() ^ (uint64_t)(uintptr_t)carrier << 20;
        carrier->mqtt = mqtt_lines_create(text, options != NULL ? options->token : NULL, seed, failure);
        carrier->address = carrier->mqtt != NULL ? carrier->mqtt->address : carrier->address;
        return carrier->mqtt != NULL ? 0 : -1;
    }
    if (strncmp(text, prefix, length) != 0) {
        return address_parse(text, &carrier->address, failure);
    }
    if (SOCKET_PATH_BYTES == 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, NULL,
                           "invalid address \"%s\"; this system allows HOST and HOST:PORT alone", text);
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
    if (world == NULL || carrier == NULL || system_sockets_begin() != 0) {
        free(carrier);
        drover_close(world);
        return NULL;
    }
    carrier->carrier = (struct carrier){now_ms, flush, destroy};
    carrier->socket = -1;
    world->carrier = &carrier->carrier;
    world->now_ms = now_ms();
    if (read_address(carrier, address, options, &failure) != 0) {
        handle_say(world, "%s", failure.message);
        handle_end(world, DROVER_ENDED);
    } else if (!is_over(world)) {
        begin_try(world);
    }
    return world;
}
