/* A scenario with other numbers: what `drover run` makes of parameters that are paths of the scenario, world.walls[0][3]. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_VARIANT_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_VARIANT_H

#include <stdbool.h>

#include "clients/drover/run/run_plan.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"

/** Whether a name is the path of a number of the scenario, from world, targets, kinds or agents on, as the messages about
 * scenarios have it. A kind of the world that is called so comes first: then it is a parameter of that kind. */
bool run_is_path(const struct world *world, const char *name);
/** The scenario with the numbers that the plan's paths name replaced by those of `values`, by parameter; NAN stays as it
 * is. *out is the caller's after success. 0, or -1 with *failure: no_param, nothing is written at the path, or no number;
 * otherwise the mistake that the scenario then has. Its message begins with the path. */
NODISCARD int run_variant_make(const struct scenario *scenario, const struct run_plan *plan,
                               const double *values, struct scenario *out, struct failure *failure);

#endif
