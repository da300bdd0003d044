/* Hands snapshots from the simulation thread to the loop: three slots, the newest wins, nobody waits.
 *
 * 1. One writer, one reader. The writer fills its slot, publishes it and gets another; the reader keeps what
 * it took until it takes again.
 * 2. A slot that was never taken is overwritten; its `audience` is not lost but joined to that of its
 * successor.
 */
#ifndef DROVER_SERVER_SIMULATION_SNAPSHOT_EXCHANGE_H
#define DROVER_SERVER_SIMULATION_SNAPSHOT_EXCHANGE_H

#include <pthread.h>
#include <stdbool.h>

#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"

/** Who gets a snapshot, from the few to the many. */
enum audience {
    AUDIENCE_PACE,  /* those whose turn it is by the clock: a long step is under way */
    AUDIENCE_RATE,  /* those whose turn it is by their rate, and those who have had nothing yet */
    AUDIENCE_NEWER, /* and those who have only seen an earlier tick: the world was paused */
    AUDIENCE_ALL,   /* everybody: the paused world was changed */
};

struct snapshot_slot {
    struct snapshot *snapshot;
    enum audience audience;
};

struct snapshot_exchange {
    pthread_mutex_t mutex;
    struct snapshot_slot slots[3];
    int writing, ready, reading; /* indices, all different */
    bool is_fresh;               /* `ready` was not taken yet */
};

/** 0, or -1 when memory is short. */
NODISCARD int snapshot_exchange_init(struct snapshot_exchange *exchange);
void snapshot_exchange_fini(struct snapshot_exchange *exchange);
/** Writer: the snapshot to fill; the writer's until it is published. */
struct snapshot *snapshot_exchange_writing(struct snapshot_exchange *exchange);
void snapshot_exchange_publish(struct snapshot_exchange *exchange, enum audience audience);
/** Reader: the newest published slot, good until the next take; NULL when there is none that was not taken.
 */
const struct snapshot_slot *snapshot_exchange_take(struct snapshot_exchange *exchange);

#endif
