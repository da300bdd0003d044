/* See options.h. */
#include "server/options.h"

#include <string.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "common/system/log.h"
#include "server/library/scenario_library.h"
#include "server/simulation/worker_pool.h"

#define FRAME_MEMORY_LEAST ((uint64_t)64 << 10)
#define FRAME_MEMORY_MOST  ((uint64_t)1 << 40)

static const struct field option_fields[] = {
    {.name = "listen",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct server_options, listen),
     .unit = "ADDR",
     .help = "Address to listen on; one that others can reach needs --token-file or --insecure."},
    {.name = "port",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct server_options, port),
     .max = 65535,
     .unit = "N",
     .help = "TCP port; 0 takes a free one."},
    {.name = "seed",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct server_options, seed),
     .unit = "N",
     .help = "Random seed, 0 to 9007199254740991, in place of the scenarios' own."},
    {.name = "tick-hz",
     .type = FIELD_DOUBLE,
     FIELD_MEMBER(struct server_options, tick_hz),
     .max = LIMIT_TICK_HZ,
     .unit = "N",
     .help = "Ticks a second, at least 1, in place of the scenarios' own; 0 leaves theirs."},
    {.name = "scenarios",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct server_options, scenarios),
     .unit = "DIR",
     .help = "Where scenarios are found by name, in place of the folders below."},
    {.name = "paused",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct server_options, is_paused),
     .help = "Start paused; resume or step from a client."},
    {.name = "check",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct server_options, is_check),
     .help = "Start nothing: check the scenario files that are named, as many as you like, and print a line "
             "for every mistake; exit code 2 when there is one."},
    {.name = "max-clients",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct server_options, max_clients),
     .min = 1,
     .max = 65535,
     .unit = "N",
     .help = "Maximum number of clients; further clients are refused."},
    {.name = "max-per-address",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct server_options, max_per_address),
     .max = 65535,
     .unit = "N",
     .help = "Sessions of one address at once; 0: 64, and any number from this machine itself."},
    {.name = "rate",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct server_options, rate),
     .max = 1000000,
     .unit = "N",
     .help = "Requests a second of a session that does not wait for answers; 0: no limit."},
    {.name = "idle",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct server_options, idle_s),
     .max = 86400,
     .unit = "S",
     .help = "Idle timeout in seconds for clients without a subscription; 0: none."},
    {.name = "frame-memory",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct server_options, frame_memory),
     .unit = "BYTES",
     .help =
         "Memory for frames that wait to be read, all together, 64K to 1024G; K, M and G are 1024, 1024^2 "
         "and 1024^3 bytes."},
    {.name = "token-file",
     .type = FIELD_TEXT,
     FIELD_MEMBER(struct server_options, token_file),
     .unit = "FILE",
     .help = "Lines of ROLE TOKEN [NAME] (viewer, operator or admin); without it every client is admin."},
    {.name = "insecure",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct server_options, is_insecure),
     .help = "Listen on an address other than loopback without tokens; every client is admin."},
    {.name = "realtime",
     .type = FIELD_BOOL,
     FIELD_MEMBER(struct server_options, is_realtime),
     .help = "Ask the system to run ticks before everything else (SCHED_FIFO), and go on when it refuses."},
    {.name = "threads",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct server_options, threads),
     .max = WORKER_POOL_THREADS_MAX,
     .unit = "N",
     .help = "Threads that work on a tick; 0: one for each core but one. The state does not depend on it."},
    {.name = "log",
     .type = FIELD_CHOICE,
     FIELD_MEMBER(struct server_options, log),
     .choices = log_level_names,
     .unit = "LEVEL",
     .help = "What is logged on standard error."},
    {.type = FIELD_END},
};

static void print_scenarios(FILE *out) {
    struct scenario_library library;
    struct failure failure;
    if (scenario_library_init(&library, NULL, &failure) == 0) {
        (void)fprintf(out, "Now that is %s\n", library.directory);
        scenario_library_fini(&library);
    } else {
        (void)fputs("Now none of them is there.\n", out);
    }
}

