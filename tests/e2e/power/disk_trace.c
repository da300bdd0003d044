/* LD_PRELOAD: writes down, in order, what a program does to the files below a folder, and what it sends through sockets.
 * DROVER_TRACE is the file to write to, DROVER_TRACE_ROOT the folder. Read by disk_model.py.
 *
 * A record is: kind, descriptor, offset, length of a path, of a second one, of the bytes; then these. It stands behind the call
 * that it is about, once that has succeeded, and no other call comes between the two; but a sync has one record before, and one
 * after it. Nothing is synced: a sync takes two milliseconds instead, so that what does not wait for it is seen to come first, and for
 * as long as there is a file of the trace's name with .stall behind it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MOST = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int trace = -1;
static char root[4096], stall[4096];
static char is_below[FILES_MOST]; /* descriptors of files and folders below the root */

static int *open_trace(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    extern void disk_trace_begin(void);
    (void)pthread_once(&once, disk_trace_begin);
    return &trace;
}

static void note(char kind, int descriptor, const char *path, const char *other);

void disk_trace_begin(void) {
    const char *path = getenv("DROVER_TRACE"), *folder = getenv("DROVER_TRACE_ROOT");
    if (path != NULL && folder != NULL && strlen(folder) < sizeof root) {
        memcpy(root, folder, strlen(folder) + 1);
        (void)snprintf(stall, sizeof stall, "%s.stall", path);
        trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        note('k', -1, NULL, NULL); /* a further process */
    }
}

static int is_traced(const char *path) {
    return *open_trace() >= 0 && strncmp(path, root, strlen(root)) == 0 &&
           (path[strlen(root)] == '/' || path[strlen(root)] == '\0');
}

static int is_file(int descriptor) {
    return descriptor >= 0 && descriptor < FILES_MOST && is_below[descriptor];
}

/* The mutex is held. */
static void put(char kind, int descriptor, int64_t offset, const char *path, const char *other,
                const struct iovec *bytes, int count, size_t length) {
    struct {
        int64_t kind, descriptor, offset, path, other, length;
    } head = {kind,
              descriptor,
              offset,
              path == NULL ? 0 : (int64_t)strlen(path),
              other == NULL ? 0 : (int64_t)strlen(other),
              (int64_t)length};
    const int error = errno;
    struct iovec parts[64] = {
        {&head, sizeof head}, {(void *)path, (size_t)head.path}, {(void *)other, (size_t)head.other}};
    int used = 3;
    for (int i = 0; i < count && length > 0; i++) {
        const size_t part = bytes[i].iov_len < length ? bytes[i].iov_len : length;
        if (used == 64) {
            (void)syscall(SYS_writev, trace, parts, used);
            used = 0;
        }
        parts[used++] = (struct iovec){bytes[i].iov_base, part};
        length -= part;
    }
    (void)syscall(SYS_writev, trace, parts, used);
    errno = error;
}

static void note(char kind, int descriptor, const char *path, const char *other) {
    put(kind, descriptor, 0, path, other, NULL, 0, 0);
}

#define REAL(type, name, parameters)                                                                         \
    static type(*real) parameters;                                                                           \
    if (real == NULL) {                                                                                      \
        real = (type(*) parameters)dlsym(RTLD_NEXT, name);                                                   \
    }

/* ---- names ---- */

static int open_file(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    if (!is_traced(path)) {
        return real(path, flags, mode);
    }
    pthread_mutex_lock(&mutex);
    const int descriptor = real(path, flags, mode);
    if (descriptor >= 0 && descriptor < FILES_MOST) {
        is_below[descriptor] = 1;
        put('o', descriptor, flags & (O_CREAT | O_TRUNC), path, NULL, NULL, 0, 0);
    }
    pthread_mutex_unlock(&mutex);
    return descriptor;
}

