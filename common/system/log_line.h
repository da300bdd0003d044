/* A line of the log as bytes: as text or as one JSON object. Pure.
 *
 *     2026-01-31T12:00:00.123Z info  net: session 3 connected from 192.0.2.1
 *     {"ts":"2026-01-31T12:00:00.123Z","level":"info","module":"net","msg":"session 3 connected from 192.0.2.1",
 *      "session":3,"address":"192.0.2.1"}                                                     (in one line)
 *
 * 1. A line has one newline, at its end: whatever a client chose to be called, it neither ends the line nor begins
 * another one, nor drives a terminal. In text a control character is a question mark; in JSON it is escaped. Bytes that
 * are not UTF-8 become U+FFFD in JSON.
 * 2. A text that is too long is cut between two characters.
 */
#ifndef DROVER_COMMON_SYSTEM_LOG_LINE_H
#define DROVER_COMMON_SYSTEM_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_TEXT, LOG_JSON };

enum {
    LOG_LINE_TEXT = 1024,                     /* bytes of a message, its NUL included */
    LOG_LINE_BYTES = 6 * LOG_LINE_TEXT + 1024 /* every byte may be escaped */
};

/** NULL-ended {"error","warn","info","debug"}, for option tables. */
extern const char *const log_level_names[];
/** NULL-ended {"text","json"}, likewise. */
extern const char *const log_format_names[];

/** The session that a line is about: members of a JSON line, which a text leaves to its message. */
struct log_about {
    uint32_t session;    /* 0: none */
    const char *address; /* of the client; NULL: unknown */
    const char *code;    /* why a session or a request was refused; NULL: no reason */
};

struct log_line {
    struct timespec time; /* UTC */
    enum log_level level;
    const char *module;            /* an identifier: not escaped */
    const char *text;              /* any bytes but NUL */
    const struct log_about *about; /* NULL: nothing */
    enum log_format format;
    bool is_bare;      /* text: without the time, the level and the module */
    bool has_priority; /* begins with <N>, by which journald knows the level */
};

/** Writes the line, its newline included, into LOG_LINE_BYTES; returns its length. */
size_t log_line_write(const struct log_line *line, char out[LOG_LINE_BYTES]);

#endif
