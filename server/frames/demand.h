/* Which ticks somebody wants to see: what the subscriptions add up to, for the simulation thread. Pure value.
 */
#ifndef DROVER_SERVER_FRAMES_DEMAND_H
#define DROVER_SERVER_FRAMES_DEMAND_H

#include <stdbool.h>
#include <stdint.h>

enum { DEMAND_RATES = 16 };

struct demand {
    int count;                    /* 0: nobody wants anything */
    uint64_t every[DEMAND_RATES]; /* distinct; ticks that are a multiple of one of them are wanted */
    bool forces;                  /* somebody wants steering vectors */
    bool headings;                /* somebody wants headings: an arc tangent an agent */
};

/** Adds a subscription. More than DEMAND_RATES different rates become every tick. every >= 1. */
void demand_add(struct demand *demand, uint64_t every, bool forces);
/** Whether this tick is to be copied out. */
bool demand_wants(const struct demand *demand, uint64_t tick);
/** Whether one of the ticks after `from`, up to `to`, is. */
bool demand_wants_since(const struct demand *demand, uint64_t from, uint64_t to);

#endif
