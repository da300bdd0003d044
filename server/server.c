/* See server.h. */
#include "server/server.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/protocol/message.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/loop/delivery.h"
#include "server/loop/loop_context.h"
#include "server/loop/session_describe.h"
#include "server/loop/session_requests.h"
#include "server/net/listener.h"
#include "server/sessions/admission.h"
#include "server/sessions/notices.h"
#include "server/sessions/reply.h"

enum {
    SPARE_SESSIONS =
        64, /* beyond the limit, that wait until they have read the bye; others are refused at once */
};

struct server {
    uv_loop_t loop;
    uv_async_t wakeup; /* the simulation has something ready */
    uv_signal_t interrupt, terminate, hangup;
    struct listener listener;
    struct loop_context context;
    bool has_handles, is_stopping;
};

/* ---- lines ---- */

static void on_line(void *context, struct session *session, const char *line, size_t length) {
    struct server *server = context;
    session_requests_line(&server->context, session, line, length);
}

static void on_too_long(void *context, struct session *session) {
    (void)context;
    session_requests_too_long(session);
}

static void on_wakeup(uv_async_t *async) {
    delivery_take(&((struct server *)async->data)->context);
}

/* Called by the simulation thread. */
static void wake_loop(void *context) {
    struct server *server = context;
    uv_async_send(&server->wakeup);
}

/* ---- connections ---- */

static void on_accept(void *context, int socket) {
    struct loop_context *loop = &((struct server *)context)->context;
    char address[SESSION_ADDRESS_CHARS] = "";
    bool is_loopback = false;
    if (!listener_peer(socket, address, sizeof address, &is_loopback)) {
        close(socket); /* it is gone already */
        return;
    }
    const struct admission_limits limits = {.clients = (int)loop->options->max_clients,
                                            .per_address = (int)loop->options->max_per_address};
    const char *full = admission_why_full(limits, &loop->sessions, address, is_loopback);
    const int unnumbered = loop->sessions.count - loop->sessions.numbered;
    loop->statistics.refused += full != NULL ? 1 : 0;
    if (full != NULL && unnumbered >= SPARE_SESSIONS) {
        session_refuse(socket, "full", full);
        return;
    }
    struct session *session = session_set_add(&loop->sessions, socket, full == NULL);
    if (session == NULL) {
        return;
    }
    memcpy(session->address, address, sizeof session->address);
    if (full != NULL) {
        session_close(session, "full", full);
        return;
    }
    loop->statistics.sessions_ever++;
    session->client.role = loop->access.needs_token ? ROLE_NONE : ROLE_ADMIN;
    log_write(LOG_INFO, "net", "session %u connected from %s", session->id, address);
    session_describe_send_hello(loop, session);
}

static void on_check(void *context, struct session *session, uint64_t now_ms) {
    struct loop_context *loop = &((struct server *)context)->context;
    struct failure failure = {0};
    if (admission_close_overdue(session, loop->options->idle_s, now_ms)) {
        return;
    }
    session_requests_refuse_late(session, now_ms);
    if (rate_limit_report(&session->limit, now_ms)) {
        (void)failure_set(&failure, FAILURE_RATE, NULL,
                          "more than %u requests a second; the server reads more slowly, nothing is lost",
                          (unsigned)loop->options->rate);
        reply_failure(session, "", &failure);
    }
    struct message_event event;
    if (notices_lag(session, now_ms, &event)) {
        session_describe_send_lag(loop, session, &event);
    }
    if (notices_stepping(session, now_ms, &event)) {
        session_describe_send_event(loop, session, &event);
    }
}

static void on_beat(void *context) {
    struct server *server = context;
    struct loop_context *loop = &server->context;
    const uint32_t wrong_tokens = token_guard_report(&loop->tokens, uv_now(&server->loop));
    if (wrong_tokens > 0) {
        log_write(LOG_WARN, "net", "wrong tokens: %u more", (unsigned)wrong_tokens);
    }
    if (broadcast_wants_snapshot(&loop->broadcast, uv_now(&server->loop))) {
        simulation_request_snapshot(loop->simulation);
    }
    struct message_event overload;
    if (simulation_tell_overload(loop->simulation, &overload)) {
        delivery_send_event(loop, &overload);
    }
    cursors_retry(&loop->cursors, loop->simulation);
    cursors_send(&loop->cursors, &loop->sessions);
}

/* ---- ending ---- */

static void close_handles(struct server *server) {
    session_set_fini(&server->context.sessions);
    uv_close((uv_handle_t *)&server->wakeup, NULL);
    uv_close((uv_handle_t *)&server->interrupt, NULL);
    uv_close((uv_handle_t *)&server->terminate, NULL);
    uv_close((uv_handle_t *)&server->hangup, NULL);
}

static void on_session_closed(void *context, const struct session *session) {
    struct server *server = context;
    struct loop_context *loop = &server->context;
    if (!server->is_stopping) {
        simulation_end_steps(loop->simulation, session->id);
        cursors_depart(&loop->cursors, loop->simulation, session);
        cursors_changed(&loop->cursors);
        delivery_update_schedule(loop);
    } else if (loop->sessions.count == 0) {
        close_handles(server);
    }
}

