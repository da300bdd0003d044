/* The rules of a flock as numbers: what the kernels of every width begin with. */
#ifndef DROVER_SERVER_SIM_STEERING_FLOCK_PLAN_H
#define DROVER_SERVER_SIM_STEERING_FLOCK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/sim/space/kernel_plan.h"
#include "server/sim/steering/flock_limits.h"

/** What the agents have in common: steered, with the body of their kind, in a world that does not contain. */
struct flock_rules {
    float rule_weight[ZONE_COUNT], weight; /* of the three rules, of the behavior */
    float cohesion_radius;                 /* px */
    float max_speed, max_force, radius;    /* px/s, mass*px/s^2, px */
    float mass, exact_rate;                /* 1, see struct steering_context */
    float dt;                              /* s */
    vec2 turn;                             /* {cos, sin} of the largest turn of one tick */
};

/** Where the agents of tick t+1 go. */
struct flock_out {
    int kind;             /* the kind that is moved */
    struct motion *next;  /* by slot */
    vec2 *heading;        /* of tick t+1, where the batch has those of tick t */
    int32_t *cell;        /* by slot: the cell of tick t's grid that the agent is in then; NULL: not needed */
    bool only_of_resting; /* headings are written only of agents that do not face along their velocity */
};

/** What flock_rules come to for one tick. */
struct flock_plan {
    const struct flock_rules *rules;
    struct flock_limits limits;
    float full_radius_inverse; /* flock_full_inverse of the cohesion radius */
    float push;                /* s / mass */
    float hold_squared;        /* (px/s)^2, up to which the heading stays */
    vec2 low, high;            /* between these no border is felt */
};

/** The plan of a tick. rules: must live as long as the plan. */
struct flock_plan flock_make_plan(const struct bounds *bounds, const struct flock_rules *rules);

/** Finishes one agent that a kernel has moved: applies the border and turns the heading. */
void flock_finish(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t slot,
                  struct motion moved, const struct flock_out *out);

/** A kernel: the tick of the agents in slots [begin, end) that are of the flock's kind. */
typedef void flock_function(const struct kernel_plan *plan, const struct flock_plan *flock, int32_t begin,
                            int32_t end, const struct flock_out *out);

/* flock_move.inc.h for each width. */
flock_function flock_kernel_plain;
#if defined(__x86_64__)
flock_function flock_kernel_sse2, flock_kernel_avx2, flock_kernel_avx512;
#elif defined(__wasm_simd128__)
flock_function flock_kernel_simd128;
#endif

#endif
