/* The three rules of flocking, over LANES_WIDTH agents: from the sums about their neighbors to a vector of
 * length 0 to 1 each. behavior_neighbors.c includes it with one lane, the flock kernels with the lanes of
 * their instruction set; the rules stand nowhere else.
 */
#include "server/sim/math/pair.h"
#include "server/sim/space/neighbors.h"
#include "server/sim/steering/locomotion.h"

/* `difference` as a direction with strength 1 from 1 / full_inverse on; less with few neighbors. */
LANES_INLINE struct pair rule_strength(struct pair difference, float full_inverse, lanes weight) {
    const struct pair strength =
        pair_truncate_often(pair_scale(difference, lanes_all(full_inverse)), lanes_all(1.0f));
    return pair_scale(strength, lanes_min(weight, lanes_all(1.0f)));
}

LANES_INLINE struct pair separation_strength(struct pair sum) {
    return pair_truncate_often(sum, lanes_all(1.0f));
}

/* sum, weight: of the neighbors' velocities. No more than what takes the difference away within a tick. */
LANES_INLINE struct pair alignment_strength(struct pair sum, lanes weight, struct pair velocity,
                                            const struct flock_limits *limits) {
    const lanes none = lanes_all(0.0f);
    if (!(limits->full_speed_inverse > 0.0f)) {
        return (struct pair){none, none};
    }
    const struct pair mean = pair_scale(sum, lanes_div(lanes_all(1.0f), weight));
    const struct pair difference = pair_sub(pair_truncate(mean, lanes_all(limits->max_speed)), velocity);
    const lanes distance = lanes_sqrt(pair_dot(difference, difference));
    const lanes enough =
        lanes_div(lanes_mul(lanes_all(limits->exact_rate), distance), lanes_all(limits->max_force));
    const struct pair strength = rule_strength(difference, limits->full_speed_inverse, weight);
    return pair_keep(lanes_less(none, weight), pair_truncate(strength, enough));
}

/* sum, weight: of the offsets to the neighbors. */
LANES_INLINE struct pair cohesion_strength(struct pair sum, lanes weight, float full_radius_inverse) {
    const lanes none = lanes_all(0.0f);
    if (!(full_radius_inverse > 0.0f)) {
        return (struct pair){none, none};
    }
    const struct pair mean = pair_scale(sum, lanes_div(lanes_all(1.0f), weight));
    return pair_keep(lanes_less(none, weight), rule_strength(mean, full_radius_inverse, weight));
}

/* The three together. weights: of enum zone. */
LANES_INLINE struct pair flock_strength(struct pair apart, struct pair along, struct pair together,
                                        const float weights[ZONE_COUNT]) {
    apart = pair_scale(apart, lanes_all(weights[ZONE_SEPARATION]));
    along = pair_scale(along, lanes_all(weights[ZONE_ALIGNMENT]));
    together = pair_scale(together, lanes_all(weights[ZONE_COHESION]));
    return pair_add(pair_add(apart, along), together);
}
