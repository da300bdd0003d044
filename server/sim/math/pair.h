/* Vectors side by side in lanes: what vec2.h is for one agent, with the same bits in every lane.
 *
 * Included after LANES_WIDTH is defined, as lanes.h is.
 */
#ifndef DROVER_SERVER_SIM_MATH_PAIR_H
#define DROVER_SERVER_SIM_MATH_PAIR_H

#include "server/sim/math/lanes.h"

struct pair {
    lanes x, y;
};

LANES_INLINE struct pair pair_add(struct pair a, struct pair b) {
    return (struct pair){lanes_add(a.x, b.x), lanes_add(a.y, b.y)};
}
LANES_INLINE struct pair pair_sub(struct pair a, struct pair b) {
    return (struct pair){lanes_sub(a.x, b.x), lanes_sub(a.y, b.y)};
}
LANES_INLINE struct pair pair_scale(struct pair a, lanes s) {
    return (struct pair){lanes_mul(a.x, s), lanes_mul(a.y, s)};
}
LANES_INLINE lanes pair_dot(struct pair a, struct pair b) {
    return lanes_add(lanes_mul(a.x, b.x), lanes_mul(a.y, b.y));
}
LANES_INLINE struct pair pair_negate(struct pair a) {
    return (struct pair){lanes_negate(a.x), lanes_negate(a.y)};
}
LANES_INLINE struct pair pair_keep(lanes_mask mask, struct pair a) {
    return (struct pair){lanes_keep(mask, a.x), lanes_keep(mask, a.y)};
}
LANES_INLINE struct pair pair_select(lanes_mask mask, struct pair a, struct pair b) {
    return (struct pair){lanes_select(mask, a.x, b.x), lanes_select(mask, a.y, b.y)};
}
LANES_INLINE lanes_mask pair_is_longer(struct pair a, lanes limit) {
    return lanes_less(lanes_mul(limit, limit), pair_dot(a, a));
}
/* Branch-free: for truncations that are neither rare nor the rule. A misprediction costs more than a root and
 * a division. */
LANES_INLINE struct pair pair_truncate_often(struct pair a, lanes limit) {
    const lanes length = lanes_sqrt(pair_dot(a, a));
    return pair_select(pair_is_longer(a, limit), pair_scale(a, lanes_div(limit, length)), a);
}
/* With a branch: for truncations that are rare. */
LANES_INLINE struct pair pair_truncate(struct pair a, lanes limit) {
    return lanes_any(pair_is_longer(a, limit)) ? pair_truncate_often(a, limit) : a;
}

/* vec2_with_length */
LANES_INLINE struct pair pair_with_length(struct pair a, lanes length) {
    const lanes squared = pair_dot(a, a);
    return pair_keep(lanes_less(lanes_all(1e-30f), squared),
                     pair_scale(a, lanes_div(length, lanes_sqrt(squared))));
}
/* `a` with its length taken away: root is the root of its square. {0,0} where it is too short to have a
 * direction, as pair_with_length. */
LANES_INLINE struct pair pair_direction(struct pair a, lanes squared, lanes root) {
    const struct pair unit = pair_scale(a, lanes_div(lanes_all(1.0f), root));
    return pair_keep(lanes_less(lanes_all(1e-30f), squared), unit);
}
/* vec2_cross */
LANES_INLINE lanes pair_cross(struct pair a, struct pair b) {
    return lanes_sub(lanes_mul(a.x, b.y), lanes_mul(a.y, b.x));
}
/* One vector in every lane; a column of vectors. */
LANES_INLINE struct pair pair_all(float x, float y) {
    return (struct pair){lanes_all(x), lanes_all(y)};
}
LANES_INLINE struct pair pair_load(const float *x, const float *y) {
    return (struct pair){lanes_load(x), lanes_load(y)};
}
LANES_INLINE void pair_store(float *x, float *y, struct pair a) {
    lanes_store(x, a.x);
    lanes_store(y, a.y);
}

#endif
