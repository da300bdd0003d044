/* See reply.h. */
#include "server/sessions/reply.h"

#include <assert.h>

#include "common/protocol/message.h"

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
