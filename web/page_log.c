/* The page's side of log.h: lines go to the browser's console. */
#include <stdarg.h>
#include <stdio.h>

#include "common/system/log.h"
#include "web/page_host.h"

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
