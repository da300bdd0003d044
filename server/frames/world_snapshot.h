/* Copies the state of a world into the plain integers of a snapshot (common/snapshot/snapshot.h). */
#ifndef DROVER_SERVER_FRAMES_WORLD_SNAPSHOT_H
#define DROVER_SERVER_FRAMES_WORLD_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "common/snapshot/snapshot.h"
#include "server/sim/steering/trace.h"
#include "server/sim/world/world.h"

struct snapshot_demand;

/** Fills all of *out but epoch and clock_ms, which the caller sets, with what is wanted beside the usual fields (enum
 * snapshot_field): SNAPSHOT_HEADING (otherwise headings are zeros and not in out->fields), SNAPSHOT_FORCES, what each agent is
 * about to do, and why, and with those SNAPSHOT_PARTS. To explain an agent costs as much as its tick, so forces are those of the
 * agents alone that a view of the demand with such fields shows, and zeros of the others. demand: NULL, or without such a view,
 * for all agents. 0, or -1 when memory is short (the contents of *out are undefined then). */
NODISCARD int world_snapshot_copy_wanted(const struct world *world, unsigned wanted,
                                         const struct snapshot_demand *demand, struct snapshot *out);

/** The same of the agents of `count` rows alone, ascending; they are this process's (world_owns). */
NODISCARD int world_snapshot_copy_rows(const struct world *world, unsigned wanted, const int32_t *rows,
                                       int32_t count, struct snapshot *out);

/** The nearest hundredth; what does not fit is held at +-2147483647. */
int32_t world_snapshot_hundredths(float value);
/** The parts of a term's force in hundredths, rounded so that they add up to what it wants in hundredths. */
void world_snapshot_parts(const struct trace_term *term, struct snapshot_vector out[TRACE_PARTS]);
/** The direction of a unit vector in hundredths of a degree, 0 to 35999. */
int32_t world_snapshot_heading(vec2 heading);

#endif
