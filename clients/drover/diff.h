/* Finds where two runs part, from what is recorded to the behavior that steers an agent otherwise, and prints it. */
#ifndef DROVER_CLIENTS_DROVER_DIFF_H
#define DROVER_CLIENTS_DROVER_DIFF_H

#include <stdbool.h>

#include "clients/drover/command.h"
#include "clients/drover/player.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"

struct diff_def {
    const char *argument[2]; /* the recordings' names on the command line; the same one twice, or two */
    const char *path[2];     /* and where they lie (input_find) */
    const char *program;     /* NULL, or another program, which simulates the second run */
    const char *cut;         /* "", or the path of a recording to write of what is around the difference */
    bool replaces;
    struct player_means means;
    struct interrupt *interrupt;
    struct json_writer *json; /* NULL, or an open object, which gets the findings as members */
};

/** Prints on standard output, a finding a line, unless there is a json. 0: *is_same says whether nothing differs; -1 with *failure. */
NODISCARD int diff_run(const struct diff_def *def, bool *is_same, struct failure *failure);

#endif
