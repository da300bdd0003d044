/* Kinds and targets by the names that requests give them. */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_FIND_H
#define DROVER_SERVER_COMMANDS_COMMAND_FIND_H

#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/sim/world/world.h"

enum { NAME_LIST_BYTES = 256 };

/** The kind of this name. -1 with *failure (no_kind, field "kind", naming those there are). */
NODISCARD int command_find_kind(const struct world *world, const char *name, struct failure *failure);
/** The target of this name. -1 with *failure (no_target, naming those there are); field is the request's
 * field. */
NODISCARD int command_find_target(const struct world *world, const char *name, const char *field,
                                  struct failure *failure);
/** Appends one name to "a, b": quoted or not, and " ..." once there is no room. */
void command_list_name(char list[NAME_LIST_BYTES], const char *name, bool quoted);

#endif
