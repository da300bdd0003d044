/* See command_table.h. */
#include "server/commands/command_table.h"

#include <assert.h>

#include "server/commands/command_handlers.h"

static command_handler *const handlers[REQUEST_OP_COUNT] = {
#define COMMAND_HANDLER_ROW(op, function) [op] = function,
    COMMAND_HANDLERS(COMMAND_HANDLER_ROW)
#undef COMMAND_HANDLER_ROW
};

command_handler *command_table_find(enum request_op op) {
    assert(op < REQUEST_OP_COUNT);
    return handlers[op];
}

bool command_table_is_whole(enum request_op *wrong) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        const bool is_wanted = request_has_trait((enum request_op)op, REQUEST_TRAIT_WORLD);
        if (is_wanted != (handlers[op] != NULL)) {
            *wrong = (enum request_op)op;
            return false;
        }
    }
    return true;
}
