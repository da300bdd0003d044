/* See disk_file.h, and file_writer.h for the file of a writer, which comes last. */
#include "server/storage/disk_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/system/clock.h"
#include "server/recording/recording_line.h"
#include "server/storage/file_writer.h"

/* Makes a file that was not there (O_EXCL), for appending, mode 0600, locked with flock; its folder is synced.
 * *descriptor is the caller's to close, -1 on an error. Then no file was made. */
static int create_file(const char *path, int *descriptor) {
    *descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOCTTY | O_CLOEXEC, 0600);
    if (*descriptor < 0) {
        return errno;
    }
    int error = flock(*descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (error == 0) {
        error = disk_file_sync_folder(path);
    }
    if (error != 0) {
        (void)unlink(path);
        (void)close(*descriptor);
        *descriptor = -1;
    }
    return error;
}

int disk_file_write(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (written == 0) {
            return ENOSPC; /* nothing was wrong, and nothing was taken */
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int disk_file_sync(int descriptor) {
    int result = 0;
    do {
        result = fdatasync(descriptor);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

/* "a/b" -> "a", "a/b/" -> "a", "/b" -> "/", "b" -> "."; false: too long. */
static bool folder_of(const char *path, char folder[DISK_FILE_PATH]) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    while (length > 0 && path[length - 1] != '/') {
        length--;
    }
    const bool has_slash = length > 0;
    length = length > 1 ? length - 1 : 1;
    if (length >= DISK_FILE_PATH) {
        return false;
    }
    memcpy(folder, has_slash ? path : ".", length);
    folder[length] = '\0';
    return true;
}

int disk_file_sync_folder(const char *path) {
    char folder[DISK_FILE_PATH];
    if (!folder_of(path, folder)) {
        return ENAMETOOLONG;
    }
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return errno;
    }
    const int error = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    (void)close(descriptor);
    return error;
}

int disk_file_make_folder(const char *path) {
    const int made = mkdir(path, S_IRWXU) == 0 ? 0 : errno;
    const int error = made == 0 || made == EEXIST ? disk_file_sync_folder(path) : 0;
    return made != 0 ? made : error;
}

/* ---- whole file ---- */

/* Gives the temporary file its name. A link fails where there is such a file already, in one step; a file system
 * without links gets the same in two. */
static int put_in_place(const char *part, const char *path, bool replace) {
    if (replace) {
        return rename(part, path) == 0 ? 0 : errno;
    }
    if (link(part, path) == 0) {
        (void)unlink(part);
        return 0;
    }
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS) {
        return errno;
    }
    if (access(path, F_OK) == 0) {
        return EEXIST;
    }
    return rename(part, path) == 0 ? 0 : errno;
}

int file_write_part(const char *path, const char *bytes, size_t length) {
    int descriptor = -1;
    (void)unlink(path);
    int error = create_file(path, &descriptor);
    if (error != 0) {
        return error;
    }
    error = disk_file_write(descriptor, bytes, length);
    if (error == 0) {
        error = disk_file_sync(descriptor);
    }
    if (close(descriptor) != 0 && error == 0 && errno != EINTR) {
        error = errno;
    }
    return error;
}

int file_write_whole(const char *path, const char *bytes, size_t length, bool replace,
                     struct failure *failure) {
    char part[DISK_FILE_PATH];
    const int part_length = snprintf(part, sizeof part, "%s" WHOLE_FILE_PART, path);
    if (part_length < 0 || (size_t)part_length >= sizeof part) {
        return failure_set(failure, FAILURE_IO, NULL, "%.200s...: %s", path, strerror(ENAMETOOLONG));
    }
    int error = !replace && access(path, F_OK) == 0 ? EEXIST : file_write_part(part, bytes, length);
    if (error == 0) {
        error = put_in_place(part, path, replace);
    }
    if (error == 0) {
        error = disk_file_sync_folder(path);
    } else {
        (void)unlink(part);
    }
    return error == 0 ? 0
                      : failure_set(failure, error == EEXIST ? FAILURE_EXISTS : FAILURE_IO, NULL,
                                    "%.200s: %s", path, strerror(error));
}

/* ---- packed frames ---- */

bool packed_frame_is_name(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

void packed_frame_append(const char *bytes, size_t length, struct buffer *out) {
    const size_t room = ZSTD_compressBound(length);
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    char *packed = buffer_reserve(out, room);
    size_t packed_length = 0;
    if (packed != NULL && compressor != NULL &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1))) {
        packed_length = ZSTD_compress2(compressor, packed, room, bytes, length);
    }
    if (packed_length == 0 || ZSTD_isError(packed_length)) {
        out->failed = true;
    } else {
        buffer_commit(out, packed_length);
    }
    (void)ZSTD_freeCCtx(compressor);
}

