/* See session.h. Uses session_send.c, which has what a session sends. */
#include "server/sessions/session.h"

#include <assert.h>

#include "common/system/log.h"

enum { ANSWER_BYTES = 4096 };

static void leave_when_done(struct session *session);

/* ---- requests ---- */

static bool may_take_line(const struct session *session) {
    return session_is_open(session) && !session->is_leaving && !session->is_held &&
           session->outstanding < SESSION_COMMANDS && session->outstanding_long < SESSION_LONG_ANSWERS &&
           send_queue_has_room(&session->stream.queue) && rate_limit_allows(&session->limit);
}

bool session_is_runnable(const struct session *session) {
    return session->has_backlog && may_take_line(session);
}

static void run_later(struct session *session) {
    if (session_is_runnable(session)) {
        session->host->on_runnable(session->host->context, session);
    }
}

static void hand_out_line(struct session *session, const char *line, size_t length, bool is_first) {
    assert(length <= LIMIT_LINE_BYTES && line[length] == '\0');
    session->line++;
    if (length > 0) {
        session->is_waiting = is_first && session->outstanding == 0 && framing_is_empty(&session->framing);
        session->last_line_ms = session_now_ms(session);
        session->host->on_line(session->host->context, session, line, length);
    }
}

/* Hands out lines until the turn is over. Returns true when lines may be left. */
static bool hand_out_lines(struct session *session) {
    for (int handled = 0; handled < SESSION_LINES_PER_TURN && may_take_line(session); handled++) {
        char *line = NULL;
        size_t length = 0;
        switch (framing_next(&session->framing, &line, &length)) {
        case FRAMING_NEED_MORE:
            return false;
        case FRAMING_TOO_LONG:
            session->line++;
            session->is_waiting = false;
            session->host->on_too_long(session->host->context, session);
            break;
        case FRAMING_MESSAGE:
            hand_out_line(session, line, length, handled == 0);
            break;
        }
    }
    return true;
}

void session_run(struct session *session) {
    if (!session_is_open(session)) {
        return;
    }
    rate_limit_fill(&session->limit, session_now_ms(session));
    session->has_backlog = hand_out_lines(session);
    if (!session_is_open(session)) {
        return;
    }
    if (!session->has_backlog) {
        stream_read(&session->stream);
        leave_when_done(session);
        return;
    }
    stream_stop_reading(&session->stream);
    if (!rate_limit_allows(&session->limit)) {
        rate_limit_hold(&session->limit, session_now_ms(session));
    }
    run_later(session);
    leave_when_done(session);
}

void session_expect_answer(struct session *session, bool is_long) {
    session->outstanding++;
    session->outstanding_long += is_long;
    assert(session->outstanding_long <= session->outstanding && session->outstanding <= SESSION_COMMANDS);
}

void session_answered(struct session *session, bool is_long) {
    assert(session->outstanding > 0 && session->outstanding_long >= is_long);
    session->outstanding--;
    session->outstanding_long -= is_long;
    assert(session->outstanding >= session->outstanding_long);
    if (session_is_open(session)) {
        run_later(session);
        leave_when_done(session);
    }
}

void session_hold(struct session *session) {
    assert(!session->is_held);
    session->is_held = true;
    session_expect_answer(session, false);
}

void session_release(struct session *session) {
    assert(session->is_held);
    session->is_held = false;
    session_answered(session, false);
}

bool session_is_half_closed(const struct session *session) {
    return stream_is_half_closed(&session->stream);
}

/* ---- the end ---- */

void session_leave(struct session *session, struct buffer *farewell) {
    assert(!session->is_leaving);
    session->is_leaving = true;
    session->farewell = *farewell;
    buffer_init(farewell, ANSWER_BYTES);
    /* The line that asked is still being handled; session_run ends the session after it. */
}

