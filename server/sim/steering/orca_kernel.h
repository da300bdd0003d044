/* Optimal reciprocal collision avoidance for many agents at once: neighbors, half-planes and the permitted
 * velocity in SIMD lanes.
 *
 * 1. What comes out is what behavior_orca finds for an agent without solids in reach, bit for bit: the
 * nearest neighbors by (distance^2, id), the half-planes of half_plane_of, the velocity of
 * half_planes_nearest. It depends neither on the order of slots nor on the width.
 * 2. Agents that meet another one without knowing on which side to pass it (two in the same place with the
 * same velocity) are left to behavior_orca: `alone`.
 * 3. Lanes hold agents of consecutive slots in one row of cells. Agents to which the half-planes leave no
 * velocity wait until there are as many of them as lanes, or until the call ends: longer calls fill lanes
 * better.
 */
#ifndef DROVER_SERVER_SIM_STEERING_ORCA_KERNEL_H
#define DROVER_SERVER_SIM_STEERING_ORCA_KERNEL_H

#include "server/sim/math/simd.h"
#include "server/sim/steering/orca_plan.h"

/** Answers for the agents in slots [begin, end) whose bits are set in `wanted`: those of all others are 0.
 * simd must be supported. */
void orca_kernel_solve(enum simd simd, const struct orca_query *query, const struct orca_wishes *wishes,
                       int32_t begin, int32_t end, const uint64_t *wanted,
                       const struct orca_answers *answers);

#endif
