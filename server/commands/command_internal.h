/* The handlers of the world, one an op: the server's half of a row of request_table.c with the trait
 * REQUEST_TRAIT_WORLD. A row here declares the handler and puts it into the table (command_apply.c).
 *
 * A handler checks, then acts, then adds its members to the open reply. It returns 0, or -1 with
 * apply->failure, and has changed nothing then.
 */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_INTERNAL_H
#define DROVER_SERVER_COMMANDS_COMMAND_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "common/protocol/request_extra.h"
#include "server/commands/command_apply.h"
#include "server/commands/simulation_state.h"
#include "server/sim/world/world.h"

/* clang-format off */
/* X(op, function) */
#define COMMAND_HANDLERS(X) \
    X(REQUEST_SET_TARGET, apply_set_target)           \
    X(REQUEST_MOUSE, apply_mouse)                     \
    X(REQUEST_SPAWN, apply_spawn)                     \
    X(REQUEST_REMOVE, apply_remove)                   \
    X(REQUEST_SET_PARAM, apply_set_param)             \
    X(REQUEST_GET_PARAMS, apply_get_params)           \
    X(REQUEST_LIST, apply_list)                       \
    X(REQUEST_INSPECT, apply_inspect)                 \
    X(REQUEST_PAUSE, apply_pause)                     \
    X(REQUEST_RESUME, apply_resume)                   \
    X(REQUEST_STEP, apply_step)                       \
    X(REQUEST_LOAD, apply_load)                       \
    X(REQUEST_CURSOR, apply_cursor)                   \
    X(REQUEST_ADD_TARGET, apply_add_target)           \
    X(REQUEST_REMOVE_TARGET, apply_remove_target)     \
    X(REQUEST_ADD_OBSTACLE, apply_add_obstacle)       \
    X(REQUEST_MOVE_OBSTACLE, apply_move_obstacle)     \
    X(REQUEST_SET_OBSTACLE, apply_set_obstacle)       \
    X(REQUEST_REMOVE_OBSTACLE, apply_remove_obstacle) \
    X(REQUEST_SAVE, apply_save)                       \
    X(REQUEST_REMOVE_SAVE, apply_save)                \
    X(REQUEST_RECORD, apply_record)                   \
    X(REQUEST_SEEK, apply_seek)                       \
    X(REQUEST_SPEED, apply_speed)                     \
    X(REQUEST_PLACE, apply_place)                     \
    X(REQUEST_BATCH, apply_batch)                     \
    X(REQUEST_DRIVE, apply_drive)                     \
    X(REQUEST_GET, apply_get)                         \
    X(REQUEST_MEASURE, apply_measure)                 \
    X(REQUEST_REWIND, apply_rewind)                   \
    X(REQUEST_MARK, apply_mark)                       \
    X(REQUEST_SEAT, apply_seat)                       \
    X(REQUEST_GO, apply_go)                           \
    X(REQUEST_LEAVE, apply_leave)                           \
    X(REQUEST_COMPARE, apply_compare)                 \
    X(REQUEST_EXPORT, apply_export)                   \
    X(REQUEST_EDIT, apply_edit)
/* clang-format on */

#define COMMAND_HANDLER_DECLARE(op, function) int function(struct apply *apply);
COMMAND_HANDLERS(COMMAND_HANDLER_DECLARE)
#undef COMMAND_HANDLER_DECLARE

/* Kinds and targets by the names that requests give them. */

enum { NAME_LIST_BYTES = 256 };

/** The kind of this name. -1 with *failure (no_kind, field "kind", naming those there are). */
NODISCARD int command_find_kind(const struct world *world, const char *name, struct failure *failure);
/** The target of this name. -1 with *failure (no_target, naming those there are); field is the request's
 * field. */
NODISCARD int command_find_target(const struct world *world, const char *name, const char *field,
                                  struct failure *failure);
/** Appends one name to "a, b": quoted or not, and " ..." once there is no room. */
void command_list_name(char list[NAME_LIST_BYTES], const char *name, bool quoted);

/* A frame of the world in the reply to a request, without a subscription. Pure. */

/** Adds the frame of the present tick to the open reply: `frame`, the line of a subscription to such a view as an
 * object; in a layout with keys `key` before it, which is for this frame alone; `nearest` and `rays` after it when they are asked for.
 *
 * view     its layout, fields, kinds, region, nearest and rays
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

/** Whether the machine has the memory for a clone of the world. */
bool command_has_memory(const struct simulation_state *state);

/* What `inspect` says of an agent. Pure. */

/** Writes the agent of a row as an object. The agent is this process's (world_owns). */
void command_inspect_write(const struct world *world, int32_t row, struct json_writer *json);

#endif
