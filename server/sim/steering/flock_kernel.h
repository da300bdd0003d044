/* A whole tick for many agents at once whose only behavior is flock: neighbors, force, velocity, position,
 * border and heading, in SIMD lanes.
 *
 * 1. What comes out is what behavior_flock, sum_tiers, locomotion_velocity, bounds_apply and
 * locomotion_heading give one agent, bit for bit: the same operations in the same order.
 * 2. Lanes that meet a border or turn as far as they can are finished by those functions themselves.
 */
#ifndef DROVER_SERVER_SIM_STEERING_FLOCK_KERNEL_H
#define DROVER_SERVER_SIM_STEERING_FLOCK_KERNEL_H

#include "server/sim/math/simd.h"
#include "server/sim/steering/flock_plan.h"

/** Moves the agents of the kind in slots [begin, end). simd must be supported. */
void flock_kernel_step(enum simd simd, const struct neighbor_batch *batch, const struct flock_rules *rules,
                       int32_t begin, int32_t end, const struct flock_out *out);

#endif
