/* drover-server: parses, builds, runs, tears down; or checks files. Exit codes: 0 stopped by a signal, 1 a failure
 * of the machine, 2 a mistake on the command line, in the scenario, or a port in use, 128 and the signal's
 * number after a second signal before it had ended. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/system/descriptors.h"
#include "common/system/line_writer.h"
#include "common/system/log.h"
#include "server/descriptor_limit.h"
#include "server/library/scenario_file.h"
#include "server/library/scenario_library.h"
#include "server/options.h"
#include "server/server.h"
#include "server/simulation/simulation.h"

enum { EXIT_USAGE = 2, OUTPUT_BYTES = 256 };

static int complain(const struct failure *failure, int code) {
    log_plain("drover-server: %s", failure->message);
    return code;
}

/* Says on stdout where the server listens: by a thread, since a stdout that is not read (a stopped terminal,
 * a full pipe) must not keep it from serving. */
static void announce(struct line_writer *output, const struct server *server) {
    static char ring[OUTPUT_BYTES];
    char line[OUTPUT_BYTES];
    const int length = snprintf(line, sizeof line, "drover-server listening on %s\n", server_address(server));
    if (length > 0 && (size_t)length < sizeof line) {
        (void)line_writer_start(output, ring, sizeof ring, NULL);
        line_writer_put(output, line, (size_t)length);
    }
}

static void make_room(uint32_t clients) {
    uint64_t limit = 0;
    const uint32_t fit = descriptor_limit_raise(clients, &limit);
    if (fit < clients) {
        log_write(LOG_WARN, "server",
                  "open files are limited to %llu (ulimit -Hn): room for %u clients, not for the %u of "
                  "--max-clients",
                  (unsigned long long)limit, fit, clients);
    }
}

/* Serves until a signal stops it. */
static int serve(const struct server_options *options, struct simulation *simulation) {
    static struct line_writer output = LINE_WRITER_ON(STDOUT_FILENO);
    struct failure failure = {0};
    make_room(options->max_clients);
    struct server *server = server_create(options, simulation, &failure);
    if (server == NULL) {
        return complain(&failure, EXIT_USAGE);
    }
    announce(&output, server);
    const int result = server_run(server, &failure);
    server_destroy(server);
    line_writer_stop(&output);
    return result == 0 ? EXIT_SUCCESS : complain(&failure, EXIT_FAILURE);
}

/* Loads the scenario, builds its world and serves it. */
static int run(const struct server_options *options, const char *argument, struct scenario_library *library) {
    struct failure failure = {0};
    struct simulation_def def = {.source = scenario_library_source(library),
                                 .is_paused = options->is_paused,
                                 .is_realtime = options->is_realtime,
                                 .threads = server_options_threads(options)};
    if (server_options_overrides(options, &def.overrides, &failure) != 0 ||
        server_options_simd(getenv("DROVER_SIMD"), &def.overrides, &failure) != 0) {
        return complain(&failure, EXIT_USAGE);
    }
    struct scenario scenario;
    if (scenario_library_load_argument(library, argument, &scenario, &failure) != 0) {
        return complain(&failure, EXIT_USAGE);
    }
    def.scenario = &scenario;
    struct simulation *simulation = simulation_create(&def, &failure);
    scenario_fini(&scenario);
    if (simulation == NULL) {
        return complain(&failure, EXIT_USAGE);
    }
    const int code = serve(options, simulation);
    simulation_destroy(simulation);
    return code;
}

/* From the options to the end. */
static int start(const struct server_options *options, const char *argument) {
    struct failure failure = {0};
    struct scenario_library library;
    if (scenario_library_init(&library, options->scenarios, &failure) != 0) {
        return complain(&failure, EXIT_USAGE);
    }
    const int code = run(options, argument == NULL ? "seek" : argument, &library);
    scenario_library_fini(&library);
    return code;
}

/* One line a mistake: FILE: PLACE: WHAT. Returns whether there was none. */
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
        (void)printf("%s: %s%s%s\n", path, rows[i].field, rows[i].field[0] == '\0' ? "" : ": ",
                     rows[i].message);
    }
    if (mistakes.count == MISTAKES) {
        (void)printf("%s: and perhaps more; these were the first %d\n", path, MISTAKES);
    }
    free(rows);
    return is_good;
}

/* files: NULL-ended. */
static int check(char *const *files) {
    struct failure failure = {0};
    bool is_good = true;
    if (files[0] == NULL) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, "--check", "--check: expected FILE, or several");
        return complain(&failure, EXIT_USAGE);
    }
    for (; *files != NULL; files++) {
        is_good = check_file(*files) && is_good;
    }
    return is_good ? EXIT_SUCCESS : EXIT_USAGE;
}

int main(int argc, char **argv) {
    if (descriptors_fill_standard() != 0) {
        perror("drover-server: /dev/null");
        return EXIT_FAILURE;
    }
    struct server_options options = server_options_default();
    struct failure failure = {0};
    const char *argument = NULL;
    switch (options_parse(server_options_def(), argc, argv, &options, &argument, &failure)) {
    case OPTIONS_EXIT:
        return EXIT_SUCCESS;
    case OPTIONS_BAD:
        return complain(&failure, EXIT_USAGE);
    case OPTIONS_RUN:
        break;
    }
    log_set_level((enum log_level)options.log);
    if (options.is_check) {
        return check(argument == NULL ? argv + argc : argv + 1);
    }
    if (argument != NULL && argc > 2 && argv[2] != NULL) {
        (void)failure_set(&failure, FAILURE_BAD_PARAM, NULL,
                          "unexpected argument \"%.60s\"; --help shows the usage", argv[2]);
        return complain(&failure, EXIT_USAGE);
    }
    log_start();
    const int code = start(&options, argument);
    log_stop();
    return code;
}
