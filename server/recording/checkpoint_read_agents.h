/* Reading what a checkpoint says of agents: columns, in the line or in parts beside it, and the order of slots. For
 * checkpoint_read.c alone. All return 0, or -1 with the reading's failure. */
#ifndef DROVER_SERVER_RECORDING_CHECKPOINT_READ_AGENTS_H
#define DROVER_SERVER_RECORDING_CHECKPOINT_READ_AGENTS_H

#include "server/recording/checkpoint_reading.h"

/** Before there is a world: whether the columns have the length that so many agents need. */
NODISCARD int checkpoint_check_columns(const struct checkpoint_reading *reading);
NODISCARD int checkpoint_read_ids(struct checkpoint_reading *reading);
/** In parts, what agents have by slot stands in those. */
NODISCARD int checkpoint_read_columns(struct checkpoint_reading *reading);
/** What there is of agents beside the line. */
NODISCARD int checkpoint_read_agent_parts(struct checkpoint_reading *reading);
/** The order of slots, in a world with so many cells. */
NODISCARD int checkpoint_read_order(struct checkpoint_reading *reading, const cJSON *order, int32_t cells);

#endif
