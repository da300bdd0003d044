/* See run.h. */
#include "clients/drover/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/drover/command.h"
#include "clients/drover/player.h"
#include "common/json/json_writer.h"
#include "common/system/process.h"
#include "common/system/regular_file.h"
#include "server/library/scenario_library.h"
#include "server/sim/core.h"

#define PLAN_NAME "plan.ndjson"
enum { LOCK_TRIES = 50, LOCK_WAIT_MS = 100, PLAN_FORMAT = 1 };
static const size_t PLAN_BYTES = (size_t)1 << 30;

/* ---- what the plan says ---- */

static struct json_writer begin_line(struct buffer *out, const char *op) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", op);
    return json;
}

static void end_line(struct json_writer *json, struct buffer *out) {
    json_end(json);
    buffer_append_text(out, "\n");
}

static void write_origin(const struct run_origin *origin, struct buffer *out) {
    struct json_writer json = begin_line(out, "scenario");
    json_key_string(&json, "name", origin->scenario);
    if (origin->is_saved) {
        json_key_unsigned(&json, "from_tick", origin->from_tick);
        json_key(&json, "hash");
        json_hex64(&json, origin->hash);
    }
    end_line(&json, out);
    json = begin_line(out, "text");
    json_key_string(&json, "text", origin->text);
    end_line(&json, out);
}

static void write_task(const struct run_task *task, const struct run_origin *origin, struct buffer *out) {
    struct json_writer json = begin_line(out, "length");
    json_key_unsigned(&json, "ticks", task->ticks);
    json_key_string(&json, "until", origin->until);
    json_key_unsigned(&json, "every", task->every);
    end_line(&json, out);
    json = begin_line(out, "files");
    json_key_bool(&json, "agents", task->writes_agents);
    if (task->writes_crossings) {
        json_key_bool(&json, "crossings", true);
    }
    json_key_bool(&json, "record", task->records);
    end_line(&json, out);
    json = begin_line(out, "measures");
    json_key(&json, "names");
    json_array(&json);
    for (int i = 0; i < task->columns->count; i++) {
        json_string(&json, task->columns->rows[i].name);
    }
    json_end(&json);
    end_line(&json, out);
}

static void write_run(const struct run_plan *plan, uint32_t run, struct buffer *out) {
    const double *values = run_plan_values(plan, run);
    struct json_writer json = begin_line(out, "run");
    json_key_unsigned(&json, "run", run + 1);
    json_key_unsigned(&json, "seed", plan->seeds[run]);
    for (int i = 0; i < plan->parameter_count; i++) {
        if (!isnan(values[i])) {
            json_key_number(&json, plan->parameters[i].name, values[i]);
        }
    }
    end_line(&json, out);
}

/* Appends the lines of plan.ndjson; the first one names the program and is for people. */
static void run_plan_write(const struct run_task *task, const struct run_origin *origin, struct buffer *out) {
    struct json_writer json = begin_line(out, "plan");
    json_key_unsigned(&json, "format", PLAN_FORMAT);
    json_key_string(&json, "program", "drover " DROVER_VERSION);
    end_line(&json, out);
    json = begin_line(out, "core");
    json_key_unsigned(&json, "core", CORE_NUMBER);
    end_line(&json, out);
    write_origin(origin, out);
    write_task(task, origin, out);
    for (uint32_t run = 0; run < task->plan->count; run++) {
        write_run(task->plan, run, out);
    }
}

/* ---- the folder ---- */

static int fail(const char *path, int error, struct failure *failure) {
    return failure_set(failure, FAILURE_IO, NULL, "%.250s: %s", path, strerror(error));
}

/* Whether the folder has a plan, or another file. What a crash left of a plan is nothing. */
static int look_into(const char *folder, bool *has_plan, bool *has_more, struct failure *failure) {
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return fail(folder, errno, failure);
    }
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, PLAN_NAME) == 0) {
            *has_plan = true;
        } else if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
                   strcmp(name, PLAN_NAME ".part") != 0) {
            *has_more = true;
        }
    }
    (void)closedir(entries);
    return 0;
}

