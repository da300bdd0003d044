/* The behaviours about neighbours: small functions over what neighbors.c summed up. See behavior.h. */
#include "server/sim/steering/behavior.h"

#define FULL_STRENGTH_SHARE                                                                                  \
    0.25f                 /* of max_speed or of the radius: a difference that deserves full strength */
#define HEADWAY     0.1f  /* s: who queues keeps this much further away while moving */
#define REST_SHARE  0.04f /* of max_speed: who queues and wants to go no faster than that stands */
#define STOP_MARGIN 0.9f  /* share of max_force that queue plans to brake with */

static const struct urge no_urge = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};

/* towards: a direction times a strength up to 1. */
static struct urge push(vec2 towards, const struct senses *senses) {
    return (struct urge){true, vec2_scale(towards, senses->body->max_speed),
                         vec2_scale(towards, senses->body->max_force)};
}

/* ---- the three rules: {0,0} to a vector of length 1 ---- */

float behavior_full_inverse(float of) {
    const float full = FULL_STRENGTH_SHARE * of;
    return full > 0.0f ? 1.0f / full : 0.0f;
}

/* `difference` as a direction with strength 1 from a share of `of` on, less when few neighbours are behind
 * it. */
static vec2 direction(vec2 difference, float of, float weight) {
    const float inverse = behavior_full_inverse(of);
    if (!(inverse > 0.0f)) {
        return (vec2){0.0f, 0.0f};
    }
    return vec2_scale(vec2_truncate(vec2_scale(difference, inverse), 1.0f), weight < 1.0f ? weight : 1.0f);
}

static vec2 separating(const struct senses *senses) {
    return vec2_truncate(senses->sums.separation, 1.0f);
}

static vec2 aligning(const struct senses *senses) {
    const struct neighbor_sums *sums = &senses->sums;
    const float max_speed = senses->body->max_speed, max_force = senses->body->max_force;
    if (!(sums->velocity_weight > 0.0f) || !(max_force > 0.0f)) {
        return (vec2){0.0f, 0.0f};
    }
    const vec2 mean = vec2_scale(sums->velocity, 1.0f / sums->velocity_weight);
    const vec2 difference = vec2_sub(vec2_truncate(mean, max_speed), senses->velocity);
    const vec2 towards = direction(difference, max_speed, sums->velocity_weight);
    /* No more than what takes the difference away within a tick. */
    return vec2_truncate(towards, senses->exact_rate * vec2_length(difference) / max_force);
}

static vec2 cohering(float radius, const struct senses *senses) {
    const struct neighbor_sums *sums = &senses->sums;
    if (!(sums->offset_weight > 0.0f)) {
        return (vec2){0.0f, 0.0f};
    }
    const vec2 mean = vec2_scale(sums->offset, 1.0f / sums->offset_weight);
    trace_offset(senses->trace, TRACE_CENTER, mean);
    return direction(mean, radius, sums->offset_weight);
}

struct urge behavior_separation(const struct behavior_def *behavior, const struct senses *senses) {
    (void)behavior;
    return senses->sums.separation_count > 0 ? push(separating(senses), senses) : no_urge;
}

struct urge behavior_alignment(const struct behavior_def *behavior, const struct senses *senses) {
    (void)behavior;
    if (senses->sums.alignment_count == 0) {
        return no_urge;
    }
    struct urge urge = push(aligning(senses), senses);
    urge.desired = vec2_add(senses->velocity, vec2_scale(urge.desired, FULL_STRENGTH_SHARE));
    return urge;
}

struct urge behavior_cohesion(const struct behavior_def *behavior, const struct senses *senses) {
    return senses->sums.cohesion_count > 0
               ? push(cohering(behavior->zones[ZONE_COHESION].radius, senses), senses)
               : no_urge;
}

struct urge behavior_flock(const struct behavior_def *behavior, const struct senses *senses) {
    const struct neighbor_sums *sums = &senses->sums;
    if (sums->separation_count + sums->alignment_count + sums->cohesion_count == 0) {
        return no_urge;
    }
    const struct zone_def *zones = behavior->zones;
    const vec2 apart = vec2_scale(separating(senses), zones[ZONE_SEPARATION].weight);
    const vec2 along = vec2_scale(aligning(senses), zones[ZONE_ALIGNMENT].weight);
    const vec2 together =
        vec2_scale(cohering(zones[ZONE_COHESION].radius, senses), zones[ZONE_COHESION].weight);
    return push(vec2_add(vec2_add(apart, along), together), senses);
}

