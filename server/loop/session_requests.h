/* The loop's half of the rows of request_table.c: it decodes the lines of a session, answers the requests of
 * the loop and queues the others for the world.
 */
#ifndef DROVER_SERVER_LOOP_SESSION_REQUESTS_H
#define DROVER_SERVER_LOOP_SESSION_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/loop/loop_context.h"

/** Checks at the start that every op has the handlers that its row promises, on the loop and in the world. 0,
 * or -1 with *failure (internal). */
NODISCARD int session_requests_check(struct failure *failure);
/** Handles a line: does its request, queues it, or answers with an error. line: without its newline. */
void session_requests_line(struct loop_context *loop, struct session *session, const char *line,
                           size_t length);
/** Answers a line that was longer than session_line_limit. */
void session_requests_too_long(struct session *session);
/** Sends the delayed answer to a wrong token when its time has come. now_ms: loop time. */
void session_requests_refuse_late(struct session *session, uint64_t now_ms);

#endif
