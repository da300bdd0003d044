/* The handlers of ops, for the world. */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_TABLE_H
#define DROVER_SERVER_COMMANDS_COMMAND_TABLE_H

#include "common/protocol/request.h"
#include "server/commands/apply_context.h"

typedef int command_handler(struct apply *apply);

/** The handler of the op; NULL when the world has none. */
command_handler *command_table_find(enum request_op op);
/** Whether exactly the ops with REQUEST_TRAIT_WORLD have a handler; *wrong is an op for which this does not
 * hold, otherwise untouched. */
bool command_table_is_whole(enum request_op *wrong);

#endif
