/* Hands snapshots from the simulation thread to the loop: three slots, the newest wins, neither thread waits.
 *
 * 1. One writer, one reader. The writer fills its slot, publishes it and gets another; the reader keeps what
 * it took until it takes again.
 * 2. A slot that was never taken is overwritten; its `reason` is not lost but joined to that of its
 * successor: the wider of the two counts.
 */
#ifndef DROVER_SERVER_EXCHANGE_SNAPSHOT_EXCHANGE_H
#define DROVER_SERVER_EXCHANGE_SNAPSHOT_EXCHANGE_H

#include <pthread.h>
#include <stdbool.h>

#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"
#include "server/frames/frame_form.h"

/** Why a snapshot was taken, and with it which subscribers get a frame: from the fewest to all. */
enum frame_reason {
    FRAME_REASON_CLOCK, /* a long step is under way: subscribers that are due by the clock */
    FRAME_REASON_RATE,  /* a tick: subscribers that are due by their rate, and those without a frame yet */
    FRAME_REASON_NEWER, /* the world was paused: as well those whose last frame is of an earlier tick */
    FRAME_REASON_ALL,   /* the paused world was changed: every subscriber */
};

struct snapshot_slot {
    struct snapshot *snapshot;
    struct snapshot_extract *extract; /* owned; NULL: the snapshot has every agent of the world */
    enum frame_reason reason;
    uint64_t
        explained; /* its forces are those that subscriptions up to this one show (struct subscription) */
};

struct snapshot_exchange {
    pthread_mutex_t mutex;
    struct snapshot_slot slots[3];
    int writing, ready, reading; /* indices, all different */
    bool is_fresh;               /* `ready` was not taken yet */
};

/** 0, or -1 when out of memory. */
NODISCARD int snapshot_exchange_init(struct snapshot_exchange *exchange);
void snapshot_exchange_fini(struct snapshot_exchange *exchange);
/** Writer: the slot to fill, whose reason is not read; the writer's until it is published. */
struct snapshot_slot *snapshot_exchange_writing(struct snapshot_exchange *exchange);
/** Writer: publishes the filled slot and gets another one. */
void snapshot_exchange_publish(struct snapshot_exchange *exchange, enum frame_reason reason);
/** Reader: the newest published slot, valid until the next take; NULL when every one was taken. */
const struct snapshot_slot *snapshot_exchange_take(struct snapshot_exchange *exchange);

#endif
