/* Sine, cosine and arc tangent from + - * / alone: the same bits on every machine, which libm does not
 * promise. Never called for each agent of a tick; for definitions (degrees to unit vectors), for copying
 * headings out and for targets that stroll. */
#ifndef DROVER_SERVER_SIM_MATH_TRIG_H
#define DROVER_SERVER_SIM_MATH_TRIG_H

#include "common/base/vec2.h"

#define TRIG_PI 3.14159265358979323846

/** {cos angle, sin angle}; angle in rad, |angle| <= 1e6. Error below one float ulp of 1. */
vec2 trig_unit(float angle);

/** The angle of {x, y} in rad, in (-pi, pi]; 0 for {0, 0}. Error below 1e-7. */
float trig_atan2(float y, float x);

#endif
