/* See run_file.h. */
#include "clients/drover/run/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/storage/disk_file.h"

enum { AT_ONCE = 1 << 18, BUFFER_LIMIT = 1 << 28 };

static int fail_file(const struct run_file *file, int error, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%.250s: %s", file->path, strerror(error));
}

int run_file_begin(struct run_file *file, const char *folder, const char *name, struct failure *failure) {
    file->error = 0;
    const int length = snprintf(file->path, sizeof file->path, "%s/%s", folder, name);
    (void)snprintf(file->part, sizeof file->part, "%s.part", file->path);
    if (length < 0 || length >= (int)sizeof file->path) {
        return fail_file(file, ENAMETOOLONG, failure);
    }
    file->descriptor = open(file->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0) {
        return fail_file(file, errno, failure);
    }
    file->is_open = true;
    buffer_init(&file->buffer, BUFFER_LIMIT);
    return 0;
}

static void write_buffer(struct run_file *file) {
    if (file->buffer.failed && file->error == 0) {
        file->error = ENOMEM;
    }
    if (file->error == 0 && file->buffer.length > 0) {
        file->error = disk_file_write(file->descriptor, file->buffer.data, file->buffer.length);
    }
    buffer_clear(&file->buffer);
}

void run_file_flush(struct run_file *file) {
    if (file->buffer.length >= AT_ONCE || file->buffer.failed) {
        write_buffer(file);
    }
}

int run_file_finish(struct run_file *file, struct failure *failure) {
    write_buffer(file);
    int error = file->error != 0 ? file->error : disk_file_sync(file->descriptor);
    if (error == 0 && rename(file->part, file->path) != 0) {
        error = errno;
    }
    if (error != 0) {
        run_file_abandon(file);
        return fail_file(file, error, failure);
    }
    (void)close(file->descriptor);
    file->is_open = false;
    buffer_fini(&file->buffer);
    error = disk_file_sync_folder(file->path);
    return error == 0 ? 0 : fail_file(file, error, failure);
}

void run_file_abandon(struct run_file *file) {
    if (file->is_open) {
        (void)close(file->descriptor);
        (void)unlink(file->part);
        buffer_fini(&file->buffer);
        file->is_open = false;
    }
}
