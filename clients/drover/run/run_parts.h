/* The part files of a folder of runs, part-1.ndjson ...: the rows of runs as they come.
 *
 *     {"op":"row","run":3,"tick":60,"values":[250,81.5,null]}
 *     {"op":"done","run":3,"tick":60,"hash":"53d39130a719570d","seconds":0.21}
 *     {"op":"done","run":4,"error":"ended by signal 9 (Killed)"}
 *
 * 1. One process at a time appends to a part. The rows of a run follow one another, its `done` line ends them and is on
 * disk after run_parts_sync. A run counts when it has one without an error.
 * 2. What stands behind the last `done` line of a part was not finished: it is cut off when the folder is opened again. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_PARTS_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/run/run_measures.h"
#include "clients/drover/run/run_plan.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"

enum run_state { RUN_WAITS, RUN_DONE, RUN_FAILED };

/** Where the rows of a run are. */
struct run_result {
    enum run_state state;
    int part;               /* from 1 */
    uint64_t offset, bytes; /* of its rows */
    uint64_t ticks;
};

/** How a run ended. */
struct run_end {
    const char *error; /* NULL: well */
    uint64_t tick, hash;
    double seconds;
};

struct run_parts {
    const char *folder; /* not owned */
    const struct run_plan *plan;
    int column_count;
    struct run_result *results; /* owned, by run */
    int count;                  /* of parts that are open for writing */
    int *descriptors;           /* owned; of part 1 ... */
    uint64_t *lengths;          /* owned; up to the last done line */
};

/** Appends a row with its newline. NAN is null. */
void run_row_write(uint32_t run, uint64_t tick, const double *values, int count, struct buffer *out);

/** Reads the parts that are there, cuts off what was not finished, and opens parts 1 to `count` for appending. 0, or -1
 * with *failure (io, busy); run_parts_close is due in both cases. */
NODISCARD int run_parts_open(struct run_parts *parts, const char *folder, const struct run_plan *plan,
                             int column_count, int count, struct failure *failure);
void run_parts_close(struct run_parts *parts);
/** Ends a run whose rows were appended to a part; those of one that failed are cut off. 0, or -1 with *failure (io). */
NODISCARD int run_parts_end(struct run_parts *parts, int part, uint32_t run, const struct run_end *end,
                            struct failure *failure);
/** Waits until what a part has so far is on the disk. 0, or -1 with *failure (io). */
NODISCARD int run_parts_sync(const struct run_parts *parts, int part, struct failure *failure);
/** Cuts off the rows of a run that was broken off. */
void run_parts_cut(struct run_parts *parts, int part);
/** How many runs are in a state. */
uint32_t run_parts_count(const struct run_parts *parts, enum run_state state);

/** Writes runs.csv and runs.ndjson from the rows of all runs that are done, in the order of runs. tick_hz: of the worlds,
 * for the last column, time. *rows: how many. 0, or -1 with *failure. */
NODISCARD int run_parts_merge(const struct run_parts *parts, const struct run_columns *columns,
                              double tick_hz, uint64_t *rows, struct failure *failure);

#endif
