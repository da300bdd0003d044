/* The admission of clients: how many sessions there may be, the role and the name of each, the ops that a role
 * allows, and when a session's time is up.
 *
 * Works on a session's own record (struct client_info, its rate limit) and sends nothing but bye.
 */
#ifndef DROVER_SERVER_SESSIONS_ADMISSION_H
#define DROVER_SERVER_SESSIONS_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"
#include "server/sessions/access.h"
#include "server/sessions/session_set.h"

/** The options that bound the number of sessions. */
struct admission_limits {
    int clients;     /* sessions at once */
    int per_address; /* sessions of one address; 0: LIMIT_ADDRESS_CLIENTS, without a limit for loopback */
};

/** Why a peer cannot get a session, NULL when it can. Every numbered session counts, from the moment it is
 * accepted until its memory is freed. */
const char *admission_why_full(struct admission_limits limits, const struct session_set *sessions,
                               const char *address, bool is_loopback);
/** Gives the session its role and its name. After a wrong token session->client.denial_ms says when that may be
 * answered, loop time; it is now_ms after every other. 0, or -1 with *failure (invalid, version, bad_param,
 * denied): nothing has changed then, but wrong tokens are counted. */
NODISCARD int admission_greet(const struct access *access, struct token_guard *tokens,
                              struct session *session, const struct request_hello *hello, uint64_t now_ms,
                              struct failure *failure);
/** The failure of a wrong token. Returns -1. */
int admission_deny(struct failure *failure);
/** Whether the session's role allows the op. 0, or -1 with *failure, which says what role is needed. */
NODISCARD int admission_allow(const struct session *session, enum request_op op, struct failure *failure);
/** The same for a request with its members, and for each request of a batch: the failure names the first that is not allowed. */
NODISCARD int admission_allow_all(const struct session *session, const struct request *request,
                                  struct failure *failure);
/** Takes from the session's rate limit what the line being handled costs: nothing when its sender waits for
 * answers, for it cannot flood; an eighth for a moved mouse or cursor; else one, and one more for every
 * LIMIT_LINE_BYTES of a long line. A request that waits for a tick
 * always costs. The members of a batch count singly, all but the first whether or not the sender
 * waits. request: NULL for a line that was none. length: of the line. */
void admission_charge(struct session *session, const struct request *request, size_t length);
/** Closes the session when its time is up: no token, or idle. idle_s 0: never idle. Returns whether it did.
 */
bool admission_close_overdue(struct session *session, uint32_t idle_s, uint64_t now_ms);

/* The system's limit of open files, and what of it is left to clients: the server's own files come first. */

/** Open files that no client can take, beside those that were open at the start: of the loop, the log, the journal and its
 * checkpoints, recordings, saves, scenarios, and of a connection that is refused. */
enum { DESCRIPTOR_LIMIT_OWN = 40 };

/** How many descriptors each may have. */
struct descriptor_room {
    uint32_t sessions; /* --max-clients, or fewer */
    uint32_t
        byes; /* connections beyond these that wait until they have read the bye; others are refused at once */
    uint32_t web; /* connections of the door for browsers */
};

/** Raises the soft limit (ulimit -n), up to the hard one, to what so many clients need, and divides what there is. Logs
 * when not all of them fit. 0, or -1 with *failure (busy): not even the server's own files fit. */
NODISCARD int descriptor_limit_divide(uint32_t clients, bool has_web, struct descriptor_room *room,
                                      struct failure *failure);

#endif
