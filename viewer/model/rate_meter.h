/* A rate per second over the last two seconds, from a running count. Pure. */
#ifndef DROVER_VIEWER_MODEL_RATE_METER_H
#define DROVER_VIEWER_MODEL_RATE_METER_H

#include <stdint.h>

enum { RATE_METER_SAMPLES = 9 };

struct rate_meter {
    double times_ms[RATE_METER_SAMPLES]; /* a ring, oldest at begin */
    uint64_t counts[RATE_METER_SAMPLES];
    int begin, count;
};

/** Without measurements: the rate is not known. */
void rate_meter_init(struct rate_meter *meter);
/** Takes the present count. It may be called at any rate: a sample is kept every quarter of a second. */
void rate_meter_add(struct rate_meter *meter, double now_ms, uint64_t count);
/** The rate; < 0 in the first half second. */
double rate_meter_per_s(const struct rate_meter *meter);

#endif
