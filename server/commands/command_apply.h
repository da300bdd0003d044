/* Applies one request to the simulation state and writes its answer: the only way in which clients reach the
 * world.
 *
 * 1. A request takes effect wholly or not at all: all checks come before the first change.
 * 2. Pure: no sockets, no files, no clock, no threads. The world of a `load` was built before and is
 * state->arrival, which the caller sets; lists of scenarios are answered elsewhere (scenario_order.h).
 * 3. Ops that do not touch the world (subscribe, unsubscribe, ping, bye) are the loop's and never come here
 * (assert).
 * 4. A `step` is only accepted here: the caller does its ticks and then calls command_finish_step.
 * 5. state->session, which the caller sets, is the session of the request; only cursors depend on it.
 */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_APPLY_H
#define DROVER_SERVER_COMMANDS_COMMAND_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/request.h"
#include "server/commands/apply_context.h"
#include "server/commands/simulation_state.h"

/** Applies the request. Appends to `out` the reply (when one is due) or the error, one line; `line` is the
 * line number errors carry. */
struct command_effects command_apply(struct simulation_state *state, const struct request *request,
                                     uint64_t line, struct buffer *out);
/** Appends the reply to an accepted step after its ticks. is_stopped: not all of them were done. met: the condition that
 * ended it (command_until_met), or NULL. The reply has no hash when the world is spoiled, and `frame` is null then. */
void command_finish_step(const struct simulation_state *state, const struct request *request, bool is_stopped,
                         const char *met, struct buffer *out);

#endif
