/* What rounding makes of half-planes: the limits of the linear program, in scalars (velocity_obstacles.c) and
 * in lanes (half_planes.inc.h). */
#ifndef DROVER_SERVER_SIM_STEERING_HALF_PLANE_LIMITS_H
#define DROVER_SERVER_SIM_STEERING_HALF_PLANE_LIMITS_H

#define HALF_PLANE_PARALLEL 1e-6f /* of two unit vectors: nearer than that they are one direction */
#define HALF_PLANE_ROUNDING 1e-5f /* of max_speed: by how much parallel half-planes may miss each other */

/* Of a half-plane that permits everything: normal {0,0} and this `least`, px/s. */
#define HALF_PLANE_NO_LEAST -1e30f

#endif
