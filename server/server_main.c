/* See server_main.h. */
#include "server/server_main.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/base/compiler.h"
#include "common/system/line_writer.h"
#include "common/system/log.h"
#include "common/system/process.h"
#include "server/library/scenario_library.h"
#include "server/options.h"
#include "server/recording/core_changes.h"
#include "server/server.h"
#include "server/sim/core.h"
#include "server/sim/world/world_stripes.h"
#include "server/simulation/logbook.h"
#include "server/simulation/simulation.h"
#include "server/storage/save_store.h"
#include "server/storage/state_directory.h"

/* ---- where the first world comes from ---- */

enum { PATH_BYTES = STATE_DIRECTORY_PATH + 64 };

/* A recording that is played, a save or a moment of a recording, or the folder of --state. */
struct origin {
    struct recording *recording; /* owned; NULL: a scenario */
    struct simulation_recording start;
};

static int open_file(struct origin *origin, const char *path, const struct world_overrides *overrides,
                     struct failure *failure) {
    origin->recording = recording_open(&path, 1, failure);
    if (origin->recording == NULL) {
        return -1;
    }
    origin->start = simulation_recording_of(origin->recording, overrides);
    return 0;
}

/* Whether what is played from there on, NULL for all of it, comes out as it was recorded. */
static int check_core(const struct origin *origin, const struct recording_moment *from,
                      struct failure *failure) {
    return recording_check_core(origin->recording, from, core_changes, CORE_NUMBER, failure);
}

/* --replay FILE [--at TICK] [--anyway] */
static int open_replay(struct origin *origin, const struct server_options *options,
                       const struct world_overrides *overrides, struct failure *failure) {
    struct server_keeping keeping;
    if (server_options_keeping(options, &keeping, failure) != 0 ||
        open_file(origin, options->replay, overrides, failure) != 0) {
        return -1;
    }
    origin->start.has_at = keeping.has_at;
    origin->start.at = keeping.at;
    return options->is_anyway ? 0 : check_core(origin, NULL, failure);
}

/* FILE, FILE@TICK, or the name of a save. */
static void read_from(const char *text, const struct state_directory *directory, char path[PATH_BYTES],
                      struct simulation_recording *start) {
    const char *at = strrchr(text, '@');
    const size_t digits = at == NULL ? 0 : strspn(at + 1, "0123456789");
    start->has_at = digits > 0 && digits <= 15 && at[1 + digits] == '\0';
    start->at = start->has_at ? strtoull(at + 1, NULL, 10) : 0;
    const int length = start->has_at ? (int)(at - text) : (int)strlen(text);
    const bool is_file = start->has_at || strpbrk(text, "./") != NULL || directory == NULL;
    if (is_file) {
        (void)snprintf(path, PATH_BYTES, "%.*s", length, text);
    } else {
        (void)snprintf(path, PATH_BYTES, "%.4096s/%.31s.drover", state_directory_saves(directory), text);
    }
}

static int open_from(struct origin *origin, const struct server_options *options,
                     const struct state_directory *directory, const struct world_overrides *overrides,
                     struct failure *failure) {
    char path[PATH_BYTES];
    struct simulation_recording start = {0};
    read_from(options->from, directory, path, &start);
    if (open_file(origin, path, overrides, failure) != 0) {
        return -1;
    }
    origin->start.has_at = start.has_at;
    origin->start.at = start.at;
    return options->is_anyway || !start.has_at ? 0 : check_core(origin, NULL, failure);
}

/* The folder goes on under the name of the scenario that it began with, and under that of the world it holds. */
static int check_scenario(const struct origin *origin, const struct state_directory *directory,
                          const char *scenario, struct failure *failure) {
    const struct recording_facts *facts = origin->start.facts;
    const char *held = facts->world_count == 0 ? "" : facts->worlds[facts->world_count - 1].scenario;
    char first[LIMIT_NAME_CHARS + 1], begun[LIMIT_NAME_CHARS + 32] = "";
    state_directory_read_scenario(directory, first);
    if (strcmp(scenario, held) == 0 || strcmp(scenario, first) == 0) {
        return 0;
    }
    if (first[0] != '\0' && strcmp(first, held) != 0) {
        (void)snprintf(begun, sizeof begun, " (begun as %s)", first);
    }
    return failure_set(failure, FAILURE_EXISTS, "--state",
                       "%.200s holds a world of the scenario %s%s, not of %s; without a scenario it goes on, "
                       "--state-new puts it aside",
                       state_directory_path(directory), held, begun, scenario);
}

