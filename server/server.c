/* See server.h. */
#include "server/server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/clock.h"
#include "common/limits.h"
#include "common/log.h"
#include "common/message.h"
#include "server/broadcast.h"
#include "server/net/listener.h"
#include "server/net/session_set.h"
#include "server/subscribe.h"

enum {
    SPARE_SESSIONS = 64,      /* that may be told "full" at the same time; further ones are just closed */
    REPLY_BYTES = 1024 * 1024 /* a hello with every kind and target has some 30 KB */
};

struct server {
    uv_loop_t loop;
    uv_async_t wakeup; /* the simulation has something */
    uv_signal_t interrupt, terminate;
    struct listener listener;
    struct session_set sessions;
    struct broadcast broadcast;
    struct simulation *simulation;
    int max_clients;
    bool has_handles, is_stopping;
};

/* ---- answering on the loop ---- */

static void send_error(struct session *session, const char *id, const struct failure *failure) {
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_error(id, session->line, failure, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

static void send_hello(struct server *server, struct session *session) {
    struct message_hello *hello = calloc(1, sizeof *hello);
    if (hello == NULL) {
        session_close(session, "full", "the server is short of memory");
        return;
    }
    hello->protocol = PROTOCOL_VERSION;
    hello->session = session->id;
    (void)snprintf(hello->server, sizeof hello->server, "drover-server %s", DROVER_VERSION);
    simulation_describe(server->simulation, hello);
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_hello(hello, &out);
    session_send(session, &out);
    buffer_fini(&out);
    free(hello);
}

static void update_demand(struct server *server) {
    const struct demand demand = broadcast_demand(&server->broadcast, &server->sessions);
    simulation_set_demand(server->simulation, &demand);
}

/* subscribe, unsubscribe, set_region, resync: a session's own affairs (subscribe.h). */
static void do_subscribe(struct server *server, struct session *session, const struct request *request) {
    struct message_hello *now = calloc(1, sizeof *now);
    if (now == NULL) {
        session_close(session, "slow", "the server is short of memory");
        return;
    }
    simulation_describe(server->simulation, now);
    const struct subscribe_context context = {&server->broadcast, &server->sessions, &now->scenario};
    if (subscribe_answer(&context, session, request)) {
        update_demand(server);
        simulation_request_snapshot(server->simulation);
    }
    free(now);
}

static void do_ping(struct server *server, struct session *session, const struct request *request) {
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    struct json_writer json = message_begin_reply(request->op, request->id, &out);
    if (request->body.ping.has_t0) {
        json_key_number(&json, "t0", request->body.ping.t0);
    }
    const uint64_t microseconds = clock_now_ns() / 1000u;
    json_key_number(&json, "clock", (double)microseconds * 1e-3);
    json_key_unsigned(&json, "tick", simulation_tick(server->simulation));
    message_end_reply(&json, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

static void do_command(struct server *server, struct session *session, const struct request *request) {
    struct failure failure = {0};
    switch (simulation_submit(server->simulation, session->id, session->line, request)) {
    case COMMAND_QUEUED:
        session_expect_answer(session);
        return;
    case COMMAND_REPLACED:
        return;
    case COMMAND_REFUSED:
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "too many requests are waiting; try again");
        send_error(session, request->id, &failure);
        return;
    }
}

static void do_request(struct server *server, struct session *session, const struct request *request) {
    switch (request->op) {
    case REQUEST_SUBSCRIBE:
    case REQUEST_UNSUBSCRIBE:
    case REQUEST_SET_REGION:
    case REQUEST_RESYNC:
        do_subscribe(server, session, request);
        return;
    case REQUEST_PING:
        do_ping(server, session, request);
        return;
    case REQUEST_BYE:
        session_leave(session, request->id);
        return;
    default:
        do_command(server, session, request);
    }
}

/* ---- lines ---- */

static void count_bad_line(struct session *session) {
    if (++session->bad_lines >= LIMIT_BAD_LINES) {
        session_close(session, "protocol", "too many unreadable lines in a row");
    }
}

static void on_line(void *context, struct session *session, const char *line, size_t length) {
    struct server *server = context;
    struct request request;
    struct failure failure = {0};
    if (request_decode(line, length, &request, &failure) == 0) {
        session->bad_lines = 0;
        do_request(server, session, &request);
        return;
    }
    send_error(session, request.id, &failure);
    if (failure.code == FAILURE_PARSE) {
        count_bad_line(session);
    } else {
        session->bad_lines = 0;
    }
}

static void on_too_long(void *context, struct session *session) {
    (void)context;
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_TOO_LONG, NULL, "the line is longer than %d bytes; it was skipped",
                      LIMIT_LINE_BYTES);
    send_error(session, "", &failure);
    count_bad_line(session);
}

/* ---- what the simulation has to say ---- */

static void deliver(struct server *server, struct outcome *outcome) {
    char *text = outcome->text;
    const size_t length = outcome->length;
    outcome->text = NULL;
    if (outcome->kind == OUTCOME_EVENT) {
        broadcast_line(text, length, &server->sessions);
        return;
    }
    if (outcome->kind == OUTCOME_SCENARIO) {
        broadcast_scenario(&server->broadcast, outcome->epoch, outcome->tick_hz, text, length,
                           &server->sessions);
        update_demand(server);
        return;
    }
    struct session *session = session_set_find(&server->sessions, outcome->session);
    if (session == NULL) {
        free(text);
        return;
    }
    if (text != NULL) {
        struct shared_bytes *line = shared_bytes_create(text, length);
        if (line != NULL) {
            session_send_shared(session, line);
            shared_bytes_release(line);
        }
    }
    session_answered(session);
}

static void take_everything(struct server *server) {
    /* The snapshot first: whatever it shows has its outcome in the outbox by then (simulation.h, 3). */
    const struct snapshot_slot *slot = simulation_take_snapshot(server->simulation);
    struct outcome *outcome = simulation_take_outcomes(server->simulation);
    while (outcome != NULL) {
        struct outcome *next = outcome->next;
        deliver(server, outcome);
        outcome_free(outcome);
        outcome = next;
    }
    if (slot != NULL) {
        broadcast_frame(&server->broadcast, slot, &server->sessions);
    }
}

static void on_wakeup(uv_async_t *async) {
    take_everything(async->data);
}

/* Called by the simulation thread. */
static void wake_loop(void *context) {
    struct server *server = context;
    uv_async_send(&server->wakeup);
}

/* ---- connections ---- */

static void on_accept(void *context, int socket) {
    struct server *server = context;
    const bool is_full = server->sessions.numbered >= server->max_clients;
    if (is_full && server->sessions.count >= server->max_clients + SPARE_SESSIONS) {
        close(socket);
        return;
    }
    struct session *session = session_set_add(&server->sessions, socket, !is_full);
    if (session == NULL) {
        return;
    }
    if (is_full) {
        session_close(session, "full", "too many sessions; try again later");
    } else {
        log_write(LOG_INFO, "net", "session %u connected", session->id);
        send_hello(server, session);
    }
}

/* ---- ending ---- */

static void close_handles(struct server *server) {
    session_set_fini(&server->sessions);
    uv_close((uv_handle_t *)&server->wakeup, NULL);
    uv_close((uv_handle_t *)&server->interrupt, NULL);
    uv_close((uv_handle_t *)&server->terminate, NULL);
}

static void on_session_closed(void *context) {
    struct server *server = context;
    if (!server->is_stopping) {
        update_demand(server);
    } else if (server->sessions.count == 0) {
        close_handles(server);
    }
}

static void stop(struct server *server) {
    if (server->is_stopping) {
        return;
    }
    server->is_stopping = true;
    listener_close(&server->listener);
    simulation_stop(server->simulation);
    take_everything(server);
    session_set_close_all(&server->sessions, "shutdown", "the server stops");
    if (server->sessions.count == 0) {
        close_handles(server);
    }
}

static void on_signal(uv_signal_t *handle, int number) {
    log_write(LOG_INFO, "server", "%s: stopping", number == SIGINT ? "SIGINT" : "SIGTERM");
    stop(handle->data);
}

/* ---- life ---- */

static int init_handles(struct server *server) {
    const struct session_set_handler handler = {
        .context = server, .on_line = on_line, .on_too_long = on_too_long, .on_closed = on_session_closed};
    int result = uv_async_init(&server->loop, &server->wakeup, on_wakeup);
    server->wakeup.data = server;
    server->interrupt.data = server;
    server->terminate.data = server;
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->interrupt);
    result = result != 0 ? result : uv_signal_init(&server->loop, &server->terminate);
    result = result != 0 ? result : uv_signal_start(&server->interrupt, on_signal, SIGINT);
    result = result != 0 ? result : uv_signal_start(&server->terminate, on_signal, SIGTERM);
    return result != 0 ? result : session_set_init(&server->sessions, &server->loop, &handler);
}

struct server *server_create(const struct server_options *options, struct simulation *simulation,
                             struct failure *failure) {
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL || uv_loop_init(&server->loop) != 0) {
        free(server);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    server->simulation = simulation;
    broadcast_init(&server->broadcast);
    server->max_clients = (int)options->max_clients;
    if (listener_open(&server->listener, &server->loop, options->listen, (uint16_t)options->port, failure) !=
        0) {
        (void)uv_run(&server->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&server->loop);
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
    if (simulation_start(server->simulation, wake_loop, server) != 0) {
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
    broadcast_fini(&server->broadcast);
    free(server);
}
