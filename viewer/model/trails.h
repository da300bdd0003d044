/* The trails of agents: their places in the last seconds. Pure.
 *
 * Owns one ring of points an agent. Invariants: 1. No more than TRAILS_AGENTS agents have a trail and all
 * trails together have a fixed size. 2. A trail breaks where its agent jumped: no line is drawn across. Over the border of a
 * wrapping world the way between two points is the short one. 3. An agent that is gone leaves no trail. 4. A trail reaches
 * back for trails_points * TRAILS_STEP_S of simulated time at most, however fast that goes.
 */
#ifndef DROVER_VIEWER_MODEL_TRAILS_H
#define DROVER_VIEWER_MODEL_TRAILS_H

#include "common/base/nodiscard.h"
#include "viewer/model/frame.h"

enum { TRAILS_AGENTS = 1024, TRAILS_POINTS = 64 };
#define TRAILS_STEP_S 0.06 /* between two points */
#define TRAILS_JUMP_S 0.12 /* pictures that are farther apart make longer lines, not gaps */

struct trail {
    uint32_t id;
    int begin, count;              /* a ring, oldest first */
    vec2 points[TRAILS_POINTS];    /* px of the world */
    bool is_broken[TRAILS_POINTS]; /* no line from the point before to this one */
};

struct trails {
    struct trail *rows, *others; /* in the order of the frame; the ones before, to copy from */
    int count;
    double next_s;                 /* when the next point is due, simulated time */
    double last_s;                 /* of the last points */
    double times_s[TRAILS_POINTS]; /* of the points, the newest first */
    int time_count;
    int points_kept;
};

/** Without trails. -1 when out of memory. */
NODISCARD int trails_init(struct trails *trails);
/** Frees the trails. */
void trails_fini(struct trails *trails);
/** Forgets all points. */
void trails_clear(struct trails *trails);
/** How many points a trail has at most when there are so many agents. */
int trails_points(int32_t agents);
/** Adds the place of every agent of the frame, if a point is due at its time. jump_px: farther than that
 * between two points is a jump, where no more than TRAILS_JUMP_S passed between them; a longer time reaches farther in proportion. wrap_size: px of a wrapping world, {0,0} otherwise. A time that falls clears them. */
void trails_add(struct trails *trails, const struct frame *frame, float jump_px, vec2 wrap_size);
/** The trail of this agent, or NULL. */
const struct trail *trails_find(const struct trails *trails, uint32_t id);
/** Point number i of it, 0 the oldest; *is_broken as above. */
vec2 trail_point(const struct trail *trail, int index, bool *is_broken);

#endif
