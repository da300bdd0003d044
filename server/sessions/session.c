/* See session.h. */
#include "server/sessions/session.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/message.h"
#include "common/system/log.h"
#include "server/net/peer_socket.h"
#include "server/net/web_framing.h"

/* ---- rate limit ---- */

static const double burst_seconds = 2.0;

void rate_limit_init(struct rate_limit *limit, double rate, uint64_t now_ms) {
    assert(rate >= 0.0);
    *limit = (struct rate_limit){.rate = rate, .tokens = rate * burst_seconds, .filled_ms = now_ms};
}

void rate_limit_fill(struct rate_limit *limit, uint64_t now_ms) {
    const double most = limit->rate * burst_seconds;
    assert(now_ms >= limit->filled_ms); /* the clock goes one way */
    limit->tokens += limit->rate * (double)(now_ms - limit->filled_ms) * 1e-3;
    limit->filled_ms = now_ms;
    if (limit->tokens > most) {
        limit->tokens = most;
    }
    if (limit->tokens >= most / 2.0) {
        limit->is_held = false;
    }
}

void rate_limit_take(struct rate_limit *limit, double tokens) {
    const double most = limit->rate * burst_seconds;
    assert(tokens >= 0.0);
    if (limit->rate > 0.0 && limit->filled_ms >= limit->free_until_ms) {
        limit->tokens = limit->tokens - tokens > -most ? limit->tokens - tokens : -most;
    }
}

void rate_limit_forgive(struct rate_limit *limit, uint64_t now_ms) {
    limit->tokens = limit->rate * burst_seconds;
    limit->is_held = false;
    limit->free_until_ms = now_ms + RATE_LIMIT_FREE_MS;
}

bool rate_limit_allows(const struct rate_limit *limit) {
    return limit->rate <= 0.0 || limit->tokens >= 1.0;
}

void rate_limit_delay(struct rate_limit *limit, uint64_t now_ms) {
    if (!limit->is_held) {
        limit->is_held = true;
        limit->held_ms = now_ms;
    }
}

bool rate_limit_report(struct rate_limit *limit, uint64_t now_ms) {
    if (!limit->is_held || (limit->was_reported && now_ms - limit->reported_ms < RATE_LIMIT_REPORT_MS)) {
        return false;
    }
    limit->was_reported = true;
    limit->reported_ms = now_ms;
    return true;
}

uint64_t rate_limit_held_for_ms(const struct rate_limit *limit, uint64_t now_ms) {
    return limit->is_held ? now_ms - limit->held_ms : 0;
}

static void session_send_raw(struct session *session, struct buffer *bytes);

static bool session_is_web(const struct session *session);

/* ---- refusals ---- */

static const char *const names[REFUSAL_COUNT] = {[REFUSAL_FULL] = "full",
                                                 [REFUSAL_AUTH] = "auth",
                                                 [REFUSAL_PROTOCOL] = "protocol",
                                                 [REFUSAL_RATE] = "rate",
                                                 [REFUSAL_SLOW] = "slow"};

const char *refusal_name(enum refusal_cause cause) {
    assert(cause < REFUSAL_COUNT);
    return names[cause];
}

bool refusal_find(const char *reason, enum refusal_cause *cause) {
    for (int i = 0; i < REFUSAL_COUNT; i++) {
        if (strcmp(names[i], reason) == 0) {
            *cause = (enum refusal_cause)i;
            return true;
        }
    }
    return false;
}

bool refusal_log_take(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms) {
    assert(cause < REFUSAL_COUNT);
    if (log == NULL) {
        return true;
    }
    const bool is_first = log->causes[cause].count++ == 0;
    const bool is_due =
        log->causes[cause].left_out == 0 && now_ms - log->causes[cause].logged_ms >= REFUSAL_LOG_MS;
    if (is_first || is_due) {
        log->causes[cause].logged_ms = now_ms;
        return true;
    }
    log->causes[cause].left_out++;
    return false;
}

uint64_t refusal_log_report(struct refusal_log *log, enum refusal_cause cause, uint64_t now_ms) {
    assert(cause < REFUSAL_COUNT);
    const uint64_t left_out = log->causes[cause].left_out;
    if (left_out == 0 || now_ms - log->causes[cause].logged_ms < REFUSAL_LOG_MS) {
        return 0;
    }
    log->causes[cause].left_out = 0;
    log->causes[cause].logged_ms = now_ms;
    return left_out;
}

