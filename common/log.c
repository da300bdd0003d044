/* Leveled lines on stderr. Owns the log level, the one mutable global of the project.
 *
 * Invariant: one call writes one line with one fwrite, so lines of different threads do not mix; control
 * characters in the text (names that clients chose) are replaced, so nobody can forge a line or drive the
 * terminal.
 */
#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *const log_level_names[] = {"error", "warn", "info", "debug", NULL};

static enum log_level threshold = LOG_INFO;

enum { LOG_LINE_BYTES = 1024 };

void log_set_level(enum log_level level) {
    threshold = level;
}

/* "2026-01-31T12:00:00.123Z info  net: "; returns its length. */
static size_t write_prefix(char *line, size_t size, enum log_level level, const char *module) {
    struct timespec now = {0};
    struct tm utc = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    const int length =
        snprintf(line, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ %-5s %s: ", utc.tm_year + 1900,
                 utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                 (int)(now.tv_nsec / 1000000), log_level_names[level], module);
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
}

void log_write(enum log_level level, const char *module, const char *format, ...) {
    if (level > threshold) {
        return;
    }
    char line[LOG_LINE_BYTES + 1];
    const size_t begin = write_prefix(line, LOG_LINE_BYTES, level, module);
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(line + begin, LOG_LINE_BYTES - begin, format, arguments);
    va_end(arguments);
    const size_t end = wanted < 0 ? begin : begin + strlen(line + begin);
    for (size_t i = begin; i < end; i++) {
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F) {
            line[i] = '?';
        }
    }
    line[end] = '\n';
    (void)fwrite(line, 1, end + 1, stderr);
}
