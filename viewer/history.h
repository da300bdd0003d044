/* The last minute of received snapshots, to look back at. Pure.
 *
 * Owns copies without forces. Invariants: 1. The copies never hold more than HISTORY_BYTES: for large crowds
 * they are farther apart instead of reaching less far back. 2. Times rise from the oldest to the newest. 3.
 * All are of one scenario: a new epoch empties it.
 */
#ifndef DROVER_VIEWER_HISTORY_H
#define DROVER_VIEWER_HISTORY_H

#include "common/nodiscard.h"
#include "common/snapshot.h"

enum { HISTORY_CAPACITY = 4096, HISTORY_BYTES = 160 * 1024 * 1024 };
#define HISTORY_MS 60000.0

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
void history_fini(struct history *history);
void history_clear(struct history *history);
/** Copies the snapshot unless it comes too soon after the one before or there is no memory. */
void history_add(struct history *history, const struct snapshot *snapshot);
/** The server times it reaches from and to; 0, 0 when it is empty. */
double history_begin_ms(const struct history *history);
double history_end_ms(const struct history *history);
/** Fills *before and *after with the snapshots around a moment (the two nearest when it lies outside). -1
 * when there are none or memory is out. */
NODISCARD int history_around(const struct history *history, double server_ms, struct snapshot *before,
                             struct snapshot *after);

#endif
