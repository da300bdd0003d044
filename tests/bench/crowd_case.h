/* The crowds of drover-bench crowd: worlds of agents with goals of their own that seek and avoid each other by orca, the same
 * crowds for the rival, and scenarios of the catalogue.
 */
#ifndef DROVER_TESTS_BENCH_CROWD_CASE_H
#define DROVER_TESTS_BENCH_CROWD_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/sim/world/world.h"
#include "server/simulation/worker_pool.h"
#include "tests/bench/crowd_rival.h"

/** A row of the table. */
struct crowd_case {
    const char *name;
    uint32_t count;
    double in_sight;      /* agents that an agent sees, on average over the square; 0: a scenario */
    const char *scenario; /* NULL: seek and orca */
    int settle;           /* ticks before the first that counts */
    int ticks;            /* that one figure is taken from */
};

/** Of the crowds: bodies of 15 px, 20 px/s, 60 ticks a second, a horizon of 10 s, a sight of 150 px, 10 neighbors. */
struct crowd_rules crowd_rules(void);
/** The world of a row, settled; owned by the caller. NULL after a line on standard error. */
NODISCARD struct world *crowd_case_world(const struct crowd_case *row, struct worker_pool *pool);
/** `count` agents that face each other on a circle, each with the place opposite as its goal, for which it slows down. */
struct world *crowd_circle_world(uint32_t count);
/** The rival with the agents of such a world as they are; owned by the caller.
 * slowing_distance  px; 0: agents never slow down */
struct crowd_rival *crowd_rival_of(const struct world *world, float slowing_distance);
/** Places the agents of the rival where those of the world are. */
void crowd_rival_follow(struct crowd_rival *rival, const struct world *world);
/** How many others an agent sees, on average. Estimated from some hundred agents. */
double crowd_in_sight(const struct world *world);

#endif
