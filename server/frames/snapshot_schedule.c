/* See snapshot_schedule.h. */
#include "server/frames/snapshot_schedule.h"

#include <assert.h>

#include "common/snapshot/snapshot.h"

unsigned snapshot_schedule_fields(const struct snapshot_schedule *schedule) {
    return (schedule->headings ? (unsigned)SNAPSHOT_HEADING : 0u) |
           (schedule->forces ? (unsigned)SNAPSHOT_FORCES : 0u) |
           (schedule->parts ? (unsigned)SNAPSHOT_PARTS : 0u);
}

void snapshot_schedule_add(struct snapshot_schedule *schedule, uint64_t every, bool forces) {
    assert(every >= 1);
    schedule->forces = schedule->forces || forces;
    for (int i = 0; i < schedule->count; i++) {
        if (every % schedule->every[i] == 0) {
            return; /* its ticks are wanted already */
        }
    }
    if (schedule->count == SNAPSHOT_SCHEDULE_RATES) {
        schedule->every[0] = 1;
        schedule->count = 1;
        return;
    }
    schedule->every[schedule->count++] = every;
}

bool snapshot_schedule_wants(const struct snapshot_schedule *schedule, uint64_t tick) {
    for (int i = 0; i < schedule->count; i++) {
        if (tick % schedule->every[i] == 0) {
            return true;
        }
    }
    return false;
}

bool snapshot_schedule_wants_since(const struct snapshot_schedule *schedule, uint64_t from, uint64_t to) {
    for (int i = 0; i < schedule->count; i++) {
        if (to / schedule->every[i] > from / schedule->every[i]) {
            return true;
        }
    }
    return false;
}
