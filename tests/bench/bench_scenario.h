/* Scenarios of the catalogue with any number of agents. */
#ifndef DROVER_TESTS_BENCH_BENCH_SCENARIO_H
#define DROVER_TESTS_BENCH_BENCH_SCENARIO_H

#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/scenario/scenario.h"

/** Reads scenarios/NAME.json and gives it `count` agents at its own density: the world and all places in it grow. 0, or
 * -1 after a line on standard error. */
NODISCARD int bench_scenario_load(const char *name, uint32_t count, struct scenario *scenario);

#endif
