/* See velocity_obstacles.h. */
#define LANES_WIDTH 1
#include "server/sim/steering/velocity_obstacles.h"

#include <assert.h>

#include "server/sim/steering/half_planes.inc.h"

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

struct half_plane half_plane_of_solid(vec2 away, float gap, float nearing, float horizon, float settle,
                                      float max_speed) {
    /* The line through the nearest point, across `away`, has all of a convex solid behind it. */
    const float apart = -gap / (gap > 0.0f ? horizon : settle);
    const float needed = nearing != 0.0f ? apart + nearing : apart;
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

vec2 half_planes_nearest(const struct half_plane *planes, int count, int hard, vec2 preferred,
                         float max_speed) {
    assert(count >= 0 && count <= HALF_PLANES_MAX && hard >= 0 && hard <= count && max_speed >= 0.0f);
    const struct goal goal = {{preferred.x, preferred.y}, false, max_speed};
    struct pair velocity = pair_truncate(goal.aim, max_speed);
    struct planes one;
    float failed = 0.0f;
    for (int i = 0; i < count; i++) {
        pair_store(one.x[i], one.y[i], (struct pair){planes[i].normal.x, planes[i].normal.y});
        lanes_store(one.least[i], planes[i].least);
    }
    if (solve_planes(&one, count, &goal, true, &velocity, &failed)) {
        violate_least(&one, count, failed < (float)hard ? 0 : hard, failed, max_speed, true, &velocity);
    }
    velocity = pair_truncate(velocity, max_speed);
    return vec2_make(velocity.x, velocity.y);
}
