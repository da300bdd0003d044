/* Which way a behavior's agents take through a tick: many at once in SIMD lanes, or alone, one after the other.
 * Both give the same bits; lanes are several times as fast. */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_WAYS_H
#define DROVER_SERVER_SIM_WORLD_WORLD_WAYS_H

#include "server/sim/world/world.h"

/** WAY_LANES, or why the agents go alone. */
enum steering_way {
    WAY_LANES,
    WAY_NO_RULE,         /* the behavior has no rule for lanes */
    WAY_MIXED_FLOCK,     /* a flock that is not its kind's only behavior, or in a world with solids */
    WAY_MAX_NEIGHBORS,   /* the behavior limits how many neighbors count */
    WAY_DITHERED,        /* the state combines dithered */
    WAY_SEVERAL_FILTERS, /* the state has several velocity filters */
    WAY_NEAR_SOLIDS,     /* the agent has a solid in reach */
    WAY_COUNT
};

/** The reasons, as the wire has them; NULL for WAY_LANES. */
extern const char *const way_reasons[WAY_COUNT];

/** How many of the agents of a kind that had a behavior in the last tick were in lanes. Of ranks that share a world each
 * knows those that it stepped itself. */
struct way_share {
    int kind;
    enum behavior_type behavior;
    double lanes; /* 0 to 1; kinds that steer alike are counted together */
};

/** The ways of the last tick: by kind, then in the order in which the kind's states name their behaviors.
 *
 * out      `room` entries; what is behind them is left out
 * returns  how many; 0 before the first tick of a world, or of a copy
 */
int world_ways(const struct world *world, struct way_share *out, int room);

#endif
