/* Reads "view" and "about" of a scenario: how it wants to be looked at, what it says to a person. Neither is part of
 * the world.
 */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_VIEW_H
#define DROVER_SERVER_SCENARIO_SCENARIO_VIEW_H

#include <cjson/cJSON.h>

#include "common/base/nodiscard.h"
#include "common/protocol/message_view.h"
#include "server/scenario/scenario_mistakes.h"
#include "server/sim/world/world_def.h"

/** Reads the part of the file when it is there; *view, *about must be zeroed. 0, or -1 when reading ends here.
 * def: the world, whose agents the view may select: read it first. */
NODISCARD int scenario_read_view(const cJSON *root, const struct world_def *def, struct message_view *view,
                                 struct scenario_mistakes *mistakes);
NODISCARD int scenario_read_about(const cJSON *root, struct message_about *about,
                                  struct scenario_mistakes *mistakes);

#endif
