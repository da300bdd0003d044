/* Describes the world to one session: the first line, the `scenario` line, the session's own events. On the
 * loop.
 */
#ifndef DROVER_SERVER_LOOP_SESSION_DESCRIBE_H
#define DROVER_SERVER_LOOP_SESSION_DESCRIBE_H

#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/loop/loop_context.h"

/** Sends the first line of a connection: the server, the session's number and role, and the world when the
 * role may read it. */
void session_describe_send_hello(struct loop_context *loop, struct session *session);
/** The world as it is, for the caller to free, and a revision that the description contains at least. NULL
 * when memory is short: the session is closed then. */
NODISCARD struct message_hello *session_describe_world(struct loop_context *loop, struct session *session,
                                                       uint32_t *revision);
/** Sends the `scenario` line, which contains this revision. */
void session_describe_send_scenario(struct session *session, uint32_t revision,
                                    const struct message_scenario *scenario);
/** A `scenario` line has come from the world: when it is not on its way any more, sends the same to the sessions whose hello was of a
 * moment on the way, as far as they are not subscribed. */
void session_describe_send_arrival(struct loop_context *loop);
/** Sends an event to this session alone. Sets event->tick. */
void session_describe_send_event(struct loop_context *loop, struct session *session,
                                 struct message_event *event);
/** Sends the `lag` event; when the session missed events, the `scenario` line as well. */
void session_describe_send_lag(struct loop_context *loop, struct session *session, struct message_event *lag);

#endif
