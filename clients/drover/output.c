/* See output.h. */
#include "clients/drover/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/storage/file_writer.h"

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