/* ---- the file of a writer ---- */

enum { STAGE_BYTES = 16 * 1024 };

static int fail_system(const struct output_file *file, int error, struct failure *failure) {
    return failure_set(failure, error == EEXIST ? FAILURE_EXISTS : FAILURE_IO, NULL, "%.200s: %s", file->path,
                       strerror(error));
}

/* ---- what goes to the system ---- */

/* As many of the bytes as fit, to the end of a line. */
static size_t fitting(const struct output_file *file, const char *bytes, size_t length) {
    if (file->max_bytes == 0 || length <= file->max_bytes - file->bytes) {
        return length;
    }
    size_t fits = (size_t)(file->max_bytes - file->bytes);
    while (fits > 0 && bytes[fits - 1] != '\n') {
        fits--;
    }
    return fits;
}

static int write_out(struct output_file *file, const char *bytes, size_t length, struct failure *failure) {
    assert(file->max_bytes == 0 || file->bytes <= file->max_bytes);
    const size_t fits = file->compressor == NULL ? fitting(file, bytes, length)
                        : file->max_bytes == 0 || length <= file->max_bytes - file->bytes ? length
                                                                                          : 0;
    const int error = disk_file_write(file->descriptor, bytes, fits);
    if (error != 0) {
        return fail_system(file, error, failure);
    }
    file->bytes += fits;
    return fits == length ? 0
                          : failure_set(failure, FAILURE_FULL, NULL,
                                        "%.200s: the file has %" PRIu64 " bytes; at most %" PRIu64,
                                        file->path, file->bytes, file->max_bytes);
}

/* ---- the compressor ---- */

static int start_compressor(struct output_file *file, struct failure *failure) {
    file->packed_size = ZSTD_CStreamOutSize();
    file->packed = malloc(file->packed_size);
    file->compressor = ZSTD_createCCtx();
    if (file->packed == NULL || file->compressor == NULL ||
        ZSTD_isError(ZSTD_CCtx_setParameter(file->compressor, ZSTD_c_checksumFlag, 1))) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    return 0;
}

/* Gives bytes to the compressor, and what comes out to the system. */
static int compress(struct output_file *file, const char *bytes, size_t length, ZSTD_EndDirective directive,
                    struct failure *failure) {
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left = 0;
    do {
        ZSTD_outBuffer out = {file->packed, file->packed_size, 0};
        left = ZSTD_compressStream2(file->compressor, &out, &in, directive);
        if (ZSTD_isError(left)) {
            return failure_set(failure, FAILURE_IO, NULL, "%.200s: zstd: %s", file->path,
                               ZSTD_getErrorName(left));
        }
        if (write_out(file, out.dst, out.pos, failure) != 0) {
            return -1;
        }
    } while (in.pos < in.size || (directive != ZSTD_e_continue && left > 0));
    return 0;
}

static int end_frame(struct output_file *file, struct failure *failure) {
    file->frame_bytes = 0;
    return compress(file, NULL, 0, ZSTD_e_end, failure);
}

static int write_compressed(struct output_file *file, const char *bytes, size_t length,
                            struct failure *failure) {
    while (length > 0) {
        const size_t room = OUTPUT_FILE_FRAME_BYTES - (size_t)file->frame_bytes;
        const size_t count = length < room ? length : room;
        if (file->frame_bytes == 0) {
            file->frame_ns = clock_now_ns();
        }
        file->frame_bytes += count;
        if (compress(file, bytes, count, ZSTD_e_continue, failure) != 0 ||
            (file->frame_bytes == OUTPUT_FILE_FRAME_BYTES && end_frame(file, failure) != 0)) {
            return -1;
        }
        bytes += count;
        length -= count;
    }
    return 0;
}

/* ---- the file of a writer: opening and closing ---- */

int output_file_create(struct output_file *file, const char *path, uint64_t max_bytes,
                       struct failure *failure) {
    *file = (struct output_file){.descriptor = -1, .max_bytes = max_bytes};
    const size_t length = strlen(path);
    memcpy(file->path, path, length < DISK_FILE_PATH ? length : DISK_FILE_PATH - 1);
    if (length >= DISK_FILE_PATH) {
        return fail_system(file, ENAMETOOLONG, failure);
    }
    if (packed_frame_is_name(path) && start_compressor(file, failure) != 0) {
        output_file_abandon(file);
        return -1;
    }
    const int error = create_file(path, &file->descriptor);
    if (error != 0) {
        output_file_abandon(file);
        return fail_system(file, error, failure);
    }
    return 0;
}

