/* See options.h. */
#include "server/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/limits.h"
#include "common/system/log.h"
#include "server/library/scenario_library.h"
#include "server/simulation/looks.h"
#include "server/simulation/worker_pool.h"
#include "server/storage/seconds_writer.h"

#define FRAME_MEMORY_LEAST ((uint64_t)64 << 10)
#define FRAME_MEMORY_MOST  ((uint64_t)1 << 40)
#define KEEP_MOST          ((uint64_t)1 << 40)
#define RECORD_MAX_LEAST   ((uint64_t)64 << 10)

static const char *const metrics_names[] = {[SERVER_METRICS_ON] = "on", [SERVER_METRICS_OFF] = "off", NULL};

static const char *const seconds_layout_names[] = {
    [SECONDS_AUTO] = "auto", [SECONDS_PACKED] = "packed", [SECONDS_DENSITY] = "density", NULL};

static const struct field option_fields[] = {
    OPTION_TEXT(
        struct server_options, listen, "listen", "ADDR",
        "Address to listen on (::1 for IPv6); one that others can reach needs --token-file or --insecure."),
    OPTION_NUMBER(struct server_options, port, "port", 0, 65535, 0, "N", "TCP port; 0 takes a free one."),
    OPTION_TEXT(struct server_options, seed, "seed", "N",
                "Random seed, 0 to 9007199254740991, in place of the scenarios' own."),
    OPTION_NUMBER(struct server_options, tick_hz, "tick-hz", 0, LIMIT_TICK_HZ, 0, "N",
                  "Ticks a second, at least 1, in place of the scenarios' own; 0 leaves theirs."),
    OPTION_TEXT(struct server_options, scenarios, "scenarios", "DIR",
                "Where scenarios are found by name, in place of the folders below."),
    OPTION_FLAG(struct server_options, is_paused, "paused", "Start paused; resume or step from a client."),
    OPTION_FLAG(struct server_options, is_check, "check",
                "Start nothing: check the scenario files that are named, as many as you like, and print a "
                "line for every mistake; exit code 2 when there is one."),
    OPTION_FLAG(struct server_options, is_schema, "schema",
                "Start nothing: print the JSON Schema of scenario files, with which an editor completes and "
                "explains them."),
    OPTION_FLAG(
        struct server_options, is_watching, "watch",
        "Load the scenario's file again whenever it is saved; one with a mistake is not taken, and the "
        "mistake is logged and shown in viewers."),
    OPTION_NUMBER(struct server_options, max_clients, "max-clients", 1, 65535, 0, "N",
                  "Maximum number of clients; further clients are refused."),
    OPTION_NUMBER(struct server_options, max_per_address, "max-per-address", 0, 65535, 0, "N",
                  "Sessions of one address at once; 0: 64, and any number from this machine itself."),
    OPTION_NUMBER(struct server_options, rate, "rate", 0, 1000000, 0, "N",
                  "Requests a second of a session that does not wait for answers; 0: no limit."),
    OPTION_NUMBER(struct server_options, idle_s, "idle", 0, 86400, 0, "S",
                  "Idle timeout in seconds for clients without a subscription; 0: none."),
    OPTION_NUMBER(
        struct server_options, max_agents, "max-agents", 1, LIMIT_AGENTS, 0, "N",
        "Agents that a world may have, 1048576 when not given; the start says what memory they take."),
    OPTION_TEXT(struct server_options, frame_memory, "frame-memory", "BYTES",
                "Memory for frames that wait to be read, all together, 64K to 1024G; K, M and G are 1024, "
                "1024^2 and 1024^3 bytes."),
    OPTION_TEXT(struct server_options, token_file, "token-file", "FILE",
                "Lines of ROLE TOKEN [NAME] (viewer, operator or admin); without it every client is admin."),
    OPTION_FLAG(struct server_options, is_insecure, "insecure",
                "Listen on an address other than loopback without tokens; every client is admin."),
    OPTION_FLAG(
        struct server_options, is_realtime, "realtime",
        "Ask the system to run ticks before everything else (SCHED_FIFO), and go on when it refuses."),
    OPTION_NUMBER(
        struct server_options, threads, "threads", 0, WORKER_POOL_THREADS_MAX, 0, "N",
        "Threads that work on a tick; 0: one for each core but one. The state does not depend on it."),
    OPTION_TEXT(
        struct server_options, state, "state", "DIR",
        "Keep the world in this folder, and go on from there at the next start, after a crash as well."),
    OPTION_FLAG(struct server_options, is_state_new, "state-new",
                "Put what the folder of --state holds aside and begin with a new world."),
    OPTION_TEXT(struct server_options, sync, "sync", "S",
                "Seconds of the world that a power cut may cost at most, 0.1 to 3600; always: a reply to a "
                "change leaves when the change is on disk."),
    OPTION_TEXT(struct server_options, keep, "keep", "BYTES",
                "How much of the past the folder of --state keeps, beyond what a start needs: bytes (K, M, "
                "G), or all."),
    OPTION_NUMBER(struct server_options, checkpoint_every_s, "checkpoint-every", 1.0, 86400.0, 0, "S",
                  "Seconds from one checkpoint to the next; more when a checkpoint is large."),
    OPTION_TEXT(struct server_options, from, "from", "SAVE",
                "Begin with a saved world: its name, its file, or a recording and a tick, FILE@TICK."),
    OPTION_TEXT(struct server_options, record, "record", "FILE",
                "Record to this file, which must not be there yet (.drover, or .drover.zst for a compressed "
                "one); auto: drover-YYYYMMDD-HHMMSS.drover in this folder."),
    OPTION_TEXT(
        struct server_options, record_max, "record-max", "BYTES",
        "Go on in a further recording, FILE-2, FILE-3 and so on, when one has so many bytes (K, M, G)."),
    OPTION_TEXT(struct server_options, memory, "memory", "BYTES",
                "Memory for the last minutes of the world, which the request record can write when they have "
                "turned out to matter: bytes (K, M, G), 320 an agent; 0: none."),
    OPTION_TEXT(struct server_options, rewind, "rewind", "BYTES",
                "Memory for checkpoints of the running world, so that the request rewind can go back: bytes "
                "(K, M, G); 0: none."),
    OPTION_NUMBER(struct server_options, looks, "looks", 0, LOOKS_MOST, 0, "N",
                  "Sessions that may look at another time at once; 0: none."),
    OPTION_TEXT(struct server_options, recordings, "recordings", "DIR",
                "Where recordings go that clients ask for; otherwise the folder recordings of --state, or "
                "this folder."),
    OPTION_NUMBER(struct server_options, selfcheck_s, "selfcheck", 0, 3600, 0, "S",
                  "Simulate the last so many seconds again, all the time and with other instructions, and "
                  "compare; 0: off."),
    OPTION_TEXT(struct server_options, replay, "replay", "FILE", "Play a recording."),
    OPTION_TEXT(struct server_options, at, "at", "TICK", "Where --replay begins."),
    OPTION_FLAG(struct server_options, is_anyway, "anyway",
                "Play a recording that needs another core, whatever comes of it."),
    OPTION_TEXT(struct server_options, web, "web", "[ADDR:]PORT",
                "Serve the page for browsers and WebSocket there, or on unix:PATH, behind a proxy; an "
                "address that others can reach needs --token-file or --insecure."),
    OPTION_TEXTS(
        struct server_options, web_host, "web-host", "NAME",
        "A name that browsers may reach --web by, besides localhost and its address; may be repeated."),
    OPTION_TEXTS(struct server_options, web_origin, "web-origin", "ORIGIN",
                 "A site whose pages may open a WebSocket, such as https://example.org; may be repeated."),
    OPTION_CHOICE(struct server_options, web_metrics, "web-metrics", metrics_names, "on|off",
                  "Whether --web answers /metrics, to those with a token where there is a token file."),
    OPTION_FLAG(struct server_options, is_ready_with_journal, "ready-journal",
                "/readyz of --web answers 503 also while the journal of --state has ended."),
    OPTION_TEXT(struct server_options, seconds, "seconds", "DIR",
                "Write what viewers see into this folder, second by second, for a web server to hand out to "
                "any number of watchers."),
    OPTION_NUMBER(struct server_options, seconds_keep, "seconds-keep", 10, 604800, 0, "N",
                  "How many seconds the folder of --seconds keeps, 600 when not given."),
    OPTION_CHOICE(
        struct server_options, seconds_layout, "seconds-layout", seconds_layout_names, "NAME",
        "How --seconds writes agents: packed, density (counts in a grid), or auto, which is density "
        "above 200000 agents."),
    OPTION_CHOICE(struct server_options, log, "log", log_level_names, "LEVEL",
                  "What is logged on standard error."),
    OPTION_CHOICE(struct server_options, log_format, "log-format", log_format_names, "FORMAT",
                  "Lines of the log as text, or each a JSON object with ts, level, module and msg."),
    OPTIONS_END,
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
    .positional_help = "A scenario's name, or a path to a .json file (default " SERVER_DEFAULT_SCENARIO ").",
    .takes_several = true,
    .table = option_fields,
    .epilog =
        "The first line on standard output says where the server listens, the second one where the page is.\n"
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
    return (struct server_options){.program = options_def.program,
                                   .listen = "127.0.0.1",
                                   .port = 7717,
                                   .max_clients = LIMIT_CLIENTS,
                                   .rate = LIMIT_REQUEST_RATE,
                                   .idle_s = LIMIT_IDLE_SECONDS,
                                   .frame_memory = "1G",
                                   .max_agents = LIMIT_AGENTS_USUAL,
                                   .sync = "1",
                                   .keep = "0",
                                   .memory = "64M",
                                   .seconds_keep = SECONDS_KEEP_USUAL,
                                   .rewind = "256M",
                                   .looks = 4,
                                   .checkpoint_every_s = 60.0,
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

static int read_whole(const char *name, const char *text, uint64_t *out, struct failure *failure) {
    uint64_t value = 0;
    const size_t length = strlen(text);
    bool is_good = length > 0 && length <= 16;
    for (size_t i = 0; i < length && is_good; i++) {
        is_good = text[i] >= '0' && text[i] <= '9';
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (!is_good || value > (uint64_t)LIMIT_ID_INTEGER) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, name,
                           "%s: expected an integer from 0 to 9007199254740991, found \"%s\"", name, text);
    }
    *out = value;
    return 0;
}

/* Bytes as digits, and K, M or G. False when the text is something else, or more than most. */
static bool read_bytes(const char *text, uint64_t most, uint64_t *bytes) {
    static const char suffixes[] = "KMG";
    const size_t digits = strspn(text, "0123456789");
    const char *suffix = text[digits] == '\0' ? "" : strchr(suffixes, text[digits]);
    *bytes = 0;
    for (size_t i = 0; i < digits && digits <= 15; i++) {
        *bytes = *bytes * 10 + (uint64_t)(text[i] - '0');
    }
    if (suffix != NULL && *suffix != '\0') {
        const unsigned shift = 10u * (unsigned)(suffix - suffixes + 1);
        *bytes = *bytes > most >> shift ? most + 1 : *bytes << shift;
        suffix = text + digits + 1;
    }
    return digits > 0 && digits <= 15 && suffix != NULL && *suffix == '\0' && *bytes <= most;
}

int server_options_frame_memory(const struct server_options *options, uint64_t *bytes,
                                struct failure *failure) {
    if (!read_bytes(options->frame_memory, FRAME_MEMORY_MOST, bytes) || *bytes < FRAME_MEMORY_LEAST) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--frame-memory",
                           "--frame-memory: expected bytes from 64K to 1024G, found \"%s\"",
                           options->frame_memory);
    }
    return 0;
}

