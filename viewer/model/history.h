/* The world's last minute as it was received, to look back at. Pure.
 *
 * Owns copies without forces, in the order of simulated time: a paused world adds nothing, its steps do.
 * Invariants: 1. The copies never hold more than HISTORY_BYTES: for large crowds they are farther apart
 * instead of reaching less far back. 2. Times rise strictly from the oldest to the newest; no tick is there
 * twice. 3. All are of one scenario: a new epoch, or a time that falls, empties it.
 */
#ifndef DROVER_VIEWER_MODEL_HISTORY_H
#define DROVER_VIEWER_MODEL_HISTORY_H

#include <stdbool.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/snapshot/snapshot.h"

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
/** Drops what is more than a minute older than this moment. history_add does; for snapshots that are not
 * kept. */
void history_forget(struct history *history, double now_s);
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

#endif
