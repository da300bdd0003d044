/* See overload.h. */
#include "server/simulation/overload.h"

#include <stdio.h>
#include <string.h>

#include "server/frames/world_snapshot.h"

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

bool overload_tell(struct overload *overload, uint64_t running_ns, uint64_t now_ns,
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
