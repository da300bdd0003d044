/* The replies to inspect of the last minute, beside the history of snapshots: why an agent moved as it did then. Pure.
 *
 * Owns copies without unused entries. Invariants: 1. They never hold more than INSPECTIONS_BYTES; the first to come go
 * first. 2. An agent has at most one of a tick.
 */
#ifndef DROVER_VIEWER_MODEL_INSPECTIONS_H
#define DROVER_VIEWER_MODEL_INSPECTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/protocol/message_agent.h"

enum { INSPECTIONS_MOST = 2048, INSPECTIONS_BYTES = 32 * 1024 * 1024 };

struct inspection {
    uint32_t id;
    uint64_t tick;
    size_t bytes;
    void *copy;
};

struct inspections {
    struct inspection ring[INSPECTIONS_MOST];
    int begin, count;
    size_t bytes;
};

/** Forgets all; zeroed memory has none. */
void inspections_clear(struct inspections *inspections);
/** Keeps what an agent's forces were at a tick; without memory it is not kept. */
void inspections_add(struct inspections *inspections, uint64_t tick, const struct message_agent *agent);
/** Fills *agent with the reply about this agent whose tick is nearest to `tick`; false when none is within so many
 * ticks. */
bool inspections_find(const struct inspections *inspections, uint32_t id, double tick, double within,
                      struct message_agent *agent);

#endif
