/* The parts of a scenario file: world, targets, kinds, agents. Used by scenario.c only. */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_WORLD_H
#define DROVER_SERVER_SCENARIO_SCENARIO_WORLD_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/scenario/scenario_mistakes.h"
#include "server/sim/world/world_def.h"

/* Each reads its part of the file's root object into *def and adds mistakes to *mistakes: 0, or -1 when
 * reading ends here (scenario_mistake). In this order: kinds refer to targets, agents to kinds. Only "world"
 * must be there. */
NODISCARD int scenario_read_world(const cJSON *root, struct world_def *def,
                                  struct scenario_mistakes *mistakes);
NODISCARD int scenario_read_targets(const cJSON *root, struct world_def *def,
                                    struct scenario_mistakes *mistakes);
NODISCARD int scenario_read_agents(const cJSON *root, struct world_def *def,
                                   struct scenario_mistakes *mistakes);

#endif
