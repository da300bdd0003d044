/* The half-planes of orca and the linear program that solves them, of LANES_WIDTH agents at once: those of a kernel, or one
 * (velocity_obstacles.c). The formulas stand nowhere else. Each lane has the same bits at every width; a plain linear
 * program, written independently, has them too (half_planes_reference.h).
 *
 * Where a plain program leaves a loop, a lane drops out of a mask. Half-planes that an agent does not have
 * permit everything (HALF_PLANE_NO_LEAST): they are never violated and never a bound.
 */
#include "server/sim/math/pair.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/steering/velocity_obstacles.h"

/* ---- the half-plane of an encounter ---- */

#define PLANE_STILL 1e-12f /* (px/s)^2: less has no direction */
#define YIELDING    0.4f   /* the most that a share is off one half */

/* struct encounter in lanes. */
struct encounter_lanes {
    struct pair offset, own, other;
    lanes room;
    struct pair split;
    lanes horizon_inverse, settle_inverse; /* 1/s */
};

/* struct half_plane in lanes. */
struct plane_lanes {
    struct pair normal;
    lanes least;
    lanes_mask is_split; /* `split` decides: nothing else says which way the two part */
};

/* Which part of the change is the agent's: half of it when the other is ahead of or behind it on their common
 * way; less when the other is to the right, more to the left. What the other computes is 1 less this. So a
 * ring of agents that all want to the middle starts to turn before it jams. squared: of the offset. */
LANES_INLINE lanes share_of(const struct encounter_lanes *e, lanes squared) {
    const struct pair sum = pair_add(e->own, e->other);
    const lanes sum_squared = pair_dot(sum, sum);
    const struct pair common = pair_direction(sum, sum_squared, lanes_sqrt(sum_squared));
    const struct pair towards = pair_direction(e->offset, squared, lanes_sqrt(squared));
    return lanes_sub(lanes_all(0.5f), lanes_mul(lanes_all(YIELDING), pair_cross(common, towards)));
}

/* Out of the cone of relative velocities that collide within the horizon, over the leg that is nearer: a
 * vector of any length. squared, room_squared: of the offset, of the room. */
LANES_INLINE struct pair out_over_leg(const struct encounter_lanes *e, struct pair from_middle, lanes squared,
                                      lanes room_squared) {
    const struct pair p = e->offset;
    const lanes leg = lanes_sqrt(lanes_sub(squared, room_squared));
    const lanes_mask is_clockwise = lanes_less(lanes_all(0.0f), pair_cross(p, from_middle));
    const lanes side = lanes_select(is_clockwise, lanes_all(1.0f), lanes_all(-1.0f));
    const lanes px = lanes_mul(lanes_mul(side, p.x), e->room), py = lanes_mul(lanes_mul(side, p.y), e->room);
    /* p turned by the cone's half angle to that side, and from there a quarter turn further out. */
    const struct pair way = {lanes_sub(lanes_mul(p.x, leg), py), lanes_add(px, lanes_mul(p.y, leg))};
    return (struct pair){lanes_mul(lanes_negate(side), way.y), lanes_mul(side, way.x)};
}

/* half_plane_of in lanes.
 *
 * The relative velocity must change along the normal. Two that collide already must get out of the circle of
 * relative velocities that do not separate them in time; others out of the truncated cone of those that
 * collide within the horizon: over its round tip, or the nearer of its two legs. */
LANES_INLINE struct plane_lanes half_plane_in_lanes(const struct encounter_lanes *e) {
    const struct pair relative = pair_sub(e->own, e->other), p = e->offset;
    const lanes squared = pair_dot(p, p), room_squared = lanes_mul(e->room, e->room);
    const lanes_mask is_apart = lanes_less(room_squared, squared);
    const lanes inverse = lanes_select(is_apart, e->horizon_inverse, e->settle_inverse);
    const struct pair from_middle = pair_sub(relative, pair_scale(p, inverse));
    const lanes along = pair_dot(from_middle, p), middle_squared = pair_dot(from_middle, from_middle);
    const lanes_mask is_behind = lanes_less(lanes_mul(room_squared, middle_squared), lanes_mul(along, along));
    const lanes_mask is_tip = lanes_both(lanes_less(along, lanes_all(0.0f)), is_behind);
    const lanes_mask is_leg = lanes_but_not(is_apart, is_tip);
    const struct pair out =
        pair_select(is_leg, out_over_leg(e, from_middle, squared, room_squared), from_middle);
    const lanes out_squared = pair_dot(out, out), root = lanes_sqrt(out_squared);
    struct plane_lanes plane;
    plane.normal = pair_direction(out, out_squared, root);
    const lanes_mask is_moving = lanes_less(lanes_all(PLANE_STILL), middle_squared);
    plane.is_split = lanes_not(lanes_either(is_apart, is_moving));
    plane.normal = pair_select(plane.is_split, pair_negate(e->split), plane.normal);
    const lanes to_circle = lanes_sub(lanes_mul(e->room, inverse), root);
    const lanes change = lanes_select(is_leg, lanes_negate(pair_dot(relative, plane.normal)), to_circle);
    plane.least = lanes_add(pair_dot(e->own, plane.normal), lanes_mul(share_of(e, squared), change));
    return plane;
}

