/* From a steering force to motion: the vehicle model. */
#ifndef DROVER_SERVER_SIM_STEERING_LOCOMOTION_H
#define DROVER_SERVER_SIM_STEERING_LOCOMOTION_H

#include "common/base/vec2.h"

/** How the steering force becomes motion. */
enum locomotion {
    LOCOMOTION_STEERED, /* truncate(force, max_force) / mass is the acceleration; speed <= max_speed */
    LOCOMOTION_DIRECT,  /* no steering: the velocity is set to the desired velocity (Tuts+, first demo) */
    LOCOMOTION_CONSTANT_SPEED, /* the force is scaled to exactly max_force and the speed to exactly max_speed
                                  (the boids tutorial) */
    LOCOMOTION_WHEELED,        /* a car: locomotion_drive */
};
enum { LOCOMOTION_COUNT = LOCOMOTION_WHEELED + 1 };

/** One agent's own body: what was drawn or set for it, or its kind's values. */
struct body {
    float mass, radius, max_speed, max_force; /* mass, px, px/s, mass*px/s^2 */
};

/** The force that acts: truncated to max_force; for LOCOMOTION_CONSTANT_SPEED of exactly max_force, or none
 * when the velocity is the desired one already. Units as below. */
vec2 locomotion_force(enum locomotion locomotion, const struct body *body, vec2 velocity, vec2 desired,
                      vec2 force);

/** The velocity after a tick.
 *
 * velocity  px/s, before
 * desired   px/s, what LOCOMOTION_DIRECT takes
 * force     mass*px/s^2, total before truncation, what the others take
 * dt        s
 * returns   px/s; |result| <= max_speed; {0,0} when a braking agent is as good as at rest
 * source    Reynolds 1999, "Locomotion": truncate, divide by mass, add, truncate
 */
vec2 locomotion_velocity(enum locomotion locomotion, const struct body *body, vec2 velocity, vec2 desired,
                         vec2 force, float dt);

/** A tick of a wheeled vehicle. */
struct drive_step {
    vec2 heading;  /* unit vector, after */
    vec2 velocity; /* px/s, after: along the heading; |velocity| <= max_speed */
};

/** A tick of a wheeled vehicle: it goes where it looks, neither backwards nor round on the spot.
 *
 * The force along the heading takes the speed to that of the wish, as far as max_force does; the heading turns towards
 * the wish by at most speed * dt / turn_radius.
 *
 * turn_radius  px, > 0
 * turn         as in locomotion_heading: the most for whatever reason else
 * heading      unit vector, before
 * velocity     px/s, before; what of it is not along the heading is lost
 * wish         px/s: the velocity that it wants
 * dt           s
 * source       the kinematic bicycle, its front wheels turned at once
 */
struct drive_step locomotion_drive(const struct body *body, float turn_radius, vec2 turn, vec2 heading,
                                   vec2 velocity, vec2 wish, float dt);

#define NO_TURN_LIMIT -2.0f /* no cosine is less */

/** (px/s)^2: an agent that is no faster keeps its heading. */
float locomotion_hold_squared(float max_speed);

/** The heading after a tick: turned towards the velocity by at most one tick's turn; kept when the agent is
 * (almost) at rest.
 *
 * heading    unit vector, before
 * velocity   px/s, after
 * turn       {cos, sin} of the largest turn of one tick, 0..pi; {NO_TURN_LIMIT, 0}: any
 * returns    a unit vector
 */
vec2 locomotion_heading(vec2 heading, vec2 velocity, float max_speed, vec2 turn);

/* What bounds the rules of flocking: numbers of a body and of a tick. */

#define FLOCK_FULL_STRENGTH_SHARE                                                                            \
    0.25f /* of max_speed or of the radius: a difference that deserves full strength */

/** What alignment needs to know. */
struct flock_limits {
    float max_speed, max_force; /* px/s, mass*px/s^2 */
    float exact_rate;           /* struct steering_context */
    float full_speed_inverse;   /* 1 / the difference of velocities that deserves full strength; 0: no rule */
};

/** 1 / the difference that deserves full strength in alignment (of: max_speed, px/s) and cohesion (of:
 * radius, px); 0 for 0: the rule does nothing. */
static inline float flock_full_inverse(float of) {
    const float full = FLOCK_FULL_STRENGTH_SHARE * of;
    return full > 0.0f ? 1.0f / full : 0.0f;
}

/** The limits of a body. max_force 0: alignment does nothing. */
static inline struct flock_limits flock_limits(float max_speed, float max_force, float exact_rate) {
    return (struct flock_limits){
        .max_speed = max_speed,
        .max_force = max_force,
        .exact_rate = exact_rate,
        .full_speed_inverse = max_force > 0.0f ? flock_full_inverse(max_speed) : 0.0f,
    };
}

#endif
