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
/** How many ticks to do now, 0 to TICK_CLOCK_CATCH_UP; counts them as done. */
int tick_clock_take(struct tick_clock *clock, uint64_t now_ns);

#endif
