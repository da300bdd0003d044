/* Snapshots of a whole world, and their lines, as tests ask for them: with all headings, and with or without forces. */
#ifndef DROVER_TESTS_SUPPORT_SNAPSHOTS_H
#define DROVER_TESTS_SUPPORT_SNAPSHOTS_H

#include "common/snapshot/snapshot.h"
#include "server/frames/world_snapshot.h"

static inline int world_snapshot_copy(const struct world *world, bool with_forces, struct snapshot *out) {
    return world_snapshot_copy_wanted(
        world, SNAPSHOT_HEADING | (with_forces ? (unsigned)SNAPSHOT_FORCES : 0u), NULL, out);
}

static inline void snapshot_encode_objects(const struct snapshot *snapshot, bool with_forces,
                                           struct buffer *out) {
    snapshot_encode_fields(snapshot, SNAPSHOT_USUAL | (with_forces ? (unsigned)SNAPSHOT_FORCES : 0u), out);
}

#endif
