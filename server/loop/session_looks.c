/* See loop_context.h. Sessions that look at another time: their requests, and their way back. */
#include "server/loop/loop_context.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/shared_bytes.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/broadcast/broadcast.h"
#include "server/exchange/command_queue.h"
#include "server/sessions/session.h"
#include "server/simulation/looks.h"

/* ---- back to the present ---- */

void looks_return(struct loop_context *loop, struct session *session, const char *reason) {
    struct subscription *subscription = &session->subscription;
    struct message_event event = {.event = "look_ended", .has = EVENT_HAS_REASON};
    uint32_t revision = 0;
    const bool was_elsewhere = session->is_elsewhere;
    session->look = 0;
    session->is_elsewhere = false;
    if (!was_elsewhere) {
        return;
    }
    session_clear_key(session);
    subscription->has_sent = false;
    (void)snprintf(event.reason, sizeof event.reason, "%s", reason);
    session_describe_send_event(loop, session, &event);
    struct message_hello *now = session_describe_world(loop, session, &revision);
    if (now != NULL && subscription->is_active) {
        subscription->every = broadcast_every(now->scenario.tick_hz, subscription->hz);
        session_describe_send_scenario(session, revision, &now->scenario);
    }
    free(now);
}

/* ---- requests ---- */

static struct command_origin origin_of(const struct session *session) {
    struct command_origin origin = {.session = session->id, .line = session->line};
    (void)snprintf(origin.name, sizeof origin.name, "%s", session->client.name);
    return origin;
}

static struct look_view view_of(const struct session *session) {
    const struct subscription *subscription = &session->subscription;
    return (struct look_view){.is_active =
                                  subscription->is_active &&
                                  frame_layout_has_frames(frame_layout_row(subscription->view.layout)),
                              .view = subscription->view,
                              .every = subscription->every > 0 ? subscription->every : 1};
}

/* Why no session can look at another time here. 0, or -1 with *failure. */
static int check_looks(const struct loop_context *loop, struct failure *failure) {
    static const struct request change = {.op = REQUEST_REWIND};
    bool is_limited = false;
    if (simulation_has_stripes(loop->simulation)) {
        return failure_set(failure, FAILURE_UNSUPPORTED, NULL, "%s",
                           request_stripes_refusal(REQUEST_LOOK, &is_limited));
    }
    if (loop->looks == NULL) {
        return failure_set(failure, FAILURE_FULL, NULL,
                           "this server shows no other time; start it with --rewind BYTES and --looks N");
    }
    if (simulation_refuses(loop->simulation, &change)) {
        return failure_set(
            failure, FAILURE_REPLAYING, "op",
            "a recording is played; seek goes to its ticks, and looks are at a live world's past");
    }
    return 0;
}

static void go_live(struct loop_context *loop, struct session *session, const struct request *request) {
    struct reply reply;
    struct json_writer *json = reply_begin(&reply, request);
    json_key_unsigned(json, "tick", simulation_tick(loop->simulation));
    reply_send(&reply, session);
    looks_depart(loop, session);
    looks_return(loop, session, "live");
}

void looks_request(struct loop_context *loop, struct session *session, const struct request *request) {
    struct failure failure = {0};
    const struct command_origin origin = origin_of(session);
    const struct look_view view = view_of(session);
    if (request->body.look.live) {
        go_live(loop, session, request);
    } else if (check_looks(loop, &failure) != 0 ||
               looks_move(loop->looks, &session->look, &origin, request, &view, &failure) != 0) {
        reply_refusal(session, request, &failure);
    } else {
        session_expect_answer(session, 0, false);
    }
}

/* Whether the world answers it, and not the server: of any moment. */
static bool is_query(const struct request *request) {
    const int what = request->body.list.what;
    return command_sort_of(request) == COMMAND_QUERY &&
           !(request->op == REQUEST_LIST &&
             (what == LIST_SCENARIOS || what == LIST_SAVES || what == LIST_BRANCHES || what == LIST_SEATS ||
              what == LIST_CHANGES));
}

/* Whether it changes what is in the world, and not its time. */
static bool changes_world(enum request_op op) {
    return request_has_trait(op, REQUEST_TRAIT_BATCH) || op == REQUEST_BATCH || op == REQUEST_MOUSE;
}

/* As how many long answers the answer counts. */
static int weight_of(const struct request *request) {
    return request_answers_with_frame(request) ? SESSION_LONG_ANSWERS
                                               : request_has_trait(request->op, REQUEST_TRAIT_LONG_ANSWER);
}

bool looks_take_request(struct loop_context *loop, struct session *session, const struct request *request) {
    struct failure failure = {0};
    const struct command_origin origin = origin_of(session);
    if (is_query(request)) {
        if (!looks_ask(loop->looks, session->look, &origin, request)) {
            return false; /* the look has ended */
        }
        session_expect_answer(session, weight_of(request), false);
        return true;
    }
    if (!changes_world(request->op)) {
        return false;
    }
    (void)failure_set(
        &failure, FAILURE_LOOKING, "op",
        "you look at another time, in which %s can change nothing; look with \"live\":true goes back "
        "to the world that runs",
        request_op_name(request->op));
    reply_refusal(session, request, &failure);
    return true;
}

void looks_refresh(struct loop_context *loop, const struct session *session, bool is_untold) {
    if (session->look != 0) {
        const struct look_view view = view_of(session);
        looks_show(loop->looks, session->look, &view, is_untold);
    }
}

void looks_depart(struct loop_context *loop, const struct session *session) {
    if (session->look != 0) {
        looks_end(loop->looks, session->look);
    }
}
