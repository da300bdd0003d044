/* See loop_context.h. One function an op, and the table of them. */
#include "server/loop/loop_context.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/json/json_check.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/system/clock.h"
#include "server/broadcast/broadcast.h"
#include "server/commands/command_apply.h"
#include "server/sessions/admission.h"
#include "server/sessions/reply.h"

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
        if (!had_all && session->subscription.is_active && session->known_revision != revision) {
            session_describe_send_scenario(session, revision, &now->scenario);
        }
        cursors_subscribe(&loop->cursors, session);
        delivery_update_schedule(loop);
        simulation_request_snapshot(loop->simulation);
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

void session_requests_refuse_late(struct session *session, uint64_t now_ms) {
    if (session->is_held && now_ms >= session->client.denial_ms) {
        struct failure failure = {0};
        (void)admission_deny(&failure);
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
            session_hold(session);
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

/* Gives the request to the world, or refuses it: then it returns false. */
static bool submit(struct loop_context *loop, struct session *session, const struct request *request) {
    struct failure failure = {0};
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
            session_expect_answer(session, delivery_weight(request));
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
    if (cursors_reach_world(loop->simulation, session)) {
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
static void tell_unknown(struct loop_context *loop, struct session *session, const struct request *request) {
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
        tell_unknown(loop, session, request);
        do_request(loop, session, request);
    } else {
        reply_refusal(session, request, &failure);
    }
}

void session_requests_line(struct loop_context *loop, struct session *session, const char *line,
                           size_t length) {
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

void session_requests_too_long(struct session *session) {
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_TOO_LONG, NULL, "the line is longer than %zu bytes; it was skipped",
                      session_line_limit(session));
    admission_charge(session, NULL, session_line_limit(session));
    session->errors++;
    reply_failure(session, "", &failure);
    count_bad_line(session);
}
