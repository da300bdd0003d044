/* See tick_clock.h. */
#include "server/simulation/tick_clock.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/frames/world_snapshot.h"

void tick_clock_init(struct tick_clock *clock, double hz, uint64_t now_ns) {
    *clock = (struct tick_clock){0};
    tick_clock_set_rate(clock, hz, now_ns);
}

void tick_clock_set_rate(struct tick_clock *clock, double hz, uint64_t now_ns) {
    assert(hz >= 0.001 && hz <= 1e4);
    clock->microhertz = (uint64_t)llround(hz * 1e6);
    clock->start_ns = now_ns;
    clock->done = 0;
}

void tick_clock_change_rate(struct tick_clock *clock, double hz, uint64_t now_ns) {
    const uint64_t last_ns = clock->start_ns + tick_clock_span_ns(clock, clock->done);
    const uint64_t period_ns =
        tick_clock_span_ns(clock, clock->done + 1) - tick_clock_span_ns(clock, clock->done);
    const uint64_t passed_ns = clock->is_paused || now_ns < last_ns ? 0 : now_ns - last_ns;
    const double share = period_ns == 0 ? 0.0 : (double)passed_ns / (double)period_ns;
    tick_clock_set_rate(clock, hz, now_ns);
    const double credit_ns = share * (double)tick_clock_span_ns(clock, 1);
    clock->start_ns -= credit_ns < (double)now_ns ? (uint64_t)credit_ns : now_ns;
}

void tick_clock_pause(struct tick_clock *clock) {
    clock->is_paused = true;
}

void tick_clock_resume(struct tick_clock *clock, uint64_t now_ns) {
    clock->is_paused = false;
    clock->start_ns = now_ns;
    clock->done = 0;
}

uint64_t tick_clock_span_ns(const struct tick_clock *clock, uint64_t n) {
    /* n / (microhertz / 1e6) s. Done in three steps (1e6 s, s, ns), so that no product passes 64 bits. */
    const uint64_t rate = clock->microhertz;
    const uint64_t megaseconds = n / rate;
    const uint64_t micros = n % rate * 1000000u;
    const uint64_t seconds = micros / rate;
    const uint64_t rest = micros % rate;
    return megaseconds * UINT64_C(1000000000000000) + seconds * 1000000000u + rest * 1000000000u / rate;
}

uint64_t tick_clock_deadline_ns(const struct tick_clock *clock) {
    return clock->is_paused ? UINT64_MAX : clock->start_ns + tick_clock_span_ns(clock, clock->done + 1);
}

/* Ticks of this run that are due at now_ns, done or not. */
static uint64_t ticks_due(const struct tick_clock *clock, uint64_t now_ns) {
    const uint64_t elapsed_ns = now_ns - clock->start_ns;
    const uint64_t seconds = elapsed_ns / 1000000000u;
    /* A guess that is at most two off: whole seconds in integers, the rest rounded down. */
    uint64_t n = seconds / 1000000u * clock->microhertz + seconds % 1000000u * clock->microhertz / 1000000u +
                 (uint64_t)((double)(elapsed_ns % 1000000000u) * (double)clock->microhertz * 1e-15);
    n -= n > 0 ? 1 : 0;
    while (tick_clock_span_ns(clock, n + 1) <= elapsed_ns) {
        n++;
    }
    return n;
}

bool tick_clock_take_one(struct tick_clock *clock, uint64_t now_ns) {
    if (now_ns < tick_clock_deadline_ns(clock)) {
        return false;
    }
    clock->done++;
    if (now_ns >= tick_clock_deadline_ns(clock)) {
        clock->start_ns = now_ns;
        clock->done = 0;
    }
    return true;
}

int tick_clock_take(struct tick_clock *clock, uint64_t now_ns) {
    if (now_ns < tick_clock_deadline_ns(clock)) {
        return 0;
    }
    const uint64_t due = ticks_due(clock, now_ns);
    assert(due > clock->done);
    const uint64_t pending = due - clock->done;
    clock->done = due;
    if (pending > TICK_CLOCK_CATCH_UP) {
        clock->dropped_ticks += pending - TICK_CLOCK_CATCH_UP;
        return TICK_CLOCK_CATCH_UP;
    }
    return (int)pending;
}

/* ---- meter ---- */

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

/* ---- overload ---- */

struct clump overload_look(const struct world *world) {
    struct world_clump found;
    struct clump clump = {.is_there = false};
    if (world_find_clump(world, &found) && found.candidates >= OVERLOAD_CANDIDATES) {
        clump = (struct clump){.is_there = true, .at = found.at, .candidates = found.candidates};
        (void)snprintf(clump.kind, sizeof clump.kind, "%s", world_kind(world, found.kind)->name);
    }
    return clump;
}

bool overload_is_slow(uint64_t tick_ns, double tick_hz) {
    return tick_ns >= OVERLOAD_SLOW_NS || (double)tick_ns * tick_hz >= OVERLOAD_TICKS * 1e9;
}

void overload_note(struct overload *overload, uint64_t tick_ns) {
    overload->slowest_ns = tick_ns > overload->slowest_ns ? tick_ns : overload->slowest_ns;
}

bool overload_take_event(struct overload *overload, uint64_t running_ns, uint64_t now_ns,
                         struct message_event *event, uint64_t *tick_ns) {
    const struct clump *clump = &overload->clump;
    const bool is_slow = running_ns >= OVERLOAD_SLOW_NS || overload->slowest_ns > 0;
    const bool is_silent = overload->told_ns != 0 && now_ns - overload->told_ns < OVERLOAD_SILENT_NS;
    if (!clump->is_there || !is_slow || is_silent) {
        return false;
    }
    *tick_ns = running_ns >= OVERLOAD_SLOW_NS ? running_ns : overload->slowest_ns;
    overload->slowest_ns = 0;
    overload->told_ns = now_ns;
    *event = (struct message_event){.event = "overload",
                                    .has = EVENT_HAS_KIND | EVENT_HAS_CANDIDATES,
                                    .x = world_snapshot_hundredths(clump->at.x),
                                    .y = world_snapshot_hundredths(clump->at.y),
                                    .candidates = (uint32_t)clump->candidates};
    memcpy(event->kind, clump->kind, sizeof event->kind);
    return true;
}
