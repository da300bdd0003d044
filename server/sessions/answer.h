/* The plainest answers to a request, sent at once. On the loop. */
#ifndef DROVER_SERVER_SESSIONS_ANSWER_H
#define DROVER_SERVER_SESSIONS_ANSWER_H

#include "common/base/failure.h"
#include "common/protocol/request.h"
#include "server/net/session.h"

/** A reply without members: it is done. */
void answer_done(struct session *session, const struct request *request);
/** An error about the line the session is at. id: the request's, "" when there is none. */
void answer_failure(struct session *session, const char *id, const struct failure *failure);
/** The same about a request that was read: the members its op does not know are named. */
void answer_refusal(struct session *session, const struct request *request, const struct failure *failure);

#endif
