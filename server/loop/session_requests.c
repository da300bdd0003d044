/* See loop_context.h. The way of a request through the loop: may its session send it (admission), what it does here
 * (one function an op, and the table of them), its line, and the delivery of its answer. */
#include "server/loop/loop_context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "common/base/limits.h"
#include "common/json/json_check.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/protocol/request_batch.h"
#include "common/system/clock.h"
#include "common/system/log.h"
#include "common/text/names.h"
#include "server/broadcast/broadcast.h"
#include "server/commands/command_apply.h"
#include "server/sessions/session.h"
#include "server/simulation/looks.h"

/* ---- admission ---- */

/* The failure of a wrong token. Returns -1. */
static int fail_token(struct failure *failure) {
    return failure_set(failure, FAILURE_DENIED, "token", "no such token");
}

/* The entry of the token; NULL without failure when the server needs none. */
static int find_entry(const struct access *access, struct token_guard *tokens, struct session *session,
                      const struct request_hello *hello, uint64_t now_ms, const struct access_entry **entry,
                      struct failure *failure) {
    *entry = NULL;
    if (!access->needs_token) {
        return 0;
    }
    if (hello->token[0] == '\0') {
        return failure_set(failure, FAILURE_DENIED, "token", "this server requires a token");
    }
    *entry = access_find(access, hello->token);
    if (*entry == NULL) {
        session->client.wrong_tokens++;
        session->client.denial_ms = token_guard_wrong(tokens, session->address, now_ms);
        return fail_token(failure);
    }
    return 0;
}

int admission_greet(const struct access *access, struct token_guard *tokens, struct session *session,
                    const struct request_hello *hello, uint64_t now_ms, struct failure *failure) {
    struct client_info *client = &session->client;
    client->denial_ms = now_ms;
    if (client->has_greeted) {
        return failure_set(failure, FAILURE_INVALID, "op", "hello was already sent");
    }
    if (hello->has_protocol && hello->protocol != PROTOCOL_VERSION) {
        return failure_set(failure, FAILURE_VERSION, "protocol",
                           "this server speaks versions [%d,%d], not %u", PROTOCOL_VERSION, PROTOCOL_VERSION,
                           (unsigned)hello->protocol);
    }
    const struct access_entry *entry = NULL;
    char own[LIMIT_PERSON_BYTES + 1];
    if (person_name_read(hello->name, "name", own, failure) != 0 ||
        find_entry(access, tokens, session, hello, now_ms, &entry, failure) != 0) {
        return -1;
    }
    assert(entry != NULL || !access->needs_token); /* a role needs a token, where there are tokens */
    client->has_greeted = true;
    session_set_role(session, entry != NULL ? entry->role : ROLE_ADMIN);
    const char *name = entry != NULL && entry->name[0] != '\0' ? entry->name : own;
    memcpy(client->name, name, sizeof client->name);
    const struct log_about about = session_about(session, NULL);
    log_write_about(LOG_INFO, "net", &about, "session %u: %s \"%s\"", session->id, role_name(client->role),
                    client->name);
    return 0;
}

/* The search for the nearest of many agents, or for what their rays meet, takes longer than a tick has for what viewers ask. */
static int allow_search(const struct session *session, const struct request *request,
                        struct failure *failure) {
    const struct request_subscribe *view = &request->body.get.view;
    if (request->op != REQUEST_GET || !(view->has_nearest || view->has_rays) ||
        session->client.role >= ROLE_OPERATOR) {
        return 0;
    }
    const char *name = view->has_nearest ? "nearest" : "rays";
    return failure_set(failure, FAILURE_DENIED, name, "%s needs the role %s; you are %s: leave it out", name,
                       role_name(ROLE_OPERATOR), role_name(session->client.role));
}

int admission_allow_all(const struct session *session, const struct request *request,
                        struct failure *failure) {
    if (admission_allow(session, request->op, failure) != 0 || allow_search(session, request, failure) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < request_member_count(request); i++) {
        if (admission_allow(session, request_member(request, i)->op, failure) != 0) {
            return request_fail_member(i, failure);
        }
    }
    return 0;
}

int admission_allow(const struct session *session, enum request_op op, struct failure *failure) {
    const enum role needed = request_role(op);
    const enum role role = session->client.role;
    if (role >= needed) {
        return 0;
    }
    return failure_set(failure, FAILURE_DENIED, "op", "%s needs the role %s; you are %s%s",
                       request_op_name(op), role_name(needed), role_name(role),
                       role == ROLE_NONE ? ": say hello with a token first" : "");
}

