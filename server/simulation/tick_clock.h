/* When ticks are due: absolute deadlines, in whole nanoseconds, without drift. Pure: the time is an argument.
 *
 * 1. Tick n of a run is due at start + n / hz, computed from n each time, so rounding never adds up.
 * 2. When the world falls behind, at most TICK_CLOCK_CATCH_UP ticks are made up at once; the rest of the debt
 * is dropped and counted, and the grid of deadlines stays where it is.
 */
#ifndef DROVER_SERVER_SIMULATION_TICK_CLOCK_H
#define DROVER_SERVER_SIMULATION_TICK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/sim/world/world.h"

enum { TICK_CLOCK_CATCH_UP = 5 };

struct tick_clock {
    uint64_t start_ns;   /* time of tick 0 */
    uint64_t done;       /* ticks done or dropped since the start */
    uint64_t microhertz; /* rate in 1/1000000 Hz, > 0 */
    bool is_paused;
    uint64_t dropped_ticks; /* since tick_clock_init */
};

/** Starts a run at now_ns; the first tick is due one period later. hz: 0.001 to 10000. */
void tick_clock_init(struct tick_clock *clock, double hz, uint64_t now_ns);
/** A new rate from now on; keeps the pause and the count of dropped ticks. */
void tick_clock_set_rate(struct tick_clock *clock, double hz, uint64_t now_ns);
/** A new rate that keeps the share of the period that has passed since the last tick that was taken: rates that change
 * all the time hold no tick back, and ticks that are overdue stay so. */
void tick_clock_change_rate(struct tick_clock *clock, double hz, uint64_t now_ns);
/** No tick is due until tick_clock_resume. */
void tick_clock_pause(struct tick_clock *clock);
/** Starts a new run at now_ns; no ticks are due for the time paused. */
void tick_clock_resume(struct tick_clock *clock, uint64_t now_ns);
/** ns from the start of a run to its tick n. */
uint64_t tick_clock_span_ns(const struct tick_clock *clock, uint64_t n);
/** When the next tick is due; UINT64_MAX while paused. */
uint64_t tick_clock_deadline_ns(const struct tick_clock *clock);
/** Whether a tick is due; counts that one alone as done. A world that waited makes up for nothing. */
bool tick_clock_take_one(struct tick_clock *clock, uint64_t now_ns);
/** How many ticks to do now, 0 to TICK_CLOCK_CATCH_UP; counts them as done. */
int tick_clock_take(struct tick_clock *clock, uint64_t now_ns);

/* How long something takes: percentiles of the last TICK_METER_SAMPLES times, and a histogram of all times. Pure.
 *
 * Bucket k of the histogram has the times of at most TICK_METER_FIRST_NS * 2^k that are in no bucket before it.
 */

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

/* The event `overload`: a clump of agents makes ticks take long. Pure: time and measurements are arguments.
 */

enum {
    OVERLOAD_CANDIDATES = 1000, /* that an agent looks at: from here on it is a clump */
    OVERLOAD_TICKS = 5,         /* a tick that takes as long as so many should is slow */
};
#define OVERLOAD_SLOW_NS   UINT64_C(1000000000) /* or so long */
#define OVERLOAD_SILENT_NS UINT64_C(10000000000)

/** Where agents stand so close that it counts. */
struct clump {
    bool is_there;
    char kind[LIMIT_NAME_CHARS + 1];
    vec2 at; /* px */
    int32_t candidates;
};

struct overload {
    struct clump clump;  /* as it was last looked for */
    uint64_t slowest_ns; /* of the slow ticks that were done since the last telling */
    uint64_t told_ns;    /* 0: never */
};

/** Looks for a clump in the world as it is now. */
struct clump overload_look(const struct world *world);
/** Whether a tick that took so long is slow; tick_hz of its world. */
bool overload_is_slow(uint64_t tick_ns, double tick_hz);
/** A slow tick was done. */
void overload_note(struct overload *overload, uint64_t tick_ns);
/** Whether the event is due. running_ns: for how long the tick under way has run, 0: there is none. Fills
 * *event but for its tick, and *tick_ns with how long the tick took, or has taken so far. */
bool overload_take_event(struct overload *overload, uint64_t running_ns, uint64_t now_ns,
                         struct message_event *event, uint64_t *tick_ns);

#endif
