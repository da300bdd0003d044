/* The borders of the world: differences the short way round, and what a border does to an agent. */
#ifndef DROVER_SERVER_SIM_SPACE_EDGE_H
#define DROVER_SERVER_SIM_SPACE_EDGE_H

#include <stdbool.h>

#include "common/base/limits.h"
#include "common/base/vec2.h"
#include "server/sim/math/motion.h"

/** What happens at the borders of the box [0, width) x [0, height). */
enum edge {
    EDGE_OPEN,    /* nothing: agents may leave (kept within +-LIMIT_COORDINATE) */
    EDGE_WRAP,    /* a torus: positions wrap, and every difference goes the short way round */
    EDGE_BOUNCE,  /* the velocity is mirrored at the border, the body stays inside */
    EDGE_CONTAIN, /* agents steer back in before and after they leave (Reynolds' containment) */
};

/** The box and its rule. Plain value. */
struct bounds {
    vec2 size; /* px */
    enum edge edge;
};

/** to - from; on a torus the shortest such difference, each component within half the size. */
vec2 bounds_difference(const struct bounds *bounds, vec2 from, vec2 to);

/** Where a point lies in this world: wrapped, clamped into the box, or (open) clamped to +-LIMIT_COORDINATE.
 */
vec2 bounds_settle(const struct bounds *bounds, vec2 point);

/** Applies the border to an agent that has just moved. radius: px, keeps the body inside when bouncing. */
struct motion bounds_apply(const struct bounds *bounds, struct motion motion, float radius);

/* Containment (Reynolds 1999): predict the future position; if it is outside, steer back in. */

/** How far ahead an agent predicts in order to be able to stop: the braking time's worth of the present
 * velocity, with `reserve` s added; at most 2 s. acceleration: px/s^2, >= 0. */
float containment_horizon(vec2 velocity, float acceleration, float reserve);

/** Whether a body that will be at `future` is then outside the box [inset, size - inset] (outside its middle,
 * when that is empty). If so, every outward component of *desired (px/s) becomes max_speed inward. */
bool containment_box(vec2 future, vec2 size, float inset, float max_speed, vec2 *desired);

/** The same for a circle of `radius` less `inset` around the origin. */
bool containment_circle(float radius, float inset, vec2 future, float max_speed, vec2 *desired);

/** Containment: whether an agent that brakes now would still leave the box, and the velocity to steer for
 * instead.
 *
 * acceleration  px/s^2, what the agent can brake with, >= 0
 * reserve       s, added to the braking time
 * desired       px/s, receives the velocity with every outward component turned inward
 * source        Reynolds 1999, "Containment": predict the future position; if it is outside, steer back in
 */
bool bounds_contain(const struct bounds *bounds, struct motion motion, float radius, float max_speed,
                    float acceleration, float reserve, vec2 *desired);

#endif