void admission_charge(struct session *session, const struct request *request, size_t length) {
    const bool is_pointing = request != NULL && request->id[0] == '\0' &&
                             (request->op == REQUEST_MOUSE || request->op == REQUEST_CURSOR);
    const uint32_t members = request == NULL ? 0 : request_member_count(request);
    if (members > 1) {
        rate_limit_take(&session->limit, (double)(members - 1));
    }
    if (!session->is_waiting || (request != NULL && request->has_at)) {
        const size_t more = length / LIMIT_LINE_BYTES; /* lines of the usual limit, beyond the first */
        rate_limit_take(&session->limit, is_pointing ? 0.125 : (double)(1 + more));
    }
}

bool admission_close_overdue(struct session *session, uint32_t idle_s, uint64_t now_ms) {
    const bool needs_token = session->client.role == ROLE_NONE;
    if (needs_token && now_ms - session->opened_ms >= LIMIT_AUTH_SECONDS * 1000u) {
        session_close(session, "auth", "no token within 10 s");
        return true;
    }
    const bool is_busy = session->subscription.is_active || session->outstanding > 0 || session->has_backlog;
    if (idle_s > 0 && !is_busy && now_ms - session->last_line_ms >= (uint64_t)idle_s * 1000u) {
        session_close(session, "idle", "idle timeout");
        return true;
    }
    return false;
}

/* ---- frames and time ---- */

/* subscribe, unsubscribe, set_region, resync: a session's own affairs (broadcast.h). */
static void do_subscribe(struct loop_context *loop, struct session *session, const struct request *request) {
    uint32_t revision = 0;
    struct message_hello *now = session_describe_world(loop, session, &revision);
    if (now == NULL) {
        return;
    }
    const bool had_all = session->subscription.is_active && session->subscription.events == UINT64_MAX;
    const struct subscribe_context context = {&loop->broadcast, &loop->sessions, &now->scenario,
                                              simulation_has_stripes(loop->simulation)};
    if (subscribe_answer(&context, session, request)) {
        /* A session that did not get all events during a load or a change of the scenery gets the scenario now. */
        const bool is_news =
            !session->is_elsewhere && (session->is_own || (!had_all && session->known_revision != revision));
        if (is_news && session->subscription.is_active) {
            session_describe_send_scenario(session, revision, &now->scenario);
        }
        cursors_subscribe(&loop->cursors, session);
        delivery_update_schedule(loop);
        simulation_request_snapshot(loop->simulation);
        looks_refresh(loop, session, request->op == REQUEST_SUBSCRIBE);
    }
    free(now);
}

static void do_ping(struct loop_context *loop, struct session *session, const struct request *request) {
    struct reply reply;
    struct json_writer *json = reply_begin(&reply, request);
    if (request->body.ping.has_t0) {
        json_key_number(json, "t0", request->body.ping.t0);
    }
    const uint64_t microseconds = clock_now_ns() / 1000u;
    json_key_number(json, "clock", (double)microseconds * 1e-3);
    if (session->client.role != ROLE_NONE) {
        json_key_unsigned(json, "tick", simulation_tick(loop->simulation));
    }
    reply_send(&reply, session);
}

/* now: the members that the first line did not have, NULL when it had them. */
static void send_greeting(struct session *session, const struct request *request,
                          const struct message_hello *now) {
    struct reply reply;
    struct json_writer *json = reply_begin(&reply, request);
    json_key_unsigned(json, "protocol", PROTOCOL_VERSION);
    json_key_string(json, "role", role_name(session->client.role));
    json_key_string(json, "name", session->client.name);
    if (now != NULL) {
        json_key_unsigned(json, "tick", now->tick);
        json_key_number(json, "time", now->time_s);
        json_key_bool(json, "paused", now->is_paused);
        message_pace_write(&now->scenario.pace, json);
        message_playback_write(&now->playback, json);
    }
    reply_send(&reply, session);
}

static void close_after_wrong_tokens(struct session *session) {
    if (session->client.wrong_tokens >= LIMIT_AUTH_TRIES) {
        session_close(session, "auth", "too many wrong tokens");
    }
}

/* Sends the delayed answer to a wrong token when its time has come. now_ms: loop time. */
static void refuse_late(struct session *session, uint64_t now_ms) {
    if (session->is_held && now_ms >= session->client.denial_ms) {
        struct failure failure = {0};
        (void)fail_token(&failure);
        session->errors++;
        reply_failure(session, session->client.denial_id, &failure);
        close_after_wrong_tokens(session);
        session_release(session);
    }
}

