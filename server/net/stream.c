/* See stream.h. Thin over libuv. Calls go one way: the stream uses its writing, and that its phases and its send queue. */
#include "server/net/stream.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "common/system/log.h"
#include "server/net/peer_socket.h"

/* ---- send queue ---- */

void send_queue_init(struct send_queue *queue, size_t control_limit) {
    *queue = (struct send_queue){.control_limit = control_limit};
}

void send_queue_fini(struct send_queue *queue) {
    send_queue_end_write(queue);
    for (size_t i = 0; i < queue->count; i++) {
        shared_bytes_release(queue->control[(queue->head + i) & (queue->capacity - 1)]);
    }
    shared_bytes_release(queue->frame);
    shared_bytes_release(queue->key);
    free(queue->control);
    *queue = (struct send_queue){.control_limit = queue->control_limit,
                                 .frames_sent = queue->frames_sent,
                                 .frames_skipped = queue->frames_skipped};
}

static int grow(struct send_queue *queue) {
    const size_t capacity = queue->capacity == 0 ? 16 : queue->capacity * 2;
    struct shared_bytes **control = malloc(capacity * sizeof *control);
    if (control == NULL) {
        return -1;
    }
    for (size_t i = 0; i < queue->count; i++) {
        control[i] = queue->control[(queue->head + i) & (queue->capacity - 1)];
    }
    free(queue->control);
    queue->control = control;
    queue->capacity = capacity;
    queue->head = 0;
    return 0;
}

int send_queue_push(struct send_queue *queue, struct shared_bytes *line) {
    if (queue->count == queue->capacity && grow(queue) != 0) {
        return -1;
    }
    assert(queue->count < queue->capacity && (queue->capacity & (queue->capacity - 1)) == 0);
    queue->control[(queue->head + queue->count) & (queue->capacity - 1)] = shared_bytes_keep(line);
    queue->count++;
    queue->control_bytes += line->length;
    return 0;
}

bool send_queue_accepts(const struct send_queue *queue, size_t length) {
    return queue->control_bytes == 0 || queue->control_bytes + length <= queue->control_limit;
}

bool send_queue_has_room(const struct send_queue *queue) {
    return queue->control_bytes < queue->control_limit / 2;
}

void send_queue_offer_frame(struct send_queue *queue, struct shared_bytes *frame) {
    assert(frame != NULL);
    send_queue_drop_frame(queue);
    queue->frame = shared_bytes_keep(frame);
}

void send_queue_offer_keyed(struct send_queue *queue, struct shared_bytes *key, uint64_t key_number,
                            struct shared_bytes *frame) {
    assert(key_number != 0);
    send_queue_offer_frame(queue, frame);
    if (key_number != queue->last_key) {
        queue->key = shared_bytes_keep(key);
        queue->key_number = key_number;
    }
}

void send_queue_clear_key(struct send_queue *queue) {
    send_queue_drop_frame(queue); /* it may count on the key */
    queue->last_key = 0;
}

void send_queue_drop_frame(struct send_queue *queue) {
    shared_bytes_release(queue->key);
    queue->key = NULL;
    if (queue->frame != NULL) {
        shared_bytes_release(queue->frame);
        queue->frame = NULL;
        queue->frames_skipped++;
    }
}

void send_queue_skip_frame(struct send_queue *queue) {
    queue->frames_skipped += queue->frame == NULL ? 1 : 0;
    send_queue_drop_frame(queue);
}

size_t send_queue_writing_frame_bytes(const struct send_queue *queue) {
    size_t bytes = 0;
    for (int i = 0; i < queue->writing_count; i++) {
        const struct shared_bytes *line = queue->writing[i];
        bytes += line->meter == NULL ? 0 : line->length / (size_t)line->references;
    }
    return bytes;
}

int send_queue_begin_write(struct send_queue *queue, bool without_frame,
                           struct shared_bytes *batch[SEND_QUEUE_BATCH]) {
    if (send_queue_is_writing(queue)) {
        return 0;
    }
    int taken = 0;
    while (queue->count > 0 && taken < SEND_QUEUE_BATCH) {
        struct shared_bytes *line = queue->control[queue->head];
        queue->head = (queue->head + 1) & (queue->capacity - 1);
        queue->count--;
        queue->writing_control_bytes += line->length;
        queue->writing[taken++] = line;
    }
    if (queue->frame != NULL && !without_frame && taken + (queue->key != NULL) < SEND_QUEUE_BATCH) {
        assert(queue->count == 0);
        if (queue->key != NULL) {
            queue->writing[taken++] = queue->key;
            queue->last_key = queue->key_number;
            queue->key = NULL;
        }
        queue->writing[taken++] = queue->frame;
        queue->frame = NULL;
        queue->is_writing_frame = true;
    }
    assert(queue->writing_control_bytes <= queue->control_bytes);
    queue->writing_count = taken;
    for (int i = 0; i < taken; i++) {
        batch[i] = queue->writing[i];
    }
    return taken;
}

