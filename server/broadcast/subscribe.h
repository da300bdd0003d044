/* Answers the requests about a session's own frames: subscribe, unsubscribe, set_region, resync. On the loop.
 */
#ifndef DROVER_SERVER_BROADCAST_SUBSCRIBE_H
#define DROVER_SERVER_BROADCAST_SUBSCRIBE_H

#include <stdbool.h>

#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/broadcast/broadcast.h"

/** The context that a subscription depends on. */
struct subscribe_context {
    struct broadcast *broadcast;
    struct session_set *sessions;
    const struct message_scenario *scenario; /* as it is now */
    bool has_stripes;                        /* ranks share the world in stripes */
};

/** Answers one of these requests. Returns whether the subscription changed or the current state is due at
 * once: the caller then updates the snapshot schedule and requests a snapshot. */
bool subscribe_answer(const struct subscribe_context *context, struct session *session,
                      const struct request *request);

#endif
