/* See real_time.h. */
#include "viewer/model/real_time.h"

#include <math.h>
#include <string.h>

static const double window_ms = 3000.0, least_span_ms = 1000.0;
static const double clock_sample_ms = 50.0; /* the window fits in the ring */
static const double behind_below = 0.95, kept_up_above = 0.97;

enum { KEPT_SAMPLES = 3 };

void real_time_init(struct real_time *meter) {
    memset(meter, 0, sizeof *meter);
    meter->newest_s = meter->factor = meter->pace = -1.0;
    meter->speed = 1.0;
}

static int slot(const struct real_time *meter, int index) {
    return (meter->begin + index) % REAL_TIME_SAMPLES;
}

static double span_ms(const struct real_time *meter, int from) {
    return meter->clocks_ms[slot(meter, meter->count - 1)] - meter->clocks_ms[slot(meter, from)];
}

static void keep(struct real_time *meter, double time_s, double clock_ms) {
    if (meter->count == REAL_TIME_SAMPLES) {
        meter->begin = slot(meter, 1);
        meter->count--;
    }
    meter->clocks_ms[slot(meter, meter->count)] = clock_ms;
    meter->times_s[slot(meter, meter->count)] = time_s;
    meter->count++;
    while (meter->count > KEPT_SAMPLES && span_ms(meter, 1) >= window_ms) {
        meter->begin = slot(meter, 1);
        meter->count--;
    }
}

static void judge(struct real_time *meter) {
    if (span_ms(meter, 0) < least_span_ms) {
        return;
    }
    const double passed_s = meter->times_s[slot(meter, meter->count - 1)] - meter->times_s[slot(meter, 0)];
    meter->pace = passed_s * 1000.0 / span_ms(meter, 0);
    if (meter->speed <= 0.0) {
        return; /* nothing is due */
    }
    meter->factor = meter->pace / meter->speed;
    meter->is_behind = meter->factor < (meter->is_behind ? kept_up_above : behind_below);
}

/* Two speeds are the same when a frame says so, which has six decimals. */
static bool is_same(double a, double b) {
    return fabs(a - b) <= 1e-5;
}

void real_time_add(struct real_time *meter, double time_s, double clock_ms, double speed, bool is_paused) {
    if (time_s < meter->newest_s ||
        (meter->count > 0 && clock_ms < meter->clocks_ms[slot(meter, meter->count - 1)])) {
        real_time_init(meter);
    }
    if (!is_same(speed, meter->speed)) {
        meter->count = 0;
        meter->factor = meter->pace = -1.0;
        meter->is_behind = false;
        meter->speed = speed;
    }
    const bool is_new = time_s > meter->newest_s; /* a moment may be sent again, long after it was */
    meter->newest_s = time_s;
    if (is_paused) {
        meter->count = 0;
    } else if (is_new && (meter->count == 0 ||
                          clock_ms - meter->clocks_ms[slot(meter, meter->count - 1)] >= clock_sample_ms)) {
        keep(meter, time_s, clock_ms);
        judge(meter);
    }
}

double real_time_pace(const struct real_time *meter) {
    return meter->pace;
}

double real_time_behind(const struct real_time *meter) {
    return meter->is_behind ? meter->factor : -1.0;
}
