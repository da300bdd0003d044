/* The steering behaviors: small pure functions from an agent's context to a desired velocity and a
 * steering force.
 *
 * A new behavior is a row in behavior_list.h, its parameters and its function in a behavior_*.c.
 *
 * Forces follow Reynolds' velocity matching, steering = desired velocity - velocity, made a force by a rate:
 * force = rate * (desired - velocity). At 60 ticks a second the rate is 60/s, which is the tutorials' "once a
 * frame": the force limit 6 px/s a frame is max_force 360. The rate never exceeds what would overshoot the
 * desired velocity within one tick (see behavior_rates), so that light agents and low tick rates do not
 * tremble.
 */
#ifndef DROVER_SERVER_SIM_STEERING_BEHAVIOR_H
#define DROVER_SERVER_SIM_STEERING_BEHAVIOR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"
#include "server/sim/math/rng.h"
#include "server/sim/scenery/scenery.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/locomotion.h"
#include "server/sim/steering/trace.h"

/** A target of a behavior, as an agent notices it. */
struct target_info {
    bool is_there;
    uint32_t id;   /* an agent's; 0 for a target */
    vec2 offset;   /* px, from the agent to it, the short way */
    vec2 velocity; /* px/s; {0,0} for a target */
    vec2 heading;  /* unit vector; {1,0} for a target */
};

/** All agents of a kind, as an agent notices them (TRAIT_HERD). */
struct herd_seen {
    int32_t count;
    vec2 middle;   /* px, from the agent to their mean place, the short way */
    vec2 furthest; /* px, from there to the one furthest from it; of several the one with the lowest id */
};

/** What an agent carries from tick to tick beside its motion. */
struct memory {
    float stamina;
    bool is_exhausted;    /* stamina ran out and is not full again */
    bool has_caught;      /* pursue: it touched its quarry in this tick, not in the one before */
    uint32_t state_since; /* the tick in which the state began */
    uint32_t quarry;      /* id that a pursue with keep remembers; 0: none */
    vec2 wander;          /* unit vector from the wander circle's center to the goal, in the agent's frame */
    uint16_t solid;       /* avoid_obstacles: 1 + the solid it was last in the way of; 0: none */
    int16_t side;         /* and the side on which it passes that: 1, -1; see behavior_geometry.c */
    float pace;           /* and how fast it was when that came into its way; px/s */
    uint32_t solid_tick;  /* and when it was last in its way */
    uint32_t path;        /* follow_path: 1 + the path it is on; 0: none */
    float path_s;         /* and where on it; px, arc length */
    uint32_t caught;      /* pursue: the id that it touches; 0: none. No behavior reads it */
};

/** What a new agent remembers. */
#define MEMORY_INITIAL_VALUES                                                                                \
    {                                                                                                        \
        .wander = { 1.0f, 0.0f }                                                                             \
    }
#define MEMORY_INITIAL ((struct memory)MEMORY_INITIAL_VALUES)

/** The vector that a client drives an agent with. All zeros: none. */
struct drive {
    vec2 vector;   /* px/s or mass*px/s^2, as the behavior's mode says */
    uint32_t left; /* ticks until it is forgotten, LIMIT_HOLD when it is new; 0: there is none */
};

/** Whether a vector is new enough for a behavior that holds it for so many ticks. */
static inline bool drive_is_fresh(const struct drive *drive, uint32_t hold) {
    return drive->left != 0 && LIMIT_HOLD - drive->left < hold;
}

/** What a behavior may read. All of tick t. */
struct steering_context {
    vec2 position, velocity; /* px, px/s */
    vec2 heading;            /* unit vector */
    struct target_info first, second;
    int32_t rank, group; /* its place among the agents of its kind by id, from 0, and how many those are */
    const vec2 *post;    /* px ahead and to the right: its place in a formation that has places; NULL: none */
    const struct scenery *scenery;
    const struct path *path;     /* of a behavior that names one */
    const struct flow_def *flow; /* of a behavior that names one */
    const struct body *body;
    float turn_radius; /* px, of a wheeled agent; 0: it is none */
    const struct bounds *bounds;
    float dt;            /* s */
    float rate;          /* 1/s times mass, velocity matching as in the tutorials */
    float exact_rate;    /* the highest rate that does not overshoot within a tick */
    uint64_t seed, tick; /* with id: the key of its random numbers */
    uint32_t id;
    struct memory *memory;                      /* of tick t+1 in the making */
    const struct drive *drive;                  /* what it is driven with, or NULL */
    struct trace *trace;                        /* receives what the behaviors use, or NULL */
    const struct precomputed_sums *precomputed; /* sums that are known already, or NULL */
    struct neighbor_sums sums;                  /* NEIGHBORS_SUMS, NEIGHBORS_AHEAD */
    struct neighbor_threats threats;            /* NEIGHBORS_THREATS */
    struct neighbor ahead;                      /* NEIGHBORS_AHEAD */
    struct herd_seen herd;                      /* TRAIT_HERD */
    struct neighbor *nearest; /* NEIGHBORS_NEAREST: nearest first; room for NEIGHBORS_NEAREST_MAX */
    int32_t nearest_count;
    vec2 preferred; /* px/s, |preferred| <= max_speed: what the other behaviors want; for a velocity filter */
};

