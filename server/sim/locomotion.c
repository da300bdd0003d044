/* See locomotion.h. */
#include "server/sim/locomotion.h"

#include <assert.h>

#define REST_SPEED         1e-3f /* px/s: a braking agent slower than this stops */
#define HEADING_HOLD_SHARE 1e-3f /* of max_speed: slower than this the heading stays */

static vec2 steered(const struct body *body, vec2 velocity, vec2 force, float dt) {
    const vec2 push = vec2_scale(vec2_truncate(force, body->max_force), dt / body->mass);
    const vec2 next = vec2_truncate(vec2_add(velocity, push), body->max_speed);
    const int brakes = vec2_dot(push, velocity) < 0.0f;
    if (brakes && vec2_length_squared(next) < REST_SPEED * REST_SPEED) {
        return (vec2){0.0f, 0.0f};
    }
    return next;
}

vec2 locomotion_velocity(enum locomotion locomotion, const struct body *body, vec2 velocity, vec2 desired,
                         vec2 force, float dt) {
    assert(body->mass > 0.0f && body->max_speed >= 0.0f && body->max_force >= 0.0f && dt > 0.0f);
    switch (locomotion) {
    case LOCOMOTION_DIRECT:
        return vec2_truncate(desired, body->max_speed);
    case LOCOMOTION_CONSTANT_SPEED: {
        const vec2 push = vec2_scale(vec2_with_length(force, body->max_force), dt / body->mass);
        return vec2_with_length(vec2_add(velocity, push), body->max_speed);
    }
    case LOCOMOTION_STEERED:
        break;
    }
    return steered(body, velocity, force, dt);
}

vec2 locomotion_heading(vec2 heading, vec2 velocity, float max_speed, vec2 turn) {
    const float hold = HEADING_HOLD_SHARE * max_speed;
    const float squared = vec2_length_squared(velocity);
    if (squared <= hold * hold || !(squared > 1e-12f)) {
        return heading;
    }
    const vec2 direction = vec2_with_length(velocity, 1.0f);
    if (vec2_dot(heading, direction) >= turn.x) {
        return direction;
    }
    const float s = vec2_cross(heading, direction) < 0.0f ? -turn.y : turn.y;
    return vec2_with_length((vec2){heading.x * turn.x - heading.y * s, heading.x * s + heading.y * turn.x},
                            1.0f);
}
