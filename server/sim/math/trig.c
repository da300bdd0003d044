/* See trig.h. Evaluated in double and rounded once. */
#include "server/sim/math/trig.h"

#include <assert.h>

/* Taylor to x^15 and x^14: below 1e-13 on [-pi/4, pi/4]. */
static double sine_near_zero(double x) {
    const double s = x * x;
    return x * (1.0 -
                s / 6.0 *
                    (1.0 -
                     s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0))))));
}

static double cosine_near_zero(double x) {
    const double s = x * x;
    return 1.0 -
           s / 2.0 *
               (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0)))));
}

vec2 trig_unit(float angle) {
    assert(angle >= -1e6f && angle <= 1e6f);
    const double turns = (double)angle / (TRIG_PI / 2.0);
    const long quadrant = (long)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    const double rest = (double)angle - (double)quadrant * (TRIG_PI / 2.0);
    const double s = sine_near_zero(rest), c = cosine_near_zero(rest);
    switch (quadrant & 3) {
    case 0:
        return vec2_make((float)c, (float)s);
    case 1:
        return vec2_make((float)-s, (float)c);
    case 2:
        return vec2_make((float)-c, (float)-s);
    default:
        return vec2_make((float)s, (float)-c);
    }
}

/* Arc tangent of t in [0, 1]: above tan(pi/8) by the identity atan t = pi/4 + atan((t - 1) / (t + 1)). */
static double arc_tangent(double t) {
    static const double coefficients[12] = {-1.0 / 23.0, 1.0 / 21.0, -1.0 / 19.0, 1.0 / 17.0,
                                            -1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0,
                                            -1.0 / 7.0,  1.0 / 5.0,  -1.0 / 3.0,  1.0};
    double base = 0.0;
    if (t > 0.41421356237309503) {
        t = (t - 1.0) / (t + 1.0);
        base = TRIG_PI / 4.0;
    }
    const double s = t * t;
    double sum = coefficients[0];
    for (int i = 1; i < 12; i++) {
        sum = sum * s + coefficients[i];
    }
    return base + sum * t;
}

float trig_atan2(float y, float x) {
    const double ax = x < 0.0f ? -(double)x : (double)x, ay = y < 0.0f ? -(double)y : (double)y;
    if (ax == 0.0 && ay == 0.0) {
        return 0.0f;
    }
    double angle = ay <= ax ? arc_tangent(ay / ax) : TRIG_PI / 2.0 - arc_tangent(ax / ay);
    if (x < 0.0f) {
        angle = TRIG_PI - angle;
    }
    return (float)(y < 0.0f ? -angle : angle);
}
