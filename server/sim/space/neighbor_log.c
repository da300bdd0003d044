/* See neighbor_log.h. */
#include "server/sim/space/neighbor_log.h"

#include <assert.h>
#include <stdbool.h>

static bool is_noted(const struct neighbor_log *log, uint32_t id) {
    for (int i = 0; i < log->count; i++) {
        if (log->ids[i] == id) {
            return true;
        }
    }
    return false;
}

/* Whether a neighbor comes before the one at a place of the list. */
static bool is_before(const struct neighbor_log *log, float squared, uint32_t id, int place) {
    return squared < log->squared[place] || (squared <= log->squared[place] && id < log->ids[place]);
}

void neighbor_log_add(struct neighbor_log *log, uint32_t id, vec2 offset) {
    assert(log->count >= 0 && log->count <= LIMIT_INSPECT_NEIGHBORS);
    if (is_noted(log, id)) {
        return;
    }
    const float squared = vec2_length_squared(offset);
    int place = log->count;
    if (place == LIMIT_INSPECT_NEIGHBORS) {
        place--;
        if (!is_before(log, squared, id, place)) {
            return;
        }
    } else {
        log->count++;
    }
    for (; place > 0 && is_before(log, squared, id, place - 1); place--) {
        log->ids[place] = log->ids[place - 1];
        log->squared[place] = log->squared[place - 1];
    }
    log->ids[place] = id;
    log->squared[place] = squared;
}
