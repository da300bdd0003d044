/* The condition that ends a step before its count. Pure. */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_UNTIL_H
#define DROVER_SERVER_COMMANDS_COMMAND_UNTIL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/request.h"
#include "server/commands/simulation_state.h"

/** What has been seen of a step so far; zero at its begin. */
struct command_until {
    uint32_t caught;
};

/** 0; or -1 with *failure when the condition names a kind or state that is not there, or a tick that is past. */
NODISCARD int command_until_check(const struct request_step *step, const struct world *world,
                                  struct failure *failure);
/** After each tick of the step: the name of the condition, "caught", when it is true now; NULL otherwise. Of a state that
 * another request took away it is never true. */
const char *command_until_met(struct command_until *until, const struct request_step *step,
                              const struct simulation_state *state);

#endif
