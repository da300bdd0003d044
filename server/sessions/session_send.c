/* A session sends replies, events, frames and bye. See session.h. */
#include "server/sessions/session.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/message.h"
#include "common/system/log.h"
#include "server/net/peer_socket.h"
#include "server/net/web_frame.h"

enum {
    BYE_BYTES = 4096,
    RETRY_SECONDS = 2 /* what a full server suggests */
};

static const char out_of_memory[] = "the server is out of memory";

bool session_is_open(const struct session *session) {
    return session->stream.phase == STREAM_OPEN;
}

bool session_is_web(const struct session *session) {
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

void session_send_raw(struct session *session, struct buffer *bytes) {
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

void session_forget_key(struct session *session) {
    send_queue_forget_key(&session->stream.queue);
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