static int check(const char *folder, bool is_resumed, struct failure *failure) {
    bool has_plan = false, has_more = false;
    if (look_into(folder, &has_plan, &has_more, failure) != 0) {
        return -1;
    }
    if (!is_resumed && has_plan) {
        return failure_set(failure, FAILURE_EXISTS, "--out",
                           "--out: %.250s has results already; --resume goes on with them, another folder "
                           "starts from the beginning",
                           folder);
    }
    if (!has_plan && has_more) {
        return failure_set(failure, FAILURE_EXISTS, "--out",
                           "--out: %.250s has files that are not of drover run; allowed: a new or empty "
                           "folder, or one that has " PLAN_NAME " with --resume",
                           folder);
    }
    return 0;
}

static int lock(int descriptor, const char *folder, struct interrupt *interrupt, struct failure *failure) {
    for (int i = 0; flock(descriptor, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return fail(folder, errno, failure);
        }
        if (i == LOCK_TRIES || interrupt_is_set(interrupt)) {
            return failure_set(failure, FAILURE_BUSY, "--out",
                               "--out: another drover run works in %.250s; allowed: one at a time", folder);
        }
        (void)poll(NULL, 0, LOCK_WAIT_MS);
    }
    return 0;
}

/* Makes the folder, or opens it, and locks it: the descriptor, or -1 with *failure. Without is_resumed an existing folder
 * must be empty. A lock of a run that is just ending is waited for. */
static int run_folder_open(const char *folder, bool is_resumed, struct interrupt *interrupt,
                           struct failure *failure) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return fail(folder, errno, failure);
    }
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return fail(folder, errno, failure);
    }
    if (lock(descriptor, folder, interrupt, failure) != 0 || check(folder, is_resumed, failure) != 0) {
        (void)close(descriptor);
        return -1;
    }
    return descriptor;
}

/* ---- comparing ---- */

struct text {
    const char *at, *end;
};

static struct text next_line(struct text *rest) {
    const char *newline =
        rest->at < rest->end ? memchr(rest->at, '\n', (size_t)(rest->end - rest->at)) : NULL;
    const struct text line = {rest->at, newline == NULL ? rest->end : newline};
    rest->at = newline == NULL ? rest->end : newline + 1;
    return line;
}

static bool is_same(struct text a, struct text b) {
    const size_t length = (size_t)(a.end - a.at);
    return length == (size_t)(b.end - b.at) && (length == 0 || memcmp(a.at, b.at, length) == 0);
}

/* Of long lines, the part around the first difference. */
static void cut_around(struct text *a, struct text *b) {
    enum { BEFORE = 24, MOST = 90 };
    ptrdiff_t same = 0;
    while (a->at + same < a->end && b->at + same < b->end && a->at[same] == b->at[same]) {
        same++;
    }
    const ptrdiff_t first = same > MOST - BEFORE ? same - BEFORE : 0;
    a->at += first;
    b->at += first;
    a->end = a->end - a->at > MOST ? a->at + MOST : a->end;
    b->end = b->end - b->at > MOST ? b->at + MOST : b->end;
}

static int compare(const char *path, struct text old, struct text new, struct failure *failure) {
    (void)next_line(&old); /* the program */
    (void)next_line(&new);
    for (int number = 2; old.at < old.end || new.at < new.end; number++) {
        struct text was = next_line(&old), is = next_line(&new);
        if (!is_same(was, is)) {
            cut_around(&was, &is);
            return failure_set(
                failure, FAILURE_EXISTS, "--resume",
                "--resume: %.100s:%d says \"%.*s\", the command line \"%.*s\"; allowed: the same "
                "experiment",
                path, number, (int)(was.end - was.at), was.at, (int)(is.end - is.at), is.at);
        }
    }
    return 0;
}

