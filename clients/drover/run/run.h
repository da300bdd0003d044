/* Lists of numbers as the options of `drover run` give them. Pure.
 *
 *     80,100,120        these
 *     0.5:2:0.5         from, to, step: 0.5, 1, 1.5, 2
 *     1..20             seeds: whole numbers, both ends included
 *
 * A step is counted in decimals: 0:0.3:0.1 ends with 0.3, not with 0.30000000000000004. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/drover/command.h"
#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"
#include "server/recording/recording_line.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world.h"

enum { RUN_VALUES_MOST = 1000000 };

/** Zero is an empty list. */
struct run_values {
    double *values; /* owned */
    int count, room;
};

void run_values_fini(struct run_values *list);
/** One more. -1 without memory, or at RUN_VALUES_MOST, with *failure. */
NODISCARD int run_values_add(struct run_values *list, double value, struct failure *failure);
/** Appends what text[0..length) says. 0, or -1 with *failure, whose message says what is wrong with which part. */
NODISCARD int run_values_read(struct run_values *list, const char *text, size_t length,
                              struct failure *failure);
NODISCARD int run_seeds_read(struct run_values *list, const char *text, size_t length,
                             struct failure *failure);
/** One decimal number, and nothing else. False when it is none, or not finite. */
NODISCARD bool run_number_read(const char *text, size_t length, double *value);

/* The runs of `drover run`: which parameters are set, and for each run its seed and values. Pure.
 *
 * The order of runs: the rows of the design, then the parameters of --set in the order of the command line, then the
 * seeds, which change fastest. */

/* A place in a text as a number: line * RUN_PLACE + column. */
#define RUN_PLACE 4294967296.0

enum { RUN_PLAN_PARAMETERS = 64, RUN_PLAN_RUNS = 1000000, RUN_PARAMETER_CHARS = LIMIT_NAME_CHARS + 64 };

/** A parameter of a kind, "bird.flock.weight": kind "bird", name "flock.weight"; or the path of a number of the scenario,
 * "world.walls[0][3]". */
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
    /* The design: its parameters come first. NAN: the row says nothing. */
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
/** What --set says, "bird.max_speed=80,100", once or more often with a space between. 0, or -1 with *failure. */
NODISCARD int run_grid_read_set(struct run_grid *grid, const char *text, struct failure *failure);

/** seed: of a run for which the grid has none. 0, or -1 with *failure (too many runs; memory); run_plan_fini is due
 * after success. */
NODISCARD int run_plan_make(const struct run_grid *grid, uint64_t seed, struct run_plan *plan,
                            struct failure *failure);
void run_plan_fini(struct run_plan *plan);
/** The values of a run, counted from 0. */
const double *run_plan_values(const struct run_plan *plan, uint32_t run);

/* A scenario with other numbers: what `drover run` makes of parameters that are paths of the scenario, world.walls[0][3]. */

/** Whether a name is the path of a number of the scenario, from world, targets, kinds or agents on, as the messages about
 * scenarios have it. A kind of the world that is called so comes first: then it is a parameter of that kind. */
bool run_is_path(const struct world *world, const char *name);
/** The scenario with the numbers that the plan's paths name replaced by those of `values`, by parameter; NAN stays as it
 * is. *out is the caller's after success. 0, or -1 with *failure: no_param, nothing is written at the path, or no number;
 * otherwise the mistake that the scenario then has. Its message begins with the path. */
NODISCARD int run_variant_make(const struct scenario *scenario, const struct run_plan *plan,
                               const double *values, struct scenario *out, struct failure *failure);

/* The design of an experiment: a CSV file with a row for each run, or for each run of every seed.
 *
 *     seed,bird.max_speed,bird.flock.weight
 *     1,80,0.5
 *     2,,1            an empty cell: as the scenario has it
 *
 * Cells may stand in double quotes; lines end with LF or CRLF; empty lines are skipped. */

/** Reads a design into a grid that has no parameters yet. 0, or -1 with *failure: "NAME:LINE:COLUMN: what is wrong", both
 * counted from 1, columns in characters of the line. */
NODISCARD int run_design_read(struct run_grid *grid, const char *name, const char *text, size_t length,
                              struct failure *failure);
