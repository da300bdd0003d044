/* Snapshots of a world that ranks share in stripes, or of one that is too large to be copied out whole: each rank gives the agents of its own that some view shows, and what
 * its agents add up to in the grids of the others. Nothing is done for agents that no view shows but looking where they
 * are, and only on their own rank.
 *
 * What comes of it is to the bit what one process copies out (world_snapshot.h), of those agents.
 */
#ifndef DROVER_SERVER_FRAMES_SNAPSHOT_GATHER_H
#define DROVER_SERVER_FRAMES_SNAPSHOT_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"
#include "server/frames/frame_form.h"
#include "server/sim/math/exchange.h"
#include "server/sim/world/world.h"

/** What the ranks are to give. Plain value, the same on all ranks. */
struct snapshot_demand {
    unsigned fields; /* enum snapshot_field: beside the usual ones, of every agent */
    int count;
    struct snapshot_view views[LIMIT_FORMS];
};

/** Adds a view that is not there yet. The speed that frames say makes no difference. */
void snapshot_demand_add(struct snapshot_demand *demand, const struct snapshot_view *view);
/** The bytes of a demand that mean something, from its first on. */
size_t snapshot_demand_bytes(const struct snapshot_demand *demand);

/** Memory that a rank uses while it gathers; used again. */
struct snapshot_gatherer;
NODISCARD struct snapshot_gatherer *snapshot_gatherer_create(int ranks);
void snapshot_gatherer_destroy(struct snapshot_gatherer *gatherer);

/** Collective. The bytes of all ranks come to `root`: parts by rank there, valid until the next call of the exchange; on the
 * others none but their own. */
const struct exchange_part *snapshot_gatherer_give(struct snapshot_gatherer *gatherer,
                                                   const struct exchange *exchange, int root,
                                                   struct exchange_part own);

/** Collective, between ticks. Rank `root` gets the snapshot, all of it but epoch, clocks and speed, and what is beside
 * it; out and extract are NULL on the other ranks. Where one process has the world, it gets them, and of views without `most` all
 * agents.
 *
 * returns  0, or -1 when memory is short on some rank: on `root` always, and out is undefined then */
NODISCARD int snapshot_gather(struct snapshot_gatherer *gatherer, const struct world *world, int root,
                              const struct snapshot_demand *demand, struct snapshot *out,
                              struct snapshot_extract *extract);

/** Collective. Rank `root` gets a snapshot of the agents that one view shows, in its region and no margin around it, or of those that have one
 * of these ids; as above otherwise. *shown: how many there are, on every rank; with more than `most` nothing is copied. */
NODISCARD int snapshot_gather_view(struct snapshot_gatherer *gatherer, const struct world *world, int root,
                                   const struct snapshot_view *view, uint64_t most, struct snapshot *out,
                                   uint64_t *shown);
NODISCARD int snapshot_gather_ids(struct snapshot_gatherer *gatherer, const struct world *world, int root,
                                  unsigned fields, const uint32_t *ids, uint32_t count, struct snapshot *out);

/* The agents of a snapshot as bytes for another rank, and snapshots put together from those of several ranks. Both ends
 * run the same program on the same kind of machine: bytes are as they lie in memory.
 */

/** Appends agents, forces and parts of forces, where the snapshot has them. Failure is out->failed. */
void snapshot_parcel_write(const struct snapshot *snapshot, struct buffer *out);

/** Puts the agents of parcels into a snapshot without agents of the same world and with the same fields, which says
 * all the rest. Each parcel is in ascending order of id, and so is what comes of them; no agent is in two. -1 when out of
 * memory. */
NODISCARD int snapshot_parcel_merge(const struct exchange_part *parcels, int count, struct snapshot *out);

#endif
