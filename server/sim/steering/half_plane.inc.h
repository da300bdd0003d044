/* The half-plane of an encounter, over LANES_WIDTH of them at once. velocity_obstacles.c includes it with one
 * lane, the kernels of orca with the lanes of their instruction set; the formula stands nowhere else.
 */
#include "server/sim/math/pair.h"

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
