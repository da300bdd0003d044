/* See web_door.h. */
#include "server/web/web_door.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include <microhttpd.h>

#include "common/system/log.h"
#include "server/library/scenario_library.h"
#include "server/loop/loop_context.h"
#include "server/net/listener.h"
#include "server/net/peer_socket.h"
#include "server/web/web_exchange.h"

enum {
    BEAT_MS = 500,       /* how often the time of connections is looked at, while there are some */
    POOL_BYTES = 24576,  /* of a connection: its head, and that of the answer */
    ADDRESS_CHARS = 160, /* of the door */
    LOG_CHARS = 256
};

/* An HTTP connection, from its accept to its end or its handover. */
struct web_connection {
    struct web_connection *next, *previous;
    int socket;
    uint64_t opened_ms;
    bool has_request; /* a whole one */
    struct web_peer peer;
    struct MHD_Connection *held; /* suspended until pending.late is due; NULL: it is not */
    struct web_pending pending;
};

struct web_door {
    struct loop_context *loop;
    struct listener listener;
    struct MHD_Daemon *daemon;
    uv_poll_t poll; /* of the daemon's epoll descriptor */
    uv_timer_t timer;
    bool has_handles;
    struct web_connection *first;
    int count;
    struct web_service service;
    char address[ADDRESS_CHARS];
    char scenarios[SCENARIO_LIBRARY_PATH];
};

/* ---- the daemon on the loop ---- */

static void run(struct web_door *door);

static void release(struct web_connection *connection) {
    MHD_resume_connection(connection->held);
    connection->held = NULL;
}

/* Whether the peer of a connection without a whole request has left. libmicrohttpd misses an end that comes together with
 * bytes. */
static bool has_left(const struct web_connection *connection) {
    return !connection->has_request && peer_socket_has_ended(connection->socket);
}

static void on_time(uv_timer_t *timer) {
    struct web_door *door = timer->data;
    const uint64_t now_ms = uv_now(timer->loop);
    for (struct web_connection *at = door->first; at != NULL; at = at->next) {
        if (at->held != NULL && now_ms >= at->pending.late.not_before_ms) {
            release(at);
        }
        const uint64_t seconds = at->has_request ? LIMIT_WEB_ANSWER_SECONDS : LIMIT_WEB_HEAD_SECONDS;
        if (now_ms - at->opened_ms >= seconds * 1000u || has_left(at)) {
            (void)shutdown(at->socket, SHUT_RDWR); /* the daemon reads its end */
        }
    }
    run(door);
}

/* The timer runs while there are connections, sooner when the daemon wants it. */
static void run(struct web_door *door) {
    (void)MHD_run(door->daemon);
    MHD_UNSIGNED_LONG_LONG wish = BEAT_MS;
    if (door->count == 0) {
        uv_timer_stop(&door->timer);
        return;
    }
    if (MHD_get_timeout(door->daemon, &wish) != MHD_YES || wish > BEAT_MS) {
        wish = BEAT_MS;
    }
    (void)uv_timer_start(&door->timer, on_time, wish, 0);
}

static void on_ready(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    run(poll->data);
}

/* ---- connections ---- */

static int count_address(const struct web_door *door, const char *address) {
    int count = 0;
    for (const struct web_connection *at = door->first; at != NULL; at = at->next) {
        count += strcmp(at->peer.address, address) == 0;
    }
    return count;
}

