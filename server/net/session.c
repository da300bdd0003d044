/* See session.h. Thin over libuv; what to send next is decided in send_queue.c. */
#include "server/net/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/protocol/message.h"
#include "common/system/log.h"
#include "server/net/peer_socket.h"
#include "server/net/protocol_sniff.h"

enum {
    BYE_BYTES = 4096,
    RETRY_SECONDS = 2 /* what a full server suggests */
};

static void flush(struct session *session);
static void resume_reading(struct session *session);
static void leave_when_done(struct session *session);

static void on_uv_closed(uv_handle_t *handle) {
    struct session *session = handle->data;
    line_reader_fini(&session->reader);
    send_queue_fini(&session->queue);
    session->host->on_closed(session->host->context, session);
}

/* Closes the socket now. reset: tell the kernel not to keep what the peer does not take. */
static void close_now(struct session *session, bool reset) {
    if (session->phase == SESSION_CLOSED) {
        return;
    }
    session->phase = SESSION_CLOSED;
    session->subscription.is_active = false;
    if (!reset || uv_tcp_close_reset(&session->tcp, on_uv_closed) != 0) {
        uv_close((uv_handle_t *)&session->tcp, on_uv_closed);
    }
}

static void on_shutdown(uv_shutdown_t *request, int status) {
    struct session *session = request->handle->data;
    if (session->phase != SESSION_CLOSED && (status != 0 || session->is_eof)) {
        close_now(session, false);
    }
}

static void start_linger(struct session *session) {
    session->phase = SESSION_LINGERING;
    session->phase_deadline_ms =
        uv_now(session->tcp.loop) + (session->is_hurried ? SESSION_HURRIED_LINGER_MS : SESSION_LINGER_MS);
    if (uv_shutdown(&session->shutdown, (uv_stream_t *)&session->tcp, on_shutdown) != 0) {
        close_now(session, false);
    }
}

/* The connection broke. A peer that fell off the net is worth a line in the log; one that hung up is not. */
static void lose(struct session *session, const char *doing, int error) {
    const bool hung_up = error == UV_ECONNRESET || error == UV_EPIPE;
    log_write(hung_up ? LOG_DEBUG : LOG_INFO, "net", "session %u: gone: %s: %s", session->id, doing,
              uv_strerror(error));
    close_now(session, false);
}

static void on_written(uv_write_t *request, int status) {
    struct session *session = request->handle->data;
    send_queue_end_write(&session->queue);
    session->bytes_sent += status == 0 ? session->write_total : 0;
    if (session->phase == SESSION_CLOSED) {
        return;
    }
    if (status != 0) {
        lose(session, "write", status);
        return;
    }
    flush(session);
    if (session_is_runnable(session)) {
        session->host->on_runnable(session->host->context, session); /* its lines waited for room */
    }
}

/* Whether a frame that waits has to go on waiting, because the client has not read what it has. */
static bool is_frame_held(struct session *session) {
    const uint64_t now_ms = uv_now(session->tcp.loop);
    uv_os_fd_t descriptor = -1;
    uint32_t open_bytes = 0;
    if (session->queue.frame == NULL || send_queue_is_writing(&session->queue) ||
        !peer_window_is_watched(&session->window, now_ms) ||
        uv_fileno((const uv_handle_t *)&session->tcp, &descriptor) != 0 ||
        peer_window_read(descriptor, &open_bytes) != 0) {
        return false;
    }
    return !peer_window_allows(&session->window, open_bytes, now_ms);
}

/* Leaves of the buffers what comes after the first `done` bytes; returns how many buffers are left. */
static int skip_written(uv_buf_t *buffers, int count, size_t done) {
    int first = 0;
    while (first < count && done >= buffers[first].len) {
        done -= buffers[first++].len;
    }
    if (first < count) {
        buffers[first].base += done;
        buffers[first].len -= done;
    }
    memmove(buffers, buffers + first, (size_t)(count - first) * sizeof *buffers);
    return count - first;
}

/* Writes a batch as far as the socket takes it now. Returns whether all of it is written; otherwise
 * on_written comes when it is, or the session is closed.
 *
 * Nearly always the socket takes all of it. uv_write alone would ask epoll to watch for nothing after each
 * batch: one system call more for every frame of every client. */
