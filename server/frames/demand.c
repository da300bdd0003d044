/* See demand.h. */
#include "server/frames/demand.h"

#include <assert.h>

void demand_add(struct demand *demand, uint64_t every, bool forces) {
    assert(every >= 1);
    demand->forces = demand->forces || forces;
    for (int i = 0; i < demand->count; i++) {
        if (every % demand->every[i] == 0) {
            return; /* its ticks are wanted already */
        }
    }
    if (demand->count == DEMAND_RATES) {
        demand->every[0] = 1;
        demand->count = 1;
        return;
    }
    demand->every[demand->count++] = every;
}

bool demand_wants(const struct demand *demand, uint64_t tick) {
    for (int i = 0; i < demand->count; i++) {
        if (tick % demand->every[i] == 0) {
            return true;
        }
    }
    return false;
}

bool demand_wants_since(const struct demand *demand, uint64_t from, uint64_t to) {
    for (int i = 0; i < demand->count; i++) {
        if (to / demand->every[i] > from / demand->every[i]) {
            return true;
        }
    }
    return false;
}
