/* See obstacle_handle.h. */
#include "viewer/model/obstacle_handle.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static float distance_to_side(vec2 from, vec2 to, vec2 at) {
    const vec2 side = vec2_sub(to, from), way = vec2_sub(at, from);
    const float square = vec2_length_squared(side);
    const float part = square > 0.0f ? fminf(fmaxf(vec2_dot(way, side) / square, 0.0f), 1.0f) : 0.0f;
    return vec2_length(vec2_sub(way, vec2_scale(side, part)));
}

/* Convex: a point is inside when it is on the same side of every edge. */
static float distance_to_polygon(const struct obstacle_def *obstacle, vec2 at) {
    float best = INFINITY;
    int left = 0, right = 0;
    for (int i = 0; i < obstacle->point_count; i++) {
        const vec2 from = obstacle->points[i], to = obstacle->points[(i + 1) % obstacle->point_count];
        const float turn = vec2_cross(vec2_sub(to, from), vec2_sub(at, from));
        left += turn > 0.0f ? 1 : 0;
        right += turn < 0.0f ? 1 : 0;
        best = fminf(best, distance_to_side(from, to, at));
    }
    return left == 0 || right == 0 ? 0.0f : best;
}

float obstacle_handle_distance(const struct obstacle_def *obstacle, vec2 at) {
    const vec2 way = vec2_sub(at, obstacle->at);
    if (obstacle->shape == OBSTACLE_POLYGON) {
        return distance_to_polygon(obstacle, at);
    }
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        return fmaxf(vec2_length(way) - obstacle->radius, 0.0f);
    }
    const vec2 beyond = vec2_make(fmaxf(fmaxf(-way.x, way.x - obstacle->size.x), 0.0f),
                                  fmaxf(fmaxf(-way.y, way.y - obstacle->size.y), 0.0f));
    return vec2_length(beyond);
}

static float distance_to_copies(const struct obstacle_def *obstacle, vec2 at, vec2 wrap_size) {
    float best = INFINITY;
    const int copies = wrap_size.x > 0.0f ? 1 : 0;
    for (int x = -copies; x <= copies; x++) {
        for (int y = -copies; y <= copies; y++) {
            const vec2 copy = vec2_make(at.x + (float)x * wrap_size.x, at.y + (float)y * wrap_size.y);
            best = fminf(best, obstacle_handle_distance(obstacle, copy));
        }
    }
    return best;
}

const struct obstacle_def *obstacle_handle_find(const struct message_geometry *geometry, vec2 at, float reach,
                                                vec2 wrap_size) {
    assert(reach >= 0.0f);
    const struct obstacle_def *found = NULL;
    float best = reach;
    for (int i = 0; i < geometry->obstacle_count; i++) {
        const struct obstacle_def *obstacle = &geometry->obstacles[i];
        const float distance = distance_to_copies(obstacle, at, wrap_size);
        if (obstacle->id != 0 && distance <= best) { /* an older server names none: they cannot be moved */
            best = distance;
            found = obstacle;
        }
    }
    return found;
}

const struct obstacle_def *obstacle_handle_by_id(const struct message_geometry *geometry, uint32_t id) {
    for (int i = 0; i < geometry->obstacle_count; i++) {
        if (geometry->obstacles[i].id == id && id != 0) {
            return &geometry->obstacles[i];
        }
    }
    return NULL;
}
