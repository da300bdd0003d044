/* See behavior.h. */
#include "server/sim/behavior.h"

#include <assert.h>
#include <stdint.h>

#define TUTORIAL_RATE    60.0f /* 1/s: steering is applied once a frame at 60 frames a second */
#define STOP_MARGIN      0.9f /* share of max_force that arrive plans with; the rest corrects the direction */
#define ON_COURSE_MISS   0.02f  /* px: seek leaves a course alone that misses the target by less */
#define ARRIVE_TOLERANCE 0.005f /* px: half of what a snapshot shows */

static const behavior_function behavior_table[BEHAVIOR_TYPE_COUNT] = {
    [BEHAVIOR_SEEK] = behavior_seek,
    [BEHAVIOR_FLEE] = behavior_flee,
    [BEHAVIOR_ARRIVE] = behavior_arrive,
};

behavior_function behavior_function_of(enum behavior_type type) {
    assert(type >= 0 && type < BEHAVIOR_TYPE_COUNT);
    return behavior_table[type];
}

void behavior_rates(struct senses *senses, float weight_sum) {
    /* force = rate * error and acceleration = force / mass, so the error shrinks by weight_sum * rate * dt /
     * mass in a tick; above 1 it would change sign. */
    const float combined = weight_sum > 1.0f ? weight_sum : 1.0f;
    senses->exact_rate = senses->body->mass / (senses->dt * combined);
    senses->rate = senses->exact_rate < TUTORIAL_RATE ? senses->exact_rate : TUTORIAL_RATE;
}

static struct urge match_velocity(vec2 desired, const struct senses *senses, float rate) {
    return (struct urge){true, desired, vec2_scale(vec2_sub(desired, senses->velocity), rate)};
}

/* Whether the present velocity already leads to the target, but for a miss that nobody can see. */
static bool is_on_course(const struct senses *senses) {
    const float miss = vec2_cross(senses->velocity, senses->to_target); /* px times the speed */
    const float unseen = ON_COURSE_MISS * ON_COURSE_MISS * vec2_length_squared(senses->velocity);
    return vec2_dot(senses->velocity, senses->to_target) > 0.0f && miss * miss < unseen;
}

struct urge behavior_seek(const struct behavior_def *behavior, const struct senses *senses) {
    (void)behavior;
    const vec2 towards = is_on_course(senses) ? senses->velocity : senses->to_target;
    return match_velocity(vec2_with_length(towards, senses->body->max_speed), senses, senses->rate);
}

struct urge behavior_flee(const struct behavior_def *behavior, const struct senses *senses) {
    const float panic = behavior->panic_distance;
    const float squared = vec2_length_squared(senses->to_target);
    if (panic > 0.0f && squared > panic * panic) {
        return (struct urge){false, {0.0f, 0.0f}, {0.0f, 0.0f}};
    }
    vec2 away = vec2_with_length(senses->to_target, -senses->body->max_speed);
    if (!(squared > 1e-30f)) {
        away = vec2_scale(senses->heading, senses->body->max_speed);
    }
    return match_velocity(away, senses, senses->rate);
}

float behavior_stopping_speed(float distance, float acceleration, float dt) {
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

/* The tutorials' ramp, or max_speed outside of it. */
static float ramp_speed(float distance, float slowing_distance, float max_speed) {
    return distance < slowing_distance ? max_speed * (distance / slowing_distance) : max_speed;
}

struct urge behavior_arrive(const struct behavior_def *behavior, const struct senses *senses) {
    const struct body *body = senses->body;
    const float distance = vec2_length(senses->to_target);
    float speed = ramp_speed(distance, behavior->slowing_distance, body->max_speed);
    if (behavior->law == ARRIVE_LINEAR) {
        return match_velocity(vec2_with_length(senses->to_target, speed), senses, senses->rate);
    }
    /* Positions are floats: far from the origin the target can only be met to the spacing of floats there. */
    const float x = senses->position.x, y = senses->position.y;
    const float spacing = 2.4e-7f * ((x < 0.0f ? -x : x) + (y < 0.0f ? -y : y));
    if (distance <= ARRIVE_TOLERANCE + spacing) {
        return match_velocity((vec2){0.0f, 0.0f}, senses, senses->exact_rate);
    }
    const float stopping =
        behavior_stopping_speed(distance, STOP_MARGIN * body->max_force / body->mass, senses->dt);
    speed = speed < stopping ? speed : stopping;
    return match_velocity(vec2_with_length(senses->to_target, speed), senses, senses->exact_rate);
}
