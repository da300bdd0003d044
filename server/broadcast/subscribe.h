/* Answers the requests about a session's own frames: subscribe, unsubscribe, set_region, resync. On the loop.
 *
 * Each returns true when snapshots are wanted otherwise than before (the schedule changed, or the state is owed
 * at once).
 */
#ifndef DROVER_SERVER_BROADCAST_SUBSCRIBE_H
#define DROVER_SERVER_BROADCAST_SUBSCRIBE_H

#include <stdbool.h>

#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "server/broadcast/broadcast.h"

/** What the answers depend on. */
struct subscribe_context {
    struct broadcast *broadcast;
    struct session_set *sessions;
    const struct message_scenario *scenario; /* as it is now */
};

bool subscribe_answer(const struct subscribe_context *context, struct session *session,
                      const struct request *request);

#endif
