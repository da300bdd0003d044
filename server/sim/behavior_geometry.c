/* The behaviours that steer by what stands and flows in the world. See behavior.h. */
#include <assert.h>

#include "server/sim/behavior.h"

#define SLOW_LOOK 0.25f /* share of max_speed with which an agent at rest looks ahead */
#define HEAD_ON   0.35f /* cosine between course and surface, below which the detour decides the side */

static const struct urge no_urge = {false, {0.0f, 0.0f}, {0.0f, 0.0f}};
static const vec2 nowhere = {0.0f, 0.0f};

/* ---- avoid obstacles ---- */

/* The velocity to look ahead with: at rest a slow one along the heading. */
static vec2 look_velocity(const struct senses *senses) {
    const float slow = SLOW_LOOK * senses->body->max_speed;
    return vec2_length_squared(senses->velocity) < slow * slow ? vec2_scale(senses->heading, slow)
                                                               : senses->velocity;
}

static vec2 right_of(vec2 way) {
    return (vec2){-way.y, way.x};
}

/* +1 or -1: the side of the way, right or left, on which less must be gone around the solid; right when
 * equal. */
static float shorter_side(const struct solid *solid, const struct senses *senses, vec2 way) {
    const vec2 right = right_of(way);
    const vec2 left = vec2_scale(right, -1.0f);
    const float own = vec2_dot(solid_offset(solid, senses->bounds, senses->position), right);
    return solid_reach(solid, right) - own <= solid_reach(solid, left) + own ? 1.0f : -1.0f;
}

/* The unit vector along the surface at a contact, on the side where the body passes. */
static vec2 passing_tangent(const struct solid *solid, vec2 normal, vec2 way, const struct senses *senses) {
    const vec2 tangent = right_of(normal);
    const float along = vec2_dot(tangent, way);
    float sign = along < 0.0f ? -1.0f : 1.0f;
    if (along < HEAD_ON && along > -HEAD_ON) {
        const vec2 side = vec2_scale(right_of(way), shorter_side(solid, senses, way));
        sign = vec2_dot(tangent, side) < 0.0f ? -1.0f : 1.0f;
    }
    return vec2_scale(tangent, sign);
}

/* Out of an obstacle by the shortest way. */
static struct urge get_out(vec2 normal, const struct senses *senses) {
    return behavior_match_velocity(vec2_scale(normal, senses->body->max_speed), senses, senses->exact_rate);
}

struct urge behavior_avoid_obstacles(const struct behavior_def *behavior, const struct senses *senses) {
    const struct scenery *scenery = senses->scenery;
    const struct body *body = senses->body;
    const struct scenery_touch nearest = scenery_nearest(scenery, senses->bounds, senses->position);
    if (nearest.index >= 0 && nearest.touch.distance < 0.0f) {
        return get_out(nearest.touch.normal, senses);
    }
    const vec2 look = look_velocity(senses);
    const float speed = vec2_length(look);
    if (!(speed > 1e-6f)) {
        return no_urge;
    }
    const vec2 way = vec2_scale(look, 1.0f / speed);
    const struct scenery_contact first =
        scenery_sweep(scenery, senses->bounds, senses->position, way, speed * behavior->horizon,
                      body->radius + behavior->clearance);
    if (first.index < 0) {
        return no_urge;
    }
    const vec2 tangent = passing_tangent(&scenery->solids[first.index], first.contact.normal, way, senses);
    const float least = 4.0f * senses->dt;
    float time = first.contact.distance / speed;
    time = time > least ? time : least;
    /* What must change until contact, against what max_force can change until then. */
    const vec2 passing = vec2_scale(tangent, speed);
    const float needed = vec2_length(vec2_sub(passing, senses->velocity)) * body->mass / time;
    const float share = needed > body->max_force ? body->max_force / needed : 1.0f;
    const vec2 desired = vec2_truncate(vec2_scale(passing, share), body->max_speed);
    const float rate = body->mass / time;
    return behavior_match_velocity(desired, senses, rate < senses->exact_rate ? rate : senses->exact_rate);
}

/* ---- walls ---- */

struct urge behavior_follow_wall(const struct behavior_def *behavior, const struct senses *senses) {
    const struct body *body = senses->body;
    const struct scenery_touch here = scenery_nearest(senses->scenery, senses->bounds, senses->position);
    if (here.index < 0) {
        return no_urge;
    }
    /* Where it will be, on this side of what it would run into. */
    const float speed = vec2_length(senses->velocity);
    const vec2 way = speed > 1e-6f ? vec2_scale(senses->velocity, 1.0f / speed) : senses->heading;
    const struct scenery_contact ahead = scenery_sweep(senses->scenery, senses->bounds, senses->position, way,
                                                       speed * behavior->prediction, body->radius);
    const vec2 future = vec2_add(senses->position, vec2_scale(way, ahead.contact.distance));
    const struct scenery_touch there = scenery_nearest(senses->scenery, senses->bounds, future);
    /* What counts is the wall it will be at; while that is the wall it is at, its surface beside the body,
     * for that ahead of it would cut every curve. */
    const struct touch touch = here.index == there.index ? here.touch : there.touch;
    const vec2 normal = touch.normal;
    const vec2 right = right_of(normal);
    /* Onwards, and in a corner away from the wall it comes along. */
    const float onwards = vec2_dot(right, vec2_add(way, vec2_scale(here.touch.normal, 0.5f)));
    const vec2 tangent = vec2_scale(right, onwards < 0.0f ? -1.0f : 1.0f);
    const float wanted = body->radius + behavior->distance;
    float error = (wanted - touch.distance) / (wanted > 1.0f ? wanted : 1.0f);
    error = error > 2.0f ? 2.0f : error < -2.0f ? -2.0f : error;
    const vec2 desired = vec2_with_length(vec2_add(tangent, vec2_scale(normal, error)), body->max_speed);
    return behavior_match_velocity(desired, senses, senses->rate);
}

