/* Leveled lines on stderr: "2026-01-31T12:00:00.123Z info  net: session 3 connected". Safe from any thread.
 */
#ifndef DROVER_COMMON_LOG_H
#define DROVER_COMMON_LOG_H

#include "common/nodiscard.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/** NULL-ended {"error","warn","info","debug"}, for option tables. */
extern const char *const log_level_names[];

/** Set once at start, before other threads run. Default LOG_INFO. */
void log_set_level(enum log_level level);
void log_write(enum log_level level, const char *module, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