static int read_sync(const char *text, struct server_keeping *out, struct failure *failure) {
    char *end = NULL;
    out->is_always = strcmp(text, "always") == 0;
    out->sync_s = out->is_always ? 1.0 : strtod(text, &end);
    const bool is_number =
        out->is_always || (end != text && *end == '\0' && text[0] >= '0' && text[0] <= '9');
    if (!is_number || !(out->sync_s >= 0.1 && out->sync_s <= 3600.0)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--sync",
                           "--sync: expected seconds from 0.1 to 3600, or always, found \"%s\"", text);
    }
    return 0;
}

static int read_sizes(const struct server_options *options, struct server_keeping *out,
                      struct failure *failure) {
    out->keep_bytes = UINT64_MAX;
    if (strcmp(options->keep, "all") != 0 && !read_bytes(options->keep, KEEP_MOST, &out->keep_bytes)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--keep",
                           "--keep: expected bytes from 0 to 1024G, or all, found \"%s\"", options->keep);
    }
    if (!read_bytes(options->memory, KEEP_MOST, &out->memory_bytes)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--memory",
                           "--memory: expected bytes from 0 to 1024G, found \"%s\"", options->memory);
    }
    if (!read_bytes(options->rewind, KEEP_MOST, &out->past_bytes)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--rewind",
                           "--rewind: expected bytes from 0 to 1024G, found \"%s\"", options->rewind);
    }
    if (options->record_max[0] != '\0' && (!read_bytes(options->record_max, KEEP_MOST, &out->record_max) ||
                                           out->record_max < RECORD_MAX_LEAST)) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--record-max",
                           "--record-max: expected bytes from 64K to 1024G, found \"%s\"",
                           options->record_max);
    }
    return 0;
}

