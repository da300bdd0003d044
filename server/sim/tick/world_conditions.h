/* The conditions of states, evaluated for many agents of a kind at once: one condition after another, each for
 * all agents that are not decided yet. A set of one place is one agent.
 */
#ifndef DROVER_SERVER_SIM_TICK_WORLD_CONDITIONS_H
#define DROVER_SERVER_SIM_TICK_WORLD_CONDITIONS_H

#include "server/sim/tick/world_sights.h"

/** Agents by place. Plain value; owns nothing. */
struct watchers {
    const struct world *world;
    const struct kind *kind;     /* of all of them */
    const int32_t *row;          /* by place */
    const struct memory *memory; /* by place, of tick t */
    struct sight_place first;    /* what is known of the agent at place 0; those behind follow it */
    const struct steering_kernel *kernel;
    struct steering_batch *batch; /* the same agents in columns; NULL: they are looked at one by one. The
                                     kernel may write what the behavior in hand is about */
    struct world_sights *sights;  /* those of `first`, to look for more */
};

/** Which agents meet the conditions of a state; all do where it has none. */
place_set conditions_hold(const struct watchers *watchers, int state, place_set places);

#endif