static int write_plan(const char *folder, const struct buffer *plan, struct failure *failure) {
    struct run_file *file = calloc(1, sizeof *file);
    int result = -1;
    if (file == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (run_file_begin(file, folder, PLAN_NAME, failure) == 0) {
        buffer_append(&file->buffer, plan->data, plan->length);
        result = run_file_finish(file, failure);
    }
    free(file);
    return result;
}

/* Writes plan.ndjson, or compares it with the one that is there. 0, or -1 with *failure, which names the first line that
 * differs. */
static int run_folder_set_plan(const char *folder, const struct buffer *plan, struct failure *failure) {
    char path[RUN_FILE_PATH];
    char reason[REGULAR_FILE_REASON];
    char *text = NULL;
    size_t length = 0;
    if (plan->failed) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    (void)snprintf(path, sizeof path, "%s/" PLAN_NAME, folder);
    switch (regular_file_read(path, PLAN_BYTES, &text, &length, reason)) {
    case REGULAR_FILE_MISSING:
        return write_plan(folder, plan, failure);
    case REGULAR_FILE_OK:
        break;
    default:
        return failure_set(failure, FAILURE_IO, NULL, "%.250s: %s", path, reason);
    }
    const int result = compare(path, (struct text){text, text + length},
                               (struct text){plan->data, plan->data + plan->length}, failure);
    free(text);
    return result;
}

/* ---- run ---- */

/* drover run: many runs of a scenario without a server, and a table of what was measured. */

enum { PLAN_LIMIT = 1 << 30, JOBS_MOST = 1024 };
#define SECONDS_MOST 1e9
#define TICKS_MOST   9007199254740991.0

struct run_options {
    char seed[65536], set[65536], until[256], measure[4096];
    char out[1024], design[1024], from[1024], scenarios[1024];
    double seconds;
    uint64_t ticks, every;
    uint32_t jobs, max_agents;
    bool writes_agents, writes_crossings, is_resumed, records, is_json;
};

static const struct field run_table[] = {
    OPTION_TEXT(struct run_options, seed, "seed", "LIST",
                "The seeds, a run each: 1..20, or 1,5,7; default: the scenario's."),
    OPTION_TEXTS(struct run_options, set, "set", "KIND.PARAM=LIST",
                 "The values of a parameter, a run each: bird.max_speed=80,100 or "
                 "bird.flock.weight=0.5:2:0.5 (from, to, step). A number of the scenario goes by its path: "
                 "world.walls[0][3]=250,270. May be repeated: all combinations are run."),
    OPTION_TEXT(struct run_options, design, "design", "FILE.csv",
                "A table with a row for each run: columns seed and KIND.PARAM; an empty cell is as the "
                "scenario has it."),
    OPTION_NUMBER(struct run_options, seconds, "seconds", 0, SECONDS_MOST, 60, "S",
                  "How long a run is at most, in seconds of its world."),
    OPTION_NUMBER(struct run_options, ticks, "ticks", 0, TICKS_MOST, 0, "N",
                  "The same in ticks, in place of --seconds; 0: --seconds."),
    OPTION_TEXT(struct run_options, until, "until", "EXPR",
                "Ends a run after the tick in which a measure compares so: caught>=5, count.prey<10."),
    OPTION_NUMBER(struct run_options, every, "every", 0, TICKS_MOST, 0, "TICKS",
                  "From one row of a run to the next, the first tick and the last one included; 0: the last "
                  "tick alone."),
    OPTION_TEXT(struct run_options, measure, "measure", "LIST",
                "What to measure, with commas between: count, speed, polarization, milling, nearest, "
                "overlaps, caught, reached, at_rest, or of one kind: speed.bird; default: all."),
    OPTION_FLAG(struct run_options, writes_agents, "agents",
                "Writes where the agents were, too, a file a run: agents-N.csv."),
    OPTION_FLAG(struct run_options, writes_crossings, "crossings",
                "Writes who went through gates, too, a file a run: crossings-N.csv."),
    OPTION_FLAG(struct run_options, records, "record", "Writes a recording of each run, too: run-N.drover."),
    OPTION_TEXT(
        struct run_options, from, "from", "FILE",
        "Begins each run with a saved world, or with the end of a recording, in place of a scenario."),
    OPTION_NUMBER(
        struct run_options, jobs, "jobs", 0, JOBS_MOST, 0, "N",
        "Runs at the same time, a process each; the results do not depend on it. 0: as many as processors."),
    OPTION_NUMBER(struct run_options, max_agents, "max-agents", 1, LIMIT_AGENTS, LIMIT_AGENTS_USUAL, "N",
                  "Agents that the world may have."),
    OPTION_TEXT(struct run_options, out, "out", "DIR",
                "The folder of the results, which is made: runs.csv, runs.ndjson, plan.ndjson."),
    OPTION_FLAG(struct run_options, is_resumed, "resume",
                "Goes on in a folder: does the runs that are not done, and those that failed."),
    OPTION_TEXT(struct run_options, scenarios, "scenarios", "DIR",
                "Where scenarios are found by name; default: where drover-server finds them."),
    OPTION_FLAG(struct run_options, is_json, "json", "Prints the line about the results as a JSON object."),
    OPTIONS_END,
};

const struct options_def command_runs_options = {
    .program = "drover run",
    .summary = "Runs a scenario many times, as fast as the processor goes, and writes what was measured.",
    .positional = "[SCENARIO]",
    .positional_help = "A scenario by its name, or a file.",
    .takes_several = true,
    .table = run_table,
};

/* The command, from its options to its results. */
struct runs {
    const struct command_context *context;
    struct run_options *options;
    struct scenario scenario;
    bool has_scenario;
    struct simulation_state state; /* that runs begin with: of --from, or none */
    struct simulation_state probe; /* a world to ask for names and ranges */
    struct run_grid grid;
    struct run_plan plan;
    struct run_columns columns;
    struct run_until until;
    struct run_task task;
    struct run_origin origin;
    struct run_parts parts;
    int folder; /* descriptor, locked; -1: none */
};

/* ---- where runs begin ---- */

static int load_scenario(struct runs *runs, const char *argument, struct failure *failure) {
    struct scenario_library *library = malloc(sizeof *library);
    struct built_world built;
    runs->task.overrides = (struct world_overrides){.max_agents = (int32_t)runs->options->max_agents,
                                                    .memory_free = memory_free};
    if (library == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    int result = scenario_library_init(library, runs->options->scenarios, failure);
    if (result == 0) {
        result = scenario_library_load_argument(library, argument, &runs->scenario, failure);
        scenario_library_fini(library);
    }
    free(library);
    runs->has_scenario = result == 0;
    if (result != 0 || built_world_make(&runs->scenario, &runs->task.overrides, NULL,
                                        &runs->context->interrupt->is_set, &built, failure) != 0) {
        return -1;
    }
    char warning[WORLD_WARNING_TEXT];
    for (int i = 0; built_world_warning(&built, i, warning) != NULL; i++) {
        (void)fprintf(stderr, "drover: %s\n", warning);
    }
    simulation_state_change(&runs->probe, &built);
    built_world_fini(&built);
    runs->task.scenario = &runs->scenario;
    return 0;
}

/* A copy of the state's world and texts. */
static int copy_state(const struct simulation_state *from, struct simulation_state *to,
                      struct failure *failure) {
    simulation_state_init(to);
    to->world = world_clone_new(from->world);
    to->text = malloc(from->text_length + 1);
    if (to->world == NULL || to->text == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    memcpy(to->text, from->text, from->text_length + 1);
    to->text_length = from->text_length;
    memcpy(to->name, from->name, sizeof to->name);
    event_log_init(&to->log, to->world);
    to->seq = from->seq;
    to->cursors = from->cursors;
    return 0;
}

/* The end of the recording; a saved world is a recording that ends where it begins. */
static int load_from(struct runs *runs, struct failure *failure) {
    const struct player_means means = {.threads = 1};
    const char *name = runs->options->from;
    char path[INPUT_PATH];
    struct player player;
    enum player_result result = PLAYER_FAILED;
    if (input_find(name, runs->context->interrupt, path, failure) != 0 ||
        player_open(&player, name, path, &means, runs->context->interrupt, failure) != 0) {
        return -1;
    }
    const struct recording_moment last = player.source.last;
    if (player_begin(&player, &last, failure) == 0) {
        while ((result = player_settle(&player, failure)) == PLAYER_SETTLED &&
               (result = player_tick(&player, failure)) == PLAYER_SETTLED) {}
    }
    int code = result == PLAYER_END ? 0 : -1;
    if (code == 0) {
        code = copy_state(&player.state, &runs->state, failure) == 0
                   ? copy_state(&player.state, &runs->probe, failure)
                   : -1;
    }
    player_close(&player);
    return code;
}

static int load_origin(struct runs *runs, const char *argument, struct failure *failure) {
    const bool is_saved = runs->options->from[0] != '\0';
    if (!is_saved) {
        return load_scenario(runs, argument, failure);
    }
    if (load_from(runs, failure) != 0) {
        return -1;
    }
    if (argument != NULL && strcmp(argument, runs->state.name) != 0) {
        return failure_set(failure, FAILURE_NO_SCENARIO, "--from",
                           "--from: %.200s holds a world of the scenario %s, not of %.100s; allowed: --from "
                           "without a scenario",
                           runs->options->from, runs->state.name, argument);
    }
    return 0;
}

/* ---- what to run ---- */

static int read_grid(struct runs *runs, struct failure *failure) {
    const struct run_options *options = runs->options;
    struct failure inner = {0};
    if (options->design[0] != '\0' && run_design_load(&runs->grid, options->design, failure) != 0) {
        return -1;
    }
    if (options->seed[0] != '\0') {
        if (runs->grid.has_design_seeds) {
            return failure_set(failure, FAILURE_BAD_PARAM, "--seed",
                               "--seed: the design has a column seed; allowed: one of both");
        }
        if (run_seeds_read(&runs->grid.seeds, options->seed, strlen(options->seed), &inner) != 0) {
            return failure_set(failure, inner.code, "--seed", "--seed: %s", inner.message);
        }
    }
    if (run_grid_read_set(&runs->grid, options->set, failure) != 0) {
        return -1;
    }
    if (run_plan_make(&runs->grid, world_seed(runs->probe.world), &runs->plan, failure) != 0) {
        return -1;
    }
    for (int i = 0; i < runs->plan.parameter_count; i++) {
        struct run_parameter *parameter = &runs->plan.parameters[i];
        parameter->is_path = run_is_path(runs->probe.world, parameter->name);
        runs->plan.has_paths = runs->plan.has_paths || parameter->is_path;
        if (parameter->is_path && !runs->has_scenario) {
            return failure_set(
                failure, FAILURE_BAD_PARAM, "--from",
                "--from: the world of a recording is built, so %s can no more be set; allowed: "
                "parameters of kinds",
                parameter->name);
        }
    }
    return 0;
}

/* Whether a failure is about the parameter's name, not about a value of it. */
static bool is_unknown(const struct failure *failure) {
    return failure->code == FAILURE_NO_KIND || failure->code == FAILURE_NO_PARAM;
}

/* Tries a value on the world that is asked. 0, or -1: *failure. */
static int try_value(struct runs *runs, int parameter, double value, struct failure *failure) {
    struct request *request = malloc(sizeof *request);
    if (request == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    const int result =
        run_set_parameter(&runs->probe, &runs->plan.parameters[parameter], value, request, failure);
    free(request);
    return result;
}

static int try_set(struct runs *runs, int parameter, struct failure *failure) {
    const struct run_values *values = &runs->grid.values[parameter];
    struct failure inner = {0};
    for (int i = 0; i < values->count; i++) {
        if (try_value(runs, parameter, values->values[i], &inner) != 0) {
            return failure_set(failure, inner.code, "--set", "--set %s", inner.message);
        }
    }
    return 0;
}

/* A column of the design: its name first, which may stand over empty cells. */
static int try_design(struct runs *runs, int parameter, struct failure *failure) {
    const struct run_grid *grid = &runs->grid;
    const int row_length = grid->design_parameters + (grid->has_design_seeds ? 1 : 0);
    struct failure inner = {0};
    if (try_value(runs, parameter, 0.0, &inner) != 0 && is_unknown(&inner)) {
        return run_design_fail(grid, grid->name_places[parameter], inner.message, failure);
    }
    for (int i = parameter; i < grid->design.count; i += row_length) {
        const double value = grid->design.values[i];
        if (!isnan(value) && try_value(runs, parameter, value, &inner) != 0) {
            return run_design_fail(grid, grid->design_places.values[i], inner.message, failure);
        }
    }
    return 0;
}

/* Makes the scenario of each run that differs from the one before by more than the seed. */
static int try_variants(struct runs *runs, struct failure *failure) {
    const size_t bytes = (size_t)runs->plan.parameter_count * sizeof(double);
    const double *before = NULL;
    struct failure inner = {0};
    for (uint32_t run = 0; run < runs->plan.count && !interrupt_is_set(runs->context->interrupt); run++) {
        const double *values = run_plan_values(&runs->plan, run);
        struct scenario variant;
        if (before != NULL && memcmp(values, before, bytes) == 0) {
            continue;
        }
        before = values;
        if (run_variant_make(&runs->scenario, &runs->plan, values, &variant, &inner) != 0) {
            return failure_set(failure, inner.code, "--set", "run %" PRIu32 ": %s", run + 1, inner.message);
        }
        scenario_fini(&variant);
    }
    return 0;
}

/* Tries all values, so that a mistake is found before the first run. */
static int try_parameters(struct runs *runs, struct failure *failure) {
    for (int i = 0; i < runs->plan.parameter_count; i++) {
        if (interrupt_is_set(runs->context->interrupt)) {
            return failure_set(failure, FAILURE_BUSY, NULL, "interrupted");
        }
        if (!runs->plan.parameters[i].is_path &&
            (i < runs->grid.design_parameters ? try_design : try_set)(runs, i, failure) != 0) {
            return -1;
        }
    }
    return runs->plan.has_paths ? try_variants(runs, failure) : 0;
}

static int plan_runs(struct runs *runs, struct failure *failure) {
    const struct run_options *options = runs->options;
    const double hz = world_tick_hz(runs->probe.world);
    if (read_grid(runs, failure) != 0 || try_parameters(runs, failure) != 0 ||
        run_columns_make(runs->probe.world, options->measure, &runs->columns, failure) != 0 ||
        run_until_read(runs->probe.world, options->until, &runs->until, failure) != 0) {
        return -1;
    }
    runs->task.plan = &runs->plan;
    runs->task.columns = &runs->columns;
    runs->task.until = &runs->until;
    runs->task.folder = options->out;
    runs->task.ticks = options->ticks > 0 ? options->ticks : (uint64_t)llround(options->seconds * hz);
    runs->task.every = options->every;
    runs->task.writes_agents = options->writes_agents;
    runs->task.writes_crossings = options->writes_crossings;
    runs->task.records = options->records;
    runs->origin = (struct run_origin){.scenario = runs->probe.name,
                                       .text = runs->probe.text,
                                       .until = options->until,
                                       .is_saved = runs->state.world != NULL};
    if (runs->origin.is_saved) {
        runs->origin.from_tick = world_tick(runs->state.world);
        runs->origin.hash = world_hash(runs->state.world);
    }
    return 0;
}

/* ---- running ---- */

static int open_folder(struct runs *runs, int jobs, struct failure *failure) {
    const char *folder = runs->options->out;
    struct buffer plan;
    runs->folder = run_folder_open(folder, runs->options->is_resumed, runs->context->interrupt, failure);
    if (runs->folder < 0) {
        return -1;
    }
    buffer_init(&plan, PLAN_LIMIT);
    run_plan_write(&runs->task, &runs->origin, &plan);
    const int result = run_folder_set_plan(folder, &plan, failure);
    buffer_fini(&plan);
    return result == 0 ? run_parts_open(&runs->parts, folder, &runs->plan, runs->columns.count, jobs, failure)
                       : -1;
}

static int choose_jobs(const struct runs *runs) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t wanted = runs->options->jobs > 0  ? runs->options->jobs
                            : processors < 1         ? 1
                            : processors > JOBS_MOST ? (uint32_t)JOBS_MOST
                                                     : (uint32_t)processors;
    return (int)(wanted < runs->plan.count ? wanted : runs->plan.count);
}

/* For programs: what is in the folder, and what this call did. */
static int print_results(const struct runs *runs, const struct run_tally *tally, uint64_t rows,
                         struct failure *failure) {
    struct buffer line;
    buffer_init(&line, COMMAND_LINE_BYTES);
    struct json_writer json = json_writer_begin(&line);
    json_object(&json);
    json_key_string(&json, "out", runs->options->out);
    json_key_unsigned(&json, "runs", run_parts_count(&runs->parts, RUN_DONE));
    json_key_unsigned(&json, "failed", run_parts_count(&runs->parts, RUN_FAILED));
    json_key_unsigned(&json, "rows", rows);
    json_key_unsigned(&json, "ran", tally->runs);
    json_key_unsigned(&json, "ticks", tally->ticks);
    json_key_number(&json, "seconds", tally->seconds);
    json_end(&json);
    return command_print_line(&line, failure);
}

static enum exit_code finish(struct runs *runs, const struct run_tally *tally, struct failure *failure) {
    const uint32_t done = run_parts_count(&runs->parts, RUN_DONE),
                   failed = run_parts_count(&runs->parts, RUN_FAILED);
    uint64_t rows = 0;
    if (interrupt_is_set(runs->context->interrupt)) {
        (void)fprintf(stderr,
                      "drover: interrupted; %" PRIu32 " of %" PRIu32
                      " runs are done, --resume does the others\n",
                      done, runs->plan.count);
        return EXIT_INTERRUPTED;
    }
    if (run_parts_merge(&runs->parts, &runs->columns, world_tick_hz(runs->probe.world), &rows, failure) !=
        0) {
        return command_complain(runs->context, failure, EXIT_DIFFERS);
    }
    if (runs->options->is_json) {
        if (print_results(runs, tally, rows, failure) != 0) {
            return command_complain(runs->context, failure, EXIT_DIFFERS);
        }
    } else {
        (void)printf("%s/runs.csv, %s/runs.ndjson: %" PRIu32 " runs, %" PRIu64 " rows", runs->options->out,
                     runs->options->out, done, rows);
        if (tally->runs > 0 && tally->seconds > 0.0) {
            (void)printf("; %.1f s, %.0f ticks/s", tally->seconds, (double)tally->ticks / tally->seconds);
        }
        (void)printf("\n");
    }
    if (failed > 0) {
        (void)fprintf(stderr, "drover: %" PRIu32 " of %" PRIu32 " runs failed; --resume tries them again\n",
                      failed, runs->plan.count);
        return EXIT_DIFFERS;
    }
    return EXIT_WELL;
}

static enum exit_code run_all(struct runs *runs) {
    struct failure failure = {0};
    struct run_tally tally = {0};
    const int jobs = choose_jobs(runs);
    if (open_folder(runs, jobs, &failure) != 0) {
        return command_complain(runs->context, &failure, EXIT_DIFFERS);
    }
    const struct run_jobs_def def = {.task = &runs->task,
                                     .state = runs->state.world == NULL ? &runs->probe : &runs->state,
                                     .parts = &runs->parts,
                                     .interrupt = runs->context->interrupt,
                                     .jobs = jobs};
    if (run_jobs_do(&def, &tally, &failure) != 0) {
        return command_complain(runs->context, &failure, EXIT_DIFFERS);
    }
    return finish(runs, &tally, &failure);
}

static enum exit_code run_command(struct runs *runs, const char *argument) {
    struct failure failure = {0};
    const bool is_saved = runs->options->from[0] != '\0';
    if (argument == NULL && !is_saved) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL,
                          "run: no scenario; allowed: a name, a file, or --from FILE");
    } else if (runs->options->out[0] == '\0') {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "--out",
                          "run: no folder for the results; allowed: --out DIR");
    } else if (load_origin(runs, argument, &failure) == 0 && plan_runs(runs, &failure) == 0) {
        return run_all(runs);
    }
    return command_complain(runs->context, &failure, EXIT_USAGE);
}

