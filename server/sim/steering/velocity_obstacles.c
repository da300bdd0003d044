/* See velocity_obstacles.h. */
#define LANES_WIDTH 1
#include "server/sim/steering/velocity_obstacles.h"

#include <assert.h>

#include "server/sim/steering/half_plane.inc.h"

/* ---- half-planes ---- */

struct half_plane half_plane_of(const struct encounter *e) {
    assert(e->room > 0.0f && e->horizon > 0.0f && e->settle > 0.0f);
    const struct encounter_lanes in_lanes = {
        .offset = {e->offset.x, e->offset.y},
        .own = {e->own.x, e->own.y},
        .other = {e->other.x, e->other.y},
        .room = e->room,
        .split = {e->split.x, e->split.y},
        .horizon_inverse = 1.0f / e->horizon,
        .settle_inverse = 1.0f / e->settle,
    };
    const struct plane_lanes plane = half_plane_in_lanes(&in_lanes);
    return (struct half_plane){vec2_make(plane.normal.x, plane.normal.y), plane.least};
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
        if (slope < HALF_PLANE_PARALLEL && slope > -HALF_PLANE_PARALLEL) {
            if (needed > HALF_PLANE_ROUNDING * goal->max_speed) {
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
            if (length > HALF_PLANE_PARALLEL) {
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
