/* See locomotion.h. */
#include "server/sim/steering/locomotion.h"

#include <assert.h>
#include <stdbool.h>

#define REST_SPEED 1e-3f /* px/s: a braking agent slower than this stops */
#define ALIGNED_SHARE                                                                                        \
    1e-4f /* of max_speed: nearer than this to the desired velocity counts as being there                    \
           */
#define SLOWEST_SQUARED    1e-12f /* (px/s)^2: slower than this has no direction */
#define HEADING_HOLD_SHARE 1e-3f  /* of max_speed: slower than this the heading stays */

vec2 locomotion_force(enum locomotion locomotion, const struct body *body, vec2 velocity, vec2 desired,
                      vec2 force) {
    if (locomotion != LOCOMOTION_CONSTANT_SPEED) {
        return vec2_truncate(force, body->max_force);
    }
    /* Scaled up to max_force, a force that is only rounding would throw an aligned agent off its course. */
    const float aligned = ALIGNED_SHARE * body->max_speed;
    if (vec2_length_squared(vec2_sub(desired, velocity)) < aligned * aligned) {
        return vec2_make(0.0f, 0.0f);
    }
    return vec2_with_length(force, body->max_force);
}

vec2 locomotion_velocity(enum locomotion locomotion, const struct body *body, vec2 velocity, vec2 desired,
                         vec2 force, float dt) {
    assert(body->mass > 0.0f && body->max_speed >= 0.0f && body->max_force >= 0.0f && dt > 0.0f);
    if (locomotion == LOCOMOTION_DIRECT) {
        return vec2_truncate(desired, body->max_speed);
    }
    const vec2 applied = locomotion_force(locomotion, body, velocity, desired, force);
    const vec2 pushed = vec2_add(velocity, vec2_scale(applied, dt / body->mass));
    if (locomotion == LOCOMOTION_CONSTANT_SPEED) {
        return vec2_with_length(pushed, body->max_speed);
    }
    const vec2 next = vec2_truncate(pushed, body->max_speed);
    const bool brakes = vec2_dot(applied, velocity) < 0.0f;
    return brakes && vec2_length_squared(next) < REST_SPEED * REST_SPEED ? vec2_make(0.0f, 0.0f) : next;
}

float locomotion_hold_squared(float max_speed) {
    const float hold = HEADING_HOLD_SHARE * max_speed, squared = hold * hold;
    return squared > SLOWEST_SQUARED ? squared : SLOWEST_SQUARED;
}

vec2 locomotion_heading(vec2 heading, vec2 velocity, float max_speed, vec2 turn) {
    assert(max_speed >= 0.0f && turn.y >= 0.0f);
    if (!(vec2_length_squared(velocity) > locomotion_hold_squared(max_speed))) {
        return heading;
    }
    const vec2 direction = vec2_with_length(velocity, 1.0f);
    if (vec2_dot(heading, direction) >= turn.x) {
        return direction;
    }
    const float s = vec2_cross(heading, direction) < 0.0f ? -turn.y : turn.y;
    return vec2_with_length(vec2_make(heading.x * turn.x - heading.y * s, heading.x * s + heading.y * turn.x),
                            1.0f);
}
