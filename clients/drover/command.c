/* See command.h. */
#include "clients/drover/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "server/storage/file_writer.h"

enum { GLANCE_MS = 50 };

static sigset_t taken_signals(void) {
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    return set;
}

static void *take_signals(void *context) {
    struct interrupt *interrupt = context;
    const sigset_t set = taken_signals();
    int signal_number = 0;
    (void)sigwait(&set, &signal_number);
    if (atomic_load(&interrupt->is_over)) {
        return NULL;
    }
    atomic_store(&interrupt->is_set, true);
    (void)sigwait(&set, &signal_number);
    if (atomic_load(&interrupt->is_over)) {
        return NULL;
    }
    const char *unfinished = atomic_load(&interrupt->unfinished);
    if (unfinished != NULL) {
        (void)unlink(unfinished);
    }
    _exit(EXIT_INTERRUPTED);
}

struct interrupt *interrupt_begin(void) {
    const sigset_t set = taken_signals();
    struct interrupt *interrupt = calloc(1, sizeof *interrupt);
    if (interrupt == NULL) {
        return NULL;
    }
    atomic_init(&interrupt->is_set, false);
    atomic_init(&interrupt->is_over, false);
    atomic_init(&interrupt->unfinished, NULL);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0 ||
        pthread_create(&interrupt->thread, NULL, take_signals, interrupt) != 0) {
        free(interrupt);
        return NULL;
    }
    return interrupt;
}

void interrupt_end(struct interrupt *interrupt) {
    atomic_store(&interrupt->is_over, true);
    (void)pthread_kill(interrupt->thread, SIGINT);
    (void)pthread_join(interrupt->thread, NULL);
    free(interrupt);
}

bool interrupt_is_set(const struct interrupt *interrupt) {
    return atomic_load_explicit(&interrupt->is_set, memory_order_relaxed);
}

bool interrupt_wait(const struct interrupt *interrupt, int descriptor, short events) {
    struct pollfd entry = {.fd = descriptor, .events = events};
    while (!interrupt_is_set(interrupt)) {
        if (poll(&entry, 1, GLANCE_MS) > 0) {
            return true;
        }
    }
    return false;
}

/* ---- output ---- */

enum { AT_ONCE = 1 << 18, OUTPUT_LIMIT = 1 << 30 };

static int fail(const char *path, int error, struct failure *failure) {
    return failure_set(failure, error == EEXIST ? FAILURE_EXISTS : FAILURE_IO, NULL, "%.250s: %s", path,
                       error == EEXIST ? "the file exists already; choose another name, or --replace"
                                       : strerror(error));
}

int output_begin(struct output *output, struct interrupt *interrupt, const char *path, bool replaces,
                 struct failure *failure) {
    *output = (struct output){.interrupt = interrupt, .descriptor = STDOUT_FILENO, .replaces = replaces};
    buffer_init(&output->buffer, OUTPUT_LIMIT);
    buffer_init(&output->packed, OUTPUT_LIMIT);
    if (path[0] == '\0' || strcmp(path, "-") == 0) {
        return 0;
    }
    const int length =
        snprintf(output->unfinished, sizeof output->unfinished, "%s.part-%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof output->unfinished) {
        output->descriptor = -1;
        return fail(path, ENAMETOOLONG, failure);
    }
    if (!replaces && access(path, F_OK) == 0) { /* link says so too, but only at the end */
        output->descriptor = -1;
        return fail(path, EEXIST, failure);
    }
    output->descriptor = open(output->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->descriptor < 0) {
        return fail(path, errno == EEXIST ? EBUSY : errno, failure);
    }
    output->path = path;
    output->is_packed = packed_frame_is_name(path);
    atomic_store(&interrupt->unfinished, output->unfinished);
    return 0;
}

static void write_bytes(struct output *output, const char *bytes, size_t left) {
    while (left > 0 && output->error == 0) {
        if (!interrupt_wait(output->interrupt, output->descriptor, POLLOUT)) {
            output->error = EINTR;
            break;
        }
        /* No more than a pipe has room for when poll says that it has some. */
        const size_t some = output->path == NULL && left > 4096 ? 4096 : left;
        const ssize_t written = write(output->descriptor, bytes, some);
        if (written >= 0) {
            bytes += written;
            left -= (size_t)written;
        } else if (errno == EPIPE && output->path == NULL) {
            _exit(EXIT_SUCCESS); /* the reader of the pipe has all that it wanted */
        } else if (errno != EINTR && errno != EAGAIN) {
            output->error = errno;
        }
    }
}

static void write_all(struct output *output) {
    struct buffer *buffer = &output->buffer;
    if (output->is_packed && buffer->length > 0) {
        buffer_clear(&output->packed);
        packed_frame_append(buffer->data, buffer->length, &output->packed);
        buffer = &output->packed;
    }
    if (buffer->failed) {
        output->error = output->error == 0 ? ENOMEM : output->error;
    } else {
        write_bytes(output, buffer->data, buffer->length);
    }
    buffer_clear(&output->buffer);
}

