/* The phases of a stream. See stream_internal.h. */
#include "server/net/stream_internal.h"

#include <assert.h>

#include "common/system/log.h"

uint64_t stream_now_ms(const struct stream *stream) {
    return uv_now(stream->tcp.loop);
}

void stream_enter(struct stream *stream, enum stream_phase phase) {
    assert(phase > stream->phase); /* phases go one way */
    const bool was_open = stream->phase == STREAM_OPEN;
    stream->phase = phase;
    if (was_open) {
        stream->host->on_ending(stream);
    }
}

static void on_uv_closed(uv_handle_t *handle) {
    struct stream *stream = handle->data;
    assert(stream->phase == STREAM_CLOSED);
    send_queue_fini(&stream->queue);
    stream->host->on_closed(stream);
}

void stream_close_socket(struct stream *stream, bool reset) {
    if (stream->phase == STREAM_CLOSED) {
        return;
    }
    stream_enter(stream, STREAM_CLOSED);
    if (!reset || uv_tcp_close_reset(&stream->tcp, on_uv_closed) != 0) {
        uv_close((uv_handle_t *)&stream->tcp, on_uv_closed);
    }
}

static void on_shutdown(uv_shutdown_t *request, int status) {
    struct stream *stream = request->handle->data;
    if (stream->phase != STREAM_CLOSED && (status != 0 || stream->is_eof)) {
        stream_close_socket(stream, false);
    }
}

void stream_start_linger(struct stream *stream) {
    assert(send_queue_is_empty(&stream->queue));
    stream_enter(stream, STREAM_LINGERING);
    stream->phase_deadline_ms =
        stream_now_ms(stream) + (stream->is_hurried ? STREAM_HURRIED_LINGER_MS : STREAM_LINGER_MS);
    if (uv_shutdown(&stream->shutdown, (uv_stream_t *)&stream->tcp, on_shutdown) != 0) {
        stream_close_socket(stream, false);
    }
}

void stream_lose(struct stream *stream, const char *doing, int error) {
    const bool hung_up = error == UV_ECONNRESET || error == UV_EPIPE;
    log_write(hung_up ? LOG_DEBUG : LOG_INFO, "net", "session %u: gone: %s: %s", stream->id, doing,
              uv_strerror(error));
    stream_close_socket(stream, false);
}
