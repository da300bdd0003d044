/* What the agents of a batch of slots see of the kinds that they look for: found once for all agents that look
 * for a kind, read by conditions and by behaviors alike.
 *
 * A kind's agents look for what the conditions and behaviors of its states are about (struct look): for each
 * kind that is looked for, the nearest agent within the widest distance of any reference. The nearest within
 * less is the same agent, if it is near enough, and the nearest at whatever distance is the same agent if
 * there is one.
 */
#ifndef DROVER_SERVER_SIM_TICK_WORLD_SIGHTS_H
#define DROVER_SERVER_SIM_TICK_WORLD_SIGHTS_H

#include "server/sim/kernels/kernels.h"
#include "server/sim/world/world_internal.h"

/** The sights of a batch, by place: slot - begin. Large; for the stack of one thread. */
struct world_sights {
    int32_t begin; /* the slot of place 0 */
    int count;
    struct {
        int kind;        /* that is looked for */
        float within;    /* px */
        uint64_t places; /* bit i: place i has looked */
        struct sight_columns seen;
    } asked[LOOKS_MAX];
};

/** Prepares tick t for world_sights_look; once a tick, before any thread begins. Allocates nothing. */
void world_sights_begin(struct world *world);

/** Begins a batch of slots from `begin` on, whose agents have seen nothing yet; after world_sights_begin. */
void world_sights_of(struct world_sights *sights, int32_t begin);

/** Makes the agents at some places look for a kind, those that have not yet. places: of slots that there are. */
void world_sights_look(const struct world *world, struct world_sights *sights, int kind, uint64_t places);

/** The slot of agent `row`, without a lookup where it is known that the agent is in a batch. */
static inline int32_t world_sights_slot(const struct world *world, int32_t row, struct sight_place known) {
    return known.sights != NULL ? known.sights->begin + known.place : grid_slot(&world->grid, row);
}

/** What agent `row` remembers, likewise. */
static inline const struct memory *world_sights_memory(const struct world *world, int32_t row,
                                                       struct sight_place known) {
    return known.sights != NULL ? &world->memory[known.sights->begin + known.place]
                                : world_memory(world, row);
}

/** The nearest agent of a kind within `within` px (0: at any distance) of the agent at a place.
 *
 * slot     receives its slot, or -1 when there is none
 * returns  false when it is not known: *slot is not set */
bool world_sights_find(const struct world_sights *sights, int place, int kind, float within, int32_t *slot);

/** What some places of a batch see of the agents of a kind. */
struct sight_answer {
    const struct sight_columns *seen; /* the nearest, however far; NULL where no place is known */
    uint64_t known, near;             /* the places that have an answer; those with one within reach */
};

/** The same for many places of a batch at once, with the kernel that compares. */
struct sight_answer world_sights_near(const struct world_sights *sights, const struct steering_kernel *kernel,
                                      const struct steering_batch *batch, int kind, float within,
                                      uint64_t places);

/* The conditions of states, evaluated for many agents of a kind at once: one condition after another, each for
 * all agents that are not decided yet. A set of one place is one agent.
 */

/** Agents by place. Plain value; owns nothing. */
struct watchers {
    const struct world *world;
    const struct kind *kind;     /* of all of them */
    const int32_t *row;          /* by place */
    const struct memory *memory; /* by place, of tick t */
    const struct timers *timers; /* likewise */
    struct sight_place first;    /* what is known of the agent at place 0; those behind follow it */
    const struct steering_kernel *kernel;
    struct steering_batch *batch; /* the same agents in columns; NULL: they are looked at one by one. The
                                     kernel may write what the behavior in hand is about */
    struct world_sights *sights;  /* those of `first`, to look for more */
    place_set
        held[LIMIT_TIMERS]; /* conditions_begin: by timer, the agents for which its `near` holds by itself */
};

/** Evaluates the conditions that are remembered, whichever states come first; before any state is asked about. */
void conditions_begin(struct watchers *watchers, place_set places);

/** What the agent at a place has decided when it takes this state. */
struct decision conditions_decision(const struct watchers *watchers, int state, int32_t place);

/** Which agents meet the conditions of a state; all do where it has none. */
place_set conditions_met(const struct watchers *watchers, int state, place_set places);

#endif
