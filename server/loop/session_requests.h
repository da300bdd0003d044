/* What the loop does with the lines of a session: requests that it answers itself, and the way of the others
 * to the world. The loop's half of the rows of request_table.c.
 */
#ifndef DROVER_SERVER_LOOP_SESSION_REQUESTS_H
#define DROVER_SERVER_LOOP_SESSION_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/loop/loop_context.h"

/** Whether every op has the handlers that its row promises, on the loop and in the world: once at the start.
 * 0, or -1 with *failure (internal). */
NODISCARD int session_requests_check(struct failure *failure);
/** Does what the line asks for, or answers what is wrong with it. line: without its newline. */
void session_requests_line(struct loop_context *loop, struct session *session, const char *line,
                           size_t length);
/** Answers a line that was longer than LIMIT_LINE_BYTES. */
void session_requests_too_long(struct session *session);
/** Answers a wrong token whose answer had to wait, once it is time. now_ms: loop time. */
void session_requests_refuse_late(struct session *session, uint64_t now_ms);

#endif