static const struct options_def options_def = {
    .program = "drover-server",
    .summary =
        "Simulates a scenario of steered agents and serves it to viewers and scripts (see protocol.md).",
    .positional = "[SCENARIO | --check FILE...]",
    .positional_help = "A scenario's name, or a path to a .json file (default seek).",
    .takes_several = true,
    .table = option_fields,
    .epilog =
        "The first line on standard output says where the server listens.\n"
        "DROVER_SIMD=plain, sse2, avx2 or avx512 in the environment forces the instructions neighbors are\n"
        "summed with (otherwise the widest there are); the state does not depend on it.\n"
        "SIGHUP reads the token file again.\n"
        "SIGINT and SIGTERM say goodbye to the clients and end it with exit code 0.\n"
        "\n"
        "Without --scenarios the first of these folders that is there has the scenarios:\n"
        "  $XDG_DATA_HOME/drover/scenarios (~/.local/share/drover/scenarios when it is not set)\n"
        "  ../share/drover/scenarios beside this program\n"
        "  /usr/local/share/drover/scenarios\n"
        "  /usr/share/drover/scenarios",
    .print_more = print_scenarios,
};

struct server_options server_options_default(void) {
    return (struct server_options){.listen = "127.0.0.1",
                                   .port = 7717,
                                   .max_clients = LIMIT_CLIENTS,
                                   .rate = LIMIT_REQUEST_RATE,
                                   .idle_s = LIMIT_IDLE_SECONDS,
                                   .frame_memory = "1G",
                                   .log = LOG_INFO};
}

const struct options_def *server_options_def(void) {
    return &options_def;
}

int server_options_threads(const struct server_options *options) {
    if (options->threads > 0) {
        return (int)options->threads;
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores <= 2) {
        return 1;
    }
    return cores - 1 < WORKER_POOL_THREADS_MAX ? (int)cores - 1 : WORKER_POOL_THREADS_MAX;
}

static int read_seed(const char *text, uint64_t *seed, struct failure *failure) {
    uint64_t value = 0;
    const size_t length = strlen(text);
    bool is_good = length <= 16;
    for (size_t i = 0; i < length && is_good; i++) {
        is_good = text[i] >= '0' && text[i] <= '9';
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (!is_good || value > (uint64_t)LIMIT_ID_INTEGER) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--seed",
                           "--seed: expected an integer from 0 to 9007199254740991, found \"%s\"", text);
    }
    *seed = value;
    return 0;
}

int server_options_frame_memory(const struct server_options *options, uint64_t *bytes,
                                struct failure *failure) {
    static const char suffixes[] = "KMG";
    const char *text = options->frame_memory;
    const size_t digits = strspn(text, "0123456789");
    const char *suffix = text[digits] == '\0' ? "" : strchr(suffixes, text[digits]);
    *bytes = 0;
    for (size_t i = 0; i < digits && digits <= 15; i++) {
        *bytes = *bytes * 10 + (uint64_t)(text[i] - '0');
    }
    if (suffix != NULL && *suffix != '\0') {
        const unsigned shift = 10u * (unsigned)(suffix - suffixes + 1);
        *bytes = *bytes > FRAME_MEMORY_MOST >> shift ? FRAME_MEMORY_MOST + 1 : *bytes << shift;
        suffix = text + digits + 1;
    }
    if (suffix == NULL || *suffix != '\0' || *bytes < FRAME_MEMORY_LEAST || *bytes > FRAME_MEMORY_MOST) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--frame-memory",
                           "--frame-memory: expected bytes from 64K to 1024G, found \"%s\"", text);
    }
    return 0;
}

int server_options_overrides(const struct server_options *options, struct world_overrides *out,
                             struct failure *failure) {
    *out = (struct world_overrides){.has_seed = options->seed[0] != '\0', .tick_hz = options->tick_hz};
    if (options->tick_hz > 0.0 && options->tick_hz < 1.0) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--tick-hz", "--tick-hz: the smallest rate is 1");
    }
    return out->has_seed ? read_seed(options->seed, &out->seed, failure) : 0;
}

int server_options_simd(const char *text, struct world_overrides *out, struct failure *failure) {
    if (text == NULL || text[0] == '\0') {
        return 0;
    }
    const int simd = simd_from_name(text);
    if (simd < 0) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "DROVER_SIMD",
                           "DROVER_SIMD: expected plain, sse2, avx2 or avx512, found \"%s\"", text);
    }
    if (!simd_is_supported((enum simd)simd)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "DROVER_SIMD",
                           "DROVER_SIMD: this machine has no %s", text);
    }
    out->has_simd = true;
    out->simd = (enum simd)simd;
    return 0;
}
