/* The linear program of velocity_obstacles.c for LANES_WIDTH agents at once: the same operations in the same
 * order, so each lane has the bits that half_planes_nearest gives with hard = 0 (test_orca_kernel compares
 * them).
 *
 * Where a scalar program leaves a loop, a lane drops out of a mask. Half-planes that an agent does not have
 * permit everything (HALF_PLANE_NO_LEAST): they are never violated and never a bound.
 */
#include "server/sim/space/neighbors.h"
#include "server/sim/steering/half_plane.inc.h"
#include "server/sim/steering/velocity_obstacles.h"

/* Half-planes of the agents in the lanes: the same number of each lane. */
struct planes {
    _Alignas(64) float x[NEIGHBORS_NEAREST_MAX][LANES_WIDTH];
    _Alignas(64) float y[NEIGHBORS_NEAREST_MAX][LANES_WIDTH];
    _Alignas(64) float least[NEIGHBORS_NEAREST_MAX][LANES_WIDTH];
};

/* struct goal of velocity_obstacles.c in lanes. */
struct goal_lanes {
    struct pair aim;
    bool is_direction; /* a constant */
    lanes max_speed;
};

LANES_INLINE struct pair normal_of(const struct planes *planes, int32_t i) {
    return (struct pair){lanes_load(planes->x[i]), lanes_load(planes->y[i])};
}

LANES_INLINE lanes least_of(const struct planes *planes, int32_t i) {
    return lanes_load(planes->least[i]);
}

/* The best velocity on the border of half-plane `line`; returns those of the lanes that have one. */
LANES_INLINE lanes_mask solve_on_border(const struct planes *planes, int32_t line,
                                        const struct goal_lanes *goal, lanes_mask wanted,
                                        struct pair *velocity) {
    const lanes none = lanes_all(0.0f);
    const struct pair normal = normal_of(planes, line), along = {lanes_negate(normal.y), normal.x};
    const lanes least = least_of(planes, line);
    const lanes rest = lanes_sub(lanes_mul(goal->max_speed, goal->max_speed), lanes_mul(least, least));
    const lanes missing = lanes_mul(lanes_all(HALF_PLANE_ROUNDING), goal->max_speed);
    wanted = lanes_at_most_where(wanted, none, rest);
    lanes high = lanes_sqrt(rest), low = lanes_negate(high);
    for (int32_t i = 0; i < line; i++) {
        const struct pair other = normal_of(planes, i);
        const lanes slope = pair_dot(other, along);
        const lanes needed = lanes_sub(least_of(planes, i), lanes_mul(least, pair_dot(other, normal)));
        const lanes at = lanes_div(needed, slope);
        const lanes_mask is_parallel = lanes_less(lanes_abs(slope), lanes_all(HALF_PLANE_PARALLEL));
        const lanes_mask is_rising = lanes_less(none, slope);
        wanted = lanes_but_not(wanted, lanes_both(is_parallel, lanes_less(missing, needed)));
        low = lanes_select(lanes_but_not(is_rising, is_parallel), lanes_max(at, low), low);
        high = lanes_select(lanes_either(is_rising, is_parallel), high, lanes_min(at, high));
    }
    wanted = lanes_but_not(wanted, lanes_less(high, low));
    lanes t = pair_dot(along, goal->aim);
    if (goal->is_direction) {
        t = lanes_select(lanes_less(none, t), high, low);
    } else {
        t = lanes_select(lanes_less(t, low), low, lanes_select(lanes_less(high, t), high, t));
    }
    const struct pair best = pair_add(pair_scale(normal, least), pair_scale(along, t));
    *velocity = pair_select(wanted, best, *velocity);
    return wanted;
}

/* The lanes whose velocity a half-plane does not permit. */
LANES_INLINE lanes_mask is_outside(const struct planes *planes, int32_t i, struct pair velocity) {
    return lanes_less(pair_dot(normal_of(planes, i), velocity), least_of(planes, i));
}

/* Returns the lanes for which some half-plane leaves nothing: *velocity is the best without it, *failed is
 * its number there. */
LANES_INLINE lanes_mask solve_planes(const struct planes *planes, int32_t count,
                                     const struct goal_lanes *goal, lanes_mask wanted, struct pair *velocity,
                                     lanes *failed) {
    lanes_mask lost = lanes_from_bits(0);
    for (int32_t i = 0; i < count; i++) {
        const lanes_mask outside = lanes_both(wanted, is_outside(planes, i, *velocity));
        if (lanes_any(outside)) {
            const lanes_mask solved = solve_on_border(planes, i, goal, outside, velocity);
            const lanes_mask fails = lanes_but_not(outside, solved);
            wanted = lanes_but_not(wanted, fails);
            lost = lanes_either(lost, fails);
            *failed = lanes_select(fails, lanes_all((float)i), *failed);
        }
    }
    return lost;
}

/* The half-planes in which none of those before `line` is violated more than it is. */
LANES_INLINE void make_equal(const struct planes *planes, int32_t line, struct planes *equal) {
    const struct pair normal = normal_of(planes, line), none = {lanes_all(0.0f), lanes_all(0.0f)};
    const lanes least = least_of(planes, line);
    for (int32_t j = 0; j < line; j++) {
        const struct pair difference = pair_sub(normal_of(planes, j), normal);
        const lanes length = lanes_sqrt(pair_dot(difference, difference));
        const lanes_mask is_any = lanes_less(lanes_all(HALF_PLANE_PARALLEL), length);
        const struct pair unit = pair_scale(difference, lanes_div(lanes_all(1.0f), length));
        const struct pair kept = pair_select(is_any, unit, none);
        const lanes needed = lanes_div(lanes_sub(least_of(planes, j), least), length);
        lanes_store(equal->x[j], kept.x);
        lanes_store(equal->y[j], kept.y);
        lanes_store(equal->least[j], lanes_select(is_any, needed, lanes_all(HALF_PLANE_NO_LEAST)));
    }
}

/* violate_least of velocity_obstacles.c with hard = 0. begin: the number of the half-plane that left
 * nothing. */
LANES_INLINE void violate_least(const struct planes *planes, int32_t count, lanes begin, lanes max_speed,
                                lanes_mask wanted, struct pair *velocity) {
    struct planes equal;
    lanes violation = lanes_all(0.0f);
    for (int32_t i = 0; i < count; i++) {
        const struct pair normal = normal_of(planes, i);
        const lanes_mask has_begun = lanes_at_most_where(wanted, begin, lanes_all((float)i));
        const lanes before = lanes_sub(least_of(planes, i), pair_dot(normal, *velocity));
        const lanes_mask is_more = lanes_both(has_begun, lanes_less(violation, before));
        if (!lanes_any(is_more)) {
            continue;
        }
        make_equal(planes, i, &equal);
        const struct goal_lanes goal = {normal, true, max_speed};
        struct pair better = pair_scale(normal, max_speed);
        lanes failed = begin;
        const lanes_mask lost = solve_planes(&equal, i, &goal, is_more, &better, &failed);
        *velocity = pair_select(lanes_but_not(is_more, lost), better, *velocity);
        violation =
            lanes_select(is_more, lanes_sub(least_of(planes, i), pair_dot(normal, *velocity)), violation);
    }
}
