/* See edge.h. Each axis by itself; a body wider than the box is held at its middle. */
#include "server/sim/edge.h"

#include <assert.h>

#define COORDINATE_MAX  ((float)LIMIT_COORDINATE)
#define CONTAIN_HORIZON 2.0f /* s, the furthest ahead containment looks */

static float clamp(float value, float low, float high) {
    return value < low ? low : value > high ? high : value;
}

/* The largest integer <= value, |value| < 2^31. Not floorf: no dependency on how libm or the CPU does it. */
static float floor_small(float value) {
    const float truncated = (float)(int32_t)value;
    return truncated > value ? truncated - 1.0f : truncated;
}

static float wrap_coordinate(float value, float size) {
    if (value >= 0.0f && value < size) {
        return value;
    }
    value -= size * floor_small(clamp(value, -1e9f, 1e9f) / size);
    /* Rounding can land on either border: both are the same place, 0. */
    return value >= 0.0f && value < size ? value : 0.0f;
}

static float wrap_difference(float value, float size) {
    const float half = 0.5f * size;
    if (value > half || value < -half) {
        value -= size * floor_small(clamp(value, -1e9f, 1e9f) / size + 0.5f);
    }
    return value;
}

vec2 bounds_difference(const struct bounds *bounds, vec2 from, vec2 to) {
    const vec2 difference = vec2_sub(to, from);
    if (bounds->edge != EDGE_WRAP) {
        return difference;
    }
    return (vec2){wrap_difference(difference.x, bounds->size.x),
                  wrap_difference(difference.y, bounds->size.y)};
}

vec2 bounds_settle(const struct bounds *bounds, vec2 point) {
    switch (bounds->edge) {
    case EDGE_WRAP:
        return (vec2){wrap_coordinate(point.x, bounds->size.x), wrap_coordinate(point.y, bounds->size.y)};
    case EDGE_BOUNCE:
    case EDGE_CONTAIN:
        return (vec2){clamp(point.x, 0.0f, bounds->size.x), clamp(point.y, 0.0f, bounds->size.y)};
    case EDGE_OPEN:
        break;
    }
    return (vec2){clamp(point.x, -COORDINATE_MAX, COORDINATE_MAX),
                  clamp(point.y, -COORDINATE_MAX, COORDINATE_MAX)};
}

static void bounce(float *position, float *velocity, float size, float radius) {
    const float low = radius < 0.5f * size ? radius : 0.5f * size, high = size - low;
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
    const float low = radius < 0.5f * size ? radius : 0.5f * size, high = size - low;
    return future < low ? 1.0f : future > high ? -1.0f : 0.0f;
}

bool bounds_contain(const struct bounds *bounds, struct motion motion, float radius, float max_speed,
                    float acceleration, float reserve, vec2 *desired) {
    assert(bounds->edge == EDGE_CONTAIN);
    const vec2 velocity = {motion.vx, motion.vy};
    const float speed = vec2_length(velocity);
    /* Braking from v at a takes v / 2a seconds' worth of the present velocity. */
    float horizon = CONTAIN_HORIZON;
    if (speed < 2.0f * acceleration * (CONTAIN_HORIZON - reserve)) {
        horizon = speed / (2.0f * acceleration) + reserve;
    }
    const float inward_x = way_in(motion.x + motion.vx * horizon, bounds->size.x, radius);
    const float inward_y = way_in(motion.y + motion.vy * horizon, bounds->size.y, radius);
    if (inward_x == 0.0f && inward_y == 0.0f) {
        return false;
    }
    desired->x = inward_x != 0.0f ? inward_x * max_speed : motion.vx;
    desired->y = inward_y != 0.0f ? inward_y * max_speed : motion.vy;
    *desired = vec2_truncate(*desired, max_speed);
    return true;
}
