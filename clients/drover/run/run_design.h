/* The design of an experiment: a CSV file with a row for each run, or for each run of every seed.
 *
 *     seed,bird.max_speed,bird.flock.weight
 *     1,80,0.5
 *     2,,1            an empty cell: as the scenario has it
 *
 * Cells may stand in double quotes; lines end with LF or CRLF; empty lines are skipped. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_DESIGN_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_DESIGN_H

#include <stddef.h>

#include "clients/drover/run/run_plan.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/** Reads a design into a grid that has no parameters yet. 0, or -1 with *failure: "NAME:LINE:COLUMN: what is wrong", both
 * counted from 1, columns in characters of the line. */
NODISCARD int run_design_read(struct run_grid *grid, const char *name, const char *text, size_t length,
                              struct failure *failure);
/** Adds the file, the line and the column of a place to a failure: "NAME:LINE:COLUMN: MESSAGE". Returns -1. */
int run_design_fail(const struct run_grid *grid, double place, const char *message, struct failure *failure);
/** The same from a file. path: not copied. */
NODISCARD int run_design_load(struct run_grid *grid, const char *path, struct failure *failure);

#endif