static void stop(struct server *server) {
    struct loop_context *loop = &server->context;
    if (server->is_stopping) {
        return;
    }
    server->is_stopping = true;
    listener_close(&server->listener);
    simulation_stop(loop->simulation);
    delivery_take(loop);
    session_set_close_all(&loop->sessions, "shutdown", "the server stops");
    if (loop->sessions.count == 0) {
        close_handles(server);
    }
}

/* A second signal ends the process without waiting for byes to be read. */
static void exit_at_once(int number) {
    _exit(128 + number);
}

static void on_signal(uv_signal_t *handle, int number) {
    const struct server *server = handle->data;
    if (server->is_stopping) {
        exit_at_once(number);
    }
    /* From here on the loop has other things to do, and may be held up by them. */
    signal(SIGINT, exit_at_once);
    signal(SIGTERM, exit_at_once);
    log_write(LOG_INFO, "server", "%s: stopping", number == SIGINT ? "SIGINT" : "SIGTERM");
    stop(handle->data);
}

/* Reads the token file again. Sessions keep their roles; a file with a mistake changes nothing. */
static void on_hangup(uv_signal_t *handle, int number) {
    struct loop_context *loop = &((struct server *)handle->data)->context;
    (void)number;
    if (!loop->access.needs_token) {
        return;
    }
    struct failure failure = {0};
    struct access access;
    if (access_load(loop->options->token_file, &access, &failure) != 0) {
        log_write(LOG_ERROR, "server", "SIGHUP: the tokens stay as they were: %s", failure.message);
        return;
    }
    access_fini(&loop->access);
    loop->access = access;
    log_write(LOG_INFO, "server", "SIGHUP: %d tokens", access.count);
}

/* ---- life ---- */

static int init_handles(struct server *server) {
    const struct session_set_handler handler = {.context = server,
                                                .rate = server->context.options->rate,
                                                .on_line = on_line,
                                                .on_too_long = on_too_long,
                                                .on_check = on_check,
                                                .on_beat = on_beat,
                                                .on_closed = on_session_closed};
    int result = uv_async_init(&server->loop, &server->wakeup, on_wakeup);
    server->wakeup.data = server;
    server->interrupt.data = server;
    server->terminate.data = server;
    server->hangup.data = server;
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->interrupt);
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->terminate);
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->hangup);
    result = result != 0 ? result : uv_signal_start(&server->hangup, on_hangup, SIGHUP);
    result = result != 0 ? result : uv_signal_start(&server->interrupt, on_signal, SIGINT);
    result = result != 0 ? result : uv_signal_start(&server->terminate, on_signal, SIGTERM);
    return result != 0 ? result : session_set_init(&server->context.sessions, &server->loop, &handler);
}

/* Listens, unless the address is public and neither tokens nor --insecure are given. */
static int open_door(struct server *server, struct failure *failure) {
    struct loop_context *loop = &server->context;
    const struct server_options *options = loop->options;
    loop->access = access_open();
    if (options->token_file[0] != '\0' && access_load(options->token_file, &loop->access, failure) != 0) {
        return -1;
    }
    if (listener_open(&server->listener, &server->loop, options->listen, (uint16_t)options->port, failure) !=
        0) {
        return -1;
    }
    if (!server->listener.is_loopback && !loop->access.needs_token && !options->is_insecure) {
        listener_close(&server->listener);
        return failure_set(
            failure, FAILURE_DENIED, "--listen",
            "%s is reachable from other hosts, which would be admin; give --token-file FILE or "
            "--insecure",
            server->listener.address);
    }
    return 0;
}

struct server *server_create(const struct server_options *options, struct simulation *simulation,
                             struct failure *failure) {
    uint64_t frame_memory = 0;
    if (session_requests_check(failure) != 0 ||
        server_options_frame_memory(options, &frame_memory, failure) != 0) {
        return NULL;
    }
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL || uv_loop_init(&server->loop) != 0) {
        free(server);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    server->context.uv = &server->loop;
    server->context.simulation = simulation;
    broadcast_init(&server->context.broadcast, (size_t)frame_memory);
    server->context.options = options;
    server->context.statistics.started_ns = clock_now_ns();
    if (open_door(server, failure) != 0) {
        (void)uv_run(&server->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&server->loop);
        access_fini(&server->context.access);
        free(server);
        return NULL;
    }
    /* From here on SIGTERM means goodbye, even one that comes before server_run. */
    signal(SIGPIPE, SIG_IGN);
    const int result = init_handles(server);
    if (result != 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start: %s", uv_strerror(result));
        server_destroy(server);
        return NULL;
    }
    server->has_handles = true;
    return server;
}

const char *server_address(const struct server *server) {
    return server->listener.address;
}

int server_run(struct server *server, struct failure *failure) {
    const int result = listener_start(&server->listener, server, on_accept);
    if (result != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start: %s", uv_strerror(result));
    }
    if (simulation_start(server->context.simulation, wake_loop, server) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start a thread");
    }
    (void)uv_run(&server->loop, UV_RUN_DEFAULT);
    return 0;
}

void server_destroy(struct server *server) {
    if (server == NULL) {
        return;
    }
    listener_close(&server->listener);
    if (server->has_handles) {
        stop(server);
        (void)uv_run(&server->loop, UV_RUN_DEFAULT);
    }
    if (uv_loop_close(&server->loop) != 0) {
        log_write(LOG_WARN, "server", "handles were left open");
    }
    broadcast_fini(&server->context.broadcast);
    access_fini(&server->context.access);
    cursors_fini(&server->context.cursors);
    free(server);
}