struct urge behavior_avoid_agents(const struct behavior_def *behavior, const struct senses *senses) {
    (void)behavior;
    const struct neighbor *soonest = &senses->threats.soonest;
    if (senses->threats.count == 0) {
        return no_urge;
    }
    trace_offset(senses->trace, TRACE_PREDICTED,
                 vec2_add(soonest->offset, vec2_scale(soonest->velocity, soonest->time)));
    trace_offset(senses->trace, TRACE_FUTURE, vec2_scale(senses->velocity, soonest->time));
    return push(vec2_truncate(senses->threats.push, 1.0f), senses);
}

/* ---- keeping a velocity ---- */

static struct urge match(vec2 desired, const struct senses *senses) {
    const vec2 velocity = vec2_truncate(desired, senses->body->max_speed);
    return (struct urge){true, velocity,
                         vec2_scale(vec2_sub(velocity, senses->velocity), senses->exact_rate)};
}

/* The way out of the rectangle ahead of the leader; false when not in it. */
static bool step_aside(float clear_ahead, const struct senses *senses, vec2 *aside) {
    const struct sighting *leader = &senses->first;
    const vec2 from_leader = vec2_scale(leader->offset, -1.0f);
    const float ahead = vec2_dot(leader->heading, from_leader);
    const float side = vec2_cross(leader->heading, from_leader), half = 0.5f * clear_ahead;
    if (!(ahead > 0.0f && ahead < clear_ahead && side < half && side > -half)) {
        return false;
    }
    bool is_right = side > 0.0f;
    if (side < 1e-3f && side > -1e-3f) {
        is_right = neighbors_split(senses->id, leader->id).x > 0.0f;
    }
    const vec2 right = {-leader->heading.y, leader->heading.x};
    *aside = vec2_scale(right, is_right ? senses->body->max_speed : -senses->body->max_speed);
    return true;
}

struct urge behavior_follow_leader(const struct behavior_def *behavior, const struct senses *senses) {
    const struct sighting *leader = &senses->first;
    vec2 desired;
    if (!step_aside(behavior->clear_ahead, senses, &desired)) {
        const vec2 behind = vec2_scale(leader->heading, -behavior->distance), nowhere = {0.0f, 0.0f};
        const vec2 place = bounds_difference(senses->bounds, nowhere, vec2_add(leader->offset, behind));
        trace_offset(senses->trace, TRACE_PLACE, place);
        desired = behavior_stopping_velocity(place, leader->velocity, behavior->slowing_distance, senses);
    }
    /* Velocities are added, not forces: where arriving and keeping apart balance, followers come to rest. */
    return match(vec2_add(desired, vec2_scale(separating(senses), senses->body->max_speed)), senses);
}

struct urge behavior_queue(const struct behavior_def *behavior, const struct senses *senses) {
    const struct body *body = senses->body;
    const struct neighbor *other = &senses->ahead;
    const vec2 still = {0.0f, 0.0f};
    trace_offset(senses->trace, TRACE_TARGET, senses->first.offset);
    vec2 desired = behavior_stopping_velocity(senses->first.offset, still, 0.0f, senses);
    if (other->is_there) {
        const float moving = HEADWAY * vec2_length(senses->velocity);
        const float gap = other->distance - body->radius - other->radius - behavior->clearance - moving;
        const vec2 forward = vec2_with_length(senses->first.offset, 1.0f);
        const float theirs = vec2_dot(other->velocity, forward);
        const float own =
            gap > 0.0f ? behavior_stopping_speed(gap, STOP_MARGIN * body->max_force / body->mass, senses->dt)
                       : 0.0f;
        desired = vec2_truncate(desired, own + (theirs > 0.0f ? theirs : 0.0f));
    }
    desired = vec2_add(desired, vec2_scale(separating(senses), 0.5f * body->max_speed));
    /* Who waits stands: what little the neighbours still push would make it turn on its spot for ever. */
    const float rest = REST_SHARE * body->max_speed;
    return match(vec2_length_squared(desired) < rest * rest ? still : desired, senses);
}