static void leave_when_done(struct session *session) {
    if (!session_is_open(session) || session->outstanding > 0) {
        return;
    }
    if (session->is_leaving) {
        session_send(session, &session->farewell);
        session_close(session, "client", "you asked to leave");
    } else if (session->stream.is_eof && !session->has_backlog && !session->subscription.is_active) {
        session_close(session, "client", "you closed your side");
    }
}

void session_hurry(struct session *session) {
    stream_hurry(&session->stream);
}

/* Lets a session that was held back go on, or ends it. */
static void check_rate(struct session *session, uint64_t now_ms) {
    rate_limit_fill(&session->limit, now_ms);
    if (rate_limit_held_for_ms(&session->limit, now_ms) >= LIMIT_RATE_SECONDS * 1000u) {
        session_close(session, "rate", "more requests than are allowed, for 10 s without a pause");
    } else {
        run_later(session);
    }
}

void session_check(struct session *session, uint64_t now_ms) {
    if (stream_check(&session->stream, now_ms)) {
        session_close(session, "slow", "no byte was accepted for 10 s");
    }
    if (session_is_open(session)) {
        session->host->on_check(session->host->context, session, now_ms);
    }
    if (session_is_open(session)) {
        check_rate(session, now_ms);
    }
}

/* ---- the stream's callbacks ---- */

static char *on_reserve(struct stream *stream, size_t wish, size_t *size) {
    struct session *session = stream->owner;
    if (stream->phase != STREAM_OPEN) {
        framing_clear(&session->framing); /* of what a closing session still receives nothing is kept */
    }
    return framing_reserve(&session->framing, wish, size);
}

static void refuse_protocol(struct session *session, enum protocol_sniff protocol) {
    log_write(LOG_INFO, "net", "session %u: speaks %s; refused", session->id,
              protocol == PROTOCOL_SNIFF_TLS ? "TLS" : "HTTP");
    struct buffer answer;
    buffer_init(&answer, ANSWER_BYTES);
    buffer_append_text(&answer, protocol_sniff_answer());
    stream_finish(&session->stream, &answer);
}

static void on_bytes(struct stream *stream, size_t count) {
    struct session *session = stream->owner;
    const enum protocol_sniff protocol = framing_commit(&session->framing, count);
    if (protocol == PROTOCOL_SNIFF_HTTP || protocol == PROTOCOL_SNIFF_TLS) {
        refuse_protocol(session, protocol);
    } else {
        session_run(session);
    }
}

static void on_end(struct stream *stream) {
    struct session *session = stream->owner;
    if (session_is_open(session) && framing_end(&session->framing) != 0) {
        session_close(session, "slow", "the server is out of memory");
    } else {
        session_run(session);
    }
}

static void on_room(struct stream *stream) {
    run_later(stream->owner); /* its lines waited for room */
}

static void on_ending(struct stream *stream) {
    struct session *session = stream->owner;
    session->subscription.is_active = false;
    session->has_backlog = false;
}

static void on_closed(struct stream *stream) {
    struct session *session = stream->owner;
    assert(!session_is_open(session) && !session->subscription.is_active);
    framing_fini(&session->framing);
    buffer_fini(&session->farewell);
    session->host->on_closed(session->host->context, session);
}

static const struct stream_host stream_host = {.reserve = on_reserve,
                                               .on_bytes = on_bytes,
                                               .on_end = on_end,
                                               .on_room = on_room,
                                               .on_ending = on_ending,
                                               .on_closed = on_closed};

/* ---- opening ---- */

int session_open(struct session *session, uv_loop_t *loop, const struct session_host *host, uint32_t id,
                 int socket) {
    session->host = host;
    session->id = id;
    session->last_line_ms = session->opened_ms = uv_now(loop);
    rate_limit_init(&session->limit, host->rate, uv_now(loop));
    framing_init(&session->framing, LIMIT_LINE_BYTES);
    buffer_init(&session->farewell, ANSWER_BYTES);
    return stream_open(&session->stream, loop, &stream_host, session, id, socket);
}
