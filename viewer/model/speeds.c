/* See speeds.h. */
#include "viewer/model/speeds.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static const double dead_zone = 0.18; /* of the logarithm: three px of the slider to both sides */
static const double speeds[] = {SPEEDS_LEAST, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, SPEEDS_MOST};

enum { SPEED_COUNT = sizeof speeds / sizeof speeds[0] };

double speeds_next(double speed, bool is_faster) {
    if (is_faster) {
        int i = 0;
        while (i < SPEED_COUNT - 1 && speeds[i] <= speed * 1.001) {
            i++;
        }
        return speeds[i];
    }
    int i = SPEED_COUNT - 1;
    while (i > 0 && speeds[i] >= speed * 0.999) {
        i--;
    }
    return speeds[i];
}

double speeds_snap(double speed) {
    assert(speed > 0.0);
    if (fabs(log(speed)) < dead_zone) {
        return 1.0;
    }
    const double step = pow(10.0, floor(log10(speed)) - 1.0);
    return round(speed / step) * step;
}

/* Without printf's %g, whose point depends on the locale. */
void speeds_format(double speed, char *out, size_t size) {
    const unsigned long long hundredths = (unsigned long long)(fmin(fmax(speed, 0.0), 1e9) * 100.0 + 0.5);
    if (hundredths >= 1000 || hundredths % 100 == 0) {
        (void)snprintf(out, size, "%llux", (hundredths + 50) / 100);
    } else if (hundredths % 10 == 0) {
        (void)snprintf(out, size, "%llu.%llux", hundredths / 100, hundredths / 10 % 10);
    } else {
        (void)snprintf(out, size, "%llu.%02llux", hundredths / 100, hundredths % 100);
    }
}
