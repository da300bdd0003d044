/* See behavior.h: what several behaviors use. */
#include "server/sim/steering/behavior.h"

#include <assert.h>

#define TUTORIAL_RATE    60.0f /* 1/s: steering is applied once a frame at 60 frames a second */
#define STOP_MARGIN      0.9f /* share of max_force that arrive plans with; the rest corrects the direction */
#define ARRIVE_TOLERANCE 0.005f /* px: half of what a snapshot shows */

void behavior_rates(struct steering_context *context, float weight_sum) {
    assert(context->dt > 0.0f && context->body->mass > 0.0f && weight_sum >= 0.0f);
    /* force = rate * error and acceleration = force / mass, so the error shrinks by weight_sum * rate * dt /
     * mass in a tick; above 1 it would change sign. */
    const float combined = weight_sum > 1.0f ? weight_sum : 1.0f;
    context->exact_rate = context->body->mass / (context->dt * combined);
    context->rate = context->exact_rate < TUTORIAL_RATE ? context->exact_rate : TUTORIAL_RATE;
}

struct steering_output behavior_match_velocity(vec2 desired, const struct steering_context *context,
                                               float rate) {
    return (struct steering_output){true, desired, vec2_scale(vec2_sub(desired, context->velocity), rate)};
}

float behavior_stopping_speed(float distance, float acceleration, float dt) {
    assert(distance >= 0.0f && acceleration >= 0.0f && dt > 0.0f);
    const float step =
        acceleration * dt * dt; /* what one tick of braking takes off the way of each later tick */
    if (!(step > 1e-20f)) {
        return 0.0f;
    }
    const float steps = distance / step;
    const float whole = sqrtf(0.25f + 2.0f * steps) - 0.5f;
    if (whole >= 1e6f) {
        return acceleration * dt * whole;
    }
    /* From (k + f) * a * dt, k whole and 0 <= f < 1, the way is (k + 1) * (k + 2f) / 2 steps; solved for f.
     */
    const float k = (float)(int32_t)whole;
    const float f = steps / (k + 1.0f) - 0.5f * k;
    return acceleration * dt * (k + (f > 0.0f ? f : 0.0f));
}

float behavior_ramp_speed(float distance, float slowing_distance, float max_speed) {
    return distance < slowing_distance ? max_speed * (distance / slowing_distance) : max_speed;
}

/* The velocity that brings the agent to rest at `offset`, in a frame that moves with `velocity`. */
vec2 behavior_stopping_velocity(vec2 offset, vec2 velocity, float slowing_distance,
                                const struct steering_context *context) {
    const struct body *body = context->body;
    const float distance = vec2_length(offset);
    /* Positions are floats: far from the origin a place can only be met to the spacing of floats there. */
    const float x = context->position.x, y = context->position.y;
    const float spacing = 2.4e-7f * ((x < 0.0f ? -x : x) + (y < 0.0f ? -y : y));
    if (distance <= ARRIVE_TOLERANCE + spacing) {
        return velocity;
    }
    const float stopping =
        behavior_stopping_speed(distance, STOP_MARGIN * body->max_force / body->mass, context->dt);
    const float ramp = behavior_ramp_speed(distance, slowing_distance, body->max_speed);
    return vec2_add(velocity, vec2_with_length(offset, ramp < stopping ? ramp : stopping));
}