/** Adds the file, the line and the column of a place to a failure: "NAME:LINE:COLUMN: MESSAGE". Returns -1. */
int run_design_fail(const struct run_grid *grid, double place, const char *message, struct failure *failure);
/** The same from a file. path: not copied. */
NODISCARD int run_design_load(struct run_grid *grid, const char *path, struct failure *failure);

/* Nearest neighbors and overlaps of discs, for measures: beside the world's own grid, whose cells are those of its
 * behaviors. Pure.
 *
 * Distances are doubles, and on a torus the short way round. The result depends on the points alone, not on the cells. */

/** Discs in a box. Arrays of `count`; not owned. */
struct run_discs {
    const double *x, *y, *radius; /* px */
    int32_t count;
    bool wraps; /* a torus of width x height; places lie in it */
    double width, height;
};

/** Memory that stays from call to call. Zero is none. */
struct run_cells {
    int32_t *begin, *item; /* owned: by cell its first place in item; the discs by cell */
    int32_t begin_room, item_room;
};

struct run_neighbors {
    double
        nearest; /* px: mean distance from a center to the nearest other one; NAN for fewer than two discs */
    uint64_t overlaps; /* pairs of discs whose centers are nearer than the sum of their radii */
};

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
 *     forward.GATE, backward.GATE      ways through a gate since the run began
 *     inside.AREA, inside_speed.AREA   agents in an area, their mean speed, px/s
 *
 * and in a world with a scale (world_meter) also speed_m_s, nearest_m, inside_speed_m_s.AREA and inside_per_m2.AREA.
 * docs/runs.md has the formulas. A value that is not defined (the speed of no agents) is NAN. */

enum run_measure {
    RUN_COUNT,
    RUN_SPEED,
    RUN_SPEED_M_S,
    RUN_POLARIZATION,
    RUN_MILLING,
    RUN_NEAREST,
    RUN_NEAREST_M,
    RUN_OVERLAPS,
    RUN_CAUGHT,
    RUN_REACHED,
    RUN_AT_REST,
    RUN_FORWARD, /* from here on of gates, */
    RUN_BACKWARD,
    RUN_INSIDE, /* and of areas */
    RUN_INSIDE_PER_M2,
    RUN_INSIDE_SPEED,
    RUN_INSIDE_SPEED_M_S,
    RUN_MEASURE_COUNT
};

enum { RUN_COLUMN_CHARS = 2 * LIMIT_NAME_CHARS + 24 };

