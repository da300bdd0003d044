/* The timeline of a live world, for those who draw it: the window and the page of a browser. Pure.
 *
 *     first                              a minute ago                now          end
 *     |----------|---|------------m1-----------|------------------------o            the line: the current branch
 *                         \_____________________________________________b1           a lane: a branch that was left
 *
 * 1. Up to a minute the line is in proportion to time. Of a longer past the last minute keeps half of what is before now.
 * 2. Where a branch that was left goes on beyond now, the line ends there.
 * 3. What both branches have in common is on the line alone: a lane begins where its branch leaves the line, or another lane.
 * 4. Without a past that the server keeps, the line is the last minute.
 */
#ifndef DROVER_VIEWER_MODEL_TIMELINE_H
#define DROVER_VIEWER_MODEL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/protocol/message.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TIMELINE_LANES = 4, /* of the branches that were left, the newest ones */
    TIMELINE_POINTS = 4,
    TIMELINE_ON_LINE = -1,
    TIMELINE_NOWHERE = -2, /* on a branch that has no lane */
    TIMELINE_TEXT = 320
};

/** A branch that was left. */
struct timeline_lane {
    const struct message_branch *branch;
    int parent;      /* the lane that it leaves, or TIMELINE_ON_LINE */
    double from, to; /* ticks */
};

/** Between two points the place on the line is in proportion to the tick. */
struct timeline_point {
    double tick, share; /* share: 0 at the left end of the line, 1 at its right one */
};

struct timeline {
    const struct message_past *past; /* the server model's; NULL: the server keeps none */
    double hz;                       /* ticks a second */
    double first, now,
        end; /* ticks: where the line begins (may be before 0), where the world is, where the line ends */
    int point_count;
    struct timeline_point points[TIMELINE_POINTS];
    int lane_count, left_out; /* left_out: branches without a lane */
    struct timeline_lane lanes[TIMELINE_LANES];
};

/** past: NULL, or one with branches. now: the tick of the world; hz: above 0 */
struct timeline timeline_make(const struct message_past *past, double now, double hz);
/** Of static seconds, which are kept from the tick `first` on: without branches. */
struct timeline timeline_make_seconds(double first, double now, double hz);
/** The first tick that the server keeps of the current branch; now when it keeps none. */
double timeline_kept(const struct timeline *line);
/** Where a tick is, 0 to 1. */
double timeline_share(const struct timeline *line, double tick);
/** The tick at a place of the line, no later than now and no earlier than 0. */
double timeline_tick(const struct timeline *line, double share);
/** Where a tick of a branch is: the number of a lane, TIMELINE_ON_LINE or TIMELINE_NOWHERE. */
int timeline_lane_of(const struct timeline *line, const char *branch, double tick);
/** The mark on the line that is nearest to a tick, no farther than `within` of the line; NULL for none. */
const struct message_mark *timeline_find_mark(const struct timeline *line, double tick, double within);
/** A name that no mark has: "m1", "m2" ... */
void timeline_next_mark(const struct message_past *past, char out[LIMIT_NAME_CHARS + 1]);

/* Words for tooltips. */

/** "12.0 s ago, tick 480" */
void timeline_moment_text(const struct timeline *line, double tick, char out[TIMELINE_TEXT]);
/** "mark m1: 12.0 s ago, tick 480" */
void timeline_mark_text(const struct timeline *line, const struct message_mark *mark,
                        char out[TIMELINE_TEXT]);
/** "Ann: set_param kind bird, param max_speed, value 90; 12.0 s ago, tick 480" */
void timeline_change_text(const struct timeline *line, const struct message_change *change,
                          char out[TIMELINE_TEXT]);
/** "b1: left at tick 1200. A click goes on there." */
void timeline_branch_text(const struct timeline_lane *lane, char out[TIMELINE_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