static bool write_batch(struct session *session, struct shared_bytes *const *batch, int count) {
    uv_stream_t *stream = (uv_stream_t *)&session->tcp;
    uv_buf_t buffers[SEND_QUEUE_BATCH];
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        buffers[i] = uv_buf_init(batch[i]->data, (unsigned)batch[i]->length);
        total += batch[i]->length;
    }
    int result = uv_try_write(stream, buffers, (unsigned)count);
    const size_t done = result > 0 ? (size_t)result : 0;
    if (done == total) {
        session->bytes_sent += total;
        return true;
    }
    session->write_total = total;
    session->write_left = total;
    session->write_began_ms = session->write_progress_ms = uv_now(session->tcp.loop);
    if (result >= 0 || result == UV_EAGAIN) {
        const int left = skip_written(buffers, count, done);
        result = uv_write(&session->write, stream, buffers, (unsigned)left, on_written);
    }
    if (result != 0) {
        send_queue_end_write(&session->queue);
        lose(session, "write", result);
    }
    return false;
}

static void flush(struct session *session) {
    while (session->phase == SESSION_OPEN || session->phase == SESSION_FLUSHING) {
        struct shared_bytes *batch[SEND_QUEUE_BATCH];
        const int count = send_queue_begin_write(&session->queue, is_frame_held(session), batch);
        if (count == 0) {
            if (session->phase == SESSION_FLUSHING && send_queue_is_empty(&session->queue)) {
                start_linger(session);
            }
            return;
        }
        if (!write_batch(session, batch, count)) {
            return;
        }
        send_queue_end_write(&session->queue);
    }
}

void session_send_shared(struct session *session, struct shared_bytes *lines) {
    if (session->phase != SESSION_OPEN) {
        return;
    }
    if (send_queue_push(&session->queue, lines) != 0) {
        session_close(session, "slow", "the server is short of memory");
        return;
    }
    flush(session);
}

void session_tell(struct session *session, struct shared_bytes *lines) {
    if (session->phase != SESSION_OPEN) {
        return;
    }
    if (session->left_out > 0 || !send_queue_accepts(&session->queue, lines->length)) {
        session->left_out++;
        send_queue_drop_frame(&session->queue);
        return;
    }
    session_send_shared(session, lines);
}

bool session_is_behind(const struct session *session) {
    return session->left_out > 0 && send_queue_has_room(&session->queue);
}

uint64_t session_catch_up(struct session *session) {
    const uint64_t left_out = session->left_out;
    session->left_out = 0;
    session->subscription.has_sent = false;
    return left_out;
}

void session_send_text(struct session *session, char *text, size_t length) {
    struct shared_bytes *shared = shared_bytes_create(text, length);
    if (shared == NULL) {
        session_close(session, "slow", "the server is short of memory");
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
        session_close(session, "slow", "the server is short of memory");
    } else if (data != NULL) {
        session_send_text(session, data, length);
    }
}

/* The frame that waited, if one did, was replaced. */
static void frame_offered(struct session *session, uint64_t skipped_before) {
    if (session->queue.frames_skipped > skipped_before) {
        peer_window_note_skip(&session->window, uv_now(session->tcp.loop));
    }
    flush(session);
}

/* Whether frames go to the session; one that is behind skips them. */
static bool takes_frames(struct session *session) {
    if (session->left_out > 0) {
        session->queue.frames_skipped++;
    }
    return session->phase == SESSION_OPEN && session->left_out == 0;
}

void session_offer_frame(struct session *session, struct shared_bytes *frame) {
    if (takes_frames(session)) {
        const uint64_t skipped = session->queue.frames_skipped;
        send_queue_offer_frame(&session->queue, frame);
        frame_offered(session, skipped);
    }
}

void session_offer_keyed(struct session *session, struct shared_bytes *key, uint64_t key_number,
                         struct shared_bytes *frame) {
    if (takes_frames(session)) {
        const uint64_t skipped = session->queue.frames_skipped;
        send_queue_offer_keyed(&session->queue, key, key_number, frame);
        frame_offered(session, skipped);
    }
}

void session_forget_key(struct session *session) {
    send_queue_forget_key(&session->queue);
}

void session_drop_frame(struct session *session) {
    send_queue_drop_frame(&session->queue);
}

void session_skip_frame(struct session *session) {
    send_queue_skip_frame(&session->queue);
}