/* Of a folder that was begun, but has no journal that can be read: the scenario that it begins with again.
 *
 * scenario  the name of the one that the command line has; NULL: none
 * begun     "": the folder does not say; then the command line has it
 * returns   0; or -1 with *failure: it is another one, or neither says */
static int read_begun(const struct state_directory *directory, const char *scenario,
                      char begun[LIMIT_NAME_CHARS + 1], struct failure *failure) {
    state_directory_read_scenario(directory, begun);
    if (scenario != NULL && begun[0] != '\0' && strcmp(scenario, begun) != 0) {
        return failure_set(failure, FAILURE_EXISTS, "--state",
                           "%.200s was begun with the scenario %s, not with %s; without a scenario it begins "
                           "from its start again, --state-new puts it aside",
                           state_directory_path(directory), begun, scenario);
    }
    if (scenario == NULL && begun[0] == '\0') {
        return failure_set(
            failure, FAILURE_BAD_SAVE, "--state",
            "%.200s: no journal can be read, and no file says with which scenario it was begun; "
            "name the scenario, or put all aside with --state-new",
            state_directory_path(directory));
    }
    return 0;
}

static int open_state(struct origin *origin, struct state_directory *directory, const char *scenario,
                      const struct world_overrides *overrides, struct failure *failure) {
    struct failure unused;
    origin->recording = state_directory_read(directory, failure);
    if (origin->recording == NULL) {
        return -1;
    }
    origin->start = simulation_recording_of(origin->recording, overrides);
    origin->start.is_journal = true;
    origin->start.is_of_other_core = check_core(origin, &origin->start.facts->last, &unused) != 0;
    return scenario == NULL ? 0 : check_scenario(origin, directory, scenario, failure);
}

/* A world that is there already has its seed and rate. */
static int check_overrides(const struct origin *origin, const struct world_overrides *overrides,
                           struct failure *failure) {
    const struct recording_facts *facts = origin->start.facts;
    if (facts->world_count == 0) {
        return failure_set(failure, FAILURE_BAD_SAVE, NULL, "the recording has no world");
    }
    const struct recording_world *world = &facts->worlds[facts->world_count - 1];
    if (overrides->has_seed && overrides->seed != world->seed) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--seed",
                           "--seed %" PRIu64 ": the world that is there already has the seed %" PRIu64
                           "; without --seed it goes on",
                           overrides->seed, world->seed);
    }
    if (overrides->tick_hz > 0.0 && fabs(overrides->tick_hz - world->tick_hz) > 0.0) {
        return failure_set(
            failure, FAILURE_BAD_PARAM, "--tick-hz",
            "--tick-hz %g: the world that is there already has %g ticks a second; without --tick-hz it "
            "goes on",
            overrides->tick_hz, world->tick_hz);
    }
    return 0;
}

static void close_origin(struct origin *origin) {
    recording_close(origin->recording);
    *origin = (struct origin){0};
}

/* Opens it and puts it into the definition, which needs it until simulation_destroy.
 *
 * directory  that of --state; NULL: none
 * scenario   the name of the scenario that the command line has; NULL: none
 * returns    0; or -1 with *failure, and nothing is open */
static int open_origin(struct origin *origin, const struct server_options *options,
                       struct state_directory *directory, const char *scenario, struct simulation_def *def,
                       struct failure *failure) {
    const bool holds = directory != NULL && state_directory_has_world(directory);
    const char *given = options->replay[0] != '\0' ? "--replay" : "--from";
    int result = 0;
    *origin = (struct origin){0};
    if (scenario != NULL && (options->replay[0] != '\0' || options->from[0] != '\0')) {
        result = failure_set(failure, FAILURE_BAD_PARAM, given, "%s takes no scenario beside it; found %s",
                             given, scenario);
    } else if (options->replay[0] != '\0') {
        result = open_replay(origin, options, &def->overrides, failure);
        def->replay = &origin->start;
    } else if (options->from[0] != '\0' && holds) {
        result = failure_set(failure, FAILURE_EXISTS, "--from",
                             "%.200s holds a world already; --state-new puts it aside",
                             state_directory_path(directory));
    } else if (options->from[0] != '\0') {
        result = open_from(origin, options, directory, &def->overrides, failure);
        def->resume = &origin->start;
    } else if (holds) {
        result = open_state(origin, directory, scenario, &def->overrides, failure);
        def->resume = &origin->start;
    }
    if (result == 0 && def->resume != NULL) {
        result = check_overrides(origin, &def->overrides, failure);
    }
    if (result != 0) {
        close_origin(origin);
    }
    return result;
}