static void do_hello(struct loop_context *loop, struct session *session, const struct request *request) {
    struct failure failure = {0};
    const uint64_t now_ms = uv_now(loop->uv);
    if (admission_greet(&loop->access, &loop->tokens, session, &request->body.hello, now_ms, &failure) != 0) {
        if (session->client.denial_ms > now_ms) {
            memcpy(session->client.denial_id, request->id, sizeof session->client.denial_id);
            session_keep(session);
        } else {
            reply_refusal(session, request, &failure);
            close_after_wrong_tokens(session);
        }
        return;
    }
    session->client.wants_seq = request->body.hello.seq;
    session->client.wants_speed = request->body.hello.speed;
    loop->seq = loop->seq != 0 ? loop->seq : simulation_seq(loop->simulation); /* of a world that was kept */
    cursors_changed(&loop->cursors);
    if (session->known_revision != SESSION_KNOWS_NOTHING) {
        send_greeting(session, request, NULL);
        return;
    }
    uint32_t revision = 0;
    struct message_hello *now = session_describe_world(loop, session, &revision);
    if (now == NULL) {
        return;
    }
    session->knows_passing = now->playback.is_resuming;
    send_greeting(session, request, now);
    session_describe_send_scenario(session, revision, &now->scenario);
    free(now);
}

static void do_stats(struct loop_context *loop, struct session *session, const struct request *request) {
    struct reply reply;
    struct json_writer *json = reply_begin(&reply, request);
    statistics_write(&loop->statistics, loop->simulation, &loop->sessions, &loop->broadcast.scratch.memory,
                     json);
    reply_send(&reply, session);
}

static void do_look(struct loop_context *loop, struct session *session, const struct request *request) {
    looks_request(loop, session, request);
    if (request->body.look.live) {
        delivery_update_schedule(loop);
        simulation_request_snapshot(loop->simulation);
    }
}

static void do_help(struct loop_context *loop, struct session *session, const struct request *request) {
    (void)loop;
    struct failure failure = {0};
    struct reply reply;
    struct json_writer *json = reply_begin(&reply, request);
    if (request_help_write(&request->body.help, json, &failure) == 0) {
        reply_send(&reply, session);
    } else {
        reply_discard(&reply);
        reply_refusal(session, request, &failure);
    }
}

/* Whether the op is not for a world in stripes. */
static bool stripes_refuse(const struct loop_context *loop, const struct request *request,
                           struct failure *failure) {
    bool is_limited = false;
    const char *why = request_stripes_refusal(request->op, &is_limited);
    if (why == NULL || is_limited || !simulation_has_stripes(loop->simulation)) {
        return false;
    }
    (void)failure_set(failure, FAILURE_UNSUPPORTED, NULL, "%s", why);
    return true;
}

/* As how many long answers the answer to a request counts (session_expect_answer). */
static int weight_of(const struct request *request) {
    return request_answers_with_frame(request) ? SESSION_LONG_ANSWERS
                                               : request_has_trait(request->op, REQUEST_TRAIT_LONG_ANSWER);
}

/* A step back is a rewind. */
static struct request step_back(const struct request *step) {
    struct request request = *step;
    request.op = REQUEST_REWIND;
    request.body.rewind = (struct request_rewind){
        .has_ticks = true, .ticks = (uint32_t)-step->body.step.count, .is_step = true};
    return request;
}

/* Gives the request to the world, or refuses it: then it returns false. */
static bool submit(struct loop_context *loop, struct session *session, const struct request *request) {
    struct failure failure = {0};
    if (request->op == REQUEST_STEP && request->body.step.count < 0) {
        const struct request back = step_back(request);
        return submit(loop, session, &back);
    }
    if (request->has_at && session->scheduled == LIMIT_WAITING) {
        (void)failure_set(&failure, FAILURE_FULL, "at",
                          "%d requests of this session wait for their ticks already", LIMIT_WAITING);
        reply_refusal(session, request, &failure);
        return false;
    }
    if (stripes_refuse(loop, request, &failure)) {
        reply_refusal(session, request, &failure);
        return false;
    }
    if (session->look != 0 && looks_take_request(loop, session, request)) {
        return false;
    }
    if (simulation_refuses(loop->simulation, request)) {
        (void)failure_set(
            &failure, FAILURE_REPLAYING, "op",
            "a recording is played, which %s would change; resume with live takes over from here",
            request_op_name(request->op));
        reply_refusal(session, request, &failure);
        return false;
    }
    struct command_origin origin = {.session = session->id, .line = session->line};
    memcpy(origin.name, session->client.name, sizeof origin.name);
    switch (simulation_submit(loop->simulation, &origin, request)) {
    case COMMAND_QUEUED:
        if (request->has_at) {
            session_expect_tick(session);
        } else {
            session_expect_answer(session, weight_of(request), command_is_of_tick(request));
        }
        return true;
    case COMMAND_REPLACED:
        return true;
    case COMMAND_REFUSED:
        break;
    }
    (void)failure_set(&failure, FAILURE_BUSY, NULL, "too many requests are waiting; try again");
    reply_refusal(session, request, &failure);
    return false;
}