static uint64_t writing_since_ms(const struct session *session, uint64_t since_ms) {
    return send_queue_is_writing(&session->queue) ? uv_now(session->tcp.loop) - since_ms : 0;
}

uint64_t session_behind_ms(const struct session *session) {
    return writing_since_ms(session, session->write_began_ms);
}

uint64_t session_stalled_ms(const struct session *session) {
    return writing_since_ms(session, session->write_progress_ms);
}

/* Sends these last bytes after what is queued, then closes. Takes the buffer's bytes. */
static void close_with(struct session *session, struct buffer *last) {
    session->phase = SESSION_FLUSHING;
    session->phase_deadline_ms = uv_now(session->tcp.loop) + SESSION_FLUSH_MS;
    session->subscription.is_active = false;
    session->has_backlog = false;
    send_queue_drop_frame(&session->queue);
    size_t length = 0;
    char *data = buffer_take(last, &length);
    struct shared_bytes *shared = data == NULL ? NULL : shared_bytes_create(data, length);
    if (shared == NULL || send_queue_push(&session->queue, shared) != 0) {
        shared_bytes_release(shared);
        close_now(session, false);
        return;
    }
    shared_bytes_release(shared);
    flush(session);
    resume_reading(session);
}

static void write_bye(const char *reason, const char *text, struct buffer *bye) {
    buffer_init(bye, BYE_BYTES);
    message_write_bye(reason, text, strcmp(reason, "full") == 0 ? RETRY_SECONDS : 0, bye);
}

void session_close(struct session *session, const char *reason, const char *text) {
    if (session->phase != SESSION_OPEN) {
        return;
    }
    log_write(LOG_INFO, "net", "session %u: bye %s (%s)", session->id, reason, text);
    struct buffer bye;
    write_bye(reason, text, &bye);
    close_with(session, &bye);
}

void session_refuse(int socket, const char *reason, const char *text) {
    struct buffer bye;
    write_bye(reason, text, &bye);
    peer_socket_refuse(socket, bye.data, bye.length);
    buffer_fini(&bye);
}

/* Answers a peer that speaks another protocol. Returns whether it was one. */
static bool refuse_foreign(struct session *session) {
    if (session->is_recognised) {
        return false;
    }
    const struct line_reader *reader = &session->reader;
    const enum protocol_sniff protocol =
        protocol_sniff_look(reader->data + reader->begin, reader->end - reader->begin);
    session->is_recognised = protocol == PROTOCOL_SNIFF_OURS;
    if (protocol == PROTOCOL_SNIFF_OURS || protocol == PROTOCOL_SNIFF_UNSURE) {
        return false;
    }
    log_write(LOG_INFO, "net", "session %u: speaks %s; refused", session->id,
              protocol == PROTOCOL_SNIFF_TLS ? "TLS" : "HTTP");
    struct buffer answer;
    buffer_init(&answer, BYE_BYTES);
    buffer_append_text(&answer, protocol_sniff_answer());
    close_with(session, &answer);
    return true;
}

/* ---- reading ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    (void)suggested;
    struct session *session = handle->data;
    size_t size = 0;
    char *space = NULL;
    if (session->phase != SESSION_OPEN) {
        /* What a closing session still sends is thrown away: start over with an empty reader. */
        line_reader_fini(&session->reader);
        line_reader_init(&session->reader, LIMIT_LINE_BYTES);
    }
    space = line_reader_reserve(&session->reader, SESSION_READ_BYTES, &size);
    *out = uv_buf_init(space, space == NULL ? 0u : (unsigned)size);
}

static void stop_reading(struct session *session) {
    if (session->is_reading) {
        uv_read_stop((uv_stream_t *)&session->tcp);
        session->is_reading = false;
        session->stopped_ms = uv_now(session->tcp.loop);
    }
}

static void on_end(struct session *session) {
    session->is_eof = true;
    stop_reading(session);
    if (session->phase == SESSION_LINGERING) {
        close_now(session, false);
    } else if (session->phase == SESSION_OPEN && line_reader_end(&session->reader) != 0) {
        session_close(session, "slow", "the server is short of memory");
    } else {
        session_run(session);
    }
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    (void)buffer;
    struct session *session = stream->data;
    if (count == UV_EOF) {
        on_end(session);
    } else if (count < 0) {
        lose(session, "read", (int)count);
    } else if (count > 0 && session->phase == SESSION_OPEN) {
        session->bytes_received += (uint64_t)count;
        line_reader_commit(&session->reader, (size_t)count);
        if (!refuse_foreign(session)) {
            session_run(session);
        }
    }
}

