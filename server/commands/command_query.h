/* The requests that only read the world: get_params, list, inspect. Used by command_apply.c. */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_QUERY_H
#define DROVER_SERVER_COMMANDS_COMMAND_QUERY_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/request.h"
#include "server/commands/stage.h"

enum { NAME_LIST_BYTES = 256 };

/* Add members to an open reply: 0, or -1 with *failure and the reply half-written (the caller throws it
 * away). */
NODISCARD int command_query_params(const struct stage *stage, const struct request_get_params *request,
                                   struct json_writer *json, struct failure *failure);
NODISCARD int command_query_list(const struct stage *stage, const struct request_list *request,
                                 struct json_writer *json, struct failure *failure);
/** Adds the list of scenarios to an open reply. */
void command_query_scenarios(const struct scenario_list *list, struct json_writer *json);

void command_query_inspect(const struct world *world, const struct request_inspect *request,
                           struct json_writer *json);

/** The kind of this name. -1 with *failure (no_kind, field "kind", naming those there are). */
NODISCARD int command_find_kind(const struct world *world, const char *name, struct failure *failure);
/** The target of this name. -1 with *failure (no_target, naming those there are); field is the request's
 * field. */
NODISCARD int command_find_target(const struct world *world, const char *name, const char *field,
                                  struct failure *failure);
/** Appends one name to "a, b": quoted or not, and " ..." once there is no room. */
void command_list_name(char list[NAME_LIST_BYTES], const char *name, bool quoted);

#endif