/* ---- from the command line to the end ---- */

enum { EXIT_USAGE = 2, EXIT_LOST = 4, OUTPUT_BYTES = 512, NAMES_BYTES = 960, STACK_LEAST = 1 << 20 };

/* What may be over when the program is started again is a failure of the system. Returns the exit code. */
static int complain(const struct server_options *options, const struct failure *failure) {
    log_plain("%s: %s", options->program, failure->message);
    switch (failure->code) {
    case FAILURE_BUSY:
    case FAILURE_IO:
    case FAILURE_IN_USE:
    case FAILURE_INTERNAL:
        return EXIT_FAILURE;
    default:
        return EXIT_USAGE;
    }
}

/* Says on stdout where the server listens: by a thread, since a stdout that is not read (a stopped terminal,
 * a full pipe) must not keep it from serving. */
static void announce(struct line_writer *output, const struct server *server) {
    static char ring[OUTPUT_BYTES];
    char line[OUTPUT_BYTES];
    const char *page = server_web_address(server);
    const int length = snprintf(line, sizeof line, "drover-server listening on %s\n%s%s%s",
                                server_address(server), page == NULL ? "" : "drover-server page at ",
                                page == NULL ? "" : page, page == NULL ? "" : "\n");
    if (length > 0 && (size_t)length < sizeof line) {
        (void)line_writer_start(output, ring, sizeof ring, NULL);
        line_writer_put(output, line, (size_t)length);
    }
}

/* The ranks of a cluster wait for a server that mpirun started as one of them by mistake. */
static void warn_of_mpirun(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    if (rank != NULL && ranks != NULL && strcmp(ranks, "1") != 0) {
        log_write(LOG_WARN, "server",
                  "mpirun started drover-server as rank %.10s of %.10s; it shares no world with others: "
                  "drover-cluster does",
                  rank, ranks);
    }
}

/* What a start has so far. */
struct start {
    const struct server_options *options;
    const struct server_ranks *ranks;  /* NULL: one process */
    struct server *server;             /* owned; it ends before its simulation */
    struct state_directory *directory; /* NULL: none */
};

/* Serves until a signal stops it, and ends the server. */
static int serve(struct start *start, struct simulation *simulation) {
    static struct line_writer output = LINE_WRITER_ON(STDOUT_FILENO);
    struct failure failure = {0};
    int result = server_take_simulation(start->server, simulation, &failure);
    if (result == 0) {
        if (start->ranks != NULL) {
            start->ranks->watch(start->ranks->context, server_wake, start->server);
        }
        announce(&output, start->server);
        if (server_web_address(start->server) != NULL) {
            log_write(LOG_INFO, "web", "the page is at %s", server_web_address(start->server));
        }
        result = server_run(start->server, &failure);
    }
    if (simulation_has_lost_rank(simulation)) {
        start->ranks->leave(
            start->ranks->context); /* the simulation thread waits for a rank that is no more */
    }
    if (start->ranks != NULL) {
        start->ranks->watch(start->ranks->context, NULL, NULL);
    }
    server_destroy(start->server);
    start->server = NULL;
    line_writer_stop(&output);
    return result == 0 ? EXIT_SUCCESS : complain(start->options, &failure);
}

/* What is written of the world, and where. */
struct written {
    struct state_directory *directory; /* NULL: none */
    struct save_store *saves;          /* NULL: saved worlds are in memory */
    struct logbook *logbook;           /* NULL: none */
    uint64_t past_bytes;               /* of --rewind */
};

static void close_written(struct written *written) {
    logbook_destroy(written->logbook);
    save_store_destroy(written->saves);
    state_directory_close(written->directory);
}

