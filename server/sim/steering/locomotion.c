/* See locomotion.h. One agent at a time: the rules of locomotion_rules.inc.h with a single lane. */
#define LANES_WIDTH 1
#include "server/sim/steering/locomotion.h"

#include <assert.h>
#include <stdbool.h>

#include "server/sim/steering/locomotion_rules.inc.h"

static struct pair pair_of(vec2 a) {
    return (struct pair){a.x, a.y};
}

static vec2 vec2_of(struct pair a) {
    return vec2_make(a.x, a.y);
}

vec2 locomotion_force(enum locomotion locomotion, const struct body *body, vec2 velocity, vec2 desired,
                      vec2 force) {
    if (locomotion != LOCOMOTION_CONSTANT_SPEED) {
        return vec2_truncate(force, body->max_force);
    }
    return vec2_of(
        full_force(pair_of(velocity), pair_of(desired), pair_of(force), body->max_force, body->max_speed));
}

vec2 locomotion_velocity(enum locomotion locomotion, const struct body *body, vec2 velocity, vec2 desired,
                         vec2 force, float dt) {
    assert(body->mass > 0.0f && body->max_speed >= 0.0f && body->max_force >= 0.0f && dt > 0.0f);
    if (locomotion == LOCOMOTION_DIRECT) {
        return vec2_truncate(desired, body->max_speed);
    }
    const float push = dt / body->mass;
    if (locomotion == LOCOMOTION_CONSTANT_SPEED) {
        return vec2_of(constant_velocity(pair_of(velocity), pair_of(desired), pair_of(force), body->max_force,
                                         push, body->max_speed));
    }
    return vec2_of(
        steered_velocity(pair_of(velocity), pair_of(force), body->max_force, push, body->max_speed));
}

/* {cos, sin} of at most `angle` rad, exactly of 2 atan(angle / 2), or of `most` if that is less. */
static struct pair turn_of(float angle, vec2 most) {
    const float half = 0.5f * angle, scale = 1.0f / (1.0f + half * half);
    const struct pair turn = {(1.0f - half * half) * scale, angle * scale};
    return turn.x < most.x ? pair_of(most) : turn;
}

struct drive_step locomotion_drive(const struct body *body, float turn_radius, vec2 turn, vec2 heading,
                                   vec2 velocity, vec2 wish, float dt) {
    assert(body->mass > 0.0f && turn_radius > 0.0f && dt > 0.0f);
    const float most = body->max_force * (dt / body->mass), along = vec2_dot(velocity, heading);
    const float now = along < 0.0f ? 0.0f : along < body->max_speed ? along : body->max_speed;
    const float difference = vec2_length(vec2_truncate(wish, body->max_speed)) - now;
    const float change = difference < -most ? -most : difference < most ? difference : most;
    const float speed = now + change;
    const struct pair next = turned_heading(pair_of(heading), pair_of(wish), SLOWEST_SQUARED,
                                            turn_of(speed * dt / turn_radius, turn));
    return (struct drive_step){vec2_of(next), vec2_scale(vec2_of(next), speed)};
}

float locomotion_hold_squared(float max_speed) {
    const float hold = HEADING_HOLD_SHARE * max_speed, squared = hold * hold;
    return squared > SLOWEST_SQUARED ? squared : SLOWEST_SQUARED;
}

vec2 locomotion_heading(vec2 heading, vec2 velocity, float max_speed, vec2 turn) {
    assert(max_speed >= 0.0f && turn.y >= 0.0f);
    return vec2_of(turned_heading(pair_of(heading), pair_of(velocity), locomotion_hold_squared(max_speed),
                                  pair_of(turn)));
}
