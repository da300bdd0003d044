/* See velocity_obstacles.h. */
#include "server/sim/steering/velocity_obstacles.h"

#include <assert.h>

#define STILL_SQUARED 1e-12f /* (px/s)^2: less has no direction */
#define PARALLEL      1e-6f  /* of two unit vectors: nearer than that they are one direction */
#define YIELDING      0.4f   /* the most that a share is off one half */
#define ROUNDING      1e-5f  /* of max_speed: by how much parallel half-planes may miss each other */

/* ---- half-planes ---- */

/* From inside the collision: on the circle of relative velocities that just separate the two in time. */
static struct half_plane plane_of_overlap(const struct encounter *e, vec2 relative, float *change) {
    const float inverse = 1.0f / e->settle;
    const vec2 from_middle = vec2_sub(relative, vec2_scale(e->offset, inverse));
    vec2 normal = vec2_scale(e->split, -1.0f);
    if (vec2_length_squared(from_middle) > STILL_SQUARED) {
        normal = vec2_with_length(from_middle, 1.0f);
    }
    *change = e->room * inverse - vec2_length(from_middle);
    return (struct half_plane){.normal = normal};
}

/* The truncated cone of relative velocities that collide within the horizon: its round tip, or the nearer of
 * its two legs. */
static struct half_plane plane_of_cone(const struct encounter *e, vec2 relative, float squared,
                                       float *change) {
    const vec2 p = e->offset;
    const float inverse = 1.0f / e->horizon;
    const vec2 from_middle = vec2_sub(relative, vec2_scale(p, inverse));
    const float along = vec2_dot(from_middle, p), length_squared = vec2_length_squared(from_middle);
    if (along < 0.0f && along * along > e->room * e->room * length_squared) {
        *change = e->room * inverse - sqrtf(length_squared);
        return (struct half_plane){.normal = vec2_with_length(from_middle, 1.0f)};
    }
    const float leg = sqrtf(squared - e->room * e->room);
    const float side = vec2_cross(p, from_middle) > 0.0f ? 1.0f : -1.0f;
    /* p turned by the cone's half angle to that side, and from there a quarter turn further out. */
    const vec2 way = {p.x * leg - side * p.y * e->room, side * p.x * e->room + p.y * leg};
    const vec2 normal = vec2_with_length(vec2_make(-side * way.y, side * way.x), 1.0f);
    *change = -vec2_dot(relative, normal);
    return (struct half_plane){.normal = normal};
}

/* Which part of the change is the agent's: half of it when the other is ahead of or behind it on their common
 * way; less when the other is to the right, more to the left. What the other computes is 1 less this. So a
 * ring of agents that all want to the middle starts to turn before it jams. */
static float share_of(const struct encounter *e) {
    const vec2 common = vec2_with_length(vec2_add(e->own, e->other), 1.0f);
    const vec2 towards = vec2_with_length(e->offset, 1.0f);
    return 0.5f - YIELDING * vec2_cross(common, towards);
}

struct half_plane half_plane_of(const struct encounter *e) {
    assert(e->room > 0.0f && e->horizon > 0.0f && e->settle > 0.0f);
    const vec2 relative = vec2_sub(e->own, e->other);
    const float squared = vec2_length_squared(e->offset);
    float change;
    struct half_plane plane = squared > e->room * e->room ? plane_of_cone(e, relative, squared, &change)
                                                          : plane_of_overlap(e, relative, &change);
    /* The relative velocity must change by this along the normal. */
    plane.least = vec2_dot(e->own, plane.normal) + share_of(e) * change;
    return plane;
}

struct half_plane half_plane_of_solid(vec2 away, float gap, float horizon, float settle, float max_speed) {
    /* The line through the nearest point, across `away`, has all of a convex solid behind it. */
    const float needed = -gap / (gap > 0.0f ? horizon : settle);
    return (struct half_plane){away, needed < max_speed ? needed : max_speed};
}

bool half_planes_permit(const struct half_plane *planes, int count, vec2 velocity) {
    for (int i = 0; i < count; i++) {
        if (vec2_dot(planes[i].normal, velocity) < planes[i].least) {
            return false;
        }
    }
    return true;
}

/* ---- the linear program ---- */

