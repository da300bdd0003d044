/* See tick_meter.h. */
#include "server/simulation/tick_meter.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tick_meter_add(struct tick_meter *meter, uint64_t ns) {
    meter->samples_us[meter->count % TICK_METER_SAMPLES] = (float)ns * 1e-3f;
    meter->count++;
    meter->sum_ns += ns;
    for (int k = 0; k < TICK_METER_BUCKETS; k++) {
        if (ns <= tick_meter_bound_ns(k)) {
            meter->buckets[k]++;
            return;
        }
    }
}

uint64_t tick_meter_bound_ns(int k) {
    assert(k >= 0 && k < TICK_METER_BUCKETS);
    return (uint64_t)TICK_METER_FIRST_NS << k;
}

uint64_t tick_meter_within(const struct tick_meter *meter, int k) {
    assert(k >= 0 && k < TICK_METER_BUCKETS);
    uint64_t count = 0;
    for (int i = 0; i <= k; i++) {
        count += meter->buckets[i];
    }
    return count;
}

static int compare(const void *a, const void *b) {
    const float left = *(const float *)a;
    const float right = *(const float *)b;
    return (left > right) - (left < right);
}

/* To the microsecond: finer is noise. */
static double to_ms(float us) {
    return rint((double)us) / 1000.0;
}

struct tick_meter_summary tick_meter_summarize(const struct tick_meter *meter) {
    float sorted[TICK_METER_SAMPLES];
    const size_t count = meter->count < TICK_METER_SAMPLES ? (size_t)meter->count : TICK_METER_SAMPLES;
    if (count == 0) {
        return (struct tick_meter_summary){0};
    }
    memcpy(sorted, meter->samples_us, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], compare);
    return (struct tick_meter_summary){.p50_ms = to_ms(sorted[(count - 1) / 2]),
                                       .p99_ms = to_ms(sorted[(count * 99 + 99) / 100 - 1]),
                                       .max_ms = to_ms(sorted[count - 1])};
}
