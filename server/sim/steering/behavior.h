/* The steering behaviours: small pure functions from what an agent senses to a desired velocity and a
 * steering force.
 *
 * A new behaviour is an enumerator in world_def.h, a row in behavior_table (behavior.c) and the function it
 * names.
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
#include "server/sim/steering/locomotion.h"
#include "server/sim/steering/trace.h"
#include "server/sim/world/world_def.h"

/** Whom or what a behaviour is about, as an agent notices it. */
struct sighting {
    bool is_there;
    uint32_t id;   /* an agent's; 0 for a target */
    vec2 offset;   /* px, from the agent to it, the short way */
    vec2 velocity; /* px/s; {0,0} for a target */
    vec2 heading;  /* unit vector; {1,0} for a target */
};

/** What an agent carries from tick to tick beside its motion. */
struct memory {
    float stamina;
    bool is_exhausted;    /* stamina ran out and is not full again */
    bool has_caught;      /* pursue: it touched its quarry in this tick, not in the one before */
    uint32_t state_since; /* the tick in which the state began */
    uint32_t quarry;      /* id that a pursue with keep remembers; 0: none */
    vec2 wander;          /* unit vector from the wander circle's centre to the goal, in the agent's frame */
    uint16_t solid;       /* avoid_obstacles: 1 + the solid it was last in the way of; 0: none */
    int16_t side;         /* and the side on which it passes that: 1, -1; see behavior_geometry.c */
    float pace;           /* and how fast it was when that came into its way; px/s */
    uint32_t solid_tick;  /* and when it was last in its way */
    uint32_t path;        /* follow_path: 1 + the path it is on; 0: none */
    float path_s;         /* and where on it; px, arc length */
    uint32_t caught;      /* pursue: the id that it touches; 0: none. No behaviour looks at it */
};

/** What a behaviour may look at. All of tick t. */
struct senses {
    vec2 position, velocity; /* px, px/s */
    vec2 heading;            /* unit vector */
    struct sighting first, second;
    int32_t rank, group; /* its place among the agents of its kind by id, from 0, and how many those are */
    const struct scenery *scenery;
    const struct path *path;     /* of a behaviour that names one */
    const struct flow_def *flow; /* of a behaviour that names one */
    const struct body *body;
    const struct bounds *bounds;
    float dt;            /* s */
    float rate;          /* 1/s times mass, velocity matching as in the tutorials */
    float exact_rate;    /* the highest rate that does not overshoot within a tick */
    uint64_t seed, tick; /* with id: the key of its random numbers */
    uint32_t id;
    struct memory *memory;           /* of tick t+1 in the making */
    struct trace *trace;             /* who asks why, or NULL */
    const struct foreseen *foreseen; /* sums found beforehand, or NULL; for whoever fills the rest */
    struct neighbor_sums sums;       /* NEIGHBORS_SUMS, NEIGHBORS_AHEAD */
    struct neighbor_threats threats; /* NEIGHBORS_THREATS */
    struct neighbor ahead;           /* NEIGHBORS_AHEAD */
    struct neighbor *nearest;        /* NEIGHBORS_NEAREST: nearest first; room for NEIGHBORS_NEAREST_MAX */
    int32_t nearest_count;
    vec2 preferred; /* px/s, |preferred| <= max_speed: what the others want; for who has the last word */
};

/** Its answer: nothing (is_active false), or a desired velocity and the force towards it. */
struct urge {
    bool is_active;
    vec2 desired; /* px/s */
    vec2 force;   /* mass*px/s^2, before weighting */
};

typedef struct urge (*behavior_function)(const struct behavior_def *behavior, const struct senses *senses);

/** 1 / the difference that deserves full strength in alignment (of: max_speed) and cohesion (of: radius); 0
 * for 0: then there is nothing to do. */
float behavior_full_inverse(float of);

/** Seek: full speed towards the target, and past it.
 * desired velocity  towards the target at max_speed; {0,0} when exactly on it
 * source            Reynolds 1999, "Seek" */
struct urge behavior_seek(const struct behavior_def *behavior, const struct senses *senses);

/** Flee: full speed away from the target, within panic_distance px (0: always). On the target itself:
 * straight ahead. source  Reynolds 1999, "Flee" */
