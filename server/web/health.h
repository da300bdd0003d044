/* Whether the server is well, and whether it is ready: /healthz and /readyz. Pure.
 *
 * 1. Well: ticks begin, at most HEALTH_PATIENCE_MS later than they are due, or the world is paused. Ticks of a step, of
 * a seek and of a world that is brought to where a server before stopped are ticks as well. A server that is unwell is
 * to be started again.
 * 2. Ready: it is well, and the world that it serves is not about to be another one; visitors may come. A server that
 * says goodbye is well, but not ready. With --ready-journal, one whose journal has ended is not ready either.
 */
#ifndef DROVER_SERVER_WEB_HEALTH_H
#define DROVER_SERVER_WEB_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "server/simulation/simulation.h"

enum { HEALTH_PATIENCE_MS = 2000, HEALTH_REASON_BYTES = 128 };

struct health {
    bool is_good;
    char text[HEALTH_REASON_BYTES]; /* "ok\n", or the reason, with a newline */
};

/** The answer to /healthz. now_ns: clock_now_ns. */
struct health health_well(const struct simulation_motion *motion, uint64_t now_ns);
/** The answer to /readyz. is_stopping: the server says goodbye. */
struct health health_ready(const struct simulation_motion *motion, bool is_stopping, uint64_t now_ns);
/** The same of a journal that has ended, for this reason. */
struct health health_unkept(const char *reason);

#endif
