/* What bounds the rules of flocking: numbers of a body and of a tick. */
#ifndef DROVER_SERVER_SIM_STEERING_FLOCK_LIMITS_H
#define DROVER_SERVER_SIM_STEERING_FLOCK_LIMITS_H

#define FLOCK_FULL_STRENGTH_SHARE                                                                            \
    0.25f /* of max_speed or of the radius: a difference that deserves full strength */

/** What alignment needs to know. */
struct flock_limits {
    float max_speed, max_force; /* px/s, mass*px/s^2 */
    float exact_rate;           /* struct steering_context */
    float full_speed_inverse;   /* 1 / the difference of velocities that deserves full strength; 0: no rule */
};

/** 1 / the difference that deserves full strength in alignment (of: max_speed, px/s) and cohesion (of:
 * radius, px); 0 for 0: the rule does nothing. */
static inline float flock_full_inverse(float of) {
    const float full = FLOCK_FULL_STRENGTH_SHARE * of;
    return full > 0.0f ? 1.0f / full : 0.0f;
}

/** The limits of a body. max_force 0: alignment does nothing. */
static inline struct flock_limits flock_limits(float max_speed, float max_force, float exact_rate) {
    return (struct flock_limits){
        .max_speed = max_speed,
        .max_force = max_force,
        .exact_rate = exact_rate,
        .full_speed_inverse = max_force > 0.0f ? flock_full_inverse(max_speed) : 0.0f,
    };
}

#endif
