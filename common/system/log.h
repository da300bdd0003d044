/* Leveled lines on stderr: "2026-01-31T12:00:00.123Z info  net: session 3 connected". Safe from any thread.
 *
 * The lines are text, or a JSON object each (log_line.h).
 *
 * Between log_start and log_stop a thread of its own writes them (line_writer.h): a thread that logs never
 * waits for the reader of the log. LOG_RING_BYTES of lines wait; further ones are left out, and where they are
 * missing stands "... warn  log: left out 12 lines: the log is not read fast enough". Before and after, lines
 * are written at once, so programs that end early lose nothing. Lines that wait are lost when a signal or
 * abort() ends the program.
 */
#ifndef DROVER_COMMON_SYSTEM_LOG_H
#define DROVER_COMMON_SYSTEM_LOG_H

#include <stdbool.h>

#include "common/base/nodiscard.h"
#include "common/system/log_line.h"

enum { LOG_RING_BYTES = 256 * 1024 /* some 3000 lines */ };

/** Set once at start, before other threads run. Default LOG_INFO. */
void log_set_level(enum log_level level);
/** Set once at start, before other threads run. Default LOG_TEXT. program: a literal; the module of log_plain. */
void log_set_format(enum log_format format, const char *program);
/** Set once at start, before other threads run: lines begin with <3>, <4>, <6> or <7>, by which journald knows their
 * level, when stderr goes to it. stream: the value of the variable JOURNAL_STREAM, or NULL. */
void log_detect_journal(const char *stream);
/** Whether lines of this level are written: what a line costs to make can be saved. */
bool log_has_level(enum log_level level);
void log_write(enum log_level level, const char *module, const char *format, ...) PRINTF_LIKE(3, 4);
/** The same about a session. The message is whole without *about. */
void log_write_about(enum log_level level, const char *module, const struct log_about *about,
                     const char *format, ...) PRINTF_LIKE(4, 5);
/** A line as it stands, whatever the level: what a program says of its own end, "drover-server: port 7717 on
 * 127.0.0.1 is in use"; in JSON an error of the program. */
void log_plain(const char *format, ...) PRINTF_LIKE(1, 2);

/** Starts the thread. Call it once, before other threads run; where no thread is to be had, lines go on being
 * written at once. */
void log_start(void);
/** Waits until every line is written, but not for a log that is not read (LINE_WRITER_STALL_MS). Call it last
 * of all: what is logged after giving up is left out. Does nothing before log_start. Any thread
 * may call it, and several at once. */
void log_stop(void);

#endif