/* ---- the linear program ---- */

/* Of one agent solids count as well. */
enum { PLANES_MAX = LANES_WIDTH == 1 ? (int)HALF_PLANES_MAX : (int)NEIGHBORS_NEAREST_MAX };

/* Half-planes of the agents in the lanes: the same number of each lane. */
struct planes {
    _Alignas(64) float x[PLANES_MAX][LANES_WIDTH];
    _Alignas(64) float y[PLANES_MAX][LANES_WIDTH];
    _Alignas(64) float least[PLANES_MAX][LANES_WIDTH];
};

/* The wanted velocity: the one nearest to `aim`, or (is_direction) the furthest along the unit vector `aim`. */
struct goal {
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

/* The best velocity on the border of half-plane `line` that the ones before it permit; returns those of the lanes that
 * have one. */
LANES_INLINE lanes_mask solve_on_border(const struct planes *planes, int32_t line, const struct goal *goal,
                                        lanes_mask wanted, struct pair *velocity) {
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

/* Adds the half-planes one by one: while the best velocity so far is permitted it stays, otherwise the best is on the
 * new border. *velocity: the best without half-planes. Returns the lanes for which some half-plane leaves nothing:
 * *velocity is the best without it, *failed is its number there. */
LANES_INLINE lanes_mask solve_planes(const struct planes *planes, int32_t count, const struct goal *goal,
                                     lanes_mask wanted, struct pair *velocity, lanes *failed) {
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

/* The half-planes in which none of those before `line` is violated more than it is; of the first `hard`, which are not to
 * be violated, they themselves. */
LANES_INLINE void make_equal(const struct planes *planes, int32_t hard, int32_t line, struct planes *equal) {
    const struct pair normal = normal_of(planes, line), none = {lanes_all(0.0f), lanes_all(0.0f)};
    const lanes least = least_of(planes, line);
    for (int32_t j = 0; j < hard; j++) {
        pair_store(equal->x[j], equal->y[j], normal_of(planes, j));
        lanes_store(equal->least[j], least_of(planes, j));
    }
    for (int32_t j = hard; j < line; j++) {
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

/* The velocity that violates the half-planes from `hard` on the least, by the three-dimensional program whose third
 * variable is the violation: where half-plane i is violated most, no other is violated more, which are half-planes again.
 * begin: the number of the half-plane that left nothing; at least `hard`. */
LANES_INLINE void violate_least(const struct planes *planes, int32_t count, int32_t hard, lanes begin,
                                lanes max_speed, lanes_mask wanted, struct pair *velocity) {
    struct planes equal;
    lanes violation = lanes_all(0.0f);
    for (int32_t i = hard; i < count; i++) {
        const struct pair normal = normal_of(planes, i);
        const lanes_mask has_begun = lanes_at_most_where(wanted, begin, lanes_all((float)i));
        const lanes before = lanes_sub(least_of(planes, i), pair_dot(normal, *velocity));
        const lanes_mask is_more = lanes_both(has_begun, lanes_less(violation, before));
        if (!lanes_any(is_more)) {
            continue;
        }
        make_equal(planes, hard, i, &equal);
        const struct goal goal = {normal, true, max_speed};
        struct pair better = pair_scale(normal, max_speed);
        lanes failed = begin;
        /* There always is one but for rounding; then what there was is as good. */
        const lanes_mask lost = solve_planes(&equal, i, &goal, is_more, &better, &failed);
        *velocity = pair_select(lanes_but_not(is_more, lost), better, *velocity);
        violation =
            lanes_select(is_more, lanes_sub(least_of(planes, i), pair_dot(normal, *velocity)), violation);
    }
}
