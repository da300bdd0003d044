/* Who is let in, as whom, what each may ask for, and when one has to go: the rules of a session's stay that
 * need no socket.
 *
 * Works on a session's own record (struct guest, its rate limit); the server sends what comes of it.
 */
#ifndef DROVER_SERVER_SESSIONS_RECEPTION_H
#define DROVER_SERVER_SESSIONS_RECEPTION_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/sessions/session_set.h"
#include "server/options.h"
#include "server/sessions/access.h"
#include "server/sessions/token_guard.h"

enum {
    RECEPTION_LAG_MS = 1000, /* at most so often a session is told that it misses frames */
    RECEPTION_WAIT_MS = 1000 /* so often one that closed its side hears that its requests are worked on */
};

/** Why a peer cannot have a seat, NULL when it can. Every numbered session counts, from the moment it is
 * accepted until its memory goes. */
const char *reception_why_full(const struct server_options *options, const struct session_set *sessions,
                               const char *address, bool is_loopback);
/** Gives the session its role and its name. After a wrong token session->guest.deny_ms says when that may be
 * answered, loop time; it is now_ms after every other. 0, or -1 with *failure (invalid, version, bad_param,
 * denied): nothing has changed then, but wrong tokens are counted. */
NODISCARD int reception_greet(const struct access *access, struct token_guard *tokens,
                              struct session *session, const struct request_hello *hello, uint64_t now_ms,
                              struct failure *failure);
/** What is said about a wrong token. Returns -1. */
int reception_deny(struct failure *failure);
/** Whether the session's role allows the op. 0, or -1 with *failure, which says what role is needed. */
NODISCARD int reception_allow(const struct session *session, enum request_op op, struct failure *failure);
/** Takes from the session's rate limit what the line being handled costs: nothing when its sender waits for
 * answers, for it cannot flood; an eighth for a moved mouse or cursor; else one. request: NULL for a line
 * that was none. */
void reception_charge(struct session *session, const struct request *request);
/** Closes the session when its time is up: no token, or idle. idle_s 0: never idle. Returns whether it did.
 */
bool reception_close_overdue(struct session *session, uint32_t idle_s, uint64_t now_ms);
/** Whether the session is to be told that it missed frames or events; fills *event but for its tick. When
 * events were left out (EVENT_HAS_LEFT_OUT) they come again from now on, and so do frames: tell it how the
 * world is. */
bool reception_lag(struct session *session, uint64_t now_ms, struct message_event *event);
/** Whether the session is due a sign that its requests are worked on: it closed its side and waits for an
 * answer. Its kernel answers with a reset if it is gone. Fills *event but for its tick. */
bool reception_sign(struct session *session, uint64_t now_ms, struct message_event *event);

#endif
