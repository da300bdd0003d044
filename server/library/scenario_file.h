/* Scenarios from files: reads the text of a file for scenario.h. */
#ifndef DROVER_SERVER_LIBRARY_SCENARIO_FILE_H
#define DROVER_SERVER_LIBRARY_SCENARIO_FILE_H

#include <stdbool.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/scenario/scenario.h"
#include "server/scenario/scenario_mistakes.h"

/** Whether a file has no mistake; adds to *mistakes those it has (and what keeps it from being read). */
NODISCARD bool scenario_file_check(const char *path, struct scenario_mistakes *mistakes);
/** Reads a file. As scenario_read; code is no_scenario when there is no such file, busy when descriptors or
 * memory are used up, and bad_scenario when it is not a regular file, too long, not to be read, or has a
 * mistake; the message is then "JSON PATH: what is wrong", without the file's name; line and column say where. scenario->name comes from the
 * file's name. */
NODISCARD int scenario_file_read(const char *path, struct scenario *scenario, struct failure *failure);
/** Puts before the message of such a refusal the file's name and the place: "NAME:LINE:COLUMN: ...". Returns -1. */
int scenario_file_fail(const char *name, const struct failure *reason, struct failure *failure);
/** scenario_file_read with the file's path, as given, and the place before the message. */
NODISCARD int scenario_file_load(const char *path, struct scenario *scenario, struct failure *failure);

#endif
