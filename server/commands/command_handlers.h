/* The handlers of the world, one an op: the server's half of a row of request_table.c with the trait
 * REQUEST_TRAIT_WORLD. A row here declares the handler and puts it into the table (command_table.c).
 *
 * A handler checks, then acts, then adds its members to the open reply. It returns 0, or -1 with
 * apply->failure, and has changed nothing then.
 */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_HANDLERS_H
#define DROVER_SERVER_COMMANDS_COMMAND_HANDLERS_H

#include "server/commands/apply_context.h"

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
    X(REQUEST_REMOVE_OBSTACLE, apply_remove_obstacle) \
    X(REQUEST_SAVE, apply_save)                       \
    X(REQUEST_REMOVE_SAVE, apply_save)                \
    X(REQUEST_RECORD, apply_record)                   \
    X(REQUEST_SEEK, apply_seek)                       \
    X(REQUEST_SPEED, apply_speed)                     \
    X(REQUEST_PLACE, apply_place)                     \
    X(REQUEST_BATCH, apply_batch)                     \
    X(REQUEST_DRIVE, apply_drive)\
    X(REQUEST_GET, apply_get)
/* clang-format on */

#define COMMAND_HANDLER_DECLARE(op, function) int function(struct apply *apply);
COMMAND_HANDLERS(COMMAND_HANDLER_DECLARE)
#undef COMMAND_HANDLER_DECLARE

#endif
