/* What the C library asks of the system, answered here: there is no environment and there are no files, and what is written
 * to them is lost. So page.wasm imports page_host.h alone.
 *
 * These are the library's imports, which are fixed by the preview 1 of WASI. Its own wrappers around them, __wasi_fd_write and the
 * others, share a file with more or fewer others in each version, so they cannot be replaced. */
#include "common/system/clock.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <wasi/api.h>

#include "common/system/log.h"
#include "web/page_host.h"

/* ---- the system ---- */

#define ANSWERS(name) __asm__("__imported_wasi_snapshot_preview1_" #name)

int32_t page_environ_get(uint8_t **environment, uint8_t *bytes) ANSWERS(environ_get);
int32_t page_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *size) ANSWERS(environ_sizes_get);
int32_t page_fd_close(int32_t file) ANSWERS(fd_close);
int32_t page_fd_fdstat_get(int32_t file, __wasi_fdstat_t *about) ANSWERS(fd_fdstat_get);
int32_t page_fd_seek(int32_t file, int64_t offset, int32_t whence, __wasi_filesize_t *place) ANSWERS(fd_seek);
int32_t page_fd_write(int32_t file, const __wasi_ciovec_t *pieces, size_t count, __wasi_size_t *written)
    ANSWERS(fd_write);
_Noreturn void page_proc_exit(int32_t code) ANSWERS(proc_exit);

/* NOLINTBEGIN(readability-non-const-parameter): the declarations are those of WASI. */

int32_t page_environ_get(uint8_t **environment, uint8_t *bytes) {
    (void)environment;
    (void)bytes;
    return __WASI_ERRNO_SUCCESS;
}

int32_t page_environ_sizes_get(__wasi_size_t *count, __wasi_size_t *size) {
    *count = 0;
    *size = 0;
    return __WASI_ERRNO_SUCCESS;
}

int32_t page_fd_close(int32_t file) {
    (void)file;
    return __WASI_ERRNO_SUCCESS;
}

int32_t page_fd_fdstat_get(int32_t file, __wasi_fdstat_t *about) {
    (void)file;
    (void)about;
    return __WASI_ERRNO_BADF;
}

int32_t page_fd_seek(int32_t file, int64_t offset, int32_t whence, __wasi_filesize_t *place) {
    (void)file;
    (void)offset;
    (void)whence;
    *place = 0;
    return __WASI_ERRNO_SPIPE;
}

int32_t page_fd_write(int32_t file, const __wasi_ciovec_t *pieces, size_t count, __wasi_size_t *written) {
    (void)file;
    *written = 0;
    for (size_t i = 0; i < count; i++) {
        *written += pieces[i].buf_len;
    }
    return __WASI_ERRNO_SUCCESS;
}

_Noreturn void page_proc_exit(int32_t code) {
    (void)code;
    __builtin_trap();
}

/* NOLINTEND(readability-non-const-parameter) */

/* ---- clock ---- */

/* The page's side of clock.h: the browser's clocks. */

/* ---- clocks ---- */

uint64_t clock_now_ns(void) {
    return (uint64_t)(page_host_now_ms() * 1e6);
}

uint64_t clock_thread_ns(void) {
    return clock_now_ns(); /* the browser does not say how busy the processor was */
}

int64_t clock_wall_s(void) {
    return (int64_t)(page_host_wall_ms() * 1e-3);
}

/* ---- log ---- */

/* The page's side of log.h: lines go to the browser's console. */

/* ---- the log ---- */

const char *const log_level_names[] = {"error", "warn", "info", "debug", NULL};

static enum log_level threshold = LOG_WARN;

enum { LINE_BYTES = 1024 };

void log_set_level(enum log_level level) {
    threshold = level;
}

bool log_has_level(enum log_level level) {
    return level <= threshold;
}

/* length: what vsnprintf returned for LINE_BYTES. */
static void put(const char *line, int length, enum log_level level) {
    if (length > 0) {
        page_host_log(line, (size_t)length < LINE_BYTES ? (size_t)length : LINE_BYTES - 1, (uint32_t)level);
    }
}

void log_write(enum log_level level, const char *module, const char *format, ...) {
    char line[LINE_BYTES];
    if (level > threshold) {
        return;
    }
    const int prefix = snprintf(line, sizeof line, "%s: ", module);
    const int begin = prefix > 0 && prefix < LINE_BYTES ? prefix : 0;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line + begin, (size_t)(LINE_BYTES - begin), format, arguments);
    va_end(arguments);
    put(line, length < 0 ? -1 : begin + length, level);
}

void log_plain(const char *format, ...) {
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put(line, length, LOG_INFO);
}

void log_start(void) {}

void log_stop(void) {}
