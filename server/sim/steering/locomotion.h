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
};
enum { LOCOMOTION_COUNT = LOCOMOTION_CONSTANT_SPEED + 1 };

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

#endif
