/* See behavior.h. */
#include "server/sim/steering/behavior.h"

#include <assert.h>
#include <stdint.h>

#include "server/sim/math/trig.h"

#define TUTORIAL_RATE    60.0f /* 1/s: steering is applied once a frame at 60 frames a second */
#define STOP_MARGIN      0.9f /* share of max_force that arrive plans with; the rest corrects the direction */
#define ON_COURSE_MISS   0.02f  /* px: seek leaves a course alone that misses the target by less */
#define ARRIVE_TOLERANCE 0.005f /* px: half of what a snapshot shows */

static const behavior_function behavior_table[BEHAVIOR_TYPE_COUNT] = {
    [BEHAVIOR_SEEK] = behavior_seek,
    [BEHAVIOR_FLEE] = behavior_flee,
    [BEHAVIOR_ARRIVE] = behavior_arrive,
    [BEHAVIOR_PURSUE] = behavior_pursue,
    [BEHAVIOR_EVADE] = behavior_evade,
    [BEHAVIOR_OFFSET_PURSUIT] = behavior_offset_pursuit,
    [BEHAVIOR_INTERPOSE] = behavior_interpose,
    [BEHAVIOR_WANDER] = behavior_wander,
    [BEHAVIOR_FORMATION] = behavior_formation,
    [BEHAVIOR_SEPARATION] = behavior_separation,
    [BEHAVIOR_ALIGNMENT] = behavior_alignment,
    [BEHAVIOR_COHESION] = behavior_cohesion,
    [BEHAVIOR_FLOCK] = behavior_flock,
    [BEHAVIOR_AVOID_AGENTS] = behavior_avoid_agents,
    [BEHAVIOR_FOLLOW_LEADER] = behavior_follow_leader,
    [BEHAVIOR_QUEUE] = behavior_queue,
    [BEHAVIOR_AVOID_OBSTACLES] = behavior_avoid_obstacles,
    [BEHAVIOR_FOLLOW_WALL] = behavior_follow_wall,
    [BEHAVIOR_FOLLOW_PATH] = behavior_follow_path,
    [BEHAVIOR_STAY_ON_PATH] = behavior_stay_on_path,
    [BEHAVIOR_FOLLOW_FLOW] = behavior_follow_flow,
    [BEHAVIOR_HIDE] = behavior_hide,
    [BEHAVIOR_ORCA] = behavior_orca,
    [BEHAVIOR_CONTAIN] = behavior_contain,
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

struct urge behavior_match_velocity(vec2 desired, const struct senses *senses, float rate) {
    return (struct urge){true, desired, vec2_scale(vec2_sub(desired, senses->velocity), rate)};
}

/* Whether the present velocity already leads to the target, but for a miss that nobody can see. */
static bool is_on_course(const struct senses *senses) {
    const float miss = vec2_cross(senses->velocity, senses->first.offset); /* px times the speed */
    const float unseen = ON_COURSE_MISS * ON_COURSE_MISS * vec2_length_squared(senses->velocity);
    return vec2_dot(senses->velocity, senses->first.offset) > 0.0f && miss * miss < unseen;
}

struct urge behavior_seek(const struct behavior_def *behavior, const struct senses *senses) {
    (void)behavior;
    trace_offset(senses->trace, TRACE_TARGET, senses->first.offset);
    const vec2 towards = is_on_course(senses) ? senses->velocity : senses->first.offset;
    return behavior_match_velocity(vec2_with_length(towards, senses->body->max_speed), senses, senses->rate);
}

static const struct urge no_urge = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};

/* Whether what is at `offset` is too far away to run from. */
static bool is_calm(vec2 offset, float panic_distance) {
    return panic_distance > 0.0f && vec2_length_squared(offset) > panic_distance * panic_distance;
}

/* Full speed away from a point at `offset`; on the point itself straight ahead. */
static struct urge run_from(vec2 offset, const struct senses *senses) {
    const float squared = vec2_length_squared(offset);
    vec2 away = vec2_with_length(offset, -senses->body->max_speed);
    if (!(squared > 1e-30f)) {
        away = vec2_scale(senses->heading, senses->body->max_speed);
    }
    return behavior_match_velocity(away, senses, senses->rate);
}