static void do_command(struct loop_context *loop, struct session *session, const struct request *request) {
    (void)submit(loop, session, request);
}

/* The world forgets the cursor as well, when it has one. */
static void withdraw_cursor(struct loop_context *loop, struct session *session,
                            const struct request *request) {
    cursors_withdraw(&loop->cursors, session);
    if (session->cursor.is_in_world) {
        session->cursor.is_in_world = !submit(loop, session, request);
    } else if (request->id[0] != '\0') {
        reply_done(session, request);
    }
}

static void do_cursor(struct loop_context *loop, struct session *session, const struct request *request) {
    if (request->body.cursor.gone) {
        withdraw_cursor(loop, session, request);
        return;
    }
    cursors_point(&loop->cursors, session, vec2_make(request->body.cursor.x, request->body.cursor.y));
    if (session->look == 0 && cursors_reach_world(loop->simulation, session)) {
        session->cursor.is_in_world = true;
        do_command(loop, session, request);
    } else if (request->id[0] != '\0') {
        reply_done(session, request);
    }
}

static void do_bye(struct loop_context *loop, struct session *session, const struct request *request) {
    reply_leave(session, request);
    simulation_end_steps(loop->simulation, session->id);
}

/* A go that waits does not hold it back. */
static void do_leave(struct loop_context *loop, struct session *session, const struct request *request) {
    simulation_leave_seat(loop->simulation, session->id, false);
    do_command(loop, session, request);
}

static void do_mouse(struct loop_context *loop, struct session *session, const struct request *request) {
    cursors_point(&loop->cursors, session, vec2_make(request->body.mouse.x, request->body.mouse.y));
    session->cursor.is_in_world = session->cursor.is_in_world || simulation_wants_cursors(loop->simulation);
    do_command(loop, session, request);
}

/* ---- the table ---- */

typedef void loop_handler(struct loop_context *loop, struct session *session, const struct request *request);

/* The handler of each op with REQUEST_TRAIT_LOOP. */
static loop_handler *const handlers[REQUEST_OP_COUNT] = {
    [REQUEST_BYE] = do_bye,
    [REQUEST_CURSOR] = do_cursor,
    [REQUEST_HELLO] = do_hello,
    [REQUEST_HELP] = do_help,
    [REQUEST_LEAVE] = do_leave,
    [REQUEST_LOOK] = do_look,
    [REQUEST_MOUSE] = do_mouse,
    [REQUEST_PING] = do_ping,
    [REQUEST_RESYNC] = do_subscribe,
    [REQUEST_SET_REGION] = do_subscribe,
    [REQUEST_STATS] = do_stats,
    [REQUEST_SUBSCRIBE] = do_subscribe,
    [REQUEST_UNSUBSCRIBE] = do_subscribe,
};

static bool loop_is_whole(enum request_op *wrong) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        const bool is_wanted = request_has_trait((enum request_op)op, REQUEST_TRAIT_LOOP);
        if (is_wanted != (handlers[op] != NULL)) {
            *wrong = (enum request_op)op;
            return false;
        }
    }
    return true;
}

int session_requests_check(struct failure *failure) {
    enum request_op wrong = REQUEST_OP_COUNT;
    if (command_table_is_whole(&wrong) && loop_is_whole(&wrong)) {
        return 0;
    }
    return failure_set(failure, FAILURE_INTERNAL, NULL, "the handlers of the request %s do not fit its row",
                       request_op_name(wrong));
}

/* Requests without a handler on the loop go to the world. */
static void do_request(struct loop_context *loop, struct session *session, const struct request *request) {
    assert(request->op < REQUEST_OP_COUNT);
    loop_handler *handler = handlers[request->op];
    (handler != NULL ? handler : do_command)(loop, session, request);
}

