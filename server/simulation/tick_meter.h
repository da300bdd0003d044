/* How long something takes: percentiles of the last TICK_METER_SAMPLES times, and a histogram of all times. Pure.
 *
 * Bucket k of the histogram has the times of at most TICK_METER_FIRST_NS * 2^k that are in no bucket before it.
 */
#ifndef DROVER_SERVER_SIMULATION_TICK_METER_H
#define DROVER_SERVER_SIMULATION_TICK_METER_H

#include <stdint.h>

enum { TICK_METER_SAMPLES = 1024, TICK_METER_BUCKETS = 16, TICK_METER_FIRST_NS = 50000 };

struct tick_meter {
    uint64_t count; /* ever; the newest sample is at (count - 1) % TICK_METER_SAMPLES */
    float samples_us[TICK_METER_SAMPLES];
    uint64_t sum_ns;                      /* of all times */
    uint64_t buckets[TICK_METER_BUCKETS]; /* how many; longer times are in none */
};

struct tick_meter_summary {
    double p50_ms, p99_ms, max_ms; /* 0 when there are no samples */
};

void tick_meter_add(struct tick_meter *meter, uint64_t ns);
struct tick_meter_summary tick_meter_summarize(const struct tick_meter *meter);
/** The longest time of bucket k. */
uint64_t tick_meter_bound_ns(int k);
/** How many of all times are at most as long. */
uint64_t tick_meter_within(const struct tick_meter *meter, int k);

#endif
