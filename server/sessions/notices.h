/* The events that concern one session only: `lag`, when it missed frames or events, and `stepping`, while a
 * half-closed client waits for an answer. These functions decide when an event is due and fill it; the caller
 * adds the tick and sends it.
 */
#ifndef DROVER_SERVER_SESSIONS_NOTICES_H
#define DROVER_SERVER_SESSIONS_NOTICES_H

#include "common/protocol/message.h"
#include "server/sessions/session.h"

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