uint64_t refusal_log_count(const struct refusal_log *log, enum refusal_cause cause) {
    assert(cause < REFUSAL_COUNT);
    return log->causes[cause].count;
}

/* ---- session ---- */

enum { ANSWER_BYTES = 4096, PONG_BYTES = 256 };

static void leave_when_done(struct session *session);

/* ---- other protocols ---- */

static void refuse_protocol(struct session *session, enum protocol_sniff protocol) {
    const struct log_about about = session_about(session, refusal_name(REFUSAL_PROTOCOL));
    if (refusal_log_take(session->host->refusals, REFUSAL_PROTOCOL, session_now_ms(session))) {
        log_write_about(LOG_INFO, "net", &about, "session %u: speaks %s; refused", session->id,
                        protocol == PROTOCOL_SNIFF_TLS ? "TLS" : "HTTP");
    }
    struct buffer answer;
    buffer_init(&answer, ANSWER_BYTES);
    protocol_sniff_answer(session->host->web_address, &answer);
    stream_finish(&session->stream, &answer);
}

static bool is_foreign(const struct session *session, const char *line, size_t length) {
    return !session_is_web(session) && protocol_sniff_is_http(line, length);
}

/* ---- requests ---- */

/* Whether one more request may wait for the world. */
static bool may_wait(const struct session *session) {
    const int longs = session->outstanding_long + (session->has_seat ? 0 : session->outstanding_ticks);
    return session->outstanding < (session->has_seat ? SESSION_SEAT_COMMANDS : SESSION_COMMANDS) &&
           longs < SESSION_LONG_ANSWERS;
}

static bool may_take_line(const struct session *session) {
    return session_is_open(session) && !session->is_leaving && !session->is_held && may_wait(session) &&
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
    assert(length <= session_line_limit(session) && line[length] == '\0');
    session->line++;
    if (is_foreign(session, line, length)) {
        refuse_protocol(session, PROTOCOL_SNIFF_HTTP);
    } else if (length > 0) {
        session->is_waiting = is_first && session->outstanding == 0 && framing_is_empty(&session->framing);
        session->last_line_ms = session_now_ms(session);
        session->host->handler.on_line(session->host->handler.context, session, line, length);
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
            session->host->handler.on_too_long(session->host->handler.context, session);
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
        rate_limit_delay(&session->limit, session_now_ms(session));
    }
    run_later(session);
    leave_when_done(session);
}

static int *count_of_long(struct session *session, bool is_of_tick) {
    return is_of_tick ? &session->outstanding_ticks : &session->outstanding_long;
}

void session_expect_answer(struct session *session, int longs, bool is_of_tick) {
    session->outstanding++;
    *count_of_long(session, is_of_tick) += longs;
    assert(longs >= 0 && longs <= SESSION_LONG_ANSWERS && session->outstanding <= SESSION_SEAT_COMMANDS);
}

void session_answered(struct session *session, int longs, bool is_of_tick) {
    assert(session->outstanding > 0 && *count_of_long(session, is_of_tick) >= longs);
    session->outstanding--;
    *count_of_long(session, is_of_tick) -= longs;
    assert(session->outstanding > 0 || session->outstanding_long + session->outstanding_ticks == 0);
    if (session_is_open(session)) {
        run_later(session);
        leave_when_done(session);
    }
}

void session_expect_tick(struct session *session) {
    session->scheduled++;
    assert(session->scheduled <= LIMIT_WAITING);
}

void session_tick_answered(struct session *session) {
    assert(session->scheduled > 0);
    session->scheduled--;
    if (session_is_open(session)) {
        leave_when_done(session);
    }
}

void session_keep(struct session *session) {
    assert(!session->is_held);
    session->is_held = true;
    session_expect_answer(session, 0, false);
}

