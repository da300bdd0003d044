/* The frame of a moment out of snapshots: the last ones are kept, the newest is moved on, two and a time are interpolated, and
 * headings are smoothed. Pure; loops over columns. */
#ifndef DROVER_VIEWER_MODEL_INTERPOLATE_H
#define DROVER_VIEWER_MODEL_INTERPOLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/snapshot/snapshot.h"
#include "viewer/model/frame.h"

/* The last 64 snapshots of one world, in the order of the server's clock. Pure.
 *
 * Owns the snapshots in it and recycles the memory of those that fall out.
 * Invariants: clock_ms rises strictly from the oldest to the newest; all have the same epoch.
 */

enum { SNAPSHOT_BUFFER_CAPACITY = 64 };

struct snapshot_buffer {
    struct snapshot *ring[SNAPSHOT_BUFFER_CAPACITY]; /* NULL, or a snapshot to use or recycle */
    int begin, count;
};

/** Empty. */
void snapshot_buffer_init(struct snapshot_buffer *buffer);
/** Destroys the snapshots that it holds. */
void snapshot_buffer_fini(struct snapshot_buffer *buffer);
/** Forgets what is in it; keeps the memory. */
void snapshot_buffer_clear(struct snapshot_buffer *buffer);
/** Takes the snapshot and returns one to be overwritten instead (owned by the caller; may be NULL, may be the
 * very one that was given, when it was no use: older than the newest). One of the same moment takes the
 * newest's place (a paused world that a request changed). A new epoch, or a clock that fell by more than a
 * second (another server), empties the buffer first. */
NODISCARD struct snapshot *snapshot_buffer_push(struct snapshot_buffer *buffer, struct snapshot *snapshot);
/** 0 is the oldest; NULL outside 0 .. count - 1. */
const struct snapshot *snapshot_buffer_at(const struct snapshot_buffer *buffer, int index);
/** The newest snapshot, or NULL. Owned by the buffer. */
const struct snapshot *snapshot_buffer_newest(const struct snapshot_buffer *buffer);

/** The neighbors of a moment: the last at or before it and the first after it; either may be NULL. */
void snapshot_buffer_around(const struct snapshot_buffer *buffer, double server_ms,
                            const struct snapshot **before, const struct snapshot **after);

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

/* From when on the agents of the newest snapshot move on, so that they neither jump nor step back when the speed changes
 * or a pause ends. Pure.
 *
 * A snapshot that is new is moved on from its own moment. While the world is paused it stays; then it moves on from the end
 * of the pause. At a change of speed the way that was gone stays as it is.
 */

struct motion_clock {
    double since_ms, newest_ms, speed; /* as of the last call */
};

/** Before the first snapshot. */
void motion_init(struct motion_clock *motion);
/** At each picture: the moment of the newest snapshot, the time of the picture (both on the server's clock), the speed (0: as
 * fast as it goes). Returns the server time for struct interpolate_rules, since_ms. */
double motion_since(struct motion_clock *motion, double newest_ms, double server_ms, double speed,
                    bool is_paused);

/* The headings that are drawn: those of slow agents, and of agents that turn to and fro, are smoothed over a tenth of a
 * simulated second, so that a crowd does not flicker. Pure.
 *
 * Owns a mean direction for each agent. An agent that goes straight on, or turns steadily, is drawn as it is.
 */

/** More agents are drawn as they are. */
enum { HEADINGS_MOST = 20000 };

struct heading_row {
    uint32_t id;
    vec2 mean;  /* of the directions of the last moments: shorter than 1 when they differ */
    vec2 drawn; /* length 1 */
};

struct headings {
    struct heading_row *rows, *others; /* in the order of the frame; the ones before, to copy from */
    int32_t count, capacity;
    double time_s; /* of the frame they are of */
};

/** Zeroed memory has none. Frees the rows. */
void headings_fini(struct headings *headings);
/** Forgets all directions. */
void headings_clear(struct headings *headings);
/** Smooths dir_x and dir_y of the frame. A time that falls, or jumps, starts over; without memory headings stay as they
 * are.
 *
 * max_speed  px/s, by the frame's numbers of kinds; 0: not known */
void headings_smooth(struct headings *headings, struct frame *frame, const float *max_speed);

#endif
