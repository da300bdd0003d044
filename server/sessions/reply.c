/* See reply.h. */
#include "server/sessions/reply.h"

#include <assert.h>
#include <stdio.h>

#include "common/protocol/message.h"

bool notices_lag(struct session *session, uint64_t now_ms, struct message_event *event) {
    struct session_notices *notices = &session->notices;
    const uint64_t frames_skipped = session->stream.queue.frames_skipped;
    assert(frames_skipped >= notices->frames_skipped);
    const bool is_behind = session_is_behind(session);
    const uint64_t skipped = frames_skipped - notices->frames_skipped;
    const bool is_due = notices->frames_skipped == 0 || now_ms - notices->lag_ms >= NOTICES_LAG_MS;
    if (!is_behind && (skipped == 0 || !is_due || session->left_out > 0)) {
        return false;
    }
    notices->frames_skipped = frames_skipped;
    notices->lag_ms = now_ms;
    *event = (struct message_event){.has = EVENT_HAS_SKIPPED, .skipped = skipped};
    (void)snprintf(event->event, sizeof event->event, "lag");
    if (is_behind) {
        const uint64_t left_out = session_catch_up(session);
        event->has |= EVENT_HAS_LEFT_OUT;
        event->left_out = left_out < UINT32_MAX ? (uint32_t)left_out : UINT32_MAX;
    }
    return session->subscription.is_active;
}

bool notices_stepping(struct session *session, uint64_t now_ms, struct message_event *event) {
    struct session_notices *notices = &session->notices;
    if (session->outstanding == 0 || !session_is_half_closed(session)) {
        notices->stepping_ms = 0;
        return false;
    }
    if (notices->stepping_ms != 0 && now_ms - notices->stepping_ms < NOTICES_STEPPING_MS) {
        return false;
    }
    const bool is_due = notices->stepping_ms != 0;
    notices->stepping_ms = now_ms;
    *event = (struct message_event){0};
    (void)snprintf(event->event, sizeof event->event, "stepping");
    return is_due;
}

/* ---- reply ---- */

enum { REPLY_BYTES = 1024 * 1024 }; /* the description of every op has some 20 KB */

struct json_writer *reply_begin(struct reply *reply, const struct request *request) {
    assert(request->op < REQUEST_OP_COUNT);
    buffer_init(&reply->out, REPLY_BYTES);
    reply->json = message_begin_answer(request, &reply->out);
    return &reply->json;
}

void reply_send(struct reply *reply, struct session *session) {
    if (session->client.wants_seq) {
        json_key_unsigned(&reply->json, "seq", session_seq(session));
    }
    message_end_reply(&reply->json, &reply->out);
    session_send(session, &reply->out);
    buffer_fini(&reply->out);
}

void reply_discard(struct reply *reply) {
    buffer_fini(&reply->out);
}

void reply_done(struct session *session, const struct request *request) {
    struct reply reply;
    (void)reply_begin(&reply, request);
    reply_send(&reply, session);
}

void reply_failure(struct session *session, const char *id, const struct failure *failure) {
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_error(id, session->line, failure, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

void reply_refusal(struct session *session, const struct request *request, const struct failure *failure) {
    session->errors++;
    struct buffer out;
    buffer_init(&out, REPLY_BYTES);
    message_write_refusal(request, session->line, failure, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

void reply_leave(struct session *session, const struct request *request) {
    struct reply reply;
    buffer_init(&reply.out, REPLY_BYTES);
    reply.json = message_begin_reply(REQUEST_BYE, request->id, &reply.out); /* names no unknown members */
    if (session->client.wants_seq) {
        json_key_unsigned(&reply.json, "seq", session_seq(session));
    }
    message_end_reply(&reply.json, &reply.out);
    session_leave(session, &reply.out);
}
