/* Agents as they lie in memory: for readers that look at all of them, or at those in a strip of the world; and answers about
 * agents wherever they are. Between ticks only.
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_RUN_H
#define DROVER_SERVER_SIM_WORLD_WORLD_RUN_H

#include <stdint.h>

#include "server/sim/math/motion.h"
#include "server/sim/world/world.h"

/** Agents side by side; arrays are the world's, valid until its next tick or command. */
struct world_run {
    int32_t count;
    const struct motion *motion;
    const uint8_t *kind;
    const int32_t *row;
};

/** The agents that this process steps; all of them in one process. */
struct world_run world_run_own(const struct world *world);

/** Those of them whose y may be within low to high, px, the short way round in a world that wraps; others as well. The
 * runs are in the order in which they lie, and apart. Returns how many there are. */
int world_runs_between(const struct world *world, double low, double high, struct world_run runs[2]);

/** An agent as world_agent gives it on its rank: everywhere. Collective, unless one process has the world. */
struct agent_view world_agent_anywhere(const struct world *world, int32_t row);

/** How many agents of a kind are in this state: exactly when there are fewer than `most`, otherwise at least as many. The
 * same. O(agents). */
uint64_t world_count_in_state(const struct world *world, int kind, int state, uint64_t most);

#endif
