/* See server.h. */
#include "server/server.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "common/base/limits.h"
#include "common/protocol/message.h"
#include "common/protocol/request_help.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "server/broadcast/broadcast.h"
#include "server/broadcast/subscribe.h"
#include "server/commands/answer.h"
#include "server/net/listener.h"
#include "server/net/session_set.h"
#include "server/sessions/access.h"
#include "server/sessions/pointing.h"
#include "server/sessions/presence.h"
#include "server/sessions/reception.h"
#include "server/sessions/statistics.h"

enum {
    SPARE_SESSIONS = 64,       /* that wait until they have read that it is full; others are told at once */
    REPLY_BYTES = 1024 * 1024, /* a hello with every kind and target has some 30 KB */
};

struct server {
    uv_loop_t loop;
    uv_async_t wakeup; /* the simulation has something */
    uv_signal_t interrupt, terminate, hangup;
    struct listener listener;
    struct session_set sessions;
    struct broadcast broadcast;
    struct simulation *simulation;
    struct presence presence;
    struct loop_statistics statistics;
    struct access access;
    struct token_guard tokens;
    const struct server_options *options; /* the caller's */
    struct pointing pointing;
    bool has_handles, is_stopping;
};

/* ---- answering on the loop ---- */

static void send_hello(struct server *server, struct session *session) {
    struct message_hello *hello = calloc(1, sizeof *hello);
    if (hello == NULL) {
        session_close(session, "full", "the server is short of memory");
        return;
    }
    hello->protocol = PROTOCOL_VERSION;
    hello->session = session->id;
    (void)snprintf(hello->role, sizeof hello->role, "%s", role_name(session->guest.role));
    (void)snprintf(hello->server, sizeof hello->server, "drover-server %s", DROVER_VERSION);
    hello->has_world = session->guest.role != ROLE_NONE;
    session->guest.told = hello->has_world ? simulation_revision(server->simulation) : GUEST_TOLD_NOTHING;
    simulation_describe(server->simulation, hello);
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_hello(hello, &out);
    session_send(session, &out);
    buffer_fini(&out);
    free(hello);
}

/* How the world is, for the caller to free, and the revision that this holds at least. NULL when memory is
 * short: the session is closed then. */
static struct message_hello *describe(struct server *server, struct session *session, uint32_t *revision) {
    struct message_hello *now = calloc(1, sizeof *now);
    if (now == NULL) {
        session_close(session, "slow", "the server is short of memory");
        return NULL;
    }
    *revision = simulation_revision(server->simulation);
    simulation_describe(server->simulation, now);
    return now;
}

static void update_demand(struct server *server) {
    const struct demand demand = broadcast_demand(&server->broadcast, &server->sessions);
    simulation_set_demand(server->simulation, &demand);
}

/* Tells the session how the world is, as of this revision. */
static void send_scenario(struct session *session, uint32_t revision,
                          const struct message_scenario *scenario) {
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_scenario(scenario, &out);
    session_send(session, &out);
    buffer_fini(&out);
    session->guest.told = revision;
}

/* subscribe, unsubscribe, set_region, resync: a session's own affairs (subscribe.h). */
static void do_subscribe(struct server *server, struct session *session, const struct request *request) {
    struct message_hello *now = calloc(1, sizeof *now);
    if (now == NULL) {
        session_close(session, "slow", "the server is short of memory");
        return;
    }
    const uint32_t revision = simulation_revision(server->simulation);
    const bool was_active = session->subscription.is_active;
    simulation_describe(server->simulation, now);
    const struct subscribe_context context = {&server->broadcast, &server->sessions, &now->scenario};
    if (subscribe_answer(&context, session, request)) {
        /* Who was not subscribed while the world was loaded or furnished is told now how it is. */
        if (!was_active && session->subscription.is_active && session->guest.told != revision) {
            send_scenario(session, revision, &now->scenario);
        }
        session->guest.owes_cursors = session->subscription.cursors;
        server->presence.is_owed = server->presence.is_owed || session->subscription.cursors;
        update_demand(server);
        simulation_request_snapshot(server->simulation);
    }
    free(now);
}