/* An option that makes no sense without another one, or with it. */
struct option_pair {
    const char *name, *other;
    bool is_given, is_other_given, is_wanted;
};

/* An empty text is no file, though it is given. */
int server_options_check_given(int argc, char *const *argv, struct failure *failure) {
    static const struct {
        const char *name, *wanted;
    } paths[] = {{"--state", "a folder"},   {"--record", "a file, or auto"}, {"--recordings", "a folder"},
                 {"--seconds", "a folder"}, {"--replay", "a file"},          {"--from", "a save or a file"}};
    for (int i = 1; i < argc; i++) {
        for (size_t j = 0; j < sizeof paths / sizeof *paths; j++) {
            const size_t length = strlen(paths[j].name);
            const bool is_named = strncmp(argv[i], paths[j].name, length) == 0;
            const bool is_apart =
                is_named && argv[i][length] == '\0' && i + 1 < argc && argv[i + 1][0] == '\0';
            if (is_apart || (is_named && strcmp(argv[i] + length, "=") == 0)) {
                return failure_set(failure, FAILURE_BAD_PARAM, paths[j].name,
                                   "%s: expected %s, found nothing", paths[j].name, paths[j].wanted);
            }
        }
    }
    return 0;
}

static int check_pairs(const struct server_options *options, struct failure *failure) {
    const bool has_state = options->state[0] != '\0', has_record = options->record[0] != '\0',
               has_replay = options->replay[0] != '\0';
    const struct option_pair pairs[] = {
        {"--state-new", "--state", options->is_state_new, has_state, true},
        {"--keep", "--state", strcmp(options->keep, "0") != 0, has_state, true},
        {"--record-max", "--record", options->record_max[0] != '\0', has_record, true},
        {"--at", "--replay", options->at[0] != '\0', has_replay, true},
        {"--anyway", "--replay", options->is_anyway, has_replay || has_state || options->from[0] != '\0',
         true},
        {"--web-host", "--web", options->web_host[0] != '\0', options->web[0] != '\0', true},
        {"--web-metrics", "--web", options->web_metrics != SERVER_METRICS_ON, options->web[0] != '\0', true},
        {"--ready-journal", "--web", options->is_ready_with_journal, options->web[0] != '\0', true},
        {"--ready-journal", "--state", options->is_ready_with_journal, has_state, true},
        {"--web-origin", "--web", options->web_origin[0] != '\0', options->web[0] != '\0', true},
        {"--seconds-keep", "--seconds", options->seconds_keep != SECONDS_KEEP_USUAL,
         options->seconds[0] != '\0', true},
        {"--seconds-layout", "--seconds", options->seconds_layout != SECONDS_AUTO,
         options->seconds[0] != '\0', true},
        {"--replay", "--state", has_replay, has_state, false},
        {"--replay", "--from", has_replay, options->from[0] != '\0', false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].is_given && pairs[i].is_other_given != pairs[i].is_wanted) {
            return failure_set(failure, FAILURE_BAD_PARAM, pairs[i].name, "%s: allowed only %s %s",
                               pairs[i].name, pairs[i].is_wanted ? "with" : "without", pairs[i].other);
        }
    }
    return 0;
}

