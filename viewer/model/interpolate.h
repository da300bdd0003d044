/* What to draw at a moment between two snapshots. Pure.
 *
 * 1. Agents are matched by id. In both: the way from one to the other (the short way around a wrapping world;
 * cubic when snapshots are far apart), the heading the short way around. 2. Farther than it can have moved:
 * it jumped, it stays until the newer snapshot's moment. 3. Only in the newer: it fades in. Only in the
 * older: it moves on and fades out. 4. After the newest snapshot: agents move on with their velocity for at
 * most 250 ms, then stand.
 */
#ifndef DROVER_VIEWER_MODEL_INTERPOLATE_H
#define DROVER_VIEWER_MODEL_INTERPOLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/snapshot/snapshot.h"
#include "viewer/model/snapshot_buffer.h"

#define INTERPOLATE_EXTRAPOLATE_MS 250.0 /* longest guess beyond the newest snapshot */
#define INTERPOLATE_FADE_MS        150.0
#define INTERPOLATE_SPAN_MS                                                                                  \
    250.0 /* a longer gap (a pause) is held, and walked in its last part of this length */

/** An agent as it is to be drawn, taken out of the columns. kind and state are indices in frame.names. */
struct pose {
    uint32_t id;
    uint16_t kind, state;
    vec2 position;          /* px */
    vec2 velocity;          /* px/s */
    vec2 desired, steering; /* px/s, mass*px/s^2; zero unless frame.has_forces */
    float heading;          /* rad, from +x towards +y */
    float alpha;            /* 0..1 */
};

struct frame_target {
    uint16_t name; /* index in frame.names->target_names */
    vec2 position;
};

/** Plain columns, one entry an agent: what draws them goes over whole arrays. Owns the columns. names points
 * into the snapshot buffer: good until the next push. Agents that are in both snapshots come first, in
 * ascending order of id, then those that come, then those that leave. */
struct frame {
    int32_t count, capacity;
    int32_t settled_count; /* the first ones, which neither come nor leave: ids ascend */
    uint32_t *id;
    uint16_t *kind, *state;   /* indices in names */
    float *x, *y;             /* px */
    float *vx, *vy;           /* px/s */
    float *dir_x, *dir_y;     /* the heading as a vector of length 1 */
    float *alpha;             /* 0..1 */
    vec2 *desired, *steering; /* has_forces */
    int32_t *row;             /* where the agent is in names; -1 when it left */
    int32_t *scratch;         /* columns of the two snapshots, matched: 10 * capacity + 2 * capacity */
    struct frame_target targets[LIMIT_TARGETS];
    int32_t target_count;
    const struct snapshot *names; /* NULL: nothing to draw yet */
    bool has_forces;
    bool is_stalled; /* the world runs and its snapshots stay away */
    double time_s;   /* simulated, of the picture */
    double late_ms;  /* how far the moment lies beyond the newest snapshot; 0 when it does not */
};

struct interpolate_rules {
    vec2 world_size; /* px */
    bool wraps;
    bool is_paused;   /* beyond the newest snapshot nothing moves, and that is no stall */
    double period_ms; /* the usual gap between snapshots */
};

void frame_init(struct frame *frame);
void frame_fini(struct frame *frame);

/** Fills *frame for the server time. -1 when out of memory (the frame is then empty). */
NODISCARD int interpolate_at(const struct snapshot_buffer *buffer, double server_ms,
                             const struct interpolate_rules *rules, struct frame *frame);

/** The agent at this place of the frame. */
struct pose frame_pose(const struct frame *frame, int32_t index);
/** Where the agent with this id is in the frame, or -1. */
int32_t frame_find(const struct frame *frame, uint32_t id);

/** The difference on a circle of this length, in [-length/2, length/2]. */
float interpolate_wrap_difference(float difference, float length);

#endif
