/* See stream.h. Thin over libuv. From the bottom: stream_phase.c, stream_write.c, and here what uses them. */
#include "server/net/stream.h"

#include <assert.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "common/system/log.h"
#include "server/net/peer_socket.h"
#include "server/net/stream_internal.h"

/* ---- reading ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
    (void)suggested;
    struct stream *stream = handle->data;
    size_t size = 0;
    char *space = stream->host->reserve(stream, STREAM_READ_BYTES, &size);
    *out = uv_buf_init(space, space == NULL ? 0u : (unsigned)size);
}

void stream_stop_reading(struct stream *stream) {
    if (stream->is_reading) {
        uv_read_stop((uv_stream_t *)&stream->tcp);
        stream->is_reading = false;
        stream->stopped_ms = stream_now_ms(stream);
    }
}

static void on_read(uv_stream_t *handle, ssize_t count, const uv_buf_t *buffer) {
    (void)buffer;
    struct stream *stream = handle->data;
    if (count == UV_EOF) {
        stream->is_eof = true;
        stream_stop_reading(stream);
        if (stream->phase == STREAM_LINGERING) {
            stream_close_socket(stream, false);
        } else {
            stream->host->on_end(stream);
        }
    } else if (count < 0) {
        stream_lose(stream, "read", (int)count);
    } else if (count > 0 && stream->phase == STREAM_OPEN) {
        stream->bytes_received += (uint64_t)count;
        stream->host->on_bytes(stream, (size_t)count);
    }
}

void stream_read(struct stream *stream) {
    if (stream->is_reading || stream->is_eof || stream->phase == STREAM_CLOSED) {
        return;
    }
    if (uv_read_start((uv_stream_t *)&stream->tcp, on_alloc, on_read) != 0) {
        stream_close_socket(stream, false);
        return;
    }
    stream->is_reading = true;
}

bool stream_is_half_closed(const struct stream *stream) {
    uv_os_fd_t descriptor = -1;
    return stream->is_eof ||
           (!stream->is_reading && uv_fileno((const uv_handle_t *)&stream->tcp, &descriptor) == 0 &&
            peer_window_is_closed(descriptor));
}

/* ---- ending ---- */

void stream_finish(struct stream *stream, struct buffer *last) {
    assert(stream->phase == STREAM_OPEN);
    stream_enter(stream, STREAM_FLUSHING);
    stream->phase_deadline_ms = stream_now_ms(stream) + STREAM_FLUSH_MS;
    send_queue_drop_frame(&stream->queue);
    size_t length = 0;
    char *data = buffer_take(last, &length);
    struct shared_bytes *shared = data == NULL ? NULL : shared_bytes_create(data, length);
    if (shared != NULL) {
        shared->is_raw = true;
    }
    if (shared == NULL || send_queue_push(&stream->queue, shared) != 0) {
        shared_bytes_release(shared);
        stream_close_socket(stream, false);
        return;
    }
    shared_bytes_release(shared);
    stream_flush(stream);
    stream_read(stream);
}

void stream_hurry(struct stream *stream) {
    stream->is_hurried = true;
    if (stream->phase == STREAM_FLUSHING) {
        stream->phase_deadline_ms = stream_now_ms(stream) + STREAM_FLUSH_MS;
    }
}

static bool is_peer_gone(const struct stream *stream) {
    uv_os_fd_t descriptor = -1;
    return uv_fileno((const uv_handle_t *)&stream->tcp, &descriptor) != 0 || peer_socket_is_gone(descriptor);
}

/* Whether reading does not show, now and for a while, that the peer is gone. */
static bool is_unread(const struct stream *stream, uint64_t now_ms) {
    return stream->is_eof || (!stream->is_reading && now_ms - stream->stopped_ms >= STREAM_UNREAD_MS);
}

/* Since when no byte of the current batch was accepted, as far as the checks so far saw it. */
static uint64_t stalled_since(struct stream *stream, uint64_t now_ms) {
    const size_t left = uv_stream_get_write_queue_size((const uv_stream_t *)&stream->tcp);
    assert(left <= stream->write_total);
    if (left != stream->write_left) {
        stream->write_left = left;
        stream->write_progress_ms = now_ms;
    }
    return stream->write_progress_ms;
}

/* Returns whether the stream is stalled for too long. */
static bool check_open(struct stream *stream, uint64_t now_ms) {
    if (is_unread(stream, now_ms) && is_peer_gone(stream)) {
        stream_close_socket(stream, false);
        return false;
    }
    if (!send_queue_is_writing(&stream->queue)) {
        stream_flush(stream); /* a frame that was held, when no newer one comes */
        return false;
    }
    return now_ms - stalled_since(stream, now_ms) >= LIMIT_STALL_SECONDS * 1000u;
}

static void check_flush(struct stream *stream, uint64_t now_ms) {
    if (!stream->is_hurried && stalled_since(stream, now_ms) == now_ms) {
        stream->phase_deadline_ms = now_ms + STREAM_FLUSH_MS;
    }
    if (now_ms >= stream->phase_deadline_ms) {
        stream_close_socket(stream, true);
    }
}

bool stream_check(struct stream *stream, uint64_t now_ms) {
    switch (stream->phase) {
    case STREAM_OPEN:
        return check_open(stream, now_ms);
    case STREAM_FLUSHING:
        check_flush(stream, now_ms);
        return false;
    case STREAM_LINGERING:
        if (now_ms >= stream->phase_deadline_ms) {
            stream_close_socket(stream, false);
        }
        return false;
    case STREAM_CLOSED:
        return false;
    }
    return false;
}

/* ---- opening ---- */

int stream_open(struct stream *stream, uv_loop_t *loop, const struct stream_host *host, void *owner,
                uint32_t id, int socket) {
    stream->host = host;
    stream->owner = owner;
    stream->id = id;
    stream->phase = STREAM_OPEN;
    int result = uv_tcp_init(loop, &stream->tcp);
    if (result != 0) {
        close(socket);
        return result;
    }
    stream->tcp.data = stream;
    send_queue_init(&stream->queue, LIMIT_CONTROL_BYTES);
    result = uv_tcp_open(&stream->tcp, socket);
    if (result != 0) {
        /* The handle is registered with the loop already, so it has to go the long way. */
        close(socket);
        stream_close_socket(stream, false);
        return 0;
    }
    if (!peer_socket_prepare(socket)) {
        log_write(LOG_WARN, "net", "session %u: a socket option could not be set", id);
    }
    stream_read(stream);
    return 0;
}