struct urge behavior_flee(const struct behavior_def *behavior, const struct senses *senses);

/** Arrive: seek the target, slow down, and stop on it.
 *
 * ARRIVE_STOP    the highest speed from which max_force can still stop the agent on the target, in whole
 * ticks; it stops exactly and stays. slowing_distance > 0: also no faster than max_speed * distance /
 * slowing_distance. ARRIVE_LINEAR  max_speed * distance / slowing_distance inside slowing_distance, as the
 * tutorials have it. source         Reynolds 1999, "Arrival" */
struct urge behavior_arrive(const struct behavior_def *behavior, const struct senses *senses);

/** Pursue: seek where the quarry will be.
 *
 * The time ahead is what the distance takes at max_speed, at most max_prediction s; on a torus the predicted
 * place is again the nearest one. source  Reynolds 1999, "Pursuit"; the estimate is the movement manager
 * tutorial's */
struct urge behavior_pursue(const struct behavior_def *behavior, const struct senses *senses);

/** Evade: flee from where the menace will be, within panic_distance px (0: always).
 * source  Reynolds 1999, "Evasion" */
struct urge behavior_evade(const struct behavior_def *behavior, const struct senses *senses);

/** Offset pursuit: keep a place relative to another agent (offset px ahead and to its right), matching its
 * velocity. source  Reynolds 1999, "Offset pursuit" */
struct urge behavior_offset_pursuit(const struct behavior_def *behavior, const struct senses *senses);

/** Formation: keep one of the places around another, given out by rank among the agents of its own kind; when
 * one is removed the others close up. source  Reynolds 1999, "Offset pursuit"; the shapes are those of
 * gdx-ai's formation patterns */
struct urge behavior_formation(const struct behavior_def *behavior, const struct senses *senses);

/** Interpose: arrive halfway between where two others will be.
 * source  Buckland 2005, "Interpose" */
struct urge behavior_interpose(const struct behavior_def *behavior, const struct senses *senses);

/** Wander: seek a goal that wanders at random on a circle ahead.
 *
 * The force to the side is max_force times the sine of the goal's bearing, the force ahead holds max_speed.
 * The goal's angle is a random walk whose variance grows with time, not with ticks, so paths look alike at
 * any tick rate. source  Reynolds 1999, "Wander" */
struct urge behavior_wander(const struct behavior_def *behavior, const struct senses *senses);

/* Behaviours about neighbours (behavior_neighbors.c). The force of the first four and of avoid_agents is a
 * direction times a strength from 0 to 1 times max_force, so that weights mean the same for all of them. */

/** Separation: away from the neighbours, the nearest first of all; strength 1 from one neighbour at half the
 * radius. source  Reynolds 1999, "Separation" */
struct urge behavior_separation(const struct behavior_def *behavior, const struct senses *senses);

/** Alignment: towards the neighbours' mean velocity; strength 1 when it is a quarter of max_speed away.
 * source  Reynolds 1999, "Alignment" */
struct urge behavior_alignment(const struct behavior_def *behavior, const struct senses *senses);

/** Cohesion: towards the neighbours' mean position; strength 1 when it is a quarter of the radius away.
 * source  Reynolds 1999, "Cohesion" */
struct urge behavior_cohesion(const struct behavior_def *behavior, const struct senses *senses);

/** Flocking: the three together, each with its own radius, view and weight, from one look around.
 * source  Reynolds 1987, "Flocks, herds, and schools" */
struct urge behavior_flock(const struct behavior_def *behavior, const struct senses *senses);

/** Unaligned collision avoidance: away from where predicted collisions will be, the sooner the harder (see
 * neighbors_threats). source  Reynolds 1999, "Unaligned collision avoidance" */
struct urge behavior_avoid_agents(const struct behavior_def *behavior, const struct senses *senses);

/** Leader following: arrive at a place behind the leader at its velocity, keep apart from the other
 * followers, and step aside when in front of the leader. source  Reynolds 1999, "Leader following" */
struct urge behavior_follow_leader(const struct behavior_def *behavior, const struct senses *senses);

/** Queueing: arrive at the target, no faster than whoever is in the way allows.
 * source  Reynolds 1999, "Queuing" */
