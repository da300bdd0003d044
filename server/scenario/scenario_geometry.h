/* The geometry of a scenario file. Used by the other scenario_*.c files only. */
#ifndef DROVER_SERVER_SCENARIO_SCENARIO_GEOMETRY_H
#define DROVER_SERVER_SCENARIO_SCENARIO_GEOMETRY_H

#include <cjson/cJSON.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/scenario/scenario_mistakes.h"
#include "server/sim/world/world_def.h"

/** Reads obstacles, walls, paths and flow_fields of the "world" object; def has its size and edge already.
 * 0, or -1 when reading ends here. */
NODISCARD int scenario_read_geometry(const cJSON *world, struct world_def *def,
                                     struct scenario_mistakes *mistakes);

/** 0 when the path or flow field that a behavior names is there; otherwise fails with those there are.
 * path: of the behavior in the file */
NODISCARD int scenario_check_geometry(const struct world_def *def, const struct behavior_def *behavior,
                                      const char *path, struct failure *failure);

#endif