struct run_column {
    enum run_measure measure;
    int kind;  /* or gate, or area, by the measure; -1: all agents */
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

/* A file of a folder of runs that is there entirely or not at all: written as NAME.part, put in its place at the end. A
 * NAME.part that a crash left is written over. */

enum { RUN_FILE_PATH = 2048 };

/** Zero is none. */
struct run_file {
    char path[RUN_FILE_PATH], part[RUN_FILE_PATH + 8];
    int descriptor; /* meaningful while is_open */
    bool is_open;
    int error;            /* errno of the first write that failed */
    struct buffer buffer; /* append here, then run_file_flush */
};

/** 0, or -1 with *failure (io). */
NODISCARD int run_file_begin(struct run_file *file, const char *folder, const char *name,
                             struct failure *failure);
/** Writes the buffer when it is large. Errors are run_file_finish's. */
void run_file_flush(struct run_file *file);
/** Writes the rest, syncs and puts the file in its place. 0, or -1 with *failure; then nothing of it is left. */
NODISCARD int run_file_finish(struct run_file *file, struct failure *failure);
/** Leaves nothing of a file that is not finished. */
void run_file_abandon(struct run_file *file);

/* The recording of a run (--record): RUN-N.drover, written by the run itself, without a thread. */

/** Zero is none. */
struct run_record {
    struct recorder recorder;
    struct run_file file;
    uint32_t sum; /* of the lines so far */
};

/** Begins with the world that the state has; with_checkpoint: it was not built from its scenario. 0, or -1 with *failure. */
NODISCARD int run_record_begin(struct run_record *record, const char *folder, const char *name,
                               const struct simulation_state *state, bool with_checkpoint,
                               struct failure *failure);
/** A request that has just taken effect. */
void run_record_request(struct run_record *record, const struct simulation_state *state,
                        const struct request *request);
/** After a tick: a hash each second. */
void run_record_tick(struct run_record *record, const struct simulation_state *state);
NODISCARD int run_record_finish(struct run_record *record, const struct simulation_state *state,
                                struct failure *failure);
void run_record_abandon(struct run_record *record);

/* One run of `drover run`, in a process of its own: ticks without a pace, rows into a part file. */

/** What all runs share. Nothing is owned. */
struct run_task {
    const struct run_plan *plan;
    const struct scenario *scenario;  /* NULL: runs begin with the state that they are given */
    struct world_overrides overrides; /* of the scenario */
    const struct run_columns *columns;
    const struct run_until *until;
    const char *folder;
    uint64_t ticks;                                /* at most */
    uint64_t every;                                /* ticks from row to row; 0: one row, of the end */
    bool writes_agents, writes_crossings, records; /* --agents, --crossings, --record */
};

/** What a run says while it goes on and at its end: in memory that it shares with the process that started it. */
struct run_report {
    atomic_uint_least64_t ticks; /* done so far */
    uint64_t tick, hash;         /* of the world at the end */
    double seconds;
    struct failure failure; /* after -1 */
};

/** Sets one parameter, by the request set_param. 0, or -1 with *failure: its message is the request's with the parameter
 * before it. request: receives it. */
NODISCARD int run_set_parameter(struct simulation_state *state, const struct run_parameter *parameter,
                                double value, struct request *request, struct failure *failure);

/* The part files of a folder of runs, part-1.ndjson ...: the rows of runs as they come.
 *
 *     {"op":"row","run":3,"tick":60,"values":[250,81.5,null]}
 *     {"op":"done","run":3,"tick":60,"hash":"53d39130a719570d","seconds":0.21}
 *     {"op":"done","run":4,"error":"ended by signal 9 (Killed)"}
 *
 * 1. One process at a time appends to a part. The rows of a run follow one another, its `done` line ends them and is on
 * disk after run_parts_sync. A run counts when it has one without an error.
 * 2. What stands behind the last `done` line of a part was not finished: it is cut off when the folder is opened again. */

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

/* How far `drover run` has got, on standard error: a bar with the time left on a terminal, otherwise a line every 30 s. */

enum { RUN_PROGRESS_LINE = 128, RUN_PROGRESS_EVERY_S = 30 };

/** Of all runs of the plan. */
struct run_counts {
    uint32_t total, done, failed; /* done: well, those of earlier times included */
    double begun; /* of the runs that go on, the sum of the shares that are done: 0.5 is half of one */
    int going;    /* runs that go on */
};

struct run_progress {
    bool is_terminal, is_shown;
    int jobs;
    uint64_t begun_ns, shown_ns;
    struct run_values seconds; /* of the runs that ended, ascending */
};

/** A run took so long. */
void run_progress_note(struct run_progress *progress, double seconds);
/** Takes the line away; before anything else is printed, and at the end. */
void run_progress_end(struct run_progress *progress);

/** Seconds until the end, from the median run so far; before one has ended, from what of the first ones is done. Negative:
 * not known yet. elapsed: s since the beginning. */
double run_progress_left(const struct run_progress *progress, const struct run_counts *counts,
                         double elapsed);
/** The text: "run 12/60 [######....] 20 %  1:02 left  1 failed"; without the bar for a file. Returns out. */
const char *run_progress_line(char out[RUN_PROGRESS_LINE], const struct run_counts *counts, double left,
                              bool with_bar);

/* The processes of `drover run`: one a run, at most so many at a time, each with a part file of its own.
 *
 * A process is forked, so it has what this one has read already. Its end, however it comes, ends that run alone. When this
 * process ends, by SIGKILL too, the system ends those that it forked. */

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

/* The folder of `drover run`: one program at a time, and plan.ndjson, which says what its results are of.
 *
 * plan.ndjson has a line for each thing that decides the results, then a line for each run. A plan with other lines is
 * another experiment and has no place in the folder. */

/** What the plan says beside the task. */
struct run_origin {
    const char *scenario;     /* its name */
    const char *text;         /* the scenario's */
    const char *until;        /* "": never */
    uint64_t from_tick, hash; /* of a saved world */
    bool is_saved;
};

#endif
