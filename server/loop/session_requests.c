/* See session_requests.h. One function an op, and the table of them. */
#include "server/loop/session_requests.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "common/protocol/message.h"
#include "common/protocol/request_help.h"
#include "common/system/clock.h"
#include "server/broadcast/subscribe.h"
#include "server/commands/command_table.h"
#include "server/loop/delivery.h"
#include "server/loop/session_describe.h"
#include "server/sessions/admission.h"
#include "server/sessions/reply.h"

/* ---- frames and time ---- */

/* subscribe, unsubscribe, set_region, resync: a session's own affairs (subscribe.h). */
static void do_subscribe(struct loop_context *loop, struct session *session, const struct request *request) {
    uint32_t revision = 0;
    struct message_hello *now = session_describe_world(loop, session, &revision);
    if (now == NULL) {
        return;
    }
    const bool was_active = session->subscription.is_active;
    const struct subscribe_context context = {&loop->broadcast, &loop->sessions, &now->scenario};
    if (subscribe_answer(&context, session, request)) {
        /* A session that was not subscribed during a load or a change of the scenery gets the scenario now.
         */
        if (!was_active && session->subscription.is_active && session->known_revision != revision) {
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

static void do_command(struct loop_context *loop, struct session *session, const struct request *request) {
    struct failure failure = {0};
    switch (simulation_submit(loop->simulation, session->id, session->line, request)) {
    case COMMAND_QUEUED:
        session_expect_answer(session, request_has_trait(request->op, REQUEST_TRAIT_LONG_ANSWER));
        return;
    case COMMAND_REPLACED:
        return;
    case COMMAND_REFUSED:
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "too many requests are waiting; try again");
        reply_refusal(session, request, &failure);
        return;
    }
}

static void do_cursor(struct loop_context *loop, struct session *session, const struct request *request) {
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
    session_send(session, &out);
    buffer_fini(&out);
}

static void count_bad_line(struct session *session) {
    if (++session->bad_lines >= LIMIT_BAD_LINES) {
        session_close(session, "protocol", "too many unreadable lines in a row");
    }
}

void session_requests_line(struct loop_context *loop, struct session *session, const char *line,
                           size_t length) {
    struct request request;
    struct failure failure = {0};
    if (request_decode(line, length, &request, &failure) == 0) {
        session->bad_lines = 0;
        admission_charge(session, &request);
        if (admission_allow(session, request.op, &failure) == 0) {
            tell_unknown(loop, session, &request);
            do_request(loop, session, &request);
        } else {
            reply_refusal(session, &request, &failure);
        }
        return;
    }
    admission_charge(session, NULL);
    reply_refusal(session, &request, &failure);
    if (failure.code == FAILURE_PARSE) {
        count_bad_line(session);
    } else {
        session->bad_lines = 0;
    }
}

void session_requests_too_long(struct session *session) {
    struct failure failure = {0};
    (void)failure_set(&failure, FAILURE_TOO_LONG, NULL, "the line is longer than %d bytes; it was skipped",
                      LIMIT_LINE_BYTES);
    admission_charge(session, NULL);
    reply_failure(session, "", &failure);
    count_bad_line(session);
}