int server_options_keeping(const struct server_options *options, struct server_keeping *out,
                           struct failure *failure) {
    *out = (struct server_keeping){.has_at = options->at[0] != '\0'};
    if (read_sync(options->sync, out, failure) != 0 || read_sizes(options, out, failure) != 0 ||
        check_pairs(options, failure) != 0) {
        return -1;
    }
    return out->has_at ? read_whole("--at", options->at, &out->at, failure) : 0;
}

int server_options_overrides(const struct server_options *options, struct world_overrides *out,
                             struct failure *failure) {
    *out = (struct world_overrides){.has_seed = options->seed[0] != '\0',
                                    .tick_hz = options->tick_hz,
                                    .max_agents = (int32_t)options->max_agents,
                                    .agents_option = " (--max-agents)",
                                    .threads = server_options_threads(options)};
    if (options->tick_hz > 0.0 && options->tick_hz < 1.0) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, "--tick-hz", "--tick-hz: the smallest rate is 1");
    }
    return out->has_seed ? read_whole("--seed", options->seed, &out->seed, failure) : 0;
}

int server_options_web(const struct server_options *options, struct server_web *out,
                       struct failure *failure) {
    static const char scheme[] = "unix:";
    const char *text = options->web;
    const char *colon = strrchr(text, ':');
    const char *port = colon == NULL ? text : colon + 1;
    uint64_t number = 0;
    struct failure ignored;
    *out = (struct server_web){.is_unix = strncmp(text, scheme, sizeof scheme - 1) == 0};
    if (out->is_unix) {
        memcpy(out->address, text + sizeof scheme - 1, strlen(text) - (sizeof scheme - 1) + 1);
        return 0;
    }
    const bool is_bracketed = colon != NULL && text[0] == '[' && colon > text + 1 && colon[-1] == ']';
    if (read_whole("--web", port, &number, &ignored) != 0 || number > UINT16_MAX || colon == text) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--web",
                           "--web: expected [ADDR:]PORT or unix:PATH, found \"%s\"", text);
    }
    out->port = (uint32_t)number;
    const char *begin = colon == NULL ? "127.0.0.1" : text + (is_bracketed ? 1 : 0);
    const size_t length = colon == NULL ? strlen(begin) : (size_t)(colon - begin) - (is_bracketed ? 1 : 0);
    memcpy(out->address, begin, length);
    return 0;
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
