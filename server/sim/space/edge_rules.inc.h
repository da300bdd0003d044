/* The formulas of the borders, over LANES_WIDTH agents. edge.c includes them with one lane, kernels with the
 * lanes of their instruction set; the formulas stand nowhere else.
 */
#ifndef DROVER_SERVER_SIM_SPACE_EDGE_RULES_INC_H
#define DROVER_SERVER_SIM_SPACE_EDGE_RULES_INC_H

#include "server/sim/math/pair.h"

#define CONTAIN_HORIZON 2.0f /* s, the furthest ahead that containment predicts */

/* ---- the torus ---- */

LANES_INLINE lanes clamp_lanes(lanes value, float low, float high) {
    return lanes_min(lanes_max(value, lanes_all(low)), lanes_all(high));
}

/* The largest integer <= value, |value| < 2^31. Not floorf: no dependency on how libm or the CPU does it. */
LANES_INLINE lanes floor_small(lanes value) {
    const lanes truncated = lanes_truncated(value);
    return lanes_select(lanes_less(value, truncated), lanes_sub(truncated, lanes_all(1.0f)), truncated);
}

/* A difference along one axis, the short way. half: of the size; huge where the world is no torus. px */
LANES_INLINE lanes wrap_difference(lanes value, lanes size, lanes half) {
    const lanes_mask is_far = lanes_less(half, lanes_abs(value));
    if (!lanes_any(is_far)) {
        return value;
    }
    const lanes rounds = lanes_add(lanes_div(clamp_lanes(value, -1e9f, 1e9f), size), lanes_all(0.5f));
    return lanes_select(is_far, lanes_sub(value, lanes_mul(size, floor_small(rounds))), value);
}

/* ---- containment ---- */

/* containment_horizon */
LANES_INLINE lanes braking_horizon(struct pair velocity, lanes acceleration, float reserve) {
    const lanes speed = lanes_sqrt(pair_dot(velocity, velocity));
    const lanes twice = lanes_mul(lanes_all(2.0f), acceleration);
    /* Braking from v at a takes v / 2a seconds' worth of the present velocity. */
    return lanes_select(lanes_less(speed, lanes_mul(twice, lanes_all(CONTAIN_HORIZON - reserve))),
                        lanes_add(lanes_div(speed, twice), lanes_all(reserve)), lanes_all(CONTAIN_HORIZON));
}

/* The nearest to the lower border that a body may be on an axis; one wider than the box is held at its middle. */
LANES_INLINE lanes lowest_place(lanes size, lanes radius) {
    return lanes_min(radius, lanes_mul(lanes_all(0.5f), size));
}

#endif