static void end_runs(struct runs *runs) {
    run_parts_close(&runs->parts);
    run_columns_fini(&runs->columns);
    run_plan_fini(&runs->plan);
    run_grid_fini(&runs->grid);
    simulation_state_fini(&runs->state);
    simulation_state_fini(&runs->probe);
    if (runs->has_scenario) {
        scenario_fini(&runs->scenario);
    }
    if (runs->folder >= 0) {
        (void)close(runs->folder);
    }
    free(runs->options);
    free(runs);
}

enum exit_code command_runs(const struct command_context *context, int argc, char **argv) {
    struct runs *runs = calloc(1, sizeof *runs);
    struct run_options *options = calloc(1, sizeof *options);
    enum exit_code code = EXIT_DIFFERS;
    int count = 0;
    if (runs == NULL || options == NULL) {
        free(runs);
        free(options);
        (void)fputs("drover: out of memory\n", stderr);
        return code;
    }
    *runs = (struct runs){.context = context, .options = options, .folder = -1};
    options->seconds = 60.0;
    options->max_agents = LIMIT_AGENTS_USUAL;
    simulation_state_init(&runs->state);
    simulation_state_init(&runs->probe);
    if (command_options(&command_runs_options, argc, argv, options, 0, 1, &count, &code)) {
        code = run_command(runs, count == 1 ? argv[1] : NULL);
    }
    end_runs(runs);
    return code;
}