static void resume_reading(struct session *session) {
    if (session->is_reading || session->is_eof || session->phase == SESSION_CLOSED) {
        return;
    }
    if (uv_read_start((uv_stream_t *)&session->tcp, on_alloc, on_read) != 0) {
        close_now(session, false);
        return;
    }
    session->is_reading = true;
}

static bool may_take_line(const struct session *session) {
    return session->phase == SESSION_OPEN && !session->is_leaving && !session->is_held &&
           session->outstanding < SESSION_COMMANDS && session->outstanding_long < SESSION_LONG_ANSWERS &&
           send_queue_has_room(&session->queue) && rate_limit_allows(&session->limit);
}

bool session_is_runnable(const struct session *session) {
    return session->has_backlog && may_take_line(session);
}

/* Hands out lines until the turn is over. Returns true when lines may be left. */
static bool hand_out_lines(struct session *session) {
    for (int handled = 0; handled < SESSION_LINES_PER_TURN && may_take_line(session); handled++) {
        char *line = NULL;
        size_t length = 0;
        switch (line_reader_next(&session->reader, &line, &length)) {
        case LINE_NEED_MORE:
            return false;
        case LINE_TOO_LONG:
            session->line++;
            session->is_waiting = false;
            session->host->on_too_long(session->host->context, session);
            break;
        case LINE_READY:
            session->line++;
            if (length > 0) {
                session->is_waiting =
                    handled == 0 && session->outstanding == 0 && session->reader.begin == session->reader.end;
                session->guest.heard_ms = uv_now(session->tcp.loop);
                session->host->on_line(session->host->context, session, line, length);
            }
            break;
        }
    }
    return true;
}

void session_run(struct session *session) {
    if (session->phase != SESSION_OPEN) {
        return;
    }
    rate_limit_fill(&session->limit, uv_now(session->tcp.loop));
    session->has_backlog = hand_out_lines(session);
    if (session->phase != SESSION_OPEN) {
        return;
    }
    if (!session->has_backlog) {
        resume_reading(session);
        leave_when_done(session);
        return;
    }
    stop_reading(session);
    if (!rate_limit_allows(&session->limit)) {
        rate_limit_hold(&session->limit, uv_now(session->tcp.loop));
    }
    if (may_take_line(session)) {
        session->host->on_runnable(session->host->context, session);
    }
    leave_when_done(session);
}

void session_expect_answer(struct session *session, bool is_long) {
    session->outstanding++;
    session->outstanding_long += is_long;
}

