/* See answer.h. */
#include "server/sessions/answer.h"

#include "common/protocol/message.h"

enum { ANSWER_BYTES = 65536 }; /* an id and a failure have 2 KB */

void answer_done(struct session *session, const struct request *request) {
    struct buffer out;
    buffer_init(&out, ANSWER_BYTES);
    struct json_writer json = message_begin_answer(request, &out);
    message_end_reply(&json, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

void answer_failure(struct session *session, const char *id, const struct failure *failure) {
    struct buffer out;
    buffer_init(&out, ANSWER_BYTES);
    message_write_error(id, session->line, failure, &out);
    session_send(session, &out);
    buffer_fini(&out);
}

void answer_refusal(struct session *session, const struct request *request, const struct failure *failure) {
    struct buffer out;
    buffer_init(&out, ANSWER_BYTES);
    message_write_refusal(request, session->line, failure, &out);
    session_send(session, &out);
    buffer_fini(&out);
}