void session_release(struct session *session) {
    assert(session->is_held);
    session->is_held = false;
    session_answered(session, 0, false);
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

/* Whether the peer of a WebSocket has closed it, or broken a rule of it: the end, once its lines are handed out. */
static bool end_web(struct session *session) {
    bool by_peer = false;
    const int code = framing_end_code(&session->framing, &by_peer);
    if (!session_is_web(session) || session->has_backlog || (code == 0 && !session->stream.is_eof)) {
        return false;
    }
    if (code == 0 || by_peer) {
        session_close(session, "client", "you closed the connection");
    } else {
        session_close(session, "protocol", web_close_text((enum web_close)code));
    }
    return true;
}

static void leave_when_done(struct session *session) {
    if (!session_is_open(session) || end_web(session) || session->outstanding > 0 || session->scheduled > 0) {
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

static void ping(struct session *session, uint64_t now_ms) {
    struct buffer frame;
    session->pinged_ms = now_ms;
    buffer_init(&frame, PONG_BYTES);
    web_frame_append(&frame, WEB_PING, "", 0);
    session_send_raw(session, &frame);
}

/* A WebSocket is kept alive through proxies, and closed when nothing is heard of it. */
static void check_web(struct session *session, uint64_t now_ms) {
    if (!session->stream.is_reading) {
        session->heard_ms = now_ms; /* what it sends waits in the kernel */
    }
    if (now_ms - session->heard_ms >= LIMIT_WEB_SILENT_SECONDS * 1000u) {
        session_close(session, "slow", "no answer to a ping for 60 s");
    } else if (now_ms - session->pinged_ms >= LIMIT_WEB_PING_SECONDS * 1000u) {
        ping(session, now_ms);
    }
}

void session_check(struct session *session, uint64_t now_ms) {
    if (stream_check(&session->stream, now_ms)) {
        session_close(session, "slow", "no byte was accepted for 10 s");
    }
    if (session_is_open(session) && session_is_web(session)) {
        check_web(session, now_ms);
    }
    if (session_is_open(session)) {
        session->host->handler.on_check(session->host->handler.context, session, now_ms);
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

/* Answers the last ping, unless half of what may wait for the peer waits already. */
static void answer_ping(struct session *session) {
    struct buffer pong;
    buffer_init(&pong, PONG_BYTES);
    framing_take_replies(&session->framing, &pong);
    if (pong.length > 0 && send_queue_has_room(&session->stream.queue)) {
        session_send_raw(session, &pong);
    }
    buffer_fini(&pong);
}

/* A full read of a WebSocket may be hundreds of pings: the next one waits until other sessions had their turn. */
static void end_turn(struct session *session) {
    if (session_is_open(session) && session->stream.is_reading) {
        session->has_backlog = true;
        stream_stop_reading(&session->stream);
        run_later(session);
    }
}

static void on_bytes(struct stream *stream, size_t count) {
    struct session *session = stream->owner;
    session->heard_ms = session_now_ms(session);
    const enum protocol_sniff protocol = framing_commit(&session->framing, count);
    if (protocol == PROTOCOL_SNIFF_HTTP || protocol == PROTOCOL_SNIFF_TLS) {
        refuse_protocol(session, protocol);
    } else {
        answer_ping(session);
        session_run(session);
        if (session_is_web(session) && count == WEB_FRAMING_READ_BYTES) {
            end_turn(session);
        }
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

/* A line becomes a text message, without its newline. */
static size_t web_head(const struct shared_bytes *bytes, char head[STREAM_HEAD_BYTES], size_t *length) {
    static_assert((int)STREAM_HEAD_BYTES >= (int)WEB_FRAME_HEAD_BYTES, "a head fits");
    if (bytes->is_raw) {
        return 0;
    }
    *length = bytes->length - (bytes->length > 0 && bytes->data[bytes->length - 1] == '\n' ? 1 : 0);
    return web_frame_head(WEB_TEXT, *length, head);
}

static const struct stream_host web_stream_host = {.reserve = on_reserve,
                                                   .on_bytes = on_bytes,
                                                   .on_end = on_end,
                                                   .on_room = on_room,
                                                   .on_ending = on_ending,
                                                   .on_closed = on_closed,
                                                   .head = web_head};

/* ---- opening ---- */

void session_set_role(struct session *session, enum role role) {
    session->client.role = role;
    framing_set_limit(&session->framing, role == ROLE_ADMIN ? LIMIT_ADMIN_LINE_BYTES : LIMIT_LINE_BYTES);
}

size_t session_line_limit(const struct session *session) {
    return framing_limit(&session->framing);
}

int session_open(struct session *session, uv_loop_t *loop, const struct session_host *host, uint32_t id,
                 int socket, enum framing_kind kind) {
    const bool is_web = kind == FRAMING_WEB;
    session->host = host;
    session->id = id;
    session->last_line_ms = session->opened_ms = uv_now(loop);
    session->heard_ms = session->pinged_ms = session->opened_ms;
    rate_limit_init(&session->limit, host->rate, uv_now(loop));
    if (!is_web) {
        framing_init(&session->framing, LIMIT_LINE_BYTES);
    } else if (framing_init_web(&session->framing, LIMIT_LINE_BYTES) != 0) {
        framing_fini(&session->framing);
        close(socket);
        return UV_ENOMEM;
    }
    buffer_init(&session->farewell, ANSWER_BYTES);
    const int result =
        stream_open(&session->stream, loop, is_web ? &web_stream_host : &stream_host, session, id, socket);
    if (result != 0) {
        framing_fini(&session->framing);
    }
    return result;
}

void session_take_early(struct session *session, const char *bytes, size_t length) {
    while (length > 0 && session_is_open(session)) {
        size_t room = 0;
        char *space = on_reserve(&session->stream, length, &room);
        if (space == NULL) {
            session_close(session, "slow", "the server is out of memory");
            return;
        }
        const size_t taken = length < room ? length : room;
        memcpy(space, bytes, taken);
        session->stream.bytes_received += taken;
        on_bytes(&session->stream, taken);
        bytes += taken;
        length -= taken;
    }
}

/* ---- send ---- */

/* A session sends replies, events, frames and bye. See session.h. */

enum {
    BYE_BYTES = 4096,
    RETRY_SECONDS = 2 /* what a full server suggests */
};

static const char out_of_memory[] = "the server is out of memory";

bool session_is_open(const struct session *session) {
    return session->stream.phase == STREAM_OPEN;
}

/* Whether its messages are those of a WebSocket. */
static bool session_is_web(const struct session *session) {
    return session->framing.web != NULL;
}

struct log_about session_about(const struct session *session, const char *code) {
    return (struct log_about){.session = session->id, .address = session->address, .code = code};
}

uint64_t session_now_ms(const struct session *session) {
    return stream_now_ms(&session->stream);
}

/* ---- bye ---- */

static void write_bye(const char *reason, const char *text, struct buffer *bye) {
    buffer_init(bye, BYE_BYTES);
    message_write_bye(reason, text, strcmp(reason, "full") == 0 ? RETRY_SECONDS : 0, bye);
}

/* Of many refusals for one cause few have a line. */
static void log_bye(const struct session *session, const char *reason, const char *text) {
    enum refusal_cause cause = REFUSAL_COUNT;
    if (refusal_find(reason, &cause) &&
        !refusal_log_take(session->host->refusals, cause, session_now_ms(session))) {
        return;
    }
    const struct log_about about = session_about(session, reason);
    log_write_about(LOG_INFO, "net", &about, "session %u: bye %s (%s)", session->id, reason, text);
}

/* The close code that goes with a reason of bye. */
static enum web_close close_code(const char *reason) {
    static const struct {
        const char *reason;
        enum web_close code;
    } codes[] = {{"client", WEB_CLOSE_NORMAL},
                 {"idle", WEB_CLOSE_NORMAL},
                 {"shutdown", WEB_CLOSE_GOING_AWAY},
                 {"full", WEB_CLOSE_TRY_LATER}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (strcmp(codes[i].reason, reason) == 0) {
            return codes[i].code;
        }
    }
    return WEB_CLOSE_POLICY;
}

/* Bye of a WebSocket: the line as a message, unless the peer has closed, and the close frame. code: of framing_end_code. */
static void write_web_bye(int code, bool by_peer, const char *reason, const char *text, struct buffer *out) {
    struct buffer line;
    write_bye(reason, text, &line);
    buffer_init(out, 2 * BYE_BYTES);
    if (!by_peer && line.length > 0) {
        web_frame_append(out, WEB_TEXT, line.data, line.length - 1);
    }
    buffer_fini(&line);
    web_frame_append_close(out, code != 0 ? (enum web_close)code : close_code(reason), by_peer ? "" : reason);
}

void session_close(struct session *session, const char *reason, const char *text) {
    if (!session_is_open(session)) {
        return;
    }
    log_bye(session, reason, text);
    struct buffer bye;
    if (session_is_web(session)) {
        bool by_peer = false;
        const int code = framing_end_code(&session->framing, &by_peer);
        write_web_bye(code, by_peer, reason, text, &bye);
    } else {
        write_bye(reason, text, &bye);
    }
    stream_finish(&session->stream, &bye);
}

void session_refuse(int socket, enum framing_kind kind, const char *reason, const char *text) {
    struct buffer bye;
    if (kind == FRAMING_WEB) {
        write_web_bye(0, false, reason, text, &bye);
    } else {
        write_bye(reason, text, &bye);
    }
    peer_socket_refuse(socket, bye.data, bye.length);
    buffer_fini(&bye);
}

/* ---- replies and events ---- */

uint64_t session_seq(const struct session *session) {
    return session->host->seq == NULL ? 0 : *session->host->seq;
}

static void queue(struct session *session, struct shared_bytes *bytes) {
    if (bytes == NULL || stream_send(&session->stream, bytes) != 0) {
        session_close(session, "slow", out_of_memory);
    }
}

/* A WebSocket has each line in a message of its own: several lines are queued as slices of the bytes. */
static void queue_lines(struct session *session, struct shared_bytes *lines) {
    size_t begin = 0;
    while (begin < lines->length && session_is_open(session)) {
        const char *newline = memchr(lines->data + begin, '\n', lines->length - begin);
        const size_t end = newline == NULL ? lines->length : (size_t)(newline - lines->data) + 1;
        if (begin == 0 && end == lines->length) {
            queue(session, lines);
            return;
        }
        struct shared_bytes *line = shared_bytes_slice(lines, begin, end - begin);
        queue(session, line);
        shared_bytes_release(line);
        begin = end;
    }
}

void session_send_shared(struct session *session, struct shared_bytes *lines) {
    if (!session_is_open(session)) {
        return;
    }
    if (session_is_web(session)) {
        queue_lines(session, lines);
    } else {
        queue(session, lines);
    }
}

/* Queues bytes that go to the wire as they are, such as a ping, and takes the buffer's bytes. */
static void session_send_raw(struct session *session, struct buffer *bytes) {
    size_t length = 0;
    char *data = buffer_take(bytes, &length);
    struct shared_bytes *shared = data == NULL ? NULL : shared_bytes_create(data, length);
    if (shared != NULL) {
        shared->is_raw = true;
    }
    if (session_is_open(session)) {
        queue(session, shared);
    }
    shared_bytes_release(shared);
}

void session_send_text(struct session *session, char *text, size_t length) {
    struct shared_bytes *shared = shared_bytes_create(text, length);
    if (shared == NULL) {
        session_close(session, "slow", out_of_memory);
        return;
    }
    session_send_shared(session, shared);
    shared_bytes_release(shared);
}

void session_send(struct session *session, struct buffer *lines) {
    const bool failed = lines->failed;
    size_t length = 0;
    char *data = buffer_take(lines, &length);
    if (failed) {
        free(data);
        session_close(session, "slow", out_of_memory);
    } else if (data != NULL) {
        session_send_text(session, data, length);
    }
}

void session_send_event(struct session *session, struct shared_bytes *lines) {
    struct send_queue *queue = &session->stream.queue;
    if (!session_is_open(session)) {
        return;
    }
    if (session->left_out > 0 || !send_queue_accepts(queue, lines->length)) {
        session->left_out++;
        send_queue_drop_frame(queue);
        return;
    }
    session_send_shared(session, lines);
}

bool session_is_behind(const struct session *session) {
    return session->left_out > 0 && send_queue_has_room(&session->stream.queue);
}

uint64_t session_catch_up(struct session *session) {
    const uint64_t left_out = session->left_out;
    session->left_out = 0;
    session->subscription.has_sent = false;
    return left_out;
}

/* ---- frames ---- */

/* Whether frames go to the session; one that is behind skips them. */
static bool takes_frames(struct session *session) {
    if (session->left_out > 0) {
        session->stream.queue.frames_skipped++;
    }
    return session_is_open(session) && session->left_out == 0;
}

void session_offer_frame(struct session *session, struct shared_bytes *frame) {
    if (takes_frames(session)) {
        stream_offer_frame(&session->stream, frame);
    }
}

void session_offer_keyed(struct session *session, struct shared_bytes *key, uint64_t key_number,
                         struct shared_bytes *frame) {
    if (takes_frames(session)) {
        stream_offer_keyed(&session->stream, key, key_number, frame);
    }
}

void session_clear_key(struct session *session) {
    send_queue_clear_key(&session->stream.queue);
}

void session_drop_frame(struct session *session) {
    send_queue_drop_frame(&session->stream.queue);
}

void session_skip_frame(struct session *session) {
    send_queue_skip_frame(&session->stream.queue);
}

uint64_t session_behind_ms(const struct session *session) {
    return stream_behind_ms(&session->stream);
}

uint64_t session_stalled_ms(const struct session *session) {
    return stream_stalled_ms(&session->stream);
}

/* ---- lag and stepping ---- */

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