void session_answered(struct session *session, bool is_long) {
    assert(session->outstanding > 0 && session->outstanding_long >= is_long);
    session->outstanding--;
    session->outstanding_long -= is_long;
    if (session->phase != SESSION_OPEN) {
        return;
    }
    if (session->has_backlog && may_take_line(session)) {
        session->host->on_runnable(session->host->context, session);
    }
    leave_when_done(session);
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

/* ---- ending ---- */

static void leave_when_done(struct session *session) {
    if (session->phase != SESSION_OPEN || session->outstanding > 0) {
        return;
    }
    if (session->is_leaving) {
        if (session->has_bye_request) {
            struct buffer reply;
            buffer_init(&reply, BYE_BYTES);
            struct json_writer json = message_begin_reply(REQUEST_BYE, session->bye_id, &reply);
            message_end_reply(&json, &reply);
            session_send(session, &reply);
        }
        session_close(session, "client", "you asked to leave");
    } else if (session->is_eof && !session->has_backlog && !session->subscription.is_active) {
        session_close(session, "client", "you closed your side");
    }
}

void session_leave(struct session *session, const char *id) {
    session->is_leaving = true;
    session->has_bye_request = true;
    const size_t length = strnlen(id, sizeof session->bye_id - 1);
    memcpy(session->bye_id, id, length);
    session->bye_id[length] = '\0';
    /* The line that asked is still being handled; session_run ends the session after it. */
}

bool session_is_half_closed(const struct session *session) {
    uv_os_fd_t descriptor = -1;
    return session->is_eof ||
           (!session->is_reading && uv_fileno((const uv_handle_t *)&session->tcp, &descriptor) == 0 &&
            peer_window_is_closed(descriptor));
}

static bool is_peer_gone(const struct session *session) {
    uv_os_fd_t descriptor = -1;
    return uv_fileno((const uv_handle_t *)&session->tcp, &descriptor) != 0 || peer_socket_is_gone(descriptor);
}

/* Since when no byte of what is being written was accepted, as of the looks taken so far. */
static uint64_t stalled_since(struct session *session, uint64_t now_ms) {
    const size_t left = uv_stream_get_write_queue_size((const uv_stream_t *)&session->tcp);
    if (left != session->write_left) {
        session->write_left = left;
        session->write_progress_ms = now_ms;
    }
    return session->write_progress_ms;
}

/* Whether reading does not tell, now and for a while, that the peer is gone. */
static bool is_deaf(const struct session *session, uint64_t now_ms) {
    return session->is_eof || (!session->is_reading && now_ms - session->stopped_ms >= SESSION_DEAF_MS);
}

static void check_stall(struct session *session, uint64_t now_ms) {
    if (!send_queue_is_writing(&session->queue)) {
        flush(session); /* a frame that was held, when no newer one comes */
    } else if (now_ms - stalled_since(session, now_ms) >= LIMIT_STALL_SECONDS * 1000u) {
        session_close(session, "slow", "no byte was accepted for 10 s");
    }
}

static void check_flush(struct session *session, uint64_t now_ms) {
    if (!session->is_hurried && stalled_since(session, now_ms) == now_ms) {
        session->phase_deadline_ms = now_ms + SESSION_FLUSH_MS;
    }
    if (now_ms >= session->phase_deadline_ms) {
        close_now(session, true);
    }
}

void session_hurry(struct session *session) {
    session->is_hurried = true;
    if (session->phase == SESSION_FLUSHING) {
        session->phase_deadline_ms = uv_now(session->tcp.loop) + SESSION_FLUSH_MS;
    }
}

/* Lets a session that was held back go on, or ends it. */
static void check_rate(struct session *session, uint64_t now_ms) {
    rate_limit_fill(&session->limit, now_ms);
    if (rate_limit_held_for_ms(&session->limit, now_ms) >= LIMIT_RATE_SECONDS * 1000u) {
        session_close(session, "rate", "more requests than are allowed, for 10 s without a pause");
    } else if (session_is_runnable(session)) {
        session->host->on_runnable(session->host->context, session);
    }
}

void session_check(struct session *session, uint64_t now_ms) {
    switch (session->phase) {
    case SESSION_OPEN:
        if (is_deaf(session, now_ms) && is_peer_gone(session)) {
            close_now(session, false);
            return;
        }
        check_stall(session, now_ms);
        if (session->phase == SESSION_OPEN) {
            session->host->on_check(session->host->context, session, now_ms);
        }
        if (session->phase == SESSION_OPEN) {
            check_rate(session, now_ms);
        }
        return;
    case SESSION_FLUSHING:
        check_flush(session, now_ms);
        return;
    case SESSION_LINGERING:
        if (now_ms >= session->phase_deadline_ms) {
            close_now(session, false);
        }
        return;
    case SESSION_CLOSED:
        return;
    }
}

/* ---- opening ---- */

int session_open(struct session *session, uv_loop_t *loop, const struct session_host *host, uint32_t id,
                 int socket) {
    session->host = host;
    session->id = id;
    session->phase = SESSION_OPEN;
    session->guest.heard_ms = session->opened_ms = uv_now(loop);
    rate_limit_init(&session->limit, host->rate, uv_now(loop));
    int result = uv_tcp_init(loop, &session->tcp);
    if (result != 0) {
        close(socket);
        return result;
    }
    session->tcp.data = session;
    line_reader_init(&session->reader, LIMIT_LINE_BYTES);
    send_queue_init(&session->queue, LIMIT_CONTROL_BYTES);
    result = uv_tcp_open(&session->tcp, socket);
    if (result != 0) {
        /* The handle is registered with the loop already, so it has to go the long way. */
        close(socket);
        close_now(session, false);
        return 0;
    }
    if (!peer_socket_prepare(socket)) {
        log_write(LOG_WARN, "net", "session %u: a socket option could not be set", session->id);
    }
    resume_reading(session);
    return 0;
}