/* auto: drover-YYYYMMDD-HHMMSS.drover. */
static void name_recording(const char *option, char path[LOGBOOK_PATH]) {
    const time_t now = time(NULL);
    struct tm parts;
    if (strcmp(option, "auto") != 0 || localtime_r(&now, &parts) == NULL ||
        strftime(path, LOGBOOK_PATH, "drover-%Y%m%d-%H%M%S.drover", &parts) == 0) {
        (void)snprintf(path, LOGBOOK_PATH, "%s", option);
    }
}

/* The folder of recordings that clients ask for. */
static void name_folder(const struct server_options *options, const struct state_directory *directory,
                        char path[LOGBOOK_PATH]) {
    if (options->recordings[0] == '\0' && directory != NULL) {
        (void)snprintf(path, LOGBOOK_PATH, "%.4000s/recordings", state_directory_path(directory));
    } else {
        (void)snprintf(path, LOGBOOK_PATH, "%s", options->recordings[0] == '\0' ? "." : options->recordings);
    }
}

static int open_logbook(const struct server_options *options, const struct server_keeping *keeping,
                        const struct world_overrides *overrides, struct written *written,
                        struct failure *failure) {
    char record[LOGBOOK_PATH], recordings[LOGBOOK_PATH], build[RECORDING_VALUE_BYTES];
    const enum simd simd = overrides->has_simd ? overrides->simd : simd_best();
    name_recording(options->record, record);
    name_folder(options, written->directory, recordings);
    (void)snprintf(build, sizeof build, "%s, %s", COMPILER, simd_names[simd]);
    const struct logbook_def def = {.directory = written->directory,
                                    .sync_s = keeping->sync_s,
                                    .is_always = keeping->is_always,
                                    .keep_bytes = keeping->keep_bytes,
                                    .checkpoint_every_s = options->checkpoint_every_s,
                                    .record = record,
                                    .record_max = keeping->record_max,
                                    .memory_bytes = keeping->memory_bytes,
                                    .recordings = recordings,
                                    .build = build};
    written->logbook = logbook_create(&def, failure);
    return written->logbook == NULL ? -1 : 0;
}

/* Opens what the options say. */
static int open_written(const struct server_options *options, const struct simulation_def *def,
                        struct written *written, struct failure *failure) {
    struct server_keeping keeping;
    *written = (struct written){0};
    if (server_options_keeping(options, &keeping, failure) != 0) {
        return -1;
    }
    written->past_bytes = keeping.past_bytes;
    if (options->state[0] != '\0') {
        written->directory = state_directory_open(options->state, options->is_state_new, failure);
        if (written->directory == NULL) {
            return -1;
        }
        written->saves = save_store_create(state_directory_saves(written->directory), failure);
        if (written->saves == NULL) {
            close_written(written);
            return -1;
        }
    }
    if (open_logbook(options, &keeping, &def->overrides, written, failure) != 0) {
        close_written(written);
        return -1;
    }
    return 0;
}

/* A folder that cannot be continued: the message says what is left to do. */
static int complain_of_state(const struct start *start, const struct failure *failure) {
    if (start->directory != NULL && state_directory_has_world(start->directory) &&
        strstr(failure->message, "--state-new") == NULL) {
        const bool is_for_others =
            failure->code == FAILURE_UNSUPPORTED; /* the message says for which ranks */
        log_plain("%s: %s; %s%.200s %s", start->options->program, failure->message,
                  is_for_others ? "" : "--state-new puts what ", state_directory_path(start->directory),
                  is_for_others ? "stays as it is" : "has aside");
        return EXIT_USAGE;
    }
    return complain(start->options, failure);
}

/* Serves the world of the definition. */
static int run_world(struct start *start, const struct simulation_def *def) {
    struct failure failure = {0};
    struct simulation *simulation = simulation_create(def, &failure);
    if (simulation == NULL) {
        return complain_of_state(start, &failure);
    }
    const int code = serve(start, simulation);
    simulation_destroy(simulation);
    return code == EXIT_SUCCESS && logbook_has_lost_end(def->logbook) ? EXIT_LOST : code;
}

/* Serves the world of the scenario, or the one that comes from elsewhere. */
static int run_origin(struct start *start, const struct scenario *named, struct simulation_def *def) {
    struct failure failure = {0};
    struct origin origin;
    if (open_origin(&origin, start->options, start->directory, named == NULL ? NULL : named->name, def,
                    &failure) != 0) {
        return complain_of_state(start, &failure);
    }
    def->scenario = named;
    const int code = run_world(start, def);
    def->scenario = NULL; /* the caller's */
    close_origin(&origin);
    return code;
}

