/* What `drover run` measures of a world: columns of a table, of all agents and of each kind. Pure: reads the world.
 *
 *     count, count.KIND, count.KIND.STATE   agents
 *     speed            mean speed, px/s
 *     polarization     length of the mean direction of those that move, 0 to 1 (Vicsek et al. 1995)
 *     milling          mean turning around the common center of those that move, 0 to 1 (Couzin et al. 2002)
 *     nearest          mean distance to the nearest other one, px (Clark & Evans 1954)
 *     overlaps         pairs whose discs overlap
 *     caught, reached  events since the run began
 *     at_rest          agents slower than 1 px/s
 *
 * docs/runs.md has the formulas. A value that is not defined (the speed of no agents) is NAN. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_MEASURES_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

#include "clients/drover/run/run_neighbors.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/sim/world/world.h"

enum run_measure {
    RUN_COUNT,
    RUN_SPEED,
    RUN_POLARIZATION,
    RUN_MILLING,
    RUN_NEAREST,
    RUN_OVERLAPS,
    RUN_CAUGHT,
    RUN_REACHED,
    RUN_AT_REST,
    RUN_MEASURE_COUNT
};

enum { RUN_COLUMN_CHARS = 2 * LIMIT_NAME_CHARS + 24 };

struct run_column {
    enum run_measure measure;
    int kind;  /* -1: all agents */
    int state; /* RUN_COUNT: of the kind; -1: all */
    char name[RUN_COLUMN_CHARS];
};

struct run_columns {
    struct run_column *rows; /* owned */
    int count;
};

/** The columns of a list of measures, "speed,count.prey", for worlds like this one; a name without a kind stands for all
 * agents and each kind. "": all measures. 0, or -1 with *failure, which names the nearest name; run_columns_fini is due
 * after success. */
NODISCARD int run_columns_make(const struct world *world, const char *list, struct run_columns *columns,
                               struct failure *failure);
void run_columns_fini(struct run_columns *columns);

/** When a run ends early: a column compared with a number, "caught>=5", "count.prey.flee < 3". */
enum run_comparison { RUN_LESS, RUN_AT_MOST, RUN_MORE, RUN_AT_LEAST, RUN_EQUAL, RUN_DIFFERENT };
struct run_until {
    bool is_set;
    struct run_column column;
    enum run_comparison comparison;
    double value;
};
/** text: "" for never. 0, or -1 with *failure. */
NODISCARD int run_until_read(const struct world *world, const char *text, struct run_until *until,
                             struct failure *failure);

/** Takes measures of one world that goes on. Zero is the beginning of a run. */
struct run_meter {
    uint64_t caught[LIMIT_KINDS], reached[LIMIT_KINDS]; /* so far */
    struct run_agents *agents;                          /* owned; the world's, copied out */
    struct run_cells cells;
    /* Of the measures that are being taken: by kind, then of all agents. */
    bool has_neighbors[LIMIT_KINDS + 1];
    struct run_neighbors neighbors[LIMIT_KINDS + 1];
};
void run_meter_fini(struct run_meter *meter);
/** Counts the events of a tick; after each one. */
void run_meter_follow(struct run_meter *meter, const struct world *world);
/** values: one a column. False without memory. */
NODISCARD bool run_meter_take(struct run_meter *meter, const struct world *world,
                              const struct run_column *columns, int count, double *values);
/** Whether the run ends here; *is_over. False without memory. */
NODISCARD bool run_meter_ends(struct run_meter *meter, const struct world *world,
                              const struct run_until *until, bool *is_over);

#endif