void send_queue_end_write(struct send_queue *queue) {
    for (int i = 0; i < queue->writing_count; i++) {
        shared_bytes_release(queue->writing[i]);
    }
    assert(queue->control_bytes >= queue->writing_control_bytes);
    queue->control_bytes -= queue->writing_control_bytes;
    queue->writing_control_bytes = 0;
    queue->writing_count = 0;
    queue->frames_sent += queue->is_writing_frame ? 1 : 0;
    queue->is_writing_frame = false;
}

bool send_queue_is_writing(const struct send_queue *queue) {
    return queue->writing_count > 0;
}

bool send_queue_is_empty(const struct send_queue *queue) {
    return queue->count == 0 && queue->frame == NULL && queue->writing_count == 0;
}

/* ---- phase ---- */

uint64_t stream_now_ms(const struct stream *stream) {
    return uv_now(stream->tcp.loop);
}

/* The next phase, which is a later one. */
static void stream_enter(struct stream *stream, enum stream_phase phase) {
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

/* Closes the socket now. reset: the kernel does not keep what the peer has not taken. Does nothing when it is
 * closed. */
static void stream_close_socket(struct stream *stream, bool reset) {
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

/* Everything is written: shuts our side and waits briefly for the peer. */
static void stream_start_linger(struct stream *stream) {
    assert(send_queue_is_empty(&stream->queue));
    stream_enter(stream, STREAM_LINGERING);
    stream->phase_deadline_ms =
        stream_now_ms(stream) + (stream->is_hurried ? STREAM_HURRIED_LINGER_MS : STREAM_LINGER_MS);
    if (uv_shutdown(&stream->shutdown, (uv_stream_t *)&stream->tcp, on_shutdown) != 0) {
        stream_close_socket(stream, false);
    }
}

/* The connection broke. The log says so when the peer fell off the net, not when it hung up. */
static void stream_lose(struct stream *stream, const char *doing, int error) {
    const bool hung_up = error == UV_ECONNRESET || error == UV_EPIPE;
    log_write(hung_up ? LOG_DEBUG : LOG_INFO, "net", "session %u: gone: %s: %s", stream->id, doing,
              uv_strerror(error));
    stream_close_socket(stream, false);
}

/* ---- write ---- */

static void stream_flush(struct stream *stream);

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

/* Writes what is queued as far as the socket takes it; a flushing stream lingers when all is written. */
static void stream_flush(struct stream *stream) {
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

/* ---- protocol sniff ---- */

enum { PAGE_BYTES = 256 };

static const char *const methods[] = {"GET ",     "POST ",  "HEAD ",  "PUT ",     "DELETE ",
                                      "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ", "PRI * HTTP/2"};

/* Fields of which every request of HTTP/1.1 has the first; the others announce a body. */
static const char *const fields[] = {"host", "content-length", "content-type", "transfer-encoding"};

/* A TLS record: a handshake (22) of version 3.x. */
static const char tls[] = {0x16, 0x03};

/* Whether bytes and start agree as far as both go. */
static bool agrees(const char *bytes, size_t length, const char *start, size_t start_length) {
    return memcmp(bytes, start, length < start_length ? length : start_length) == 0;
}

enum protocol_sniff protocol_sniff_look(const char *bytes, size_t length) {
    if (length == 0) {
        return PROTOCOL_SNIFF_UNSURE;
    }
    if (agrees(bytes, length, tls, sizeof tls)) {
        return length >= sizeof tls ? PROTOCOL_SNIFF_TLS : PROTOCOL_SNIFF_UNSURE;
    }
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        const size_t needed = strlen(methods[i]);
        if (agrees(bytes, length, methods[i], needed)) {
            return length >= needed ? PROTOCOL_SNIFF_HTTP : PROTOCOL_SNIFF_UNSURE;
        }
    }
    return PROTOCOL_SNIFF_OURS;
}

static size_t without_blanks(const char *line, size_t length) {
    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == '\r')) {
        length--;
    }
    return length;
}

static bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

static bool ends_in_version(const char *line, size_t length) {
    enum { BYTES = sizeof " HTTP/1.1" - 1 };
    const size_t end = without_blanks(line, length);
    if (end < BYTES) {
        return false;
    }
    const char *last = line + end - BYTES;
    return strncasecmp(last, " HTTP/", 6) == 0 && is_digit(last[6]) && last[7] == '.' && is_digit(last[8]);
}

