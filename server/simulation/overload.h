/* The event `overload`: a clump of agents makes ticks take long. Pure: time and measurements are arguments.
 */
#ifndef DROVER_SERVER_SIMULATION_OVERLOAD_H
#define DROVER_SERVER_SIMULATION_OVERLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/sim/world/world.h"

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
bool overload_tell(struct overload *overload, uint64_t running_ns, uint64_t now_ns,
                   struct message_event *event, uint64_t *tick_ns);

#endif
