/* See simulation_internal.h: the speed, and the rate of the tick clock that follows from it. */
#include "server/simulation/simulation_internal.h"

#include <math.h>

#include "common/system/clock.h"

/* The tick clock ticks no more often: several ticks of the world are done each time then. */
#define FASTEST_CLOCK_HZ 1000.0
/* A world whose ticks are so rare shows requests that change it in between, as a paused one does. */
#define RARE_TICK_HZ 20.0

double simulation_effective_speed(const struct simulation *simulation) {
    return simulation->speed.is_warming ? 0.0 : simulation->speed.factor;
}

bool simulation_has_speed(const struct simulation *simulation) {
    const double speed = simulation_effective_speed(simulation);
    return speed < 1.0 || speed > 1.0;
}

bool simulation_is_at_max(const struct simulation *simulation) {
    return !(simulation_effective_speed(simulation) > 0.0);
}

double simulation_due_hz(const struct simulation *simulation) {
    return world_tick_hz(simulation->state.world) * simulation_effective_speed(simulation);
}

bool simulation_has_rare_ticks(const struct simulation *simulation) {
    return !simulation_is_at_max(simulation) && simulation_has_speed(simulation) &&
           simulation_due_hz(simulation) < RARE_TICK_HZ;
}

uint64_t simulation_ticks_each(const struct simulation *simulation) {
    return (uint64_t)ceil(fmax(1.0, simulation_due_hz(simulation) / FASTEST_CLOCK_HZ));
}

/* At the highest speed the clock says nothing; it runs at the rate of the world. */
static double clock_hz(const struct simulation *simulation) {
    return simulation_is_at_max(simulation)
               ? world_tick_hz(simulation->state.world)
               : simulation_due_hz(simulation) / (double)simulation_ticks_each(simulation);
}

void simulation_reset_clock(struct simulation *simulation) {
    simulation->speed.resets++;
    tick_clock_set_rate(&simulation->clock, clock_hz(simulation), clock_now_ns());
}

void simulation_change_clock(struct simulation *simulation) {
    tick_clock_change_rate(&simulation->clock, clock_hz(simulation), clock_now_ns());
}