/* A name that is none: the names that there are, in a line of their own. */
static void say_names(const struct scenario_library *library) {
    char names[NAMES_BYTES];
    if (scenario_library_names(library, names, sizeof names) > 0) {
        log_plain("there are: %s", names);
    }
}

/* A server that was given no name says which world it serves, and how to have another one. */
static void say_default(const struct scenario_library *library) {
    char names[NAMES_BYTES];
    const int count = scenario_library_names(library, names, sizeof names);
    log_write(LOG_INFO, "scenario",
              "none was named: this is %s; drover-server NAME serves one of the %d in %.200s",
              SERVER_DEFAULT_SCENARIO, count, library->directory);
}

/* Loads the scenario that is named, or the one that the folder was begun with, or the usual one. 0, or -1 with
 * *failure. */
static int load_scenario(const struct start *start, const char *argument, struct scenario_library *library,
                         struct scenario *scenario, struct failure *failure) {
    char begun[LIMIT_NAME_CHARS + 1] = "";
    struct failure reason = {0};
    const bool was_begun = start->options->replay[0] == '\0' && start->options->from[0] == '\0' &&
                           start->directory != NULL && state_directory_was_begun(start->directory);
    if (was_begun && argument == NULL && read_begun(start->directory, NULL, begun, failure) != 0) {
        return -1;
    }
    const char *name = argument != NULL ? argument : was_begun ? begun : SERVER_DEFAULT_SCENARIO;
    if (scenario_library_load_argument(library, name, scenario, &reason) != 0) {
        *failure = reason;
        return begun[0] == '\0'
                   ? -1
                   : failure_set(failure, FAILURE_BAD_SAVE, "--state",
                                 "%.200s was begun with the scenario %s, and no journal of it can "
                                 "be read; name the file of the scenario, or put all aside with "
                                 "--state-new (%.200s)",
                                 state_directory_path(start->directory), begun, reason.message);
    }
    if (was_begun && read_begun(start->directory, scenario->name, begun, failure) != 0) {
        scenario_fini(scenario);
        return -1;
    }
    if (argument == NULL && !was_begun) {
        say_default(library);
    }
    return 0;
}

/* --watch has no file. */
static int complain_of_watch(const struct server_options *options) {
    struct failure failure;
    (void)failure_set(&failure, FAILURE_BAD_PARAM, "--watch",
                      "--watch: there is no file to watch; name that of the scenario, such as ./world.json");
    return complain(options, &failure);
}

/* Loads the scenario, if one is named or needed, and serves its world. */
static int run_scenario(struct start *start, const char *argument, struct scenario_library *library,
                        struct simulation_def *def) {
    const struct server_options *options = start->options;
    struct failure failure = {0};
    struct scenario scenario;
    const bool is_elsewhere = options->replay[0] != '\0' || options->from[0] != '\0' ||
                              (start->directory != NULL && state_directory_has_world(start->directory));
    if (options->is_watching && (argument == NULL || options->replay[0] != '\0')) {
        return complain_of_watch(options);
    }
    if (argument == NULL && is_elsewhere) {
        return run_origin(start, NULL, def);
    }
    if (load_scenario(start, argument, library, &scenario, &failure) != 0) {
        const int code = complain(options, &failure);
        if (failure.code == FAILURE_NO_SCENARIO) {
            say_names(library);
        }
        return code;
    }
    int code = EXIT_USAGE;
    if (options->is_watching && library->given_path[0] == '\0') {
        code = complain_of_watch(options);
    } else if (built_world_check_counts(&scenario, &def->overrides, &failure) != 0) {
        log_plain("%s: %s: %s", options->program, argument != NULL ? argument : scenario.name,
                  failure.message);
    } else {
        if (options->is_watching) {
            server_watch(start->server, library->given_path, library->given_name);
        }
        code = run_origin(start, &scenario, def);
    }
    scenario_fini(&scenario);
    return code;
}

