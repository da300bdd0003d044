/* The ticks that the simulation thread copies out as snapshots: the sum of all subscriptions. A plain value.
 */
#ifndef DROVER_SERVER_FRAMES_SNAPSHOT_SCHEDULE_H
#define DROVER_SERVER_FRAMES_SNAPSHOT_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum { SNAPSHOT_SCHEDULE_RATES = 16 };

struct snapshot_schedule {
    int count;                               /* 0: no snapshots */
    uint64_t every[SNAPSHOT_SCHEDULE_RATES]; /* distinct; the ticks that are a multiple of one of them */
    bool forces;                             /* with steering vectors */
    bool parts;                              /* with the parts of forces */
    uint64_t explained;                      /* forces: struct subscription; 0 without */
    bool headings;                           /* with headings: an arc tangent an agent */
};

/** What snapshots are to hold beside the usual fields (enum snapshot_field). */
unsigned snapshot_schedule_fields(const struct snapshot_schedule *schedule);
/** Adds a subscription. More than SNAPSHOT_SCHEDULE_RATES different rates become every tick. every >= 1. */
void snapshot_schedule_add(struct snapshot_schedule *schedule, uint64_t every, bool forces);
/** Whether this tick is to be copied out. */
bool snapshot_schedule_wants(const struct snapshot_schedule *schedule, uint64_t tick);
/** Whether one of the ticks after `from`, up to `to`, is. */
bool snapshot_schedule_wants_since(const struct snapshot_schedule *schedule, uint64_t from, uint64_t to);

#endif
