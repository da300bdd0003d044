/* What rank 0 asks of all ranks about the agents of a world that they share in stripes: frames, and answers to queries.
 *
 * Each function gives the order for it (RANK_ORDER_GATHER) and does rank 0's part; the others do theirs in
 * state_gather_follow. Only for a world that is partial (world_is_partial), between ticks.
 */
#ifndef DROVER_SERVER_COMMANDS_STATE_GATHER_H
#define DROVER_SERVER_COMMANDS_STATE_GATHER_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/nodiscard.h"
#include "common/snapshot/snapshot.h"
#include "server/commands/simulation_state.h"
#include "server/frames/snapshot_gather.h"

/** The agents of views, as snapshot_gather. 0, or -1 when memory is short. */
NODISCARD int state_gather_views(const struct simulation_state *state, const struct snapshot_demand *demand,
                                 struct snapshot *out, struct snapshot_extract *extract);
/** The agents of one view, as snapshot_gather_view. */
NODISCARD int state_gather_view(const struct simulation_state *state, const struct snapshot_view *view,
                                uint64_t most, struct snapshot *out, uint64_t *shown);
/** Those of these ids that are there. */
NODISCARD int state_gather_ids(const struct simulation_state *state, unsigned fields, const uint32_t *ids,
                               uint32_t count, struct snapshot *out);
/** What command_inspect_write says of these agents; texts[i] is the caller's, and stays empty for an id that is not
 * there. */
NODISCARD int state_gather_texts(const struct simulation_state *state, const uint32_t *ids, int count,
                                 struct buffer *texts);
/** How many agents of a kind are in this state, as world_count_in_state; also of a world that one process has. */
uint64_t state_count_in_state(const struct simulation_state *state, int kind, int agent_state, uint64_t most);
/** The world as one process would have it, as world_gather. */
NODISCARD int state_gather_world(const struct simulation_state *state, struct world *whole);

/** The part of another rank. bytes: those of the order. 0; or -1 when it has no memory to take part, and the other ranks
 * wait for it. */
NODISCARD int state_gather_follow(const struct simulation_state *state, const void *bytes, size_t size);

#endif
