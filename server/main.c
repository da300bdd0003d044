/* drover-server: parses, builds, runs, tears down. Exit codes: 0 told to stop, 1 a failure of the machine, 2
 * a mistake on the command line, in the scenario, or a port in use. */
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "server/options.h"
#include "server/scenario_library.h"
#include "server/server.h"
#include "server/simulation.h"

enum { EXIT_USAGE = 2 };

static int complain(const struct failure *failure, int code) {
    (void)fprintf(stderr, "drover-server: %s\n", failure->message);
    return code;
}

/* Serves until told to stop. */
static int serve(const struct server_options *options, struct simulation *simulation) {
    struct failure failure = {0};
    struct server *server = server_create(options, simulation, &failure);
    if (server == NULL) {
        return complain(&failure, EXIT_USAGE);
    }
    (void)printf("drover-server listening on %s\n", server_address(server));
    (void)fflush(stdout);
    const int result = server_run(server, &failure);
    server_destroy(server);
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

int main(int argc, char **argv) {
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
    struct scenario_library library;
    if (scenario_library_init(&library, options.scenarios, &failure) != 0) {
        return complain(&failure, EXIT_USAGE);
    }
    const int code = run(&options, argument == NULL ? "seek" : argument, &library);
    scenario_library_fini(&library);
    return code;
}
