/* How well crowds avoid each other: equal bits can be equally wrong, statistics cannot. */
#ifndef DROVER_TESTS_BENCH_CROWD_QUALITY_H
#define DROVER_TESTS_BENCH_CROWD_QUALITY_H

#include <stdbool.h>

#include "server/sim/math/simd.h"

/** Which ways of computing are compared. */
struct crowd_ways {
    bool has_simd[SIMD_COUNT];
    bool has_rival;
};

/** Prints, for each way, the mean speed, the progress towards goals, the least distance and the overlaps of 10 000 agents
 * after 20 s, and of a crush after 1.7 s and 10 s. */
void crowd_quality(const struct crowd_ways *ways);
/** Prints, for each way, the time until all of 50 and of 100 agents on a circle have changed places. */
void crowd_circles(const struct crowd_ways *ways);

#endif
