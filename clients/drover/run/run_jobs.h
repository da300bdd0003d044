/* The processes of `drover run`: one a run, at most so many at a time, each with a part file of its own.
 *
 * A process is forked, so it has what this one has read already. Its end, however it comes, ends that run alone. When this
 * process ends, by SIGKILL too, the system ends those that it forked. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_JOBS_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_JOBS_H

#include <stdint.h>

#include "clients/drover/interrupt.h"
#include "clients/drover/run/run_one.h"
#include "clients/drover/run/run_parts.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"

struct run_jobs_def {
    const struct run_task *task;
    struct simulation_state *state; /* that each run begins with; changed by none (they have copies) */
    struct run_parts *parts;        /* has as many as jobs */
    struct interrupt *interrupt;
    int jobs;
};

/** What was done. */
struct run_tally {
    uint32_t runs;  /* that ended, well or not */
    uint64_t ticks; /* of those that ended well */
    double seconds;
};

/** Does the runs that are not done. Stops early after an interrupt: what goes on then is broken off. 0, or -1 with *failure
 * (io: a part cannot be written; busy: no process, no memory). A run that fails is no failure here: run_parts_count. */
NODISCARD int run_jobs_do(const struct run_jobs_def *def, struct run_tally *tally, struct failure *failure);

#endif
