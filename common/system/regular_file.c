/* See regular_file.h. Owns nothing. */
#include "common/system/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MOST = 1 << 30 };

static void say(char reason[REGULAR_FILE_REASON], const char *text) {
    (void)snprintf(reason, REGULAR_FILE_REASON, "%s", text);
}

static enum regular_file_result fail_system(int error, char reason[REGULAR_FILE_REASON]) {
    say(reason, error == ENXIO ? "not a regular file" : strerror(error)); /* ENXIO: a socket */
    switch (error) {
    case ENOENT:
        return REGULAR_FILE_MISSING;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return REGULAR_FILE_SHORT;
    default:
        return REGULAR_FILE_REFUSED;
    }
}

static const char *what_it_is(mode_t mode) {
    return S_ISDIR(mode)    ? "a directory, not a regular file"
           : S_ISFIFO(mode) ? "a FIFO, not a regular file"
                            : "a device, not a regular file";
}

#if defined(_WIN32)
enum { HOW = O_RDONLY | O_BINARY | O_NOINHERIT };
#else
enum { HOW = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
#endif

/* O_NONBLOCK: a FIFO without a writer is opened at once, and so refused. A regular file does not mind. */
static enum regular_file_result open_file(const char *path, int *descriptor, struct stat *status,
                                          char reason[REGULAR_FILE_REASON]) {
    const int file = open(path, HOW);
    if (file < 0) {
        return fail_system(errno, reason);
    }
    enum regular_file_result result = REGULAR_FILE_OK;
    if (fstat(file, status) != 0) {
        result = fail_system(errno, reason);
    } else if (!S_ISREG(status->st_mode)) {
        say(reason, what_it_is(status->st_mode));
        result = REGULAR_FILE_REFUSED;
    }
    if (result != REGULAR_FILE_OK) {
        close(file);
        return result;
    }
    *descriptor = file;
    return REGULAR_FILE_OK;
}

enum regular_file_result regular_file_open(const char *path, int *descriptor,
                                           char reason[REGULAR_FILE_REASON]) {
    struct stat status;
    return open_file(path, descriptor, &status, reason);
}

static enum regular_file_result fail_length(size_t limit, char reason[REGULAR_FILE_REASON]) {
    (void)snprintf(reason, REGULAR_FILE_REASON, "the file is longer than %zu bytes", limit);
    return REGULAR_FILE_REFUSED;
}

/* Up to limit bytes and one more, which says that there are more. */
static enum regular_file_result read_all(int file, size_t limit, char *text, size_t *length,
                                         char reason[REGULAR_FILE_REASON]) {
    while (*length <= limit) {
        const size_t left = limit + 1 - *length;
        const ssize_t count = read(file, text + *length, left < READ_MOST ? (unsigned)left : READ_MOST);
        if (count == 0) {
            text[*length] = '\0';
            return REGULAR_FILE_OK;
        }
        if (count < 0 && errno != EINTR) {
            return fail_system(errno, reason);
        }
        *length += count > 0 ? (size_t)count : 0;
    }
    return fail_length(limit, reason);
}

enum regular_file_result regular_file_read(const char *path, size_t limit, char **text, size_t *length,
                                           char reason[REGULAR_FILE_REASON]) {
    struct stat status;
    int file = -1;
    *text = NULL;
    *length = 0;
    enum regular_file_result result = open_file(path, &file, &status, reason);
    if (result != REGULAR_FILE_OK) {
        return result;
    }
    char *bytes = NULL;
    if (status.st_size > 0 && (uintmax_t)status.st_size > limit) {
        result = fail_length(limit, reason);
    } else if ((bytes = malloc(limit + 1)) == NULL) {
        result = fail_system(ENOMEM, reason);
    } else {
        result = read_all(file, limit, bytes, length, reason);
    }
    close(file);
    if (result == REGULAR_FILE_OK) {
        *text = bytes;
    } else {
        free(bytes);
    }
    return result;
}