struct urge behavior_flee(const struct behavior_def *behavior, const struct senses *senses) {
    if (is_calm(senses->first.offset, behavior->panic_distance)) {
        return no_urge;
    }
    trace_offset(senses->trace, TRACE_TARGET, senses->first.offset);
    return run_from(senses->first.offset, senses);
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

/* The velocity that brings the agent to rest at `offset`, in a frame that moves with `velocity`. */
vec2 behavior_stopping_velocity(vec2 offset, vec2 velocity, float slowing_distance,
                                const struct senses *senses) {
    const struct body *body = senses->body;
    const float distance = vec2_length(offset);
    /* Positions are floats: far from the origin a place can only be met to the spacing of floats there. */
    const float x = senses->position.x, y = senses->position.y;
    const float spacing = 2.4e-7f * ((x < 0.0f ? -x : x) + (y < 0.0f ? -y : y));
    if (distance <= ARRIVE_TOLERANCE + spacing) {
        return velocity;
    }
    const float stopping =
        behavior_stopping_speed(distance, STOP_MARGIN * body->max_force / body->mass, senses->dt);
    const float ramp = ramp_speed(distance, slowing_distance, body->max_speed);
    return vec2_add(velocity, vec2_with_length(offset, ramp < stopping ? ramp : stopping));
}

struct urge behavior_arrive(const struct behavior_def *behavior, const struct senses *senses) {
    const vec2 offset = senses->first.offset;
    trace_offset(senses->trace, TRACE_TARGET, offset);
    if (behavior->law == ARRIVE_LINEAR) {
        const float speed =
            ramp_speed(vec2_length(offset), behavior->slowing_distance, senses->body->max_speed);
        return behavior_match_velocity(vec2_with_length(offset, speed), senses, senses->rate);
    }
    const vec2 still = {0.0f, 0.0f};
    return behavior_match_velocity(
        behavior_stopping_velocity(offset, still, behavior->slowing_distance, senses), senses,
        senses->exact_rate);
}

/* ---- others that move ---- */

/* How far ahead to look: as long as it takes to get there. s */
static float time_to(vec2 offset, float max_prediction, const struct senses *senses) {
    const float distance = vec2_length(offset), speed = senses->body->max_speed;
    return distance < max_prediction * speed ? distance / speed : max_prediction;
}

/* Where the other will be after `time` s, from the agent, the short way. */
static vec2 predicted(const struct sighting *other, float time, const struct senses *senses) {
    const vec2 nowhere = {0.0f, 0.0f};
    const vec2 then = bounds_difference(senses->bounds, nowhere,
                                        vec2_add(other->offset, vec2_scale(other->velocity, time)));
    trace_offset(senses->trace, TRACE_PREDICTED, then);
    return then;
}

struct urge behavior_pursue(const struct behavior_def *behavior, const struct senses *senses) {
    const vec2 ahead =
        predicted(&senses->first, time_to(senses->first.offset, behavior->max_prediction, senses), senses);
    return behavior_match_velocity(vec2_with_length(ahead, senses->body->max_speed), senses, senses->rate);
}

struct urge behavior_evade(const struct behavior_def *behavior, const struct senses *senses) {
    if (is_calm(senses->first.offset, behavior->panic_distance)) {
        return no_urge;
    }
    const float time = time_to(senses->first.offset, behavior->max_prediction, senses);
    return run_from(predicted(&senses->first, time, senses), senses);
}

/* Keeps the place at `offset` (x ahead, y to the right) of the one seen first, at its velocity. */
static struct urge keep_place(vec2 offset, float slowing_distance, const struct senses *senses) {
    const struct sighting *leader = &senses->first;
    const vec2 ahead = vec2_scale(leader->heading, offset.x);
    const vec2 right = vec2_scale((vec2){-leader->heading.y, leader->heading.x}, offset.y);
    const vec2 nowhere = {0.0f, 0.0f};
    const vec2 place =
        bounds_difference(senses->bounds, nowhere, vec2_add(leader->offset, vec2_add(ahead, right)));
    trace_offset(senses->trace, TRACE_PLACE, place);
    const vec2 desired = behavior_stopping_velocity(place, leader->velocity, slowing_distance, senses);
    return behavior_match_velocity(vec2_truncate(desired, senses->body->max_speed), senses,
                                   senses->exact_rate);
}

struct urge behavior_offset_pursuit(const struct behavior_def *behavior, const struct senses *senses) {
    return keep_place(behavior->offset, behavior->slowing_distance, senses);
}

/* The place of the rank-th of `count` members, in the leader's frame. */
static vec2 formation_place(int shape, int32_t rank, int32_t count, float spacing) {
    const float side = rank % 2 == 0 ? 1.0f : -1.0f;
    const int32_t pairs = rank / 2 + 1;
    const float pair = (float)pairs * spacing;
    switch ((enum formation_shape)shape) {
    case FORMATION_LINE:
        return (vec2){0.0f, side * pair};
    case FORMATION_COLUMN:
        return (vec2){-(float)(rank + 1) * spacing, 0.0f};
    case FORMATION_WEDGE:
        return (vec2){-pair, side * pair};
    case FORMATION_CIRCLE:
        break;
    }
    const float share = (float)rank / (float)count;
    const float round = (float)count * spacing * (float)(0.5 / TRIG_PI);
    return vec2_scale(trig_unit(share * (float)(2.0 * TRIG_PI)), round > spacing ? round : spacing);
}

struct urge behavior_formation(const struct behavior_def *behavior, const struct senses *senses) {
    const vec2 place = formation_place(behavior->shape, senses->rank, senses->group, behavior->spacing);
    return keep_place(place, behavior->slowing_distance, senses);
}

struct urge behavior_interpose(const struct behavior_def *behavior, const struct senses *senses) {
    const vec2 middle = vec2_scale(vec2_add(senses->first.offset, senses->second.offset), 0.5f);
    const float time = time_to(middle, behavior->max_prediction, senses);
    const vec2 one = predicted(&senses->first, time, senses),
               other = predicted(&senses->second, time, senses);
    /* Halfway from one to the other the short way, which on a torus need not be the mean of the two offsets.
     */
    const vec2 half = vec2_scale(bounds_difference(senses->bounds, one, other), 0.5f);
    const vec2 midpoint = vec2_add(one, half), still = {0.0f, 0.0f};
    trace_offset(senses->trace, TRACE_MIDPOINT, midpoint);
    const vec2 desired = behavior_stopping_velocity(midpoint, still, behavior->slowing_distance, senses);
    return behavior_match_velocity(desired, senses, senses->exact_rate);
}

/* ---- containment ---- */

struct urge behavior_contain(const struct behavior_def *behavior, const struct senses *senses) {
    const struct body *body = senses->body;
    const struct region_def *region = &behavior->region;
    const float horizon =
        containment_horizon(senses->velocity, body->max_force / body->mass, 2.0f * senses->dt);
    const float ahead = horizon > behavior->prediction ? horizon : behavior->prediction;
    const float inset = body->radius + behavior->margin;
    const vec2 size = region->shape == REGION_WORLD ? senses->bounds->size : region->size;
    const vec2 half = vec2_scale(size, 0.5f);
    const vec2 center = region->shape == REGION_WORLD    ? half
                        : region->shape == REGION_CIRCLE ? region->at
                                                         : vec2_add(region->at, half);
    const vec2 place = bounds_difference(senses->bounds, center, senses->position);
    const vec2 future = vec2_add(place, vec2_scale(senses->velocity, ahead));
    trace_place(senses->trace, TRACE_FUTURE, vec2_add(center, future));
    vec2 desired = senses->velocity;
    const bool leaves = region->shape == REGION_CIRCLE
                            ? containment_circle(region->radius, inset, future, body->max_speed, &desired)
                            : containment_box(vec2_add(half, future), size, inset, body->max_speed, &desired);
    return leaves ? behavior_match_velocity(desired, senses, senses->rate) : no_urge;
}

/* ---- wander ---- */

/* `unit` turned by about `angle` rad, exactly by 2 atan(angle / 2): no sine, and never more than half a turn.
 */
static vec2 turned(vec2 unit, float angle) {
    const float t = 0.5f * angle, scale = 1.0f / (1.0f + t * t);
    const float c = (1.0f - t * t) * scale, s = 2.0f * t * scale;
    return vec2_with_length((vec2){unit.x * c - unit.y * s, unit.x * s + unit.y * c}, 1.0f);
}

struct urge behavior_wander(const struct behavior_def *behavior, const struct senses *senses) {
    struct rng noise = rng_begin(senses->seed, senses->tick, senses->id, RNG_WANDER);
    /* Uniform in +-sqrt(3) has variance 1; times sqrt(dt) the variance after a second is rate squared. */
    const float step =
        rng_between(&noise, -1.7320508f, 1.7320508f) * behavior->wander_rate * sqrtf(senses->dt);
    const vec2 goal = senses->memory->wander = turned(senses->memory->wander, step);
    const vec2 ahead = senses->heading, right = {-ahead.y, ahead.x};
    const vec2 on_circle = vec2_add(vec2_scale(ahead, goal.x), vec2_scale(right, goal.y));
    const vec2 to_circle = vec2_scale(ahead, behavior->wander_distance);
    const vec2 to_goal = vec2_add(to_circle, vec2_scale(on_circle, behavior->wander_radius));
    trace_circle(senses->trace, TRACE_CIRCLE, to_circle, behavior->wander_radius);
    trace_offset(senses->trace, TRACE_GOAL, to_goal);
    const vec2 towards = vec2_with_length(to_goal, 1.0f);
    /* Matching the velocity towards the goal would saturate max_force and turn as hard as it can, this way or
     * that. */
    const float max_force = senses->body->max_force, max_speed = senses->body->max_speed;
    const float sideways = max_force * vec2_dot(towards, right);
    const float forward = senses->rate * (max_speed - vec2_dot(senses->velocity, ahead));
    const float rest = max_force * max_force - sideways * sideways;
    const float left = rest > 0.0f ? sqrtf(rest) : 0.0f;
    const float push = forward < left ? forward : left;
    const vec2 force = vec2_add(vec2_scale(right, sideways), vec2_scale(ahead, push > -left ? push : -left));
    return (struct urge){true, vec2_scale(towards, max_speed), force};
}
