/* Reads the frames of a subscription: objects lines, and the keys and deltas of the packed layout.
 *
 * 1. Whatever bytes come, nothing is read or written outside its arrays: lengths, counts, indices, the order
 * of ids and the numbers of keys are checked, and a line that breaks a rule is refused as a whole.
 * 2. A key that was refused leaves no key; a delta that was refused leaves the key as it was.
 * 3. One stream a connection. It owns a copy of the key.
 */
#ifndef DROVER_COMMON_SNAPSHOT_SNAPSHOT_STREAM_H
#define DROVER_COMMON_SNAPSHOT_SNAPSHOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"

struct snapshot_stream;

enum snapshot_stream_result {
    SNAPSHOT_STREAM_REFUSED = -1, /* *failure says why */
    SNAPSHOT_STREAM_KEY = 0,      /* kept; nothing to show */
    SNAPSHOT_STREAM_FRAME = 1,    /* *snapshot is the frame */
};

/** NULL when memory is short. */
NODISCARD struct snapshot_stream *snapshot_stream_create(void);
void snapshot_stream_destroy(struct snapshot_stream *stream);
/** Whether the line begins as a frame does: {"op":"snapshot", {"op":"key" or {"op":"delta". */
bool snapshot_stream_takes(const char *line, size_t length);
/** Reads one line (text need not be NUL-terminated). The snapshot's name tables grow, as with
 * snapshot_decode; columns of fields that the subscription left out hold zeros. */
NODISCARD enum snapshot_stream_result snapshot_stream_decode(struct snapshot_stream *stream, const char *line,
                                                             size_t length, struct snapshot *snapshot,
                                                             struct failure *failure);
/** Forgets the key: another connection. */
void snapshot_stream_reset(struct snapshot_stream *stream);

#endif
