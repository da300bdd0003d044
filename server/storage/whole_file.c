/* See whole_file.h. */
#include "server/storage/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/storage/disk_file.h"

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