/* ---- paths ---- */

static vec2 future_place(const struct behavior_def *behavior, const struct senses *senses) {
    return vec2_add(senses->position, vec2_scale(senses->velocity, behavior->prediction));
}

/* The end of a path that is no loop, in the direction it is followed: how far along the path it is, px. */
static float way_to_end(const struct path *path, float s, float sign) {
    return sign > 0.0f ? path->length - s : s;
}

/* Towards a point of the path; no faster than it can stop at the path's end. */
static struct urge seek_along(float s, float remaining, const struct senses *senses) {
    const struct body *body = senses->body;
    const vec2 offset = bounds_difference(senses->bounds, senses->position, path_point(senses->path, s));
    const float stopping =
        behavior_stopping_speed(remaining, 0.9f * body->max_force / body->mass, senses->dt);
    const float speed = stopping < body->max_speed ? stopping : body->max_speed;
    return behavior_match_velocity(vec2_with_length(offset, speed), senses, senses->rate);
}

struct urge behavior_follow_path(const struct behavior_def *behavior, const struct senses *senses) {
    const struct path *path = senses->path;
    const struct body *body = senses->body;
    const float sign = behavior->direction < 0.0f ? -1.0f : 1.0f;
    const struct path_spot here = path_nearest(path, senses->bounds, senses->position);
    const struct path_spot there = path_nearest(path, senses->bounds, future_place(behavior, senses));
    const float lead =
        sign * body->max_speed * (behavior->prediction > senses->dt ? behavior->prediction : senses->dt);
    float remaining = 3e38f;
    if (!path->is_loop) {
        const float left = way_to_end(path, here.s, sign);
        remaining = left + here.distance;
        if (left <= (lead < 0.0f ? -lead : lead)) {
            /* The end is what it goes for. */
            const vec2 end = path_point(path, sign > 0.0f ? path->length : 0.0f);
            const vec2 offset = bounds_difference(senses->bounds, senses->position, end);
            return behavior_match_velocity(
                vec2_truncate(behavior_stopping_velocity(offset, nowhere, 0.0f, senses), body->max_speed),
                senses, senses->exact_rate);
        }
    }
    const bool advances = path_between(path, here.s, there.s) * sign > 0.0f;
    const float stopping =
        behavior_stopping_speed(remaining, 0.9f * body->max_force / body->mass, senses->dt);
    if (advances && there.distance <= path->radius && stopping >= body->max_speed) {
        return behavior_match_velocity(vec2_with_length(senses->velocity, body->max_speed), senses,
                                       senses->rate);
    }
    return seek_along(path_advance(path, here.s, lead), remaining, senses);
}

struct urge behavior_stay_on_path(const struct behavior_def *behavior, const struct senses *senses) {
    const vec2 future = future_place(behavior, senses);
    const struct path_spot there = path_nearest(senses->path, senses->bounds, future);
    if (there.distance <= senses->path->radius) {
        return no_urge;
    }
    const vec2 to_path = bounds_difference(senses->bounds, senses->position, vec2_add(future, there.offset));
    return behavior_match_velocity(vec2_with_length(to_path, senses->body->max_speed), senses, senses->rate);
}

/* ---- flow ---- */

struct urge behavior_follow_flow(const struct behavior_def *behavior, const struct senses *senses) {
    const vec2 flow = flow_at(senses->flow, senses->bounds, future_place(behavior, senses));
    return behavior_match_velocity(vec2_truncate(flow, senses->body->max_speed), senses, senses->rate);
}

/* ---- hide ---- */

/* Where one hides behind an obstacle, px from the agent: on the line from the menace through its centre. */
static vec2 hiding_place(const struct solid *solid, const struct behavior_def *behavior,
                         const struct senses *senses) {
    const vec2 to_center = bounds_difference(senses->bounds, senses->position, solid->center);
    vec2 from_menace = bounds_difference(senses->bounds, senses->first.offset, to_center);
    if (!(vec2_length_squared(from_menace) > 1e-12f)) {
        from_menace = senses->heading;
    }
    const float behind = solid->radius + senses->body->radius + behavior->clearance;
    return vec2_add(to_center, vec2_with_length(from_menace, behind));
}

static bool is_in_world(const struct bounds *bounds, vec2 place) {
    return bounds->edge == EDGE_WRAP || bounds->edge == EDGE_OPEN ||
           (place.x >= 0.0f && place.y >= 0.0f && place.x <= bounds->size.x && place.y <= bounds->size.y);
}

struct urge behavior_hide(const struct behavior_def *behavior, const struct senses *senses) {
    const struct scenery *scenery = senses->scenery;
    bool is_found = false;
    vec2 best = nowhere;
    for (int i = 0; i < scenery->def.obstacle_count; i++) {
        const vec2 offset = hiding_place(&scenery->solids[i], behavior, senses);
        const bool is_nearer = !is_found || vec2_length_squared(offset) < vec2_length_squared(best);
        if (is_nearer && is_in_world(senses->bounds, vec2_add(senses->position, offset))) {
            best = offset;
            is_found = true;
        }
    }
    if (!is_found) {
        return behavior_evade(behavior, senses);
    }
    const vec2 desired = behavior_stopping_velocity(best, nowhere, behavior->slowing_distance, senses);
    return behavior_match_velocity(vec2_truncate(desired, senses->body->max_speed), senses,
                                   senses->exact_rate);
}