static int write_bytes(struct output_file *file, const char *bytes, size_t length, struct failure *failure) {
    return file->compressor == NULL ? write_out(file, bytes, length, failure)
                                    : write_compressed(file, bytes, length, failure);
}

/* ---- sums ---- */

/* Short pieces on their way. */
struct stage {
    struct output_file *file;
    size_t used;
    char bytes[STAGE_BYTES];
};

static int empty_stage(struct stage *stage, struct failure *failure) {
    const size_t used = stage->used;
    stage->used = 0;
    return used == 0 ? 0 : write_bytes(stage->file, stage->bytes, used, failure);
}

static int put(struct stage *stage, const char *bytes, size_t length, struct failure *failure) {
    if (length > STAGE_BYTES - stage->used && empty_stage(stage, failure) != 0) {
        return -1;
    }
    if (length > STAGE_BYTES) {
        return write_bytes(stage->file, bytes, length, failure);
    }
    memcpy(stage->bytes + stage->used, bytes, length);
    stage->used += length;
    return 0;
}

/* A piece of a line without a newline: all but a brace at its end. */
static int put_piece(struct stage *stage, const char *bytes, size_t length, struct failure *failure) {
    struct output_file *file = stage->file;
    if (length == 0) {
        return 0;
    }
    if (file->holds_brace) {
        file->line = line_sum(file->line, "}", 1);
        if (put(stage, "}", 1, failure) != 0) {
            return -1;
        }
    }
    file->holds_brace = bytes[length - 1] == '}';
    length -= file->holds_brace ? 1 : 0;
    file->line = line_sum(file->line, bytes, length);
    return put(stage, bytes, length, failure);
}

static int put_newline(struct stage *stage, struct failure *failure) {
    struct output_file *file = stage->file;
    char end[LINE_SUM_BYTES + 2] = "\n";
    size_t length = 1;
    if (file->holds_brace) {
        file->sum = file->line;
        line_sum_text(file->sum, end);
        memcpy(end + LINE_SUM_BYTES, "}\n", 2);
        length = sizeof end;
    }
    file->holds_brace = false;
    file->line = file->sum;
    return put(stage, end, length, failure);
}

int output_file_write(struct output_file *file, const char *bytes, size_t length, struct failure *failure) {
    struct stage stage;
    stage.file = file;
    stage.used = 0;
    assert(file->descriptor >= 0);
    while (length > 0) {
        const char *newline = memchr(bytes, '\n', length);
        const size_t piece = newline == NULL ? length : (size_t)(newline - bytes);
        if (put_piece(&stage, bytes, piece, failure) != 0 ||
            (newline != NULL && put_newline(&stage, failure) != 0)) {
            return -1;
        }
        bytes += piece + (newline != NULL);
        length -= piece + (newline != NULL);
    }
    return empty_stage(&stage, failure);
}

bool output_file_has_frame(const struct output_file *file, uint64_t *until_ns) {
    *until_ns = file->frame_ns + OUTPUT_FILE_FRAME_NS;
    return file->frame_bytes > 0;
}

int output_file_flush(struct output_file *file, struct failure *failure) {
    uint64_t until_ns = 0;
    if (!output_file_has_frame(file, &until_ns)) {
        return 0;
    }
    return clock_now_ns() >= until_ns ? end_frame(file, failure)
                                      : compress(file, NULL, 0, ZSTD_e_flush, failure);
}

int output_file_sync(struct output_file *file, struct failure *failure) {
    const int error = disk_file_sync(file->descriptor);
    return error == 0 ? 0 : fail_system(file, error, failure);
}

int output_file_close(struct output_file *file, struct failure *failure) {
    int result = file->frame_bytes > 0 ? end_frame(file, failure) : 0;
    if (result == 0) {
        result = output_file_sync(file, failure);
    }
    output_file_abandon(file);
    return result;
}

void output_file_remove(struct output_file *file) {
    if (file->descriptor >= 0) {
        (void)unlink(file->path);
    }
}

void output_file_abandon(struct output_file *file) {
    if (file->descriptor >= 0) {
        (void)close(file->descriptor); /* what matters was synced */
    }
    (void)ZSTD_freeCCtx(file->compressor);
    free(file->packed);
    file->descriptor = -1;
    file->compressor = NULL;
    file->packed = NULL;
    file->frame_bytes = 0;
}
