/* Which velocities lead to no collision, and the nearest of them: the half-planes of optimal reciprocal
 * collision avoidance and the linear program that solves them.
 *
 * 1. Pure: a function of its arguments. No allocation, only + - * / and sqrt, the same bits everywhere.
 * 2. The result depends on the order of the half-planes in its last bits, so callers give them in a fixed
 * order.
 * 3. Always a finite velocity of at most max_speed, whether the half-planes leave one or not.
 *
 * source  van den Berg, Guy, Lin, Manocha 2011, "Reciprocal n-Body Collision Avoidance"; de Berg et al. 2008,
 * "Computational Geometry", 4.3 (incremental linear programming)
 */
#ifndef DROVER_SERVER_SIM_STEERING_VELOCITY_OBSTACLES_H
#define DROVER_SERVER_SIM_STEERING_VELOCITY_OBSTACLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/vec2.h"

enum { HALF_PLANES_MAX = 64 };

/** Permits the velocities v with dot(normal, v) >= least. */
struct half_plane {
    vec2 normal; /* unit vector */
    float least; /* px/s */
};

/** Another agent that may be met. */
struct encounter {
    vec2 offset; /* px, from the agent to the other */
    vec2 own;    /* px/s, the agent's velocity */
    vec2 other;  /* px/s, the other's */
    float room;  /* px, > 0: nearer than this the two collide */
    vec2 split;  /* unit vector: the way to the other when both are in the same place; opposite for the other.
                    Read only when |offset| <= room */
    float horizon; /* s, > 0: no collision within this time */
    float settle;  /* s, > 0: agents that collide already are to be apart after this time */
};

/** What the agent may do so that the two do not collide within the horizon, if the other does its share. The
 * two shares are one; half each, or up to 0.1 to 0.9 for the one that passes on the other's right. */
struct half_plane half_plane_of(const struct encounter *encounter);

/** What the agent may do so as not to touch a convex solid.
 * nearing   px/s, with which the solid moves along `away`; 0: it stands still
 * away      unit vector, from the solid's nearest point to the agent
 * gap       px between the two; < 0: they overlap
 * horizon, settle   as above
 * max_speed px/s: `least` is no larger */
struct half_plane half_plane_of_solid(vec2 away, float gap, float nearing, float horizon, float settle,
                                      float max_speed);

/** Whether all of them permit a velocity. */
bool half_planes_permit(const struct half_plane *planes, int count, vec2 velocity);

/** The permitted velocity nearest to `preferred` with |v| <= max_speed. When there is none: the one that
 * violates the half-planes from `hard` on the least, of those the first `hard` permit; when these permit none
 * either, the one that violates all the least.
 *
 * count <= HALF_PLANES_MAX, 0 <= hard <= count */
vec2 half_planes_nearest(const struct half_plane *planes, int count, int hard, vec2 preferred,
                         float max_speed);

/* What rounding makes of half-planes: the limits of the linear program (half_planes.inc.h). */

#define HALF_PLANE_PARALLEL 1e-6f /* of two unit vectors: nearer than that they are one direction */
#define HALF_PLANE_ROUNDING 1e-5f /* of max_speed: by how much parallel half-planes may miss each other */

/* Of a half-plane that permits everything: normal {0,0} and this `least`, px/s. */
#define HALF_PLANE_NO_LEAST -1e30f

/* Constants of orca, one agent at a time (behavior_filters.c) and in lanes (orca.inc.h). */

/** s: time in which overlapping agents must separate, or a tick if that is longer; short, so that it is the
 * last constraint to be violated in a dense crowd. */
#define ORCA_SETTLE 0.05f
/** Of the speed, to one hand: what an exactly symmetric meeting turns on. */
#define ORCA_LEAN 0.1f

#endif
