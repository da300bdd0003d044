/* See edge.h. Each axis by itself; a body wider than the box is held at its middle. */
#define LANES_WIDTH 1 /* one agent at a time */
#include "server/sim/space/edge.h"

#include <assert.h>
#include <stdint.h>

#include "server/sim/space/edge_rules.inc.h"

#define COORDINATE_MAX ((float)LIMIT_COORDINATE)

static float clamp(float value, float low, float high) {
    return value < low ? low : value > high ? high : value;
}

static float wrap_coordinate(float value, float size) {
    if (value >= 0.0f && value < size) {
        return value;
    }
    value -= size * floor_small(clamp(value, -1e9f, 1e9f) / size);
    /* Rounding can land on either border: both are the same place, 0. */
    return value >= 0.0f && value < size ? value : 0.0f;
}

vec2 bounds_difference(const struct bounds *bounds, vec2 from, vec2 to) {
    const vec2 difference = vec2_sub(to, from);
    if (bounds->edge != EDGE_WRAP) {
        return difference;
    }
    const vec2 size = bounds->size;
    return vec2_make(wrap_difference(difference.x, size.x, 0.5f * size.x),
                     wrap_difference(difference.y, size.y, 0.5f * size.y));
}

vec2 bounds_settle(const struct bounds *bounds, vec2 point) {
    assert(bounds->size.x > 0.0f && bounds->size.y > 0.0f);
    switch (bounds->edge) {
    case EDGE_WRAP:
        return vec2_make(wrap_coordinate(point.x, bounds->size.x), wrap_coordinate(point.y, bounds->size.y));
    case EDGE_BOUNCE:
    case EDGE_CONTAIN:
        return vec2_make(clamp(point.x, 0.0f, bounds->size.x), clamp(point.y, 0.0f, bounds->size.y));
    case EDGE_OPEN:
        break;
    }
    return vec2_make(clamp(point.x, -COORDINATE_MAX, COORDINATE_MAX),
                     clamp(point.y, -COORDINATE_MAX, COORDINATE_MAX));
}

static void bounce(float *position, float *velocity, float size, float radius) {
    const float low = lowest_place(size, radius), high = size - low;
    if (*position < low) {
        *position = low + (low - *position);
        *velocity = *velocity < 0.0f ? -*velocity : *velocity;
    } else if (*position > high) {
        *position = high - (*position - high);
        *velocity = *velocity > 0.0f ? -*velocity : *velocity;
    }
    *position = clamp(*position, low, high);
}

/* Nothing leaves +-LIMIT_COORDINATE: what runs into it stops there on that axis. */
static void hold(float *position, float *velocity) {
    if (*position < -COORDINATE_MAX || *position > COORDINATE_MAX) {
        *position = clamp(*position, -COORDINATE_MAX, COORDINATE_MAX);
        *velocity = 0.0f;
    }
}

struct motion bounds_apply(const struct bounds *bounds, struct motion motion, float radius) {
    assert(radius >= 0.0f);
    if (bounds->edge == EDGE_WRAP) {
        motion.x = wrap_coordinate(motion.x, bounds->size.x);
        motion.y = wrap_coordinate(motion.y, bounds->size.y);
    } else if (bounds->edge == EDGE_BOUNCE) {
        bounce(&motion.x, &motion.vx, bounds->size.x, radius);
        bounce(&motion.y, &motion.vy, bounds->size.y, radius);
    } else {
        hold(&motion.x, &motion.vx);
        hold(&motion.y, &motion.vy);
    }
    return motion;
}

/* -1, 0, +1: the way back in on this axis, for a body that will be at `future`. */
static float way_in(float future, float size, float radius) {
    const float low = lowest_place(size, radius), high = size - low;
    return future < low ? 1.0f : future > high ? -1.0f : 0.0f;
}

float containment_horizon(vec2 velocity, float acceleration, float reserve) {
    assert(acceleration >= 0.0f && reserve >= 0.0f);
    return braking_horizon((struct pair){velocity.x, velocity.y}, acceleration, reserve);
}

bool containment_box(vec2 future, vec2 size, float inset, float max_speed, vec2 *desired) {
    const float inward_x = way_in(future.x, size.x, inset);
    const float inward_y = way_in(future.y, size.y, inset);
    if (inward_x == 0.0f && inward_y == 0.0f) {
        return false;
    }
    desired->x = inward_x != 0.0f ? inward_x * max_speed : desired->x;
    desired->y = inward_y != 0.0f ? inward_y * max_speed : desired->y;
    *desired = vec2_truncate(*desired, max_speed);
    return true;
}

bool containment_circle(float radius, float inset, vec2 future, float max_speed, vec2 *desired) {
    const float inside = inset < radius ? radius - inset : 0.0f;
    if (vec2_length_squared(future) <= inside * inside) {
        return false;
    }
    const vec2 outward = vec2_with_length(future, 1.0f);
    const float change = vec2_dot(*desired, outward) + max_speed;
    *desired = vec2_truncate(vec2_sub(*desired, vec2_scale(outward, change)), max_speed);
    return true;
}

bool bounds_contain(const struct bounds *bounds, struct motion motion, float radius, float max_speed,
                    float acceleration, float reserve, vec2 *desired) {
    assert(bounds->edge == EDGE_CONTAIN);
    const vec2 velocity = {motion.vx, motion.vy};
    const float horizon = containment_horizon(velocity, acceleration, reserve);
    const vec2 future = {motion.x + motion.vx * horizon, motion.y + motion.vy * horizon};
    vec2 inward = velocity;
    if (!containment_box(future, bounds->size, radius, max_speed, &inward)) {
        return false;
    }
    *desired = inward;
    return true;
}
