/* A stream writes batches of its send queue. See stream.h and send_queue.h. */
#include "server/net/stream_internal.h"

#include <assert.h>
#include <string.h>

static void on_written(uv_write_t *request, int status) {
    struct stream *stream = request->handle->data;
    send_queue_end_write(&stream->queue);
    stream->bytes_sent += status == 0 ? stream->write_total : 0;
    if (stream->phase == STREAM_CLOSED) {
        return;
    }
    if (status != 0) {
        stream_lose(stream, "write", status);
        return;
    }
    stream_flush(stream);
    if (stream->phase == STREAM_OPEN) {
        stream->host->on_room(stream);
    }
}

/* Whether a waiting frame has to go on waiting, because the peer has not read what it has. */
static bool is_frame_held(struct stream *stream) {
    const uint64_t now_ms = stream_now_ms(stream);
    uv_os_fd_t descriptor = -1;
    uint32_t open_bytes = 0;
    if (stream->queue.frame == NULL || send_queue_is_writing(&stream->queue) ||
        !peer_window_is_watched(&stream->window, now_ms) ||
        uv_fileno((const uv_handle_t *)&stream->tcp, &descriptor) != 0 ||
        peer_window_read(descriptor, &open_bytes) != 0) {
        return false;
    }
    return !peer_window_allows(&stream->window, open_bytes, now_ms);
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

/* The buffers of a batch, each with its head before it; returns how many. */
static int list_buffers(struct stream *stream, struct shared_bytes *const *batch, int count,
                        uv_buf_t buffers[2 * SEND_QUEUE_BATCH], size_t *total) {
    int used = 0;
    *total = 0;
    for (int i = 0; i < count; i++) {
        size_t length = batch[i]->length;
        const size_t head =
            stream->host->head == NULL ? 0 : stream->host->head(batch[i], stream->heads[i], &length);
        if (head > 0) {
            buffers[used++] = uv_buf_init(stream->heads[i], (unsigned)head);
        }
        buffers[used++] = uv_buf_init(batch[i]->data, (unsigned)length);
        *total += head + length;
    }
    return used;
}

/* Writes a batch as far as the socket takes it now. Returns whether all of it is written; otherwise
 * on_written comes when it is, or the stream is closed.
 *
 * Nearly always the socket takes all of it. uv_write alone would ask epoll to watch for nothing after each
 * batch: one system call more for every frame of every client. */
static bool write_batch(struct stream *stream, struct shared_bytes *const *batch, int count) {
    uv_stream_t *handle = (uv_stream_t *)&stream->tcp;
    uv_buf_t buffers[2 * SEND_QUEUE_BATCH];
    size_t total = 0;
    const int used = list_buffers(stream, batch, count, buffers, &total);
    int result = uv_try_write(handle, buffers, (unsigned)used);
    const size_t done = result > 0 ? (size_t)result : 0;
    if (done == total) {
        stream->bytes_sent += total;
        return true;
    }
    stream->write_total = total;
    stream->write_left = total;
    stream->write_began_ms = stream->write_progress_ms = stream_now_ms(stream);
    if (result >= 0 || result == UV_EAGAIN) {
        const int left = skip_written(buffers, used, done);
        result = uv_write(&stream->write, handle, buffers, (unsigned)left, on_written);
    }
    if (result != 0) {
        send_queue_end_write(&stream->queue);
        stream_lose(stream, "write", result);
    }
    return false;
}

void stream_flush(struct stream *stream) {
    while (stream->phase == STREAM_OPEN || stream->phase == STREAM_FLUSHING) {
        struct shared_bytes *batch[SEND_QUEUE_BATCH];
        const int count = send_queue_begin_write(&stream->queue, is_frame_held(stream), batch);
        if (count == 0) {
            if (stream->phase == STREAM_FLUSHING && send_queue_is_empty(&stream->queue)) {
                stream_start_linger(stream);
            }
            return;
        }
        if (!write_batch(stream, batch, count)) {
            return;
        }
        send_queue_end_write(&stream->queue);
    }
}

int stream_send(struct stream *stream, struct shared_bytes *bytes) {
    assert(stream->phase == STREAM_OPEN); /* a closing stream sends nothing */
    if (send_queue_push(&stream->queue, bytes) != 0) {
        return -1;
    }
    stream_flush(stream);
    return 0;
}

/* The waiting frame, if there was one, was replaced. */
static void frame_offered(struct stream *stream, uint64_t skipped_before) {
    if (stream->queue.frames_skipped > skipped_before) {
        peer_window_note_skip(&stream->window, stream_now_ms(stream));
    }
    stream_flush(stream);
}

void stream_offer_frame(struct stream *stream, struct shared_bytes *frame) {
    assert(stream->phase == STREAM_OPEN);
    const uint64_t skipped = stream->queue.frames_skipped;
    send_queue_offer_frame(&stream->queue, frame);
    frame_offered(stream, skipped);
}

void stream_offer_keyed(struct stream *stream, struct shared_bytes *key, uint64_t key_number,
                        struct shared_bytes *frame) {
    assert(stream->phase == STREAM_OPEN);
    const uint64_t skipped = stream->queue.frames_skipped;
    send_queue_offer_keyed(&stream->queue, key, key_number, frame);
    frame_offered(stream, skipped);
}

static uint64_t writing_since_ms(const struct stream *stream, uint64_t since_ms) {
    return send_queue_is_writing(&stream->queue) ? stream_now_ms(stream) - since_ms : 0;
}

uint64_t stream_behind_ms(const struct stream *stream) {
    return writing_since_ms(stream, stream->write_began_ms);
}

uint64_t stream_stalled_ms(const struct stream *stream) {
    return writing_since_ms(stream, stream->write_progress_ms);
}
