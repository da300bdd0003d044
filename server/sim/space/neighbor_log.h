/* The neighbors that counted in an agent's queries, for an inspection of that agent. */
#ifndef DROVER_SERVER_SIM_SPACE_NEIGHBOR_LOG_H
#define DROVER_SERVER_SIM_SPACE_NEIGHBOR_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/vec2.h"

/** Each neighbor once: nearest first, of two as near the lower id first. Zeroed it is empty. */
struct neighbor_log {
    int count;
    uint32_t ids[LIMIT_INSPECT_NEIGHBORS];
    float squared[LIMIT_INSPECT_NEIGHBORS]; /* px^2, their distances */
};

/** Adds a neighbor that is not there yet; of too many the nearest stay. offset: px, from the agent. */
void neighbor_log_add(struct neighbor_log *log, uint32_t id, vec2 offset);

/** The same; nothing happens without a log (NULL). */
static inline void neighbor_log_note(struct neighbor_log *log, uint32_t id, vec2 offset) {
    if (log != NULL) {
        neighbor_log_add(log, id, offset);
    }
}

#endif