static void on_accept(void *context, int socket) {
    static const char busy[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 2\r\n"
                               "Connection: close\r\n\r\n";
    struct web_door *door = context;
    struct web_peer peer = {.is_loopback = false};
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (!web_peer_of(socket, &peer) || getpeername(socket, (struct sockaddr *)&address, &length) != 0) {
        close(socket); /* it is gone already */
        return;
    }
    if (door->count >= (int)door->loop->room.web ||
        (!peer.is_loopback && count_address(door, peer.address) >= LIMIT_WEB_ADDRESS)) {
        peer_socket_refuse(socket, busy, sizeof busy - 1);
        return;
    }
    if (MHD_add_connection(door->daemon, socket, (struct sockaddr *)&address, length) == MHD_YES) {
        run(door);
    }
}

static void begin_connection(struct web_door *door, int socket, void **slot) {
    struct web_connection *connection = calloc(1, sizeof *connection);
    *slot = connection;
    if (connection == NULL || !web_peer_of(socket, &connection->peer)) {
        (void)shutdown(socket, SHUT_RDWR);
    }
    if (connection == NULL) {
        return;
    }
    connection->socket = socket;
    connection->opened_ms = uv_now(door->loop->uv);
    connection->next = door->first;
    if (door->first != NULL) {
        door->first->previous = connection;
    }
    door->first = connection;
    door->count++;
}

static void end_connection(struct web_door *door, struct web_connection *connection) {
    if (connection->previous != NULL) {
        connection->previous->next = connection->next;
    } else {
        door->first = connection->next;
    }
    if (connection->next != NULL) {
        connection->next->previous = connection->previous;
    }
    assert(door->count > 0);
    door->count--;
    web_exchange_end(&connection->pending);
    free(connection);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **slot,
                          enum MHD_ConnectionNotificationCode code) {
    struct web_door *door = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        begin_connection(door, info->connect_fd, slot);
    } else if (*slot != NULL) {
        end_connection(door, *slot);
        *slot = NULL;
    }
}

/* ---- requests ---- */

static struct web_connection *record_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/* Answers, or suspends the connection until its answer is due: libmicrohttpd asks again then. */
static enum MHD_Result answer(const struct web_door *door, struct MHD_Connection *connection,
                              struct web_connection *record, const char *method, const char *path) {
    if (record->pending.late.not_before_ms != 0) {
        return web_exchange_send(connection, &record->pending.late);
    }
    const enum MHD_Result result =
        web_exchange_answer(&door->service, connection, method, path, &record->pending);
    if (record->pending.late.not_before_ms != 0) {
        record->held = connection;
        MHD_suspend_connection(connection);
    }
    return result;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *body,
                                  size_t *body_bytes, /* NOLINT(readability-non-const-parameter): its type */
                                  void **request) {
    static char seen; /* its address marks a request whose head was looked at */
    struct web_door *door = context;
    struct web_connection *record = record_of(connection);
    (void)version;
    (void)body;
    if (record == NULL) {
        return MHD_NO;
    }
    if (*request == NULL) {
        enum MHD_Result result = MHD_YES;
        *request = &seen;
        record->has_request = true;
        (void)web_exchange_begin(connection, method, &result);
        return result;
    }
    if (*body_bytes != 0) {
        return MHD_NO; /* a body that no header announced */
    }
    return answer(door, connection, record, method, path);
}

/* A proxy's connections are all from one place: those of a visitor show when their requests are read. */
static bool has_place(void *context, const struct web_peer *peer) {
    const struct web_door *door = context;
    int count = 0;
    for (const struct web_connection *at = door->first; at != NULL; at = at->next) {
        count += strcmp(at->pending.peer.address, peer->address) == 0;
    }
    return peer->is_loopback || count <= LIMIT_WEB_ADDRESS;
}

static bool has_room(void *context, const struct web_peer *peer) {
    const struct web_door *door = context;
    return session_entry_has_room(door->loop, peer->address, peer->is_loopback);
}

static void on_socket(void *context, int socket, const struct web_peer *peer, const char *early,
                      size_t length) {
    struct web_door *door = context;
    const struct session_peer entering = {
        .socket = socket, .address = peer->address, .is_loopback = peer->is_loopback, .kind = FRAMING_WEB};
    struct session *session = session_entry_admit(door->loop, &entering);
    if (session != NULL) {
        session_take_early(session, early, length);
    }
}

/* ---- opening ---- */

static void PRINTF_LIKE(2, 0) on_log(void *context, const char *format, va_list arguments) {
    char text[LOG_CHARS];
    (void)context;
    (void)vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\r\n")] = '\0';
    log_write(LOG_DEBUG, "web", "%s", text);
}

/* No path of ours has a character that needs escaping: one that does is none of them. */
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

