/* The reply to a request, sent at once, from the loop. There is one way to open a reply:
 *
 *     struct reply reply;
 *     struct json_writer *json = reply_begin(&reply, request);
 *     json_key_...(json, ...);
 *     reply_send(&reply, session);
 */
#ifndef DROVER_SERVER_SESSIONS_REPLY_H
#define DROVER_SERVER_SESSIONS_REPLY_H

#include "common/base/failure.h"
#include "common/json/json_writer.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/sessions/session.h"

/** A reply being written. Not to be moved while it is open. */
struct reply {
    struct buffer out;
    struct json_writer json;
};

/** Opens the reply to a request; the members come next. End it with reply_send or reply_discard. */
struct json_writer *reply_begin(struct reply *reply, const struct request *request);
/** Closes the reply and queues it. A reply without memory ends the session. */
void reply_send(struct reply *reply, struct session *session);
/** Throws away a reply that was opened: an error is sent in its place. */
void reply_discard(struct reply *reply);

/** A reply without members: the request is done. */
void reply_done(struct session *session, const struct request *request);
/** An error about the line that the session is at. id: the request's, "" when there is none. */
void reply_failure(struct session *session, const char *id, const struct failure *failure);
/** The same about a request that was read: the error names the members that its op does not know. */
void reply_refusal(struct session *session, const struct request *request, const struct failure *failure);
/** Answers bye: the session ends with this reply, after its earlier requests are answered. */
void reply_leave(struct session *session, const struct request *request);

/* The events that concern one session only: `lag`, when it missed frames or events, and `stepping`, while a
 * half-closed client waits for an answer. These functions decide when an event is due and fill it; the caller
 * adds the tick and sends it.
 */

enum {
    NOTICES_LAG_MS = 1000,     /* between two `lag` events, at least */
    NOTICES_STEPPING_MS = 1000 /* between two `stepping` events */
};

/** Whether a `lag` event is due; fills *event but for its tick. When it counts events that were left out
 * (EVENT_HAS_LEFT_OUT), the session gets events and frames again from now on: send it the scenario as well. */
bool notices_lag(struct session *session, uint64_t now_ms, struct message_event *event);
/** Whether a `stepping` event is due: the client closed its side and waits for an answer. Its kernel answers
 * with a reset if the client is gone. Fills *event but for its tick. */
bool notices_stepping(struct session *session, uint64_t now_ms, struct message_event *event);

#endif
