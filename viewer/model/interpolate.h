/* Interpolates between two snapshots: the frame of a moment. Pure.
 *
 * 1. Agents are matched by id. In both: the way from one to the other (the short way around a wrapping world;
 * cubic when snapshots are far apart), the heading the short way around. 2. Farther than it can have moved:
 * it jumped, it stays until the newer snapshot's moment. 3. Only in the newer: it fades in. Only in the
 * older: it moves on and fades out. 4. After the newest snapshot: agents move on with their velocity for at
 * most 250 ms of simulated time, then stand.
 *
 * At a speed other than 1 a moment lies between two snapshots as the server's clock says, so agents move evenly however
 * much simulated time is between them. Between two ticks of a slow world, which may be seconds apart, they move on from the
 * older one: that is as good as exact, and the picture need not wait.
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
    double speed;     /* of the world's time now; 0: as fast as it goes, so nothing is guessed */
    double
        since_ms; /* the server time from which the newest snapshot moves on at this speed (motion.h); 0: its own */
    double tick_ms; /* simulated time of a tick: a slow world has no snapshot in between */
};

/** How agents move around a moment, for a graphics card that moves them by itself between two snapshots.
 *
 * An agent in both is at a + (b - a, the short way) * along + velocity_a * leave + velocity_b * reach; one that jumped
 * (farther than three times its greater speed for reach_s, and 10 px) is at a, or at b when has_jumped. Its heading
 * turns the short way by `part`. One only in b stands at b with alpha fade_in; one only in a is moved on by its velocity for
 * since_s with alpha fade_out. Without b, all of a are moved on so. */
struct interpolate_motion {
    const struct snapshot *a, *b; /* b NULL: a is the only one */
    float along, leave, reach, part, reach_s;
    bool has_jumped;
    float since_s, fade_in, fade_out;
    float width, height; /* of a wrapping world, px; 0: it does not wrap */
};

/** The motion of a server time. false without snapshots. */
bool interpolate_motion(const struct snapshot_buffer *buffer, double server_ms,
                        const struct interpolate_rules *rules, struct interpolate_motion *motion);
/** Fills *frame for the server time except its agents: of these only those at the `count` indices are moved. The frame was
 * filled by interpolate_at out of the same snapshots. */
void interpolate_few(const struct snapshot_buffer *buffer, double server_ms,
                     const struct interpolate_rules *rules, const int32_t *indices, int count,
                     struct frame *frame);

/** Fills *frame for the server time. -1 when out of memory (the frame is then empty). */
NODISCARD int interpolate_at(const struct snapshot_buffer *buffer, double server_ms,
                             const struct interpolate_rules *rules, struct frame *frame);

/** The difference on a circle of this length, in [-length/2, length/2]. */
float interpolate_wrap_difference(float difference, float length);

#endif
