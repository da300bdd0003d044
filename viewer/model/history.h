/* The last minute: its snapshots, the moment of it that is shown, and what was known of the selected agent. Pure. */
#ifndef DROVER_VIEWER_MODEL_HISTORY_H
#define DROVER_VIEWER_MODEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/protocol/message_event.h"
#include "common/snapshot/snapshot.h"

/* The world's last minute as it was received, to look back at. Pure.
 *
 * Owns copies without forces, in the order of simulated time: a paused world adds nothing, its steps do.
 * Invariants: 1. The copies never hold more than HISTORY_BYTES: for large crowds they are farther apart
 * instead of reaching less far back. 2. Times rise strictly from the oldest to the newest; no tick is there
 * twice. 3. All are of one scenario: a new epoch, or a time that falls, empties it.
 */

enum { HISTORY_CAPACITY = 4096, HISTORY_BYTES = 160 * 1024 * 1024 };
#define HISTORY_S 60.0 /* of simulated time */

struct history_record;

struct history {
    struct history_record *ring[HISTORY_CAPACITY];
    int begin, count;
    size_t bytes;
    uint32_t epoch;
    struct name_table kind_names, state_names, target_names; /* what the copies' numbers mean */
};

/** Zeroed memory is an empty history as well. */
void history_init(struct history *history);
/** Frees all copies. */
void history_fini(struct history *history);
/** Forgets all copies and names. */
void history_clear(struct history *history);
/** Copies the snapshot unless it comes too soon after the one before or there is no memory. One of the newest
 * copy's tick takes its place: a request changed the paused world. */
void history_add(struct history *history, const struct snapshot *snapshot);
/** Copies a snapshot of a recording that is played to its place: time may fall there, a tick is the same however it is
 * reached, and epochs do not matter. A tick that is there stays as it is; when there is no room, copies of the end that
 * is farther away make way. */
void history_insert(struct history *history, const struct snapshot *snapshot);
/** Drops what is at this time or later: the world, of this epoch from now on, goes on from there in another way. */
void history_cut(struct history *history, double from_s, uint32_t epoch);
/** Drops what is more than a minute older than this moment. history_add does; for snapshots that are not
 * kept. */
void history_drop(struct history *history, double now_s);
/** The simulated times of the oldest and the newest copy; 0, 0 when the history is empty. */
double history_begin_s(const struct history *history);
/** The simulated time of the newest copy; 0 when there is none. */
double history_end_s(const struct history *history);
/** The newest copy at or before a moment, 0 for the oldest; the oldest when all are later; -1 when empty. */
int history_find(const struct history *history, double time_s);
/** The simulated time of a copy; 0 <= index < count. */
double history_time_s(const struct history *history, int index);
/** Fills *snapshot with a copy; its clock_ms is the simulated time in ms. -1 when out of memory. */
NODISCARD int history_read(const struct history *history, int index, struct snapshot *snapshot);

/** An agent in a copy. */
struct history_agent {
    vec2 position, velocity; /* px, px/s */
    float heading;           /* rad, from +x towards +y */
};

/** Fills *agent with the agent of this id in a copy; false when it is not in it. 0 <= index < count */
bool history_agent(const struct history *history, int index, uint32_t id, struct history_agent *agent);

/* The moment that the picture shows: now, or a moment of the past, held or playing on. Pure.
 *
 * Times are simulated seconds; now_s is the world's newest. Invariants: 1. A held moment stays on its tick,
 * whatever the world does. 2. Only the end of the past, or going live, ends it.
 */

struct playhead {
    bool is_live;
    bool is_playing; /* not is_live: it moves on by itself */
    double at_s;     /* not is_live: the moment shown */
};

/** The picture shows now. */
void playhead_go_live(struct playhead *head);
/** Holds the copy nearest to a moment; from now_s on it is live. Without a copy before now nothing changes.
 */
void playhead_seek(struct playhead *head, const struct history *history, double now_s, double to_s);
/** Holds the copy nearest to a moment if one is within so many seconds of it, before or after now; else it is live.
 * For recordings that are played. */
void playhead_preview(struct playhead *head, const struct history *history, double to_s, double within_s);
/** Holds the copy nearest to so many seconds later (or earlier), but never the one that is shown already. */
void playhead_jump(struct playhead *head, const struct history *history, double now_s, double by_s);
/** Holds the copy after or before the one shown; after the newest it is live. */
void playhead_step(struct playhead *head, const struct history *history, double now_s, bool is_forward);
/** The past plays on, or is held where it is. */
void playhead_toggle(struct playhead *head, const struct history *history);
/** passed_s of wall time went by. */
void playhead_advance(struct playhead *head, const struct history *history, double now_s, double passed_s);

/* The replies to inspect of the last minute, beside the history of snapshots: why an agent moved as it did then. Pure.
 *
 * Owns copies without unused entries. Invariants: 1. They never hold more than INSPECTIONS_BYTES; the first to come go
 * first. 2. An agent has at most one of a tick.
 */

enum { INSPECTIONS_MOST = 2048, INSPECTIONS_BYTES = 32 * 1024 * 1024 };

struct inspection {
    uint32_t id;
    uint64_t tick;
    size_t bytes;
    void *copy;
};

struct inspections {
    struct inspection ring[INSPECTIONS_MOST];
    int begin, count;
    size_t bytes;
};

/** Forgets all; zeroed memory has none. */
void inspections_clear(struct inspections *inspections);
/** Keeps what an agent's forces were at a tick; without memory it is not kept. */
void inspections_add(struct inspections *inspections, uint64_t tick, const struct message_agent *agent);
/** Fills *agent with the reply about this agent whose tick is nearest to `tick`; false when none is within so many
 * ticks. */
bool inspections_find(const struct inspections *inspections, uint32_t id, double tick, double within,
                      struct message_agent *agent);

#endif
