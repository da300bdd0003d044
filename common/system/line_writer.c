/* See line_writer.h. */
#include "common/system/line_writer.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "common/system/duty.h"
#include "common/system/timed_wait.h"

enum { LINE_BYTES = 2048 };

/* ---- the descriptor ---- */

static void write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd watch = {.fd = descriptor, .events = POLLOUT};
            (void)poll(&watch, 1, -1);
        } else if (written == 0 || errno != EINTR) {
            return;
        }
    }
}

/* ---- the ring, under the mutex ---- */

/* Whether it had room. */
static bool append(struct line_writer *writer, const char *line, size_t length) {
    if (length > writer->size - writer->used) {
        return false;
    }
    const size_t tail = (writer->head + writer->used) % writer->size;
    const size_t until_end = writer->size - tail;
    const size_t first = length < until_end ? length : until_end;
    memcpy(writer->ring + tail, line, first);
    memcpy(writer->ring, line + first, length - first);
    writer->used += length;
    return true;
}

/* Says how many lines are missing here, once there is room for more than that. False: lines are still left
 * out. */
static bool settle(struct line_writer *writer) {
    if (writer->left_out == 0) {
        return true;
    }
    if (writer->used > writer->size / 2) {
        return false;
    }
    char note[LINE_WRITER_NOTE_BYTES];
    const size_t length =
        writer->write_note == NULL ? 0 : writer->write_note(note, sizeof note, writer->left_out);
    writer->left_out = append(writer, note, length) ? 0 : writer->left_out;
    return writer->left_out == 0;
}

/* Takes the oldest line out, in one piece however it lies (a line longer than `out` in several). */
static size_t take(struct line_writer *writer, char out[LINE_BYTES]) {
    size_t length = 0;
    bool is_end = false;
    while (!is_end && length < LINE_BYTES && length < writer->used) {
        out[length] = writer->ring[(writer->head + length) % writer->size];
        is_end = out[length++] == '\n';
    }
    writer->head = (writer->head + length) % writer->size;
    writer->used -= length;
    return length;
}

/* ---- the thread ---- */

static void *run(void *context) {
    struct line_writer *writer = context;
    pthread_mutex_lock(&writer->mutex);
    while (!writer->is_done && !thread_rests()) {
        if (writer->used == 0) {
            (void)settle(writer);
        }
        if (writer->used == 0 && writer->is_ending) {
            writer->is_done = true;
        } else if (writer->used == 0) {
            (void)thread_sleep(&writer->changed, &writer->mutex, THREAD_SLEEP_ENDLESS);
        } else {
            char line[LINE_BYTES];
            const size_t length = take(writer, line);
            pthread_mutex_unlock(&writer->mutex);
            write_all(writer->descriptor, line, length);
            pthread_mutex_lock(&writer->mutex);
            writer->lines_out++;
        }
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

bool line_writer_start(struct line_writer *writer, char *ring, size_t size,
                       size_t (*write_note)(char *line, size_t size, uint64_t left_out)) {
    assert(writer->state == LINE_WRITER_IDLE && size > 0);
    writer->ring = ring;
    writer->size = size;
    writer->head = writer->used = 0;
    writer->write_note = write_note;
    writer->is_ending = writer->is_done = false;
    if (timed_wait_init(&writer->changed) != 0) {
        return false;
    }
    if (thread_start(&writer->thread, run, writer) != 0) {
        pthread_cond_destroy(&writer->changed);
        return false;
    }
    pthread_mutex_lock(&writer->mutex);
    writer->state = LINE_WRITER_RUNNING;
    pthread_mutex_unlock(&writer->mutex);
    return true;
}

void line_writer_put(struct line_writer *writer, const char *line, size_t length) {
    pthread_mutex_lock(&writer->mutex);
    const bool is_idle = writer->state == LINE_WRITER_IDLE;
    if (writer->state == LINE_WRITER_RUNNING) {
        if (!settle(writer) || !append(writer, line, length)) {
            writer->left_out++;
        }
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->mutex);
    if (is_idle) {
        write_all(writer->descriptor, line, length);
    }
}

/* Whether a line could be written now: the thread is then only waiting for a processor. */
static bool is_writable(const struct line_writer *writer) {
    struct pollfd watch = {.fd = writer->descriptor, .events = POLLOUT};
    return poll(&watch, 1, 0) == 1 && (watch.revents & POLLOUT) != 0;
}

/* Waits for the thread to be done, as long as it gets on. */
static void drain(struct line_writer *writer) {
    const uint64_t start_ns = clock_now_ns();
    uint64_t progress_ns = start_ns;
    uint64_t lines_out = writer->lines_out;
    for (uint64_t now_ns = start_ns; !writer->is_done; now_ns = clock_now_ns()) {
        if (writer->lines_out != lines_out || is_writable(writer)) {
            lines_out = writer->lines_out;
            progress_ns = now_ns;
        }
        if (now_ns - progress_ns >= LINE_WRITER_STALL_MS * (uint64_t)1000000 ||
            now_ns - start_ns >= LINE_WRITER_STOP_MS * (uint64_t)1000000) {
            return;
        }
        (void)timed_wait_until(&writer->changed, &writer->mutex,
                               now_ns + LINE_WRITER_STALL_MS * (uint64_t)1000000 / 4);
    }
}

void line_writer_stop(struct line_writer *writer) {
    pthread_mutex_lock(&writer->mutex);
    if (writer->state != LINE_WRITER_RUNNING) {
        pthread_mutex_unlock(&writer->mutex);
        return;
    }
    writer->is_ending = true;
    pthread_cond_broadcast(&writer->changed);
    drain(writer);
    const bool is_done = writer->is_done;
    const bool is_first = writer->state == LINE_WRITER_RUNNING; /* of the threads that stop it */
    if (is_first) {
        writer->state = is_done ? LINE_WRITER_IDLE : LINE_WRITER_GIVEN_UP;
    }
    pthread_mutex_unlock(&writer->mutex);
    if (!is_first) {
        return;
    }
    if (is_done) {
        (void)pthread_join(writer->thread, NULL);
        pthread_cond_destroy(&writer->changed);
    } else {
        (void)pthread_detach(writer->thread); /* it sits in write(2), and ends with the program */
    }
}