/* What takes the whole world at once, which no rank has in stripes. */
static int check_ranks(const struct server_options *options, const struct server_ranks *ranks,
                       struct failure *failure) {
    const struct {
        const char *name, *instead;
        bool is_given;
    } wholes[] = {
        {"--replay", "play it with drover-server", options->replay[0] != '\0'},
        {"--record", "use --state, whose checkpoints all ranks write", options->record[0] != '\0'},
        {"--selfcheck", "the ranks compare their ghosts, whatever is asked for", options->selfcheck_s > 0}};
    const bool is_whole = ranks == NULL || ranks->exchange->mode != EXCHANGE_STRIPES;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes && !is_whole; i++) {
        if (wholes[i].is_given) {
            return failure_set(failure, FAILURE_UNSUPPORTED, wholes[i].name,
                               "%s: no rank has the whole world with --mode stripes; %s, or use --mode copy",
                               wholes[i].name, wholes[i].instead);
        }
    }
    return 0;
}

static int run(const struct server_options *options, const char *argument, struct scenario_library *library,
               const struct server_ranks *ranks) {
    struct failure failure = {0};
    struct written written;
    struct simulation_def def = {.source = scenario_library_source(library),
                                 .is_paused = options->is_paused,
                                 .is_realtime = options->is_realtime,
                                 .threads = server_options_threads(options)};
    if (ranks != NULL) {
        def.exchange = ranks->exchange;
        def.ranks = ranks->state;
        def.threads = ranks->threads;
        def.lost = ranks->lost;
    }
    if (server_options_overrides(options, &def.overrides, &failure) != 0 ||
        server_options_simd(getenv("DROVER_SIMD"), &def.overrides, &failure) != 0) {
        return complain(options, &failure);
    }
    if (check_ranks(options, ranks, &failure) != 0) {
        return complain(options, &failure);
    }
    def.overrides.memory_free = memory_free;
    def.overrides.ranks_beside = ranks != NULL ? ranks->beside : 0;
    def.overrides.hosts = ranks != NULL ? ranks->hosts : NULL;
    def.overrides.host_count = ranks != NULL ? ranks->host_count : 0;
    def.overrides.stripes =
        ranks != NULL && ranks->exchange->mode == EXCHANGE_STRIPES ? ranks->exchange->ranks : 0;
    if (ranks == NULL) {
        warn_of_mpirun();
    }
    struct start start = {.options = options, .ranks = ranks, .server = server_create(options, &failure)};
    if (start.server == NULL || open_written(options, &def, &written, &failure) != 0) {
        server_destroy(start.server);
        return complain(options, &failure);
    }
    start.directory = written.directory;
    def.logbook = written.logbook;
    def.past_bytes = written.past_bytes;
    def.selfcheck_s = (double)options->selfcheck_s;
    def.saves = written.saves;
    const int code = run_scenario(&start, argument, library, &def);
    server_destroy(start.server);
    close_written(&written);
    return code;
}

/* Nothing is lost by an end at any moment: what is on disk is as after a crash. */
static void exit_early(int number) {
    (void)number;
    _exit(EXIT_SUCCESS);
}

/* From the options to the end. */
static int start(const struct server_options *options, const char *argument,
                 const struct server_ranks *ranks) {
    struct failure failure = {0};
    struct scenario_library library;
    signal(SIGINT, exit_early); /* until the server is ready */
    signal(SIGTERM, exit_early);
    if (scenario_library_init(&library, options->scenarios, &failure) != 0) {
        return complain(options, &failure);
    }
    const int code = run(options, argument, &library, ranks);
    scenario_library_fini(&library);
    return code;
}

/* One line a mistake: FILE:LINE:COLUMN: PATH: WHAT. Returns whether there was none. */
static bool check_file(const char *path) {
    enum { MISTAKES = 100 };
    struct failure *rows = calloc(MISTAKES, sizeof *rows);
    if (rows == NULL) {
        (void)printf("%s: out of memory\n", path);
        return false;
    }
    struct scenario_mistakes mistakes = {.rows = rows, .capacity = MISTAKES};
    const bool is_good = scenario_file_check(path, &mistakes);
    for (int i = 0; i < mistakes.count; i++) {
        (void)printf("%s", path);
        if (rows[i].line > 0) {
            (void)printf(":%d:%d", rows[i].line, rows[i].column);
        }
        (void)printf(": %s%s%s\n", rows[i].field, rows[i].field[0] == '\0' ? "" : ": ", rows[i].message);
    }
    if (mistakes.count == MISTAKES) {
        (void)printf("%s: and perhaps more; these were the first %d\n", path, MISTAKES);
    }
    free(rows);
    return is_good;
}

