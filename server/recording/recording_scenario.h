/* The scenario of a world line of a recording. Pure. */
#ifndef DROVER_SERVER_RECORDING_RECORDING_SCENARIO_H
#define DROVER_SERVER_RECORDING_RECORDING_SCENARIO_H

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/recording/recording_line.h"
#include "server/scenario/scenario.h"

/** Reads the text of a world line, with the name, seed and rate that the line says. 0: scenario_fini it; or -1 with
 * *failure (bad_save, field: the place in the scenario; busy), *out is empty then. */
NODISCARD int recording_scenario_read(const struct recording_line *line, struct scenario *out,
                                      struct failure *failure);

#endif
