/* The last 64 snapshots of one world, in the order of the server's clock. Pure.
 *
 * Owns the snapshots in it and recycles the memory of those that fall out.
 * Invariants: clock_ms rises strictly from the oldest to the newest; all have the same epoch.
 */
#ifndef DROVER_VIEWER_MODEL_SNAPSHOT_BUFFER_H
#define DROVER_VIEWER_MODEL_SNAPSHOT_BUFFER_H

#include "common/snapshot/snapshot.h"

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

#endif