/* Whether so many ranks can run in stripes the world that a file describes; otherwise a line as above. */
static bool check_stripes(const struct server_options *options, const char *path) {
    struct world_overrides overrides;
    struct scenario scenario;
    struct built_world built = {0};
    struct failure failure = {0};
    char text[STRIPES_REFUSAL];
    const char *why = failure.message;
    if (scenario_file_read(path, &scenario, &failure) == 0) {
        if (server_options_overrides(options, &overrides, &failure) == 0) {
            overrides.memory_free = memory_free;
            if (built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure) == 0) {
                why = world_stripes_refusal(built.world, options->stripes, text, sizeof text);
            }
            built_world_fini(&built);
        }
        scenario_fini(&scenario);
    }
    if (why != NULL) {
        (void)printf("%s: %s\n", path, why);
    }
    return why == NULL;
}

/* files: NULL-ended. */
static int check(const struct server_options *options, char *const *files) {
    struct failure failure = {0};
    bool is_good = true;
    if (files[0] == NULL) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "--check", "--check: expected FILE, or several");
        return complain(options, &failure);
    }
    for (; *files != NULL; files++) {
        is_good = check_file(*files) && (options->stripes == 0 || check_stripes(options, *files)) && is_good;
    }
    return is_good ? EXIT_SUCCESS : EXIT_USAGE;
}

/* Indented, as people read it. */
static int print_schema(const struct server_options *options) {
    struct failure failure = {0};
    struct buffer text;
    buffer_init(&text, 1 << 20);
    scenario_write_schema(&text);
    cJSON *schema = text.failed ? NULL : cJSON_ParseWithLength(text.data, text.length);
    char *shown = schema == NULL ? NULL : cJSON_Print(schema);
    if (shown != NULL) {
        (void)puts(shown);
    } else {
        (void)failure_set(&failure, FAILURE_BUSY, NULL, "out of memory");
    }
    cJSON_free(shown);
    cJSON_Delete(schema);
    buffer_fini(&text);
    return failure.code == FAILURE_NONE ? EXIT_SUCCESS : complain(options, &failure);
}

/* What was printed, or the reason why it was not. Returns the exit code. */
static int finish_output(const struct server_options *options, int code) {
    struct failure failure = {0};
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return code;
    }
    (void)failure_set(&failure, FAILURE_IO, NULL, "standard output: %s", strerror(errno));
    return complain(options, &failure);
}

/* Threads get as much as the main one. */
static int check_stack(struct failure *failure) {
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_LEAST) {
        return 0;
    }
    return failure_set(failure, FAILURE_BUSY, NULL,
                       "the stack is limited to %llu KB (ulimit -s); the server needs at least %d",
                       (unsigned long long)limit.rlim_cur >> 10, STACK_LEAST >> 10);
}

bool server_main_read(int argc, char **argv, struct server_options *options, const char **argument,
                      int *code) {
    struct failure failure = {0};
    struct options_def def = *server_options_def();
    def.program = options->program;
    *argument = NULL;
    *code = EXIT_USAGE;
    if (check_stack(&failure) != 0 || server_options_check_given(argc, argv, &failure) != 0) {
        *code = complain(options, &failure);
        return false;
    }
    switch (options_parse(&def, argc, argv, options, argument, &failure)) {
    case OPTIONS_EXIT:
        *code = finish_output(options, EXIT_SUCCESS);
        return false;
    case OPTIONS_BAD:
        *code = complain(options, &failure);
        return false;
    case OPTIONS_RUN:
        break;
    }
    log_set_level((enum log_level)options->log);
    log_set_format((enum log_format)options->log_format, options->program);
    log_detect_journal(getenv("JOURNAL_STREAM"));
    if (options->is_schema) {
        *code = finish_output(options, print_schema(options));
        return false;
    }
    if (options->is_check) {
        *code = finish_output(options, check(options, *argument == NULL ? argv + argc : argv + 1));
        return false;
    }
    if (*argument != NULL && argc > 2 && argv[2] != NULL) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL,
                          "unexpected argument \"%.60s\"; --help shows the usage", argv[2]);
        *code = complain(options, &failure);
        return false;
    }
    return true;
}

int server_main_run(const struct server_options *options, const char *argument,
                    const struct server_ranks *ranks) {
    log_start();
    const int code = start(options, argument, ranks);
    log_stop();
    return code;
}
