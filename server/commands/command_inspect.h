/* What `inspect` says of an agent. Pure. */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_INSPECT_H
#define DROVER_SERVER_COMMANDS_COMMAND_INSPECT_H

#include <stdint.h>

#include "common/json/json_writer.h"
#include "server/sim/world/world.h"

/** Writes the agent of a row as an object. The agent is this process's (world_owns). */
void command_inspect_write(const struct world *world, int32_t row, struct json_writer *json);

#endif