static bool begins_with_field(const char *line, size_t length) {
    const char *colon = memchr(line, ':', length);
    const size_t name = colon == NULL ? 0 : without_blanks(line, (size_t)(colon - line));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strlen(fields[i]) == name && strncasecmp(line, fields[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool protocol_sniff_is_http(const char *line, size_t length) {
    return ends_in_version(line, length) || begins_with_field(line, length);
}

void protocol_sniff_answer(const char *web_address, struct buffer *out) {
    static const char refusal[] =
        "This port speaks the Drover protocol: one JSON object a line, not HTTP, not TLS\n";
    char page[PAGE_BYTES] = "";
    if (web_address != NULL) {
        (void)snprintf(page, sizeof page, "The page for browsers is at %s\n", web_address);
    }
    buffer_printf(out,
                  "HTTP/1.1 400 Bad Request\r\n"
                  "Content-Type: text/plain; charset=utf-8\r\n"
                  "Content-Length: %zu\r\n"
                  "Connection: close\r\n"
                  "\r\n"
                  "%s%s",
                  strlen(refusal) + strlen(page), refusal, page);
}

/* ---- framing ---- */

void framing_init(struct framing *framing, size_t max_bytes) {
    framing->protocol = PROTOCOL_SNIFF_UNSURE;
    framing->web = NULL;
    line_reader_init(&framing->lines, max_bytes);
}

int framing_init_web(struct framing *framing, size_t max_bytes) {
    framing_init(framing, max_bytes);
    framing->protocol = PROTOCOL_SNIFF_OURS;
    framing->web = web_framing_create(max_bytes);
    return framing->web == NULL ? -1 : 0;
}

void framing_set_limit(struct framing *framing, size_t max_bytes) {
    line_reader_set_limit(&framing->lines, max_bytes);
    if (framing->web != NULL) {
        web_framing_set_limit(framing->web, max_bytes);
    }
}

size_t framing_limit(const struct framing *framing) {
    return framing->lines.max_line_bytes;
}

void framing_fini(struct framing *framing) {
    line_reader_fini(&framing->lines);
    web_framing_destroy(framing->web);
    framing->web = NULL;
}

char *framing_reserve(struct framing *framing, size_t wish, size_t *size) {
    if (framing->web != NULL) {
        return web_framing_reserve(framing->web, size);
    }
    return line_reader_reserve(&framing->lines, wish, size);
}

enum protocol_sniff framing_commit(struct framing *framing, size_t count) {
    struct line_reader *lines = &framing->lines;
    if (framing->web != NULL) {
        web_framing_commit(framing->web, count);
        return framing->protocol;
    }
    line_reader_commit(lines, count);
    if (framing->protocol == PROTOCOL_SNIFF_UNSURE) {
        framing->protocol = protocol_sniff_look(lines->data + lines->begin, lines->end - lines->begin);
    }
    return framing->protocol;
}

int framing_end(struct framing *framing) {
    return framing->web != NULL ? 0 : line_reader_end(&framing->lines);
}

enum framing_event framing_next(struct framing *framing, char **message, size_t *length) {
    if (framing->web != NULL) {
        return web_framing_next(framing->web, message, length) ? FRAMING_MESSAGE : FRAMING_NEED_MORE;
    }
    switch (line_reader_next(&framing->lines, message, length)) {
    case LINE_READY:
        return FRAMING_MESSAGE;
    case LINE_TOO_LONG:
        return FRAMING_TOO_LONG;
    case LINE_NEED_MORE:
        line_reader_trim(&framing->lines, FRAMING_KEPT_BYTES);
        break;
    }
    return FRAMING_NEED_MORE;
}

void framing_take_replies(struct framing *framing, struct buffer *out) {
    if (framing->web != NULL) {
        web_framing_take_replies(framing->web, out);
    }
}

int framing_end_code(const struct framing *framing, bool *by_peer) {
    *by_peer = false;
    return framing->web == NULL ? 0 : web_framing_end_code(framing->web, by_peer);
}

bool framing_is_empty(const struct framing *framing) {
    if (framing->web != NULL) {
        return web_framing_is_empty(framing->web);
    }
    return framing->lines.begin == framing->lines.end;
}

void framing_clear(struct framing *framing) {
    const size_t max_bytes = framing->lines.max_line_bytes;
    if (framing->web != NULL) {
        return; /* it holds one read, which the next one overwrites */
    }
    line_reader_fini(&framing->lines);
    line_reader_init(&framing->lines, max_bytes);
}