struct urge behavior_queue(const struct behavior_def *behavior, const struct senses *senses);
/** Avoid obstacles: pass what stands in the way within horizon s, or brake.
 *
 * The body, grown by clearance px, is swept along its velocity (at rest along its heading, slowly); the first
 * obstacle or wall it meets is passed along its surface, on the side of the present way, or when met head-on
 * on the side that needs the smaller detour. The force is what brings the velocity onto that tangent by the
 * time of contact, so it grows as the obstacle comes nearer; when there is no time to pass, the desired speed
 * is lower too. From inside an obstacle: out by the shortest way, at max_speed. Nothing in the way: inactive.
 * source  Reynolds 1999, "Obstacle avoidance"; OpenSteer, steerToAvoidObstacles */
struct urge behavior_avoid_obstacles(const struct behavior_def *behavior, const struct senses *senses);

/** Follow wall: go along the nearest wall or outline of an obstacle, `distance` px between it and the body.
 *
 * Looks at where it will be after prediction s; keeps the direction it goes in already, and at an inner
 * corner turns away from the wall it comes along. Inactive in a world without walls and obstacles. source
 * Reynolds 1999, "Wall following" */
struct urge behavior_follow_wall(const struct behavior_def *behavior, const struct senses *senses);

/** Follow path: go along a path in its direction.
 *
 * When it will be within the path's radius after prediction s, further along than now, it keeps its course at
 * full speed; otherwise it seeks the point of the path that far ahead. At the end of a path that is no loop
 * it arrives and stops. source  Reynolds 1999, "Path following"; OpenSteer, steerToFollowPath */
struct urge behavior_follow_path(const struct behavior_def *behavior, const struct senses *senses);

/** Stay on path: back towards the path's middle when it will be outside its radius after prediction s;
 * inactive inside. source  OpenSteer, steerToStayOnPath */
struct urge behavior_stay_on_path(const struct behavior_def *behavior, const struct senses *senses);

/** Follow flow: the velocity of the flow field where it will be after prediction s, at most max_speed.
 * source  Reynolds 1999, "Flow field following" */
struct urge behavior_follow_flow(const struct behavior_def *behavior, const struct senses *senses);

/** Hide: arrive behind the obstacle whose hiding place, seen from the menace, is nearest, `clearance` px from
 * it. Without an obstacle in the world: evade. source  Buckland 2005, "Hide" */
struct urge behavior_hide(const struct behavior_def *behavior, const struct senses *senses);

/** Contain: back into the region (the world, a rectangle or a circle) before and after leaving it.
 *
 * Looks at where it will be once it has braked, and at least prediction s ahead; when that is outside, or
 * nearer than margin px to the border, every outward part of the velocity is turned inward. Inactive
 * otherwise. source  Reynolds 1999, "Containment" */
struct urge behavior_contain(const struct behavior_def *behavior, const struct senses *senses);

/** Optimal reciprocal collision avoidance: the permitted velocity nearest to the preferred one
 * (behavior_orca.c).
 *
 * Has the last word (behavior_has_last_word). Inactive while the preferred velocity is permitted.
 * source  van den Berg, Guy, Lin, Manocha 2011, "Reciprocal n-Body Collision Avoidance" */
struct urge behavior_orca(const struct behavior_def *behavior, const struct senses *senses);

/* ---- for behaviours ---- */

/** Active: the force that brings the velocity to `desired` px/s at a rate (senses->rate or exact_rate). */
struct urge behavior_match_velocity(vec2 desired, const struct senses *senses, float rate);

/** The velocity, in px/s, that brings the agent to rest at `offset` px, in a frame that moves with `velocity`
 * px/s: arrive's law. slowing_distance px, 0: none. */
vec2 behavior_stopping_velocity(vec2 offset, vec2 velocity, float slowing_distance,
                                const struct senses *senses);

/** The function of a type. */
behavior_function behavior_function_of(enum behavior_type type);

/** The largest speed, in px/s, from which an agent that may lose `acceleration` px/s^2 can stop after
 * `distance` px, moving in ticks of dt seconds and braking in each. Never more than distance / dt. */
float behavior_stopping_speed(float distance, float acceleration, float dt);

/** Fills rate and exact_rate. weight_sum: the sum of the weights of the behaviours that are combined. */
void behavior_rates(struct senses *senses, float weight_sum);

#endif