#define OPEN(name)                                                                                           \
    int name(const char *path, int flags, ...);                                                              \
    int name(const char *path, int flags, ...) {                                                             \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        const mode_t mode = va_arg(rest, mode_t);                                                            \
        va_end(rest);                                                                                        \
        REAL(int, #name, (const char *, int, ...))                                                           \
        return open_file(real, path, flags, mode);                                                           \
    }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
    REAL(int, "close", (int))
    if (!is_file(descriptor)) {
        return real(descriptor);
    }
    pthread_mutex_lock(&mutex);
    is_below[descriptor] = 0;
    note('c', descriptor, NULL, NULL);
    const int result = real(descriptor);
    pthread_mutex_unlock(&mutex);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", (const char *, mode_t))
    pthread_mutex_lock(&mutex);
    const int result = real(path, mode);
    if (result == 0 && is_traced(path)) {
        note('m', -1, path, NULL);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

#define ONE_NAME(name, kind)                                                                                 \
    int name(const char *path) {                                                                             \
        REAL(int, #name, (const char *))                                                                     \
        pthread_mutex_lock(&mutex);                                                                          \
        const int result = real(path);                                                                       \
        if (result == 0 && is_traced(path)) {                                                                \
            note(kind, -1, path, NULL);                                                                      \
        }                                                                                                    \
        pthread_mutex_unlock(&mutex);                                                                        \
        return result;                                                                                       \
    }
ONE_NAME(unlink, 'u')
ONE_NAME(rmdir, 'u')

#define TWO_NAMES(name, kind)                                                                                \
    int name(const char *from, const char *to) {                                                             \
        REAL(int, #name, (const char *, const char *))                                                       \
        pthread_mutex_lock(&mutex);                                                                          \
        const int result = real(from, to);                                                                   \
        if (result == 0 && is_traced(to)) {                                                                  \
            note(kind, -1, from, to);                                                                        \
        }                                                                                                    \
        pthread_mutex_unlock(&mutex);                                                                        \
        return result;                                                                                       \
    }
TWO_NAMES(rename, 'r')
TWO_NAMES(link, 'l')

/* ---- bytes ---- */

static int is_socket(int descriptor) {
    struct stat status;
    return *open_trace() >= 0 && fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode);
}

/* The mutex is held. */
static void note_bytes(int descriptor, const struct iovec *parts, int count, ssize_t length) {
    if (length <= 0) {
        return;
    }
    if (is_file(descriptor)) {
        put('w', descriptor, lseek(descriptor, 0, SEEK_CUR) - length, NULL, NULL, parts, count,
            (size_t)length);
    } else {
        put('s', descriptor, 0, NULL, NULL, parts, count, (size_t)length);
    }
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    REAL(ssize_t, "write", (int, const void *, size_t))
    if (!is_file(descriptor) && !is_socket(descriptor)) {
        return real(descriptor, bytes, length);
    }
    const struct iovec part = {(void *)bytes, length};
    pthread_mutex_lock(&mutex);
    const ssize_t result = real(descriptor, bytes, length);
    note_bytes(descriptor, &part, 1, result);
    pthread_mutex_unlock(&mutex);
    return result;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", (int, const struct iovec *, int))
    if (!is_file(descriptor) && !is_socket(descriptor)) {
        return real(descriptor, parts, count);
    }
    pthread_mutex_lock(&mutex);
    const ssize_t result = real(descriptor, parts, count);
    note_bytes(descriptor, parts, count, result);
    pthread_mutex_unlock(&mutex);
    return result;
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    REAL(ssize_t, "sendmsg", (int, const struct msghdr *, int))
    pthread_mutex_lock(&mutex);
    const ssize_t result = real(descriptor, message, flags);
    if (*open_trace() >= 0) {
        note_bytes(descriptor, message->msg_iov, (int)message->msg_iovlen, result);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

ssize_t send(int descriptor, const void *bytes, size_t length, int flags) {
    REAL(ssize_t, "send", (int, const void *, size_t, int))
    const struct iovec part = {(void *)bytes, length};
    pthread_mutex_lock(&mutex);
    const ssize_t result = real(descriptor, bytes, length, flags);
    if (*open_trace() >= 0) {
        note_bytes(descriptor, &part, 1, result);
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

#define TRUNCATE(name, type)                                                                                 \
    int name(int descriptor, type length) {                                                                  \
        REAL(int, #name, (int, type))                                                                        \
        pthread_mutex_lock(&mutex);                                                                          \
        const int result = real(descriptor, length);                                                         \
        if (result == 0 && is_file(descriptor)) {                                                            \
            put('t', descriptor, length, NULL, NULL, NULL, 0, 0);                                            \
        }                                                                                                    \
        pthread_mutex_unlock(&mutex);                                                                        \
        return result;                                                                                       \
    }
TRUNCATE(ftruncate, off_t)

/* ---- syncs ---- */

static void sync_file(int descriptor) {
    const struct timespec moment = {.tv_nsec = 2000000};
    pthread_mutex_lock(&mutex);
    note('b', descriptor, NULL, NULL);
    pthread_mutex_unlock(&mutex);
    do {
        (void)nanosleep(&moment, NULL);
    } while (access(stall, F_OK) == 0);
    pthread_mutex_lock(&mutex);
    note('e', descriptor, NULL, NULL);
    pthread_mutex_unlock(&mutex);
}

#define SYNC(name)                                                                                           \
    int name(int descriptor) {                                                                               \
        REAL(int, #name, (int))                                                                              \
        if (!is_file(descriptor)) {                                                                          \
            return real(descriptor);                                                                         \
        }                                                                                                    \
        sync_file(descriptor);                                                                               \
        return 0;                                                                                            \
    }
SYNC(fsync)
SYNC(fdatasync)