/* ---- lines ---- */

/* A request without a reply may have members that its op does not know (and the reply to bye, which comes
 * when the connection ends, names none): its session gets the event `unknown` once for each op. */
static void send_unknown(struct loop_context *loop, struct session *session, const struct request *request) {
    static_assert(REQUEST_OP_COUNT <= 64, "unknown_told has a bit for each op");
    const uint64_t bit = UINT64_C(1) << (unsigned)request->op;
    const bool is_answered = request->id[0] != '\0' || request_always_answers(request->op);
    if (request->unknown[0] == '\0' || (is_answered && request->op != REQUEST_BYE) ||
        (session->notices.unknown_ops & bit) != 0) {
        return;
    }
    session->notices.unknown_ops |= bit;
    struct buffer out;
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_unknown(request, simulation_tick(loop->simulation), &out);
    size_t length = 0;
    char *text = buffer_take(&out, &length);
    if (text != NULL) {
        text = session->client.wants_seq ? message_add_seq(text, &length, loop->seq) : text;
        session_send_text(session, text, length);
    }
}

static void count_bad_line(struct session *session) {
    if (++session->bad_lines >= LIMIT_BAD_LINES) {
        session_close(session, "protocol", "too many unreadable lines in a row");
    }
}

/* A line that is a request. */
static void take_request(struct loop_context *loop, struct session *session, const struct request *request,
                         size_t length) {
    struct failure failure = {0};
    session->bad_lines = 0;
    admission_charge(session, request, length);
    if (admission_allow_all(session, request, &failure) == 0) {
        send_unknown(loop, session, request);
        do_request(loop, session, request);
    } else {
        reply_refusal(session, request, &failure);
    }
}

static void on_line(void *context, struct session *session, const char *line, size_t length) {
    struct loop_context *loop = context;
    struct request request;
    struct failure failure = {0};
    const struct json_limits limits =
        session->client.role == ROLE_ADMIN ? json_limits_admin() : json_limits_line();
    if (request_decode_within(line, length, &limits, &request, &failure) == 0) {
        take_request(loop, session, &request, length);
        request_fini(&request);
        return;
    }
    admission_charge(session, NULL, length);
    /* What a role may not do is denied, whatever its members are. */
    const bool is_allowed = admission_allow(session, request.op, &failure) == 0;
    reply_refusal(session, &request, &failure);
    if (is_allowed && failure.code == FAILURE_PARSE) {
        count_bad_line(session);
    } else {
        session->bad_lines = 0;
    }
}

/* A line that is longer than session_line_limit. */
static void on_too_long(void *context, struct session *session) {
    (void)context;
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_TOO_LONG, NULL, "the line is longer than %zu bytes; it was skipped",
                      session_line_limit(session));
    admission_charge(session, NULL, session_line_limit(session));
    session->errors++;
    reply_failure(session, "", &failure);
    count_bad_line(session);
}

static void on_check(void *context, struct session *session, uint64_t now_ms) {
    struct loop_context *loop = context;
    struct failure failure = {0};
    if (admission_close_overdue(session, loop->options->idle_s, now_ms)) {
        return;
    }
    refuse_late(session, now_ms);
    if (session_is_half_closed(session) && !session->has_backlog) {
        simulation_leave_seat(loop->simulation, session->id, true); /* no go comes any more */
    }
    if (rate_limit_report(&session->limit, now_ms)) {
        (void)failure_set(&failure, FAILURE_RATE, NULL,
                          "more than %u requests a second; the server reads more slowly, nothing is lost",
                          (unsigned)loop->options->rate);
        reply_failure(session, "", &failure);
    }
    struct message_event event;
    if (notices_lag(session, now_ms, &event)) {
        session_describe_send_lag(loop, session, &event);
        looks_refresh(loop, session, (event.has & EVENT_HAS_LEFT_OUT) != 0);
    }
    if (notices_stepping(session, now_ms, &event)) {
        session_describe_send_event(loop, session, &event);
    }
}

struct session_handler session_requests_handler(struct loop_context *loop) {
    return (struct session_handler){
        .context = loop, .on_line = on_line, .on_too_long = on_too_long, .on_check = on_check};
}

/* ---- delivery ---- */