static int start_daemon(struct web_door *door, struct failure *failure) {
    uv_loop_t *uv = door->loop->uv;
    door->daemon =
        MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_UPGRADE | MHD_ALLOW_SUSPEND_RESUME |
                             MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG,
                         0, NULL, NULL, on_request, door, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
                         MHD_OPTION_NOTIFY_CONNECTION, on_connection, door, MHD_OPTION_CONNECTION_LIMIT,
                         (unsigned)LIMIT_WEB_CONNECTIONS + 1, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped,
                         NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)LIMIT_WEB_ANSWER_SECONDS, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        door->daemon == NULL ? NULL : MHD_get_daemon_info(door->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (info == NULL || uv_timer_init(uv, &door->timer) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, "--web", "--web: libmicrohttpd cannot start");
    }
    door->timer.data = door;
    if (uv_poll_init(uv, &door->poll, info->epoll_fd) != 0) {
        uv_close((uv_handle_t *)&door->timer, NULL);
        return failure_set(failure, FAILURE_INTERNAL, "--web", "--web: cannot watch libmicrohttpd");
    }
    door->poll.data = door;
    door->has_handles = true;
    return 0;
}

/* Listens where --web says, unless others would be admin there. */
static int listen_web(struct web_door *door, const struct server_web *web, struct failure *failure) {
    const struct server_options *options = door->loop->options;
    const int result =
        web->is_unix
            ? listener_open_unix(&door->listener, door->loop->uv, web->address, failure)
            : listener_open(&door->listener, door->loop->uv, web->address, (uint16_t)web->port, failure);
    if (result != 0) {
        return -1;
    }
    if (!door->listener.is_loopback && !door->loop->access.needs_token && !options->is_insecure) {
        return failure_set(
            failure, FAILURE_DENIED, "--web",
            "%s is reachable from other hosts, which would be admin; give --token-file FILE or "
            "--insecure",
            door->listener.address);
    }
    if (!door->listener.is_loopback && door->loop->access.needs_token) {
        log_write(LOG_WARN, "web",
                  "tokens can be read on their way to %s; put a proxy with TLS in front (docs/deploy.md)",
                  door->listener.address);
    }
    return 0;
}

static int open_all(struct web_door *door, struct failure *failure) {
    struct server_web web;
    struct scenario_library library;
    struct failure ignored;
    const struct server_options *options = door->loop->options;
    const struct host_rules rules = {.hosts = options->web_host, .origins = options->web_origin};
    if (server_options_web(options, &web, failure) != 0 || host_rules_check(&rules, failure) != 0 ||
        listen_web(door, &web, failure) != 0 || start_daemon(door, failure) != 0) {
        return -1;
    }
    if (scenario_library_init(&library, options->scenarios, &ignored) == 0) {
        (void)snprintf(door->scenarios, sizeof door->scenarios, "%s", library.directory);
        scenario_library_fini(&library);
    }
    (void)snprintf(door->address, sizeof door->address, web.is_unix ? "%s" : "http://%s/",
                   door->listener.address);
    door->service = (struct web_service){
        .site = {.loop = door->loop, .scenarios = door->scenarios},
        .rules = {.hosts = options->web_host, .origins = options->web_origin, .is_unix = web.is_unix},
        .context = door,
        .has_place = has_place,
        .has_room = has_room,
        .on_socket = on_socket};
    return 0;
}

struct web_door *web_door_open(struct loop_context *loop, struct failure *failure) {
    struct web_door *door = calloc(1, sizeof *door);
    if (door == NULL) {
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    door->loop = loop;
    door->listener.socket = -1;
    if (open_all(door, failure) != 0) {
        web_door_close(door);
        (void)uv_run(loop->uv, UV_RUN_NOWAIT);
        web_door_free(door);
        return NULL;
    }
    return door;
}

int web_door_start(struct web_door *door) {
    const int result = uv_poll_start(&door->poll, UV_READABLE, on_ready);
    return result != 0 ? result : listener_start(&door->listener, door, on_accept);
}

const char *web_door_address(const struct web_door *door) {
    return door->address;
}

void web_door_shut(struct web_door *door) {
    if (door != NULL) {
        listener_close(&door->listener);
    }
}

void web_door_close(struct web_door *door) {
    if (door == NULL) {
        return;
    }
    listener_close(&door->listener);
    if (door->has_handles) {
        door->has_handles = false;
        uv_poll_stop(&door->poll);
        uv_close((uv_handle_t *)&door->poll, NULL);
        uv_close((uv_handle_t *)&door->timer, NULL);
    }
    for (struct web_connection *at = door->first; at != NULL; at = at->next) {
        if (at->held != NULL) {
            release(at); /* libmicrohttpd ends no connection that is suspended */
        }
    }
    if (door->daemon != NULL) {
        MHD_stop_daemon(door->daemon);
        door->daemon = NULL;
    }
}

void web_door_free(struct web_door *door) {
    free(door);
}
