/* Copies the state of a world into the plain integers of a snapshot (common/snapshot/snapshot.h). */
#ifndef DROVER_SERVER_FRAMES_WORLD_SNAPSHOT_H
#define DROVER_SERVER_FRAMES_WORLD_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/snapshot/snapshot.h"
#include "server/sim/world/world.h"

/** Fills all of *out but epoch and clock_ms, which the caller sets. with_forces: also what each agent is about
 * to do, and why. 0, or -1 when memory is short (the contents of *out are undefined then). */
NODISCARD int world_snapshot_copy(const struct world *world, bool with_forces, struct snapshot *out);

/** The same; without with_headings, headings are zeros and not in out->fields. */
NODISCARD int world_snapshot_copy_wanted(const struct world *world, bool with_forces, bool with_headings,
                                         struct snapshot *out);

/** The nearest hundredth; what does not fit is held at +-2147483647. */
int32_t world_snapshot_hundredths(float value);
/** The direction of a unit vector in hundredths of a degree, 0 to 35999. */
int32_t world_snapshot_heading(vec2 heading);

#endif