void delivery_update_schedule(struct loop_context *loop) {
    const struct snapshot_schedule schedule = broadcast_schedule(&loop->broadcast, &loop->sessions);
    broadcast_views(&loop->broadcast, &loop->views);
    simulation_set_views(loop->simulation, &loop->views);
    simulation_set_schedule(loop->simulation, &schedule);
}

static bool is_wanted(const struct loop_context *loop, uint64_t event, bool has_seq) {
    for (const struct session *session = loop->sessions.first; session != NULL; session = session->next) {
        if (broadcast_wants(session, event, has_seq)) {
            return true;
        }
    }
    return false;
}

static void send_event(struct loop_context *loop, const struct message_event *event, bool has_seq) {
    const uint64_t bit = message_event_bit(event->event);
    if (!is_wanted(loop, bit, has_seq)) {
        return;
    }
    struct buffer out;
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_event(event, &out);
    size_t length = 0;
    char *text = buffer_take(&out, &length);
    if (text != NULL) {
        broadcast_event(text, length, bit, has_seq, &loop->sessions);
    }
}

void delivery_send_event(struct loop_context *loop, struct message_event *event, bool is_detail) {
    struct session *session = event->is_recorded ? NULL : session_set_find(&loop->sessions, event->by);
    if (session != NULL && strcmp(event->event, "seat_timeout") == 0 && strcmp(event->then, "leave") == 0) {
        session->has_seat = false;
    }
    if (session != NULL && session->client.name[0] != '\0') {
        memcpy(event->name, session->client.name, sizeof event->name);
        event->has |= EVENT_HAS_NAME;
    }
    if (!is_detail) {
        send_event(loop, event, false);
    }
    event->seq = event->seq != 0 ? event->seq : loop->seq;
    event->has |= EVENT_HAS_SEQ;
    send_event(loop, event, true);
}

/* Subscribers have all descriptions up to this revision, unless they leave out events. */
static void note_told(struct loop_context *loop, uint32_t revision) {
    for (struct session *session = loop->sessions.first; session != NULL; session = session->next) {
        if (session->subscription.is_active && !session->is_elsewhere &&
            (message_event_set("") & ~session->subscription.events) == 0 &&
            session->known_revision < revision) {
            session->known_revision = revision;
        }
    }
}

/* An answer with a frame counts as a frame, until it is sent. Where those have no room, an error goes instead. */
static void send_frame_answer(struct loop_context *loop, struct session *session,
                              const struct command *command, char *text, size_t length) {
    struct frame_memory *memory = &loop->broadcast.scratch.memory;
    const enum request_op op = command->request.op;
    if (frame_memory_room(memory) < length) {
        struct failure failure = {0};
        free(text);
        (void)failure_set(&failure, FAILURE_BUSY, NULL,
                          "%sthe %s of %zu bytes finds no room in the memory for frames (--frame-memory)",
                          request_has_trait(op, REQUEST_TRAIT_QUERY) ? "" : "the ticks are done, but ",
                          op == REQUEST_EXPORT ? "scenario" : "frame", length);
        struct buffer out;
        session->errors++;
        buffer_init(&out, LOOP_REPLY_BYTES);
        message_write_refusal(&command->request, command->origin.line, &failure, &out);
        session_send(session, &out);
        buffer_fini(&out);
        return;
    }
    struct shared_bytes *shared = shared_bytes_create_counted(text, length, &memory->held);
    if (shared == NULL) {
        session_close(session, "slow", "out of memory");
        return;
    }
    session_send_shared(session, shared);
    shared_bytes_release(shared);
}

static_assert(SESSION_SEAT_COMMANDS == COMMAND_SEAT_MOST + SESSION_COMMANDS,
              "what waits for a go leaves as many as without a seat");

/* The reply or error to a command; text: NULL for none. */
static void deliver_answer(struct loop_context *loop, struct session *session, const struct command *command,
                           char *text, size_t length) {
    const bool is_reply = text == NULL || message_is_reply(text, length);
    session->errors += is_reply || command->event.is_notice ? 0 : 1;
    const bool has_ticks = command->request.op == REQUEST_STEP || command->request.op == REQUEST_GO;
    if (has_ticks && text != NULL && is_reply) {
        rate_limit_forgive(&session->limit, session_now_ms(session));
    }
    if (command->request.op == REQUEST_LEAVE || (command->request.op == REQUEST_SEAT && is_reply)) {
        session->has_seat = command->request.op == REQUEST_SEAT;
    }
    if (command->event.is_notice && session->notices.no_effect) {
        free(text);
        text = NULL;
    }
    session->notices.no_effect = session->notices.no_effect || command->event.is_notice;
    if (text != NULL) {
        if (session->client.wants_seq) {
            text = message_add_seq(text, &length,
                                   command->event.seq != 0 ? command->event.seq : session_seq(session));
        }
        if (request_answers_with_frame(&command->request) && length > LIMIT_CONTROL_BYTES) {
            send_frame_answer(loop, session, command, text, length);
        } else {
            session_send_text(session, text, length);
        }
    }
    if (command->request.has_at) {
        session_tick_answered(session);
    } else {
        session_answered(session, weight_of(&command->request), command_is_of_tick(&command->request));
    }
}

