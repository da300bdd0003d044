/* The runs of `drover run`: which parameters are set, and for each run its seed and values. Pure.
 *
 * The order of runs: the rows of the design, then the parameters of --set in the order of the command line, then the
 * seeds, which change fastest. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_PLAN_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/run/run_values.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"

/* A place in a text as a number: line * RUN_PLACE + column. */
#define RUN_PLACE 4294967296.0

enum { RUN_PLAN_PARAMETERS = 64, RUN_PLAN_RUNS = 1000000, RUN_PARAMETER_CHARS = LIMIT_NAME_CHARS + 64 };

/** A parameter of a kind, "bird.flock.weight": kind "bird", name "flock.weight"; or the path of a number of the scenario,
 * "world.walls[0][3]" (run_variant.h). */
struct run_parameter {
    char name[RUN_PARAMETER_CHARS + 1];
    bool is_path;
};
/** Where the parameter's own name begins; the kind's ends a point before. */
const char *run_parameter_own(const struct run_parameter *parameter);

/** What a plan is made of. Zero is: one run, with the seed of its caller. */
struct run_grid {
    int parameter_count;
    struct run_parameter parameters[RUN_PLAN_PARAMETERS];
    struct run_values values[RUN_PLAN_PARAMETERS]; /* of a parameter of --set; of the design's: empty */
    struct run_values seeds;
    /* The design (run_design.h): its parameters come first. NAN: the row says nothing. */
    int design_parameters, design_rows;
    bool has_design_seeds;
    struct run_values design; /* by row: the values, then the seed if has_design_seeds */
    const char *design_name;  /* for messages; not owned */
    /* Where the design's names and values stand in its text, by parameter and by value: RUN_PLACE. */
    double name_places[RUN_PLAN_PARAMETERS];
    struct run_values design_places;
};

struct run_plan {
    int parameter_count;
    struct run_parameter parameters[RUN_PLAN_PARAMETERS];
    bool has_paths;  /* a parameter is a path; this and is_path are the caller's to say */
    uint32_t count;  /* of runs; they are numbered from 1 */
    uint64_t *seeds; /* owned, by run */
    double *values;  /* owned, by run; NAN: as the scenario has it */
};

void run_grid_fini(struct run_grid *grid);
/** A further parameter; its values are empty. Its index, or -1 with *failure: no KIND.NAME, twice, too many. */
NODISCARD int run_grid_add(struct run_grid *grid, const char *name, size_t length, struct failure *failure);
/** What --set says, "bird.max_speed=80,100", once or more often with a space between. 0, or -1 with *failure. */
NODISCARD int run_grid_read_set(struct run_grid *grid, const char *text, struct failure *failure);

/** seed: of a run for which the grid has none. 0, or -1 with *failure (too many runs; memory); run_plan_fini is due
 * after success. */
NODISCARD int run_plan_make(const struct run_grid *grid, uint64_t seed, struct run_plan *plan,
                            struct failure *failure);
void run_plan_fini(struct run_plan *plan);
/** The values of a run, counted from 0. */
const double *run_plan_values(const struct run_plan *plan, uint32_t run);

#endif
