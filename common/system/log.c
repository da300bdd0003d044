/* Leveled lines on stderr. Owns the log level and the writer, the only mutable globals of the project.
 *
 * Invariant: one call makes one line, written with one write(2), so lines of different threads do not mix;
 * control characters in the text (names that clients chose) are replaced, so a client cannot forge a line or drive
 * the terminal.
 */
#include "common/system/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/system/line_writer.h"

const char *const log_level_names[] = {"error", "warn", "info", "debug", NULL};

static enum log_level threshold = LOG_INFO;
static struct line_writer writer = LINE_WRITER_ON(STDERR_FILENO);

enum { LOG_LINE_BYTES = 1024 };

void log_set_level(enum log_level level) {
    threshold = level;
}

/* How much of a text snprintf left in `size` bytes. */
static size_t kept(int length, size_t size) {
    return length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
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
    return kept(length, size);
}

/* Cleans and ends the line, whose first `begin` bytes are ours, and hands it over. line: a text, with room
 * for one byte behind its NUL. */
static void put(char *line, size_t begin) {
    const size_t end = begin + strlen(line + begin);
    for (size_t i = begin; i < end; i++) {
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F) {
            line[i] = '?';
        }
    }
    line[end] = '\n';
    line_writer_put(&writer, line, end + 1);
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
    if (wanted < 0) {
        line[begin] = '\0';
    }
    put(line, begin);
}

void log_plain(const char *format, ...) {
    char line[LOG_LINE_BYTES + 1] = "";
    va_list arguments;
    va_start(arguments, format);
    const int wanted = vsnprintf(line, LOG_LINE_BYTES, format, arguments);
    va_end(arguments);
    if (wanted >= 0) {
        put(line, 0);
    }
}

/* ---- the thread ---- */

static size_t write_note(char *line, size_t size, uint64_t left_out) {
    const size_t begin = write_prefix(line, size, LOG_WARN, "log");
    const int length =
        snprintf(line + begin, size - begin, "left out %llu lines: the log is not read fast enough\n",
                 (unsigned long long)left_out);
    return begin + kept(length, size - begin);
}

void log_start(void) {
    static char ring[LOG_RING_BYTES];
    if (!line_writer_start(&writer, ring, sizeof ring, write_note)) {
        log_write(LOG_WARN, "log",
                  "cannot start the thread of the log: a reader that is slow holds the program up");
    }
}

void log_stop(void) {
    line_writer_stop(&writer);
}
