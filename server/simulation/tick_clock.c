/* See tick_clock.h. */
#include "server/simulation/tick_clock.h"

#include <assert.h>
#include <math.h>

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
