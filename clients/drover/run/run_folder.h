/* The folder of `drover run`: one program at a time, and plan.ndjson, which says what its results are of.
 *
 * plan.ndjson has a line for each thing that decides the results, then a line for each run. A plan with other lines is
 * another experiment and has no place in the folder. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_FOLDER_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_FOLDER_H

#include <stdbool.h>

#include "clients/drover/interrupt.h"
#include "clients/drover/run/run_one.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

/** What the plan says beside the task. */
struct run_origin {
    const char *scenario;     /* its name */
    const char *text;         /* the scenario's */
    const char *until;        /* "": never */
    uint64_t from_tick, hash; /* of a saved world */
    bool is_saved;
};

/** Appends the lines of plan.ndjson; the first one names the program and is for people. */
void run_plan_write(const struct run_task *task, const struct run_origin *origin, struct buffer *out);

/** Makes the folder, or opens it, and locks it: the descriptor, or -1 with *failure. Without is_resumed an existing folder
 * must be empty. A lock of a run that is just ending is waited for. */
NODISCARD int run_folder_open(const char *folder, bool is_resumed, struct interrupt *interrupt,
                              struct failure *failure);
/** Writes plan.ndjson, or compares it with the one that is there. 0, or -1 with *failure, which names the first line that
 * differs. */
NODISCARD int run_folder_set_plan(const char *folder, const struct buffer *plan, struct failure *failure);

#endif