/* The wanted velocity: the one nearest to `aim`, or (is_direction) the furthest along the unit vector
 * `aim`.
 */
struct goal {
    vec2 aim;
    bool is_direction;
    float max_speed;
};

/* The best velocity on the border of half-plane `line` that the ones before it permit; false: there is none.
 */
static bool solve_on_border(const struct half_plane *planes, int line, const struct goal *goal,
                            vec2 *velocity) {
    const vec2 normal = planes[line].normal, along = {-normal.y, normal.x};
    const float least = planes[line].least;
    const float rest = goal->max_speed * goal->max_speed - least * least;
    if (!(rest >= 0.0f)) {
        return false;
    }
    float high = sqrtf(rest), low = -high;
    for (int i = 0; i < line; i++) {
        const float slope = vec2_dot(planes[i].normal, along);
        const float needed = planes[i].least - least * vec2_dot(planes[i].normal, normal);
        if (slope < PARALLEL && slope > -PARALLEL) {
            if (needed > ROUNDING * goal->max_speed) {
                return false;
            }
            continue;
        }
        const float at = needed / slope;
        if (slope > 0.0f) {
            low = at > low ? at : low;
        } else {
            high = at < high ? at : high;
        }
        if (low > high) {
            return false;
        }
    }
    float t = vec2_dot(along, goal->aim);
    if (goal->is_direction) {
        t = t > 0.0f ? high : low;
    } else {
        t = t < low ? low : t > high ? high : t;
    }
    *velocity = vec2_add(vec2_scale(normal, least), vec2_scale(along, t));
    return true;
}

/* Adds the half-planes one by one: while the best velocity so far is permitted it stays, otherwise the best
 * is on the new border. Returns the first that leaves nothing (*velocity is the best without it), or count.
 */
static int solve(const struct half_plane *planes, int count, const struct goal *goal, vec2 *velocity) {
    *velocity = goal->is_direction ? vec2_scale(goal->aim, goal->max_speed)
                                   : vec2_truncate(goal->aim, goal->max_speed);
    for (int i = 0; i < count; i++) {
        if (vec2_dot(planes[i].normal, *velocity) < planes[i].least &&
            !solve_on_border(planes, i, goal, velocity)) {
            return i;
        }
    }
    return count;
}

/* From the first half-plane that leaves nothing: the velocity that violates the soft ones the least, by the
 * three-dimensional program whose third variable is the violation. Where half-plane i is violated most, no
 * other is violated more, which are half-planes again. */
static void violate_least(const struct half_plane *planes, int count, int hard, int begin, float max_speed,
                          vec2 *velocity) {
    struct half_plane equal[HALF_PLANES_MAX];
    float violation = 0.0f;
    for (int i = begin; i < count; i++) {
        if (!(planes[i].least - vec2_dot(planes[i].normal, *velocity) > violation)) {
            continue;
        }
        int equals = 0;
        for (int j = 0; j < i; j++) {
            if (j < hard) {
                equal[equals++] = planes[j];
                continue;
            }
            const vec2 difference = vec2_sub(planes[j].normal, planes[i].normal);
            const float length = vec2_length(difference);
            if (length > PARALLEL) {
                equal[equals++] = (struct half_plane){vec2_scale(difference, 1.0f / length),
                                                      (planes[j].least - planes[i].least) / length};
            }
        }
        const struct goal goal = {planes[i].normal, true, max_speed};
        vec2 better;
        /* There always is one but for rounding; then what there was is as good. */
        if (solve(equal, equals, &goal, &better) == equals) {
            *velocity = better;
        }
        violation = planes[i].least - vec2_dot(planes[i].normal, *velocity);
    }
}

vec2 half_planes_nearest(const struct half_plane *planes, int count, int hard, vec2 preferred,
                         float max_speed) {
    assert(count >= 0 && count <= HALF_PLANES_MAX && hard >= 0 && hard <= count && max_speed >= 0.0f);
    const struct goal goal = {preferred, false, max_speed};
    vec2 velocity;
    const int failed = solve(planes, count, &goal, &velocity);
    if (failed < count) {
        violate_least(planes, count, failed < hard ? 0 : hard, failed, max_speed, &velocity);
    }
    return vec2_truncate(velocity, max_speed);
}
