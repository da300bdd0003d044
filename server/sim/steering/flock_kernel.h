/* A whole tick for many agents at once whose only behaviour is flock: neighbours, force, velocity, position,
 * border and heading, in SIMD lanes.
 *
 * 1. What comes out is what behavior_flock, sum_tiers, locomotion_velocity, bounds_apply and
 * locomotion_heading give one agent, bit for bit: the same operations in the same order.
 * 2. Lanes that meet a border or turn as far as they can are finished by those functions themselves.
 */
#ifndef DROVER_SERVER_SIM_STEERING_FLOCK_KERNEL_H
#define DROVER_SERVER_SIM_STEERING_FLOCK_KERNEL_H

#include "server/sim/space/neighbor_kernel.h"

/** What the agents have in common: steered, with the body of their kind, in a world that does not contain. */
struct flock_rules {
    float rule_weight[ZONE_COUNT], weight; /* of the three rules, of the behaviour */
    float cohesion_radius;                 /* px */
    float max_speed, max_force, radius;    /* px/s, mass*px/s^2, px */
    float mass, exact_rate;                /* 1, see struct senses */
    float dt;                              /* s */
    vec2 turn;                             /* {cos, sin} of the largest turn of one tick */
};

/** Where the agents of tick t+1 go. */
struct flock_out {
    int kind;            /* whose agents are written */
    struct motion *next; /* by slot */
    vec2 *heading;       /* by row: of tick t+1 */
    int32_t *cell;       /* by slot: the cell of tick t's grid that the agent is in then; NULL: nobody asks */
    bool only_of_resting; /* headings are written of those alone who do not face where they go */
};

/** The agents in slots [begin, end) of the kind. */
void flock_kernel_step(enum simd simd, const struct neighbor_crowd *crowd, const struct flock_rules *rules,
                       int32_t begin, int32_t end, const struct flock_out *out);

#endif