/* In place of the answer to a change that took effect and will never be on disk. */
static void write_loss(struct sim_event *event, const struct failure *why) {
    const struct command *command = (const struct command *)event;
    struct failure failure = {0};
    struct buffer out;
    (void)failure_set(&failure, FAILURE_IO, NULL, "the request took effect, but is not on disk: %s",
                      why->message);
    buffer_init(&out, LOOP_REPLY_BYTES);
    message_write_refusal(&command->request, command->origin.line, &failure, &out);
    free(event->text);
    event->text = buffer_take(&out, &event->length);
}

/* Whether the event may leave. */
static bool is_free(struct loop_context *loop, struct sim_event *event) {
    struct failure failure = {0};
    if (simulation_is_safe(loop->simulation, event->position)) {
        return true;
    }
    if (simulation_has_lost(loop->simulation, event->position, &failure)) {
        write_loss(event, &failure);
        return true;
    }
    return false;
}

static void deliver(struct loop_context *loop, struct sim_event *event) {
    if (event->seq > loop->seq || event->kind == SIM_EVENT_SCENARIO) {
        loop->seq = event->seq; /* a replay that goes back has lower numbers again */
    }
    if (event->kind == SIM_EVENT_MESSAGE) {
        delivery_send_event(loop, event->message, event->is_detail);
        note_told(loop, event->revision);
        return;
    }
    char *text = event->text;
    const size_t length = event->length;
    event->text = NULL;
    if (event->kind == SIM_EVENT_SCENARIO) {
        if (loop->looks != NULL) {
            looks_check(loop->looks);
        }
        broadcast_scenario(&loop->broadcast, event->epoch, event->tick_hz, text, length, &loop->sessions);
        note_told(loop, event->revision);
        session_describe_send_arrival(loop);
        cursors_settle(&loop->cursors, loop->simulation, &loop->sessions);
        delivery_update_schedule(loop);
        return;
    }
    struct session *session = session_set_find(&loop->sessions, event->session);
    if (session == NULL) {
        if (event->session == 0 && text != NULL && !message_is_reply(text, length)) { /* --watch */
            log_write(LOG_WARN, "scenario", "it is not loaded: %.*s", (int)length - 1, text);
        }
        free(text);
        return;
    }
    deliver_answer(loop, session, (const struct command *)event, text, length);
}

static void take_events(struct loop_context *loop) {
    struct held_events *held = &loop->held;
    struct sim_event *event = simulation_take_events(loop->simulation);
    if (event == NULL) {
        return;
    }
    if (held->first == NULL) {
        held->first = event;
    } else {
        held->last->next = event;
    }
    for (; event != NULL; event = event->next) {
        held->last = event;
        held->taken++;
    }
}

static void deliver_held(struct loop_context *loop) {
    struct held_events *held = &loop->held;
    while (held->first != NULL && is_free(loop, held->first)) {
        struct sim_event *event = held->first;
        held->first = event->next;
        held->delivered++;
        deliver(loop, event);
        sim_event_free(event);
    }
}

/* ---- what looks make ---- */

/* The answer to a look that has ended; NULL without memory. */
static char *withdrawn_answer(const struct command *command, size_t *length) {
    struct failure failure = {0};
    struct buffer text;
    buffer_init(&text, LOOP_REPLY_BYTES);
    (void)failure_set(&failure, FAILURE_WITHDRAWN, NULL, "the look has ended");
    message_write_refusal(&command->request, command->origin.line, &failure, &text);
    return buffer_take(&text, length);
}

