/* A frame of the world in the reply to a request, without a subscription. Pure. */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_FRAME_H
#define DROVER_SERVER_COMMANDS_COMMAND_FRAME_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "common/protocol/request_extra.h"
#include "server/commands/simulation_state.h"

/** Adds the frame of the present tick to the open reply: `frame`, the line of a subscription to such a view as an
 * object; in a layout with keys `key` before it, which is for this frame alone; `nearest` after it when that is asked for.
 *
 * view     its layout, fields, kinds, region and nearest
 * agents   NULL, or those that may be in it; the others are left out. Ids that are not there are in `missing`
 * returns  0; or -1 with *failure, and nothing is written: no kind of a name, or a frame that is too long (full).
 *          A world that is given up meanwhile (world_is_given_up) gives a frame that is of no use */
NODISCARD int command_frame_write(const struct simulation_state *state, const struct request_subscribe *view,
                                  const struct request_columns *agents, struct json_writer *json,
                                  struct failure *failure);
/** 0 when a frame of all agents that the view shows now is not too long and its kinds exist; otherwise -1 with
 * *failure. */
NODISCARD int command_frame_check(const struct simulation_state *state, const struct request_subscribe *view,
                                  struct failure *failure);

#endif
