/* The linear program of orca, written plainly for one agent: an independent reference for the one in lanes
 * (server/sim/steering/half_planes.inc.h), which has the same bits.
 */
#ifndef DROVER_TESTS_UNIT_SERVER_SIM_STEERING_HALF_PLANES_REFERENCE_H
#define DROVER_TESTS_UNIT_SERVER_SIM_STEERING_HALF_PLANES_REFERENCE_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "common/base/vec2.h"
#include "server/sim/steering/velocity_obstacles.h"

/* The wanted velocity: the one nearest to `aim`, or (is_direction) the furthest along the unit vector
 * `aim`.
 */
struct reference_goal {
    vec2 aim;
    bool is_direction;
    float max_speed;
};

/* The best velocity on the border of half-plane `line` that the ones before it permit; false: there is none.
 */
static inline bool reference_solve_on_border(const struct half_plane *planes, int line,
                                             const struct reference_goal *goal, vec2 *velocity) {
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
static inline int reference_solve(const struct half_plane *planes, int count,
                                  const struct reference_goal *goal, vec2 *velocity) {
    *velocity = goal->is_direction ? vec2_scale(goal->aim, goal->max_speed)
                                   : vec2_truncate(goal->aim, goal->max_speed);
    for (int i = 0; i < count; i++) {
        if (vec2_dot(planes[i].normal, *velocity) < planes[i].least &&
            !reference_solve_on_border(planes, i, goal, velocity)) {
            return i;
        }
    }
    return count;
}

/* From the first half-plane that leaves nothing: the velocity that violates the soft ones the least, by the
 * three-dimensional program whose third variable is the violation. Where half-plane i is violated most, no
 * other is violated more, which are half-planes again. */
static inline void reference_violate_least(const struct half_plane *planes, int count, int hard, int begin,
                                           float max_speed, vec2 *velocity) {
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
        const struct reference_goal goal = {planes[i].normal, true, max_speed};
        vec2 better;
        /* There always is one but for rounding; then what there was is as good. */
        if (reference_solve(equal, equals, &goal, &better) == equals) {
            *velocity = better;
        }
        violation = planes[i].least - vec2_dot(planes[i].normal, *velocity);
    }
}

static inline vec2 reference_nearest(const struct half_plane *planes, int count, int hard, vec2 preferred,
                                     float max_speed) {
    assert(count >= 0 && count <= HALF_PLANES_MAX && hard >= 0 && hard <= count && max_speed >= 0.0f);
    const struct reference_goal goal = {preferred, false, max_speed};
    vec2 velocity;
    const int failed = reference_solve(planes, count, &goal, &velocity);
    if (failed < count) {
        reference_violate_least(planes, count, failed < hard ? 0 : hard, failed, max_speed, &velocity);
    }
    return vec2_truncate(velocity, max_speed);
}

#endif
