/* See disk_file.h. */
#include "server/storage/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int disk_file_create(const char *path, int *descriptor) {
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
    int error = disk_file_create(path, &descriptor);
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