/** The output of a behavior: nothing (is_active false), or a desired velocity and the force towards it. */
struct steering_output {
    bool is_active;
    vec2 desired; /* px/s */
    vec2 force;   /* mass*px/s^2, before weighting */
};

/** behavior_seek ...: a function for each row of the list. Its contract is above its definition. */
#define FUNCTION(enumerator, name, targets, neighbors, zones, traits)                                        \
    struct steering_output behavior_##name(const struct behavior_def *behavior,                              \
                                           const struct steering_context *context);
BEHAVIOR_LIST(FUNCTION)
#undef FUNCTION

/* ---- for behaviors ---- */

/** Active: the force that brings the velocity to `desired` px/s at a rate (context->rate or exact_rate). */
struct steering_output behavior_match_velocity(vec2 desired, const struct steering_context *context,
                                               float rate);

/** The velocity, in px/s, that brings the agent to rest at `offset` px, in a frame that moves with `velocity`
 * px/s: arrive's law. slowing_distance px, 0: none. A wheeled agent that is past turning has arrived within its
 * turn_radius. */
vec2 behavior_stopping_velocity(vec2 offset, vec2 velocity, float slowing_distance,
                                const struct steering_context *context);

/** Whether a wheeled agent cannot get to `offset` px by turning: it is inside one of its turning circles. An agent
 * without wheels always can. */
bool behavior_is_past_turning(vec2 offset, const struct steering_context *context);

/** Where to steer for what is at `offset` px: straight on, as far, until a wheeled agent can turn to it. Otherwise it
 * would go round it forever. */
vec2 behavior_way(vec2 offset, const struct steering_context *context);

/** The largest speed, in px/s, from which an agent that may lose `acceleration` px/s^2 can stop after
 * `distance` px, moving in ticks of dt seconds and braking in each. Never more than distance / dt. */
float behavior_stopping_speed(float distance, float acceleration, float dt);

/* avoid_obstacles, as far as agents with nothing in the way are found by it (steering_kernel_solids.inc.h). */
#define SOLID_SLOW_PROBE 0.25f /* share of max_speed with which an agent at rest probes ahead */
#define SOLID_KEEP_PACE  0.25f /* s: beside a solid that was in the way it keeps its speed for so long */
#define SOLID_TOUCHING   0.05f /* px: nearer it is held by the solid (scenery_constrain keeps 0.01) */

/** Whether a solid was in an agent's way in the last so many seconds. */
static inline bool solid_is_recent(const struct memory *memory, float seconds, uint64_t tick, float dt) {
    const uint32_t ago = (uint32_t)tick - memory->solid_tick;
    return memory->solid != 0 && (float)ago * dt <= seconds;
}

/** What an agent's memory calls a path: 1 + its index. */
static inline uint32_t path_number(const struct scenery *scenery, const struct path *path) {
    return 1 + (uint32_t)(path - scenery->paths);
}

/** How far a tier leads away from the present velocity: to the velocity that it desires, or a part of the way if its
 * force is weak, times the share of its force that the tiers before leave.
 *
 * A single tier that matches a velocity leads to that velocity. What all tiers lead to is what a velocity filter is
 * asked for.
 *
 * desired  px/s, of the tier's behaviors, weighted and added
 * force    mass*px/s^2, likewise
 * left     mass*px/s^2, what the tiers before left of max_force
 * returns  px/s, a change of velocity */
vec2 behavior_lead(const struct steering_context *context, vec2 desired, vec2 force, float left);

/** Fills rate and exact_rate. weight_sum: the sum of the weights of the behaviors that are combined. */
void behavior_rates(struct steering_context *context, float weight_sum);

#endif
