/* What a state keeps to apply batches: the world as it was before, and the events of the members. */
#ifndef DROVER_SERVER_COMMANDS_STATE_BATCH_H
#define DROVER_SERVER_COMMANDS_STATE_BATCH_H

#include <stdint.h>

#include "common/protocol/message.h"
#include "server/sim/world/world.h"

struct state_batch {
    struct world *before;         /* owned; NULL: no memory is kept for it */
    struct message_event *events; /* owned; of the members of the batch applied last */
    uint32_t event_count, event_room;
};

/** NULL is fine. */
void state_batch_destroy(struct state_batch *batch);

#endif
