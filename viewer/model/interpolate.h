/* Interpolates between two snapshots: the frame of a moment. Pure.
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
#include "viewer/model/frame.h"
#include "viewer/model/snapshot_buffer.h"

#define INTERPOLATE_EXTRAPOLATE_MS 250.0 /* longest guess beyond the newest snapshot */
#define INTERPOLATE_FADE_MS        150.0
/** A longer gap between snapshots (a pause) is held, and walked in its last part of this length. */
#define INTERPOLATE_SPAN_MS 250.0

struct interpolate_rules {
    vec2 world_size; /* px */
    bool wraps;
    bool is_paused;   /* beyond the newest snapshot nothing moves, and that is no stall */
    double period_ms; /* the usual gap between snapshots */
};

/** Fills *frame for the server time. -1 when out of memory (the frame is then empty). */
NODISCARD int interpolate_at(const struct snapshot_buffer *buffer, double server_ms,
                             const struct interpolate_rules *rules, struct frame *frame);

/** The difference on a circle of this length, in [-length/2, length/2]. */
float interpolate_wrap_difference(float difference, float length);

#endif