/* The reply to a look, or the answer to a query. */
static void deliver_look_answer(struct loop_context *loop, struct session *session,
                                struct look_message *message) {
    char *text = message->text;
    message->text = NULL;
    if (message->is_first && message->look != session->look) {
        free(text); /* it has gone back meanwhile: it does not see the moment */
        text = withdrawn_answer(message->command, &message->length);
    } else if (message->is_first && !session->is_elsewhere) {
        session->is_elsewhere = true;
        session_clear_key(session);
        delivery_update_schedule(loop);
    }
    deliver_answer(loop, session, message->command, text, message->length);
}

static void deliver_look(struct loop_context *loop, struct look_message *message) {
    struct session *session = session_set_find(&loop->sessions, message->session);
    if (session == NULL) {
        return;
    }
    if (message->kind == LOOK_ANSWER) {
        deliver_look_answer(loop, session, message);
        return;
    }
    if (message->look != session->look) {
        return; /* of a look that is over */
    }
    if (message->kind == LOOK_ENDED) {
        looks_return(loop, session, message->reason == NULL ? "failed" : message->reason);
        delivery_update_schedule(loop);
        simulation_request_snapshot(loop->simulation);
    } else if (message->kind == LOOK_SCENARIO && session->subscription.is_active) {
        session_send_text(session, message->text, message->length);
        message->text = NULL;
    } else if (message->kind == LOOK_FRAME && session->subscription.is_active && message->key != NULL) {
        session_offer_keyed(session, message->key, message->key_number, message->frame);
    } else if (message->kind == LOOK_FRAME && session->subscription.is_active) {
        session_offer_frame(session, message->frame);
    }
}

static void deliver_looks(struct loop_context *loop) {
    struct look_message *message = loop->looks == NULL ? NULL : looks_take(loop->looks), *next = NULL;
    for (; message != NULL; message = next) {
        next = message->next;
        deliver_look(loop, message);
        looks_message_free(message);
    }
}

/* ---- frames ---- */

static void encode_frames(void *context) {
    struct loop_context *loop = context;
    broadcast_encode(&loop->broadcast);
    atomic_store(&loop->encoding.is_done, true);
    loop->wake(loop->wake_context);
}

static void send_frames(struct loop_context *loop) {
    loop->encoding.is_under_way = false;
    broadcast_end(&loop->broadcast, &loop->sessions);
    tick_meter_add(&loop->statistics.broadcast_times, clock_now_ns() - loop->encoding.begun_ns);
}

/* Returns whether they left. Otherwise another thread encodes them. */
static bool make_frames(struct loop_context *loop, const struct snapshot_slot *slot) {
    loop->encoding.begun_ns = clock_now_ns();
    if (broadcast_begin(&loop->broadcast, slot, &loop->sessions)) {
        loop->encoding.is_under_way = true;
        atomic_store(&loop->encoding.is_done, false);
        duty_order(&loop->encoding.duty);
        return false;
    }
    broadcast_encode(&loop->broadcast);
    send_frames(loop);
    return true;
}

/* Returns whether a frame left: another one may wait behind it. */
static bool take_once(struct loop_context *loop) {
    struct held_events *held = &loop->held;
    /* The snapshot first: the events of all that it shows are in the queue by then (simulation.h, 3). */
    const bool takes_snapshot = held->slot == NULL && !loop->encoding.is_under_way;
    const struct snapshot_slot *slot = takes_snapshot ? simulation_take_snapshot(loop->simulation) : NULL;
    take_events(loop);
    if (slot != NULL) {
        held->slot = slot;
        held->slot_after = held->taken;
    }
    deliver_held(loop);
    if (held->slot == NULL || held->delivered < held->slot_after) {
        return false;
    }
    slot = held->slot;
    held->slot = NULL;
    return make_frames(loop, slot);
}

void delivery_take(struct loop_context *loop) {
    if (loop->encoding.is_under_way && atomic_load(&loop->encoding.is_done)) {
        send_frames(loop);
    }
    while (take_once(loop)) {}
    deliver_looks(loop);
}

int delivery_begin(struct loop_context *loop, struct failure *failure) {
    return duty_start(&loop->encoding.duty, encode_frames, loop) == 0
               ? 0
               : failure_set(failure, FAILURE_INTERNAL, NULL, "cannot start a thread");
}

void delivery_close(struct loop_context *loop) {
    duty_end(&loop->encoding.duty);
    if (loop->encoding.is_under_way) {
        send_frames(loop);
    }
}

void delivery_end(struct loop_context *loop) {
    struct sim_event *event = NULL;
    while ((event = loop->held.first) != NULL) {
        loop->held.first = event->next;
        sim_event_free(event);
    }
    loop->held = (struct held_events){0};
}
