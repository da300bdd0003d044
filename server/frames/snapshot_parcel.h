/* The agents of a snapshot as bytes for another rank, and snapshots put together from those of several ranks. Both ends
 * run the same program on the same kind of machine: bytes are as they lie in memory.
 */
#ifndef DROVER_SERVER_FRAMES_SNAPSHOT_PARCEL_H
#define DROVER_SERVER_FRAMES_SNAPSHOT_PARCEL_H

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"
#include "server/sim/math/exchange.h"

/** Appends agents, forces and parts of forces, where the snapshot has them. Failure is out->failed. */
void snapshot_parcel_write(const struct snapshot *snapshot, struct buffer *out);

/** Puts the agents of parcels into a snapshot without agents of the same world and with the same fields, which says
 * all the rest. Each parcel is in ascending order of id, and so is what comes of them; no agent is in two. -1 when out of
 * memory. */
NODISCARD int snapshot_parcel_merge(const struct exchange_part *parcels, int count, struct snapshot *out);

#endif
