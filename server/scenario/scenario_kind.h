/* The kinds of a scenario file: bodies, states, behaviors, conditions. Used by scenario.c only. */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_KIND_H
#define DROVER_SERVER_SCENARIO_SCENARIO_KIND_H

#include <cjson/cJSON.h>

#include "common/base/nodiscard.h"
#include "server/scenario/scenario_mistakes.h"
#include "server/sim/world/world_def.h"

/** Reads "kinds" of the file's root object into *def, after the targets (behaviors name them), and adds
 * mistakes to *mistakes. 0, or -1 when reading ends here (scenario_mistake). */
NODISCARD int scenario_read_kinds(const cJSON *root, struct world_def *def,
                                  struct scenario_mistakes *mistakes);

#endif