static void do_ping(struct server *server, struct session *session, const struct request *request) {
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    struct json_writer json = message_begin_answer(request, &out);
    if (request->body.ping.has_t0) {
        json_key_number(&json, "t0", request->body.ping.t0);
    }
    const uint64_t microseconds = clock_now_ns() / 1000u;
    json_key_number(&json, "clock", (double)microseconds * 1e-3);
    if (session->guest.role != ROLE_NONE) {
        json_key_unsigned(&json, "tick", simulation_tick(server->simulation));
    }
    message_end_reply(&json, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

/* ---- who is who ---- */

/* now: what the first line had kept back, NULL when it had not. */
static void send_greeting(struct session *session, const struct request *request,
                          const struct message_hello *now) {
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    struct json_writer json = message_begin_answer(request, &out);
    json_key_unsigned(&json, "protocol", PROTOCOL_VERSION);
    json_key_string(&json, "role", role_name(session->guest.role));
    json_key_string(&json, "name", session->guest.name);
    if (now != NULL) {
        json_key_unsigned(&json, "tick", now->tick);
        json_key_number(&json, "time", now->time_s);
        json_key_bool(&json, "paused", now->is_paused);
    }
    message_end_reply(&json, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

static void close_after_wrong_tokens(struct session *session) {
    if (session->guest.wrong_tokens >= LIMIT_AUTH_TRIES) {
        session_close(session, "auth", "too many wrong tokens");
    }
}

/* A wrong token whose answer had to wait. */
static void refuse_late(struct session *session, uint64_t now_ms) {
    if (session->is_held && now_ms >= session->guest.deny_ms) {
        struct failure failure = {0};
        (void)reception_deny(&failure);
        answer_failure(session, session->guest.deny_id, &failure);
        close_after_wrong_tokens(session);
        session_release(session);
    }
}

static void do_hello(struct server *server, struct session *session, const struct request *request) {
    struct failure failure = {0};
    const uint64_t now_ms = uv_now(&server->loop);
    if (reception_greet(&server->access, &server->tokens, session, &request->body.hello, now_ms, &failure) !=
        0) {
        if (session->guest.deny_ms > now_ms) {
            memcpy(session->guest.deny_id, request->id, sizeof session->guest.deny_id);
            session_hold(session);
        } else {
            answer_refusal(session, request, &failure);
            close_after_wrong_tokens(session);
        }
        return;
    }
    presence_changed(&server->presence);
    if (session->guest.told != GUEST_TOLD_NOTHING) {
        send_greeting(session, request, NULL);
        return;
    }
    uint32_t revision = 0;
    struct message_hello *now = describe(server, session, &revision);
    if (now == NULL) {
        return;
    }
    send_greeting(session, request, now);
    send_scenario(session, revision, &now->scenario);
    free(now);
}

/* ---- the rest ---- */

static void do_stats(struct server *server, struct session *session, const struct request *request) {
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    struct json_writer json = message_begin_answer(request, &out);
    statistics_write(&server->statistics, server->simulation, &server->sessions,
                     &server->broadcast.scratch.memory, &json);
    message_end_reply(&json, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

static void do_help(struct session *session, const struct request *request) {
    struct failure failure = {0};
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    struct json_writer json = message_begin_answer(request, &out);
    if (request_help_write(&request->body.help, &json, &failure) == 0) {
        message_end_reply(&json, &out);
        session_send(session, &out);
    } else {
        answer_refusal(session, request, &failure);
    }
    buffer_fini(&out);
}

static void do_command(struct server *server, struct session *session, const struct request *request) {
    struct failure failure = {0};
    switch (simulation_submit(server->simulation, session->id, session->line, request)) {
    case COMMAND_QUEUED:
        session_expect_answer(session, request_has_trait(request->op, REQUEST_TRAIT_LONG_ANSWER));
        return;
    case COMMAND_REPLACED:
        return;
    case COMMAND_REFUSED:
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "too many requests are waiting; try again");
        answer_refusal(session, request, &failure);
        return;
    }
}

static void do_cursor(struct server *server, struct session *session, const struct request *request) {
    presence_point(&server->presence, session, vec2_make(request->body.cursor.x, request->body.cursor.y));
    if (pointing_reaches_world(server->simulation, session)) {
        session->guest.is_in_world = true;
        do_command(server, session, request);
    } else if (request->id[0] != '\0') {
        answer_done(session, request);
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
        simulation_end_steps(server->simulation, session->id);
        return;
    case REQUEST_HELLO:
        do_hello(server, session, request);
        return;
    case REQUEST_CURSOR:
        do_cursor(server, session, request);
        return;
    case REQUEST_STATS:
        do_stats(server, session, request);
        return;
    case REQUEST_HELP:
        do_help(session, request);
        return;
    case REQUEST_MOUSE:
        presence_point(&server->presence, session, vec2_make(request->body.mouse.x, request->body.mouse.y));
        session->guest.is_in_world =
            session->guest.is_in_world || simulation_wants_cursors(server->simulation);
        do_command(server, session, request);
        return;
    default:
        do_command(server, session, request);
    }
}

/* ---- lines ---- */

/* A request that is done without a reply may have members its op does not know (and the reply to bye, which
 * comes when the connection ends, names none): its session is told once for each op. */
static void tell_unknown(struct server *server, struct session *session, const struct request *request) {
    static_assert(REQUEST_OP_COUNT <= 64, "unknown_told has a bit for each op");
    const uint64_t bit = UINT64_C(1) << (unsigned)request->op;
    const bool is_answered = request->id[0] != '\0' || request_always_answers(request->op);
    if (request->unknown[0] == '\0' || (is_answered && request->op != REQUEST_BYE) ||
        (session->guest.unknown_told & bit) != 0) {
        return;
    }
    session->guest.unknown_told |= bit;
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_unknown(request, simulation_tick(server->simulation), &out);
    session_send(session, &out);
    buffer_fini(&out);
}

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
        reception_charge(session, &request);
        if (reception_allow(session, request.op, &failure) == 0) {
            tell_unknown(server, session, &request);
            do_request(server, session, &request);
        } else {
            answer_refusal(session, &request, &failure);
        }
        return;
    }
    reception_charge(session, NULL);
    answer_refusal(session, &request, &failure);
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
    reception_charge(session, NULL);
    answer_failure(session, "", &failure);
    count_bad_line(session);
}

/* ---- what the simulation has to say ---- */

/* Names the one who did it, and tells everybody. */
static void deliver_event(struct server *server, struct message_event *event) {
    const struct session *session = session_set_find(&server->sessions, event->by);
    if (session != NULL && session->guest.name[0] != '\0') {
        memcpy(event->name, session->guest.name, sizeof event->name);
        event->has |= EVENT_HAS_NAME;
    }
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_event(event, &out);
    size_t length = 0;
    char *text = buffer_take(&out, &length);
    if (text != NULL) {
        broadcast_line(text, length, &server->sessions);
    }
}

/* Who is subscribed has been told of everything up to this revision. */
static void note_told(struct server *server, uint32_t revision) {
    for (struct session *session = server->sessions.first; session != NULL; session = session->next) {
        if (session->subscription.is_active && session->guest.told < revision) {
            session->guest.told = revision;
        }
    }
}

/* The reply or error to a command; text is NULL when none is due. */
static void deliver_answer(struct session *session, const struct command *command, char *text,
                           size_t length) {
    if (command->request.op == REQUEST_STEP && message_is_reply(text, length)) {
        rate_limit_forgive(&session->limit, uv_now(session->tcp.loop));
    }
    if (command->outcome.is_notice && session->guest.unheeded_told) {
        free(text);
        text = NULL;
    }
    session->guest.unheeded_told = session->guest.unheeded_told || command->outcome.is_notice;
    if (text != NULL) {
        session_send_text(session, text, length);
    }
    session_answered(session, request_has_trait(command->request.op, REQUEST_TRAIT_LONG_ANSWER));
}

static void deliver(struct server *server, struct outcome *outcome) {
    if (outcome->kind == OUTCOME_EVENT) {
        deliver_event(server, outcome->event);
        note_told(server, outcome->revision);
        return;
    }
    char *text = outcome->text;
    const size_t length = outcome->length;
    outcome->text = NULL;
    if (outcome->kind == OUTCOME_SCENARIO) {
        broadcast_scenario(&server->broadcast, outcome->epoch, outcome->tick_hz, text, length,
                           &server->sessions);
        note_told(server, outcome->revision);
        update_demand(server);
        return;
    }
    struct session *session = session_set_find(&server->sessions, outcome->session);
    if (session == NULL) {
        free(text);
        return;
    }
    deliver_answer(session, (const struct command *)outcome, text, length);
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
        const uint64_t start_ns = clock_now_ns();
        broadcast_frame(&server->broadcast, slot, &server->sessions);
        tick_meter_add(&server->statistics.broadcast_times, clock_now_ns() - start_ns);
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
    char address[SESSION_ADDRESS_CHARS] = "";
    bool is_loopback = false;
    if (!listener_peer(socket, address, sizeof address, &is_loopback)) {
        close(socket); /* it is gone already */
        return;
    }
    const char *full = reception_why_full(server->options, &server->sessions, address, is_loopback);
    const int unnumbered = server->sessions.count - server->sessions.numbered;
    server->statistics.refused += full != NULL ? 1 : 0;
    if (full != NULL && unnumbered >= SPARE_SESSIONS) {
        session_refuse(socket, "full", full);
        return;
    }
    struct session *session = session_set_add(&server->sessions, socket, full == NULL);
    if (session == NULL) {
        return;
    }
    memcpy(session->address, address, sizeof session->address);
    if (full != NULL) {
        session_close(session, "full", full);
        return;
    }
    server->statistics.sessions_ever++;
    session->guest.role = server->access.needs_token ? ROLE_NONE : ROLE_ADMIN;
    log_write(LOG_INFO, "net", "session %u connected from %s", session->id, address);
    send_hello(server, session);
}

/* To this session alone. */
static void send_event(struct server *server, struct session *session, struct message_event *event) {
    event->tick = simulation_tick(server->simulation);
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_event(event, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

/* Tells a session what it missed; when events are among it, how the world is now as well. */
static void send_lag(struct server *server, struct session *session, struct message_event *lag) {
    send_event(server, session, lag);
    if ((lag->has & EVENT_HAS_LEFT_OUT) == 0) {
        return;
    }
    uint32_t revision = 0;
    struct message_hello *now = describe(server, session, &revision);
    if (now == NULL) {
        return;
    }
    send_scenario(session, revision, &now->scenario);
    simulation_request_snapshot(server->simulation);
    free(now);
}

static void on_check(void *context, struct session *session, uint64_t now_ms) {
    struct server *server = context;
    struct failure failure = {0};
    if (reception_close_overdue(session, server->options->idle_s, now_ms)) {
        return;
    }
    refuse_late(session, now_ms);
    if (rate_limit_tell(&session->limit, now_ms)) {
        (void)failure_set(&failure, FAILURE_RATE, NULL,
                          "more than %u requests a second: you are held back, nothing is lost",
                          (unsigned)server->options->rate);
        answer_failure(session, "", &failure);
    }
    struct message_event event;
    if (reception_lag(session, now_ms, &event)) {
        send_lag(server, session, &event);
    }
    if (reception_sign(session, now_ms, &event)) {
        send_event(server, session, &event);
    }
}

static void on_beat(void *context) {
    struct server *server = context;
    const uint32_t wrong_tokens = token_guard_tell(&server->tokens, uv_now(&server->loop));
    if (wrong_tokens > 0) {
        log_write(LOG_WARN, "net", "wrong tokens: %u more", (unsigned)wrong_tokens);
    }
    if (broadcast_wants_snapshot(&server->broadcast, uv_now(&server->loop))) {
        simulation_request_snapshot(server->simulation);
    }
    struct message_event overload;
    if (simulation_tell_overload(server->simulation, &overload)) {
        deliver_event(server, &overload);
    }
    pointing_retry(&server->pointing, server->simulation);
    presence_send(&server->presence, &server->sessions);
}

/* ---- ending ---- */

static void close_handles(struct server *server) {
    session_set_fini(&server->sessions);
    uv_close((uv_handle_t *)&server->wakeup, NULL);
    uv_close((uv_handle_t *)&server->interrupt, NULL);
    uv_close((uv_handle_t *)&server->terminate, NULL);
    uv_close((uv_handle_t *)&server->hangup, NULL);
}

static void on_session_closed(void *context, const struct session *session) {
    struct server *server = context;
    if (!server->is_stopping) {
        simulation_end_steps(server->simulation, session->id);
        pointing_depart(&server->pointing, server->simulation, session);
        presence_changed(&server->presence);
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

/* Whoever says it twice does not want to wait for goodbyes. */
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

/* Reads the token file again. Who has a role keeps it; a file with a mistake changes nothing. */
static void on_hangup(uv_signal_t *handle, int number) {
    struct server *server = handle->data;
    (void)number;
    if (!server->access.needs_token) {
        return;
    }
    struct failure failure = {0};
    struct access access;
    if (access_load(server->options->token_file, &access, &failure) != 0) {
        log_write(LOG_ERROR, "server", "SIGHUP: the tokens stay as they were: %s", failure.message);
        return;
    }
    access_fini(&server->access);
    server->access = access;
    log_write(LOG_INFO, "server", "SIGHUP: %d tokens", access.count);
}

/* ---- life ---- */

static int init_handles(struct server *server) {
    const struct session_set_handler handler = {.context = server,
                                                .rate = server->options->rate,
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
    return result != 0 ? result : session_set_init(&server->sessions, &server->loop, &handler);
}

/* Listens, if those who can reach the address are to be let in. */
static int open_door(struct server *server, struct failure *failure) {
    const struct server_options *options = server->options;
    server->access = access_open();
    if (options->token_file[0] != '\0' && access_load(options->token_file, &server->access, failure) != 0) {
        return -1;
    }
    if (listener_open(&server->listener, &server->loop, options->listen, (uint16_t)options->port, failure) !=
        0) {
        return -1;
    }
    if (!server->listener.is_loopback && !server->access.needs_token && !options->is_insecure) {
        listener_close(&server->listener);
        return failure_set(failure, FAILURE_DENIED, "--listen",
                           "%s can be reached by others, who could do everything: give --token-file FILE, or "
                           "--insecure if you mean it",
                           server->listener.address);
    }
    return 0;
}

struct server *server_create(const struct server_options *options, struct simulation *simulation,
                             struct failure *failure) {
    uint64_t frame_memory = 0;
    if (server_options_frame_memory(options, &frame_memory, failure) != 0) {
        return NULL;
    }
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL || uv_loop_init(&server->loop) != 0) {
        free(server);
        (void)failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
        return NULL;
    }
    server->simulation = simulation;
    broadcast_init(&server->broadcast, (size_t)frame_memory);
    server->options = options;
    server->statistics.started_ns = clock_now_ns();
    if (open_door(server, failure) != 0) {
        (void)uv_run(&server->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&server->loop);
        access_fini(&server->access);
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
    access_fini(&server->access);
    pointing_fini(&server->pointing);
    free(server);
}
