/* See rate_meter.h. */
#include "viewer/model/rate_meter.h"

#include <string.h>

static const double rate_sample_ms = 250.0;

void rate_meter_init(struct rate_meter *meter) {
    memset(meter, 0, sizeof *meter);
}

void rate_meter_add(struct rate_meter *meter, double now_ms, uint64_t count) {
    if (meter->count > 0) {
        const int last = (meter->begin + meter->count - 1) % RATE_METER_SAMPLES;
        if (now_ms - meter->times_ms[last] < rate_sample_ms) {
            return;
        }
    }
    if (meter->count == RATE_METER_SAMPLES) {
        meter->begin = (meter->begin + 1) % RATE_METER_SAMPLES;
        meter->count--;
    }
    const int slot = (meter->begin + meter->count) % RATE_METER_SAMPLES;
    meter->times_ms[slot] = now_ms;
    meter->counts[slot] = count;
    meter->count++;
}

double rate_meter_per_s(const struct rate_meter *meter) {
    if (meter->count < 3) {
        return -1.0;
    }
    const int first = meter->begin, last = (meter->begin + meter->count - 1) % RATE_METER_SAMPLES;
    const double passed_s = (meter->times_ms[last] - meter->times_ms[first]) * 0.001;
    return (double)(meter->counts[last] - meter->counts[first]) / passed_s;
}
