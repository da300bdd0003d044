/* From a steering force to a velocity, over LANES_WIDTH agents. locomotion.c includes it with one lane, the
 * kernels with the lanes of their instruction set; the vehicle model stands nowhere else.
 */
#include "server/sim/math/pair.h"
#include "server/sim/steering/locomotion.h"

#define REST_SPEED_SQUARED (1e-3f * 1e-3f) /* (px/s)^2: a braking agent slower than this stops */
#define ALIGNED_SHARE                                                                                        \
    1e-4f /* of max_speed: nearer than this to the desired velocity counts as being there                    \
           */

#define SLOWEST_SQUARED    1e-12f /* (px/s)^2: slower than this has no direction */
#define HEADING_HOLD_SHARE 1e-3f  /* of max_speed: slower than this the heading stays */

/* push: s / mass */
LANES_INLINE struct pair steered_velocity(struct pair velocity, struct pair force, lanes max_force,
                                          lanes push, lanes max_speed) {
    const struct pair applied = pair_truncate_often(force, max_force);
    const struct pair pushed = pair_add(velocity, pair_scale(applied, push));
    const struct pair next = pair_truncate(pushed, max_speed);
    const lanes_mask brakes = lanes_less(pair_dot(applied, velocity), lanes_all(0.0f));
    const lanes_mask rests =
        lanes_both(brakes, lanes_less(pair_dot(next, next), lanes_all(REST_SPEED_SQUARED)));
    return pair_select(rests, pair_all(0.0f, 0.0f), next);
}

/* Scaled up to max_force, a force that is only rounding would throw an aligned agent off its course. */
LANES_INLINE struct pair full_force(struct pair velocity, struct pair desired, struct pair force,
                                    lanes max_force, lanes max_speed) {
    const lanes aligned = lanes_mul(lanes_all(ALIGNED_SHARE), max_speed);
    const struct pair off = pair_sub(desired, velocity);
    const lanes_mask is_there = lanes_less(pair_dot(off, off), lanes_mul(aligned, aligned));
    return pair_select(is_there, pair_all(0.0f, 0.0f), pair_with_length(force, max_force));
}

LANES_INLINE struct pair constant_velocity(struct pair velocity, struct pair desired, struct pair force,
                                           lanes max_force, lanes push, lanes max_speed) {
    const struct pair applied = full_force(velocity, desired, force, max_force, max_speed);
    return pair_with_length(pair_add(velocity, pair_scale(applied, push)), max_speed);
}

/* turn: {cos, sin} of the largest turn of one tick. hold_squared: locomotion_hold_squared(max_speed). */
LANES_INLINE struct pair turned_heading(struct pair heading, struct pair velocity, lanes hold_squared,
                                        struct pair turn) {
    const struct pair direction = pair_with_length(velocity, lanes_all(1.0f));
    const lanes_mask moves = lanes_less(hold_squared, pair_dot(velocity, velocity));
    const lanes_mask is_far = lanes_less(pair_dot(heading, direction), turn.x);
    struct pair next = direction;
    if (lanes_any(is_far)) {
        const lanes_mask is_left = lanes_less(pair_cross(heading, direction), lanes_all(0.0f));
        const lanes s = lanes_select(is_left, lanes_sub(lanes_all(-0.0f), turn.y), turn.y);
        const struct pair most = {
            lanes_sub(lanes_mul(heading.x, turn.x), lanes_mul(heading.y, s)),
            lanes_add(lanes_mul(heading.x, s), lanes_mul(heading.y, turn.x)),
        };
        next = pair_select(is_far, pair_with_length(most, lanes_all(1.0f)), direction);
    }
    return pair_select(moves, next, heading);
}