bool output_flush(struct output *output) {
    if (output->buffer.failed && output->error == 0) {
        output->error = ENOMEM;
    }
    if (output->buffer.length >= AT_ONCE) {
        write_all(output);
    }
    return output->error == 0 && !interrupt_is_set(output->interrupt);
}

bool output_write(struct output *output) {
    if (output->buffer.length > 0 || output->buffer.failed) {
        write_all(output);
    }
    return output->error == 0 && !interrupt_is_set(output->interrupt);
}

/* Puts the finished file in its place. 0, or errno. */
static int put_in_place(struct output *output) {
    if (output->replaces) {
        return rename(output->unfinished, output->path) == 0 ? 0 : errno;
    }
    return link(output->unfinished, output->path) == 0 ? 0 : errno;
}

int output_finish(struct output *output, struct failure *failure) {
    const char *path = output->path == NULL ? "standard output" : output->path;
    if (output_flush(output)) {
        write_all(output);
    }
    int error = interrupt_is_set(output->interrupt) ? EINTR : output->error;
    if (output->path != NULL && error == 0) {
        error = fsync(output->descriptor) == 0 ? put_in_place(output) : errno;
    }
    output_abandon(output);
    return error == 0 ? 0 : fail(path, error, failure);
}

void output_abandon(struct output *output) {
    buffer_fini(&output->buffer);
    buffer_fini(&output->packed);
    if (output->path != NULL) {
        (void)unlink(output->unfinished); /* of a file that was put in place this is the other name, if any */
        atomic_store(&output->interrupt->unfinished, NULL);
        (void)close(output->descriptor);
        output->path = NULL;
    }
    output->descriptor = -1;
}

/* ---- progress ---- */

static const uint64_t SHOW_NS = 100000000u;
/* The first guesses at the time left are worth nothing. */
static const double GUESS_S = 0.5;

void progress_begin(struct progress *progress, const char *what, uint64_t total) {
    *progress = (struct progress){.what = what,
                                  .total = total,
                                  .begun_ns = clock_now_ns(),
                                  .log_s = PROGRESS_LOG_S,
                                  .is_on = isatty(STDERR_FILENO) == 1};
}

const char *progress_time(char out[PROGRESS_TIME], double seconds) {
    const unsigned long whole = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000ul;
    if (whole >= 3600) {
        (void)snprintf(out, PROGRESS_TIME, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
    } else {
        (void)snprintf(out, PROGRESS_TIME, "%lu:%02lu", whole / 60, whole % 60);
    }
    return out;
}

const char *progress_bar(char out[PROGRESS_BAR + 1], double share) {
    memset(out, '.', PROGRESS_BAR);
    memset(out, '#', (size_t)(share * PROGRESS_BAR));
    out[PROGRESS_BAR] = '\0';
    return out;
}

const char *progress_line(char out[PROGRESS_LINE], const char *what, uint64_t done, uint64_t total,
                          double seconds) {
    char bar[PROGRESS_BAR + 1];
    char left[PROGRESS_TIME] = "";
    const double share = total == 0 ? 0.0 : done >= total ? 1.0 : (double)done / (double)total;
    if (total == 0) {
        (void)snprintf(out, PROGRESS_LINE, "%s %llu", what, (unsigned long long)done);
        return out;
    }
    if (share > 0.0 && seconds >= GUESS_S) {
        (void)progress_time(left, seconds * (1.0 - share) / share);
    }
    (void)snprintf(out, PROGRESS_LINE, "%.20s [%s] %3d %%%s%s%s", what, progress_bar(bar, share),
                   (int)(share * 100.0), left[0] == '\0' ? "" : "  ", left, left[0] == '\0' ? "" : " left");
    return out;
}

void progress_show(struct progress *progress, uint64_t done) {
    char line[PROGRESS_LINE];
    const uint64_t now = clock_now_ns();
    const double seconds = (double)(now - progress->begun_ns) / 1e9;
    if (!progress->is_on && seconds >= progress->log_s) {
        while (progress->log_s <= seconds) {
            progress->log_s *= 2.0;
        }
        (void)fprintf(stderr, "%s\n", progress_line(line, progress->what, done, progress->total, seconds));
    }
    if (!progress->is_on || now - progress->shown_ns < SHOW_NS) {
        return;
    }
    progress->shown_ns = now;
    progress->is_shown = true;
    (void)fprintf(stderr, "\r%s\033[K", progress_line(line, progress->what, done, progress->total, seconds));
    (void)fflush(stderr);
}

void progress_end(struct progress *progress) {
    if (progress->is_shown) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->is_shown = false;
    }
}
