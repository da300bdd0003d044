/* How long something takes, of the last TICK_METER_SAMPLES times. Pure. */
#ifndef DROVER_SERVER_SIMULATION_TICK_METER_H
#define DROVER_SERVER_SIMULATION_TICK_METER_H

#include <stdint.h>

enum { TICK_METER_SAMPLES = 1024 };

struct tick_meter {
    uint64_t count; /* ever; the newest sample is at (count - 1) % TICK_METER_SAMPLES */
    float samples_us[TICK_METER_SAMPLES];
};

struct tick_meter_summary {
    double p50_ms, p99_ms, max_ms; /* 0 when there are no samples */
};

void tick_meter_add(struct tick_meter *meter, uint64_t ns);
struct tick_meter_summary tick_meter_summarise(const struct tick_meter *meter);

#endif
