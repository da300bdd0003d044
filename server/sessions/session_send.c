/* A session sends replies, events, frames and bye. See session.h. */
#include "server/sessions/session.h"

#include <stdlib.h>
#include <string.h>

#include "common/protocol/message.h"
#include "common/system/log.h"
#include "server/net/peer_socket.h"

enum {
    BYE_BYTES = 4096,
    RETRY_SECONDS = 2 /* what a full server suggests */
};

static const char out_of_memory[] = "the server is out of memory";

bool session_is_open(const struct session *session) {
    return session->stream.phase == STREAM_OPEN;
}

uint64_t session_now_ms(const struct session *session) {
    return stream_now_ms(&session->stream);
}

/* ---- bye ---- */

static void write_bye(const char *reason, const char *text, struct buffer *bye) {
    buffer_init(bye, BYE_BYTES);
    message_write_bye(reason, text, strcmp(reason, "full") == 0 ? RETRY_SECONDS : 0, bye);
}

void session_close(struct session *session, const char *reason, const char *text) {
    if (!session_is_open(session)) {
        return;
    }
    log_write(LOG_INFO, "net", "session %u: bye %s (%s)", session->id, reason, text);
    struct buffer bye;
    write_bye(reason, text, &bye);
    stream_finish(&session->stream, &bye);
}

void session_refuse(int socket, const char *reason, const char *text) {
    struct buffer bye;
    write_bye(reason, text, &bye);
    peer_socket_refuse(socket, bye.data, bye.length);
    buffer_fini(&bye);
}

/* ---- replies and events ---- */

void session_send_shared(struct session *session, struct shared_bytes *lines) {
    if (!session_is_open(session)) {
        return;
    }
    if (stream_send(&session->stream, lines) != 0) {
        session_close(session, "slow", out_of_memory);
    }
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
