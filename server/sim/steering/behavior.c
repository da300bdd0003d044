/* See behavior.h: what several behaviors use. */
#define LANES_WIDTH 1 /* one agent at a time */
#include "server/sim/steering/behavior.h"

#include <assert.h>

#include "server/sim/steering/one_agent.inc.h"

#define TUTORIAL_RATE 60.0f /* 1/s: steering is applied once a frame at 60 frames a second */

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
    trace_vector(context->trace, "steering", vec2_sub(desired, context->velocity));
    trace_number(context->trace, "rate", rate);
    return (struct steering_output){true, desired, vec2_scale(vec2_sub(desired, context->velocity), rate)};
}

vec2 behavior_lead(const struct steering_context *context, vec2 desired, vec2 force, float left) {
    const struct rule_lanes agent = rule_agent(context);
    return vec2_of(lead(&agent, pair_of(desired), pair_of(force), left));
}

float behavior_stopping_speed(float distance, float acceleration, float dt) {
    assert(distance >= 0.0f && acceleration >= 0.0f && dt > 0.0f);
    return stopping_speed(distance, acceleration, dt);
}

float behavior_ramp_speed(float distance, float slowing_distance, float max_speed) {
    return ramp_speed(distance, slowing_distance, max_speed);
}

/* The velocity that brings the agent to rest at `offset`, in a frame that moves with `velocity`. */
vec2 behavior_stopping_velocity(vec2 offset, vec2 velocity, float slowing_distance,
                                const struct steering_context *context) {
    const struct body *body = context->body;
    const struct stopping at =
        stop_at(pair_of(context->position), pair_of(offset), pair_of(velocity), slowing_distance,
                body->max_speed, planned_braking(body->max_force, body->mass), context->dt);
    trace_number(context->trace, "distance", at.distance);
    if (!(at.tolerance < at.distance)) {
        trace_number(context->trace, "arrived", at.tolerance);
        return vec2_of(at.velocity);
    }
    if (slowing_distance > 0.0f) {
        trace_number(context->trace, "slowing_distance", slowing_distance);
    }
    trace_number(context->trace, "stopping_speed", at.stopping);
    trace_number(context->trace, "speed", at.speed);
    return vec2_of(at.velocity);
}
