/* What libdrover decoded, as the viewer's own snapshot and density: the columns are copied. Pure. */
#ifndef DROVER_VIEWER_LINK_FRAME_SNAPSHOT_H
#define DROVER_VIEWER_LINK_FRAME_SNAPSHOT_H

#include "clients/c/include/drover/drover.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"
#include "common/snapshot/snapshot_density.h"

/** -1 when out of memory, or when the frame has more names than a snapshot takes. */
NODISCARD int frame_to_snapshot(const struct drover_frame *frame, struct snapshot *to);
/** The same for the grid of a frame that has one. */
NODISCARD int frame_to_density(const struct drover_frame *frame, struct density *to);

#endif
