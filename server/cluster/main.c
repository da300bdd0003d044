/* drover-cluster: one world over the ranks that mpirun starts. Rank 0 is drover-server (server_main.h), the others do what
 * it orders. Its options are those of drover-server, and --mode copy|stripes.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/log.h"
#include "common/system/process.h"
#include "server/cluster/cluster.h"
#include "server/recording/checkpoint.h"
#include "server/server_main.h"

enum { EXIT_USAGE = 2, LIMIT_SPANS = 6, TIMEOUT_MOST_S = 600 };
/* s. The default of --rank-timeout. */
#define TIMEOUT_S 10.0

/* What the ranks share beside the world. */
struct parts {
    struct cluster cluster;
    struct exchange_mpi *exchange;
    struct order_channel *channel;
    struct rank_sender *sender;
    struct lifeline *lifeline;
};

/* The command line. */
struct start {
    enum exchange_mode mode;
    double timeout_s; /* after which a rank hangs; 0: never */
    struct server_options options;
    const char *argument; /* the scenario; NULL: none */
    const char *lost;     /* what --lost says; NULL: nothing */
};

/* ---- the command line ---- */

/* A number that mpirun gives its ranks before MPI has begun, or what it is without mpirun. */
static int told_by_mpirun(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text == NULL ? otherwise : (int)strtol(text, NULL, 10);
}

/* The same words stand on the command line of every rank: rank 0 complains for all. */
static bool is_first_rank(void) {
    return told_by_mpirun("OMPI_COMM_WORLD_RANK", 0) == 0;
}

static bool read_mode(const char *text, struct start *start) {
    start->mode = strcmp(text, "stripes") == 0 ? EXCHANGE_STRIPES : EXCHANGE_COPY;
    return strcmp(text, "stripes") == 0 || strcmp(text, "copy") == 0;
}

static bool read_timeout(const char *text, struct start *start) {
    char *end = NULL;
    start->timeout_s = strtod(text, &end);
    return end != text && *end == '\0' && start->timeout_s <= TIMEOUT_MOST_S &&
           (start->timeout_s >= 1.0 || start->timeout_s == 0.0);
}

static bool read_lost(const char *text, struct start *start) {
    start->lost = text;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~') {
            return false;
        }
    }
    return text[0] != '\0' && strlen(text) < MESSAGE_LOST;
}

/* The options that drover-server has not. */
static const struct {
    const char *name, *allowed;
    bool (*read)(const char *text, struct start *start);
} cluster_options[] = {
    {"--mode", "copy or stripes", read_mode},
    {"--rank-timeout", "1 to 600 seconds, or 0 for none", read_timeout},
    {"--lost", "1 to 191 characters of ASCII", read_lost},
};
enum { CLUSTER_OPTIONS = sizeof cluster_options / sizeof *cluster_options };

/* Takes `NAME VALUE` and `NAME=VALUE` out of the words. Returns how many are left, or -1: a value is wrong (said). */
static int take_option(int argc, char **argv, int option, struct start *start, bool *is_given) {
    const char *name = cluster_options[option].name;
    const size_t length = strlen(name);
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        const bool is_apart = strcmp(argv[i], name) == 0;
        if (!is_apart && (strncmp(argv[i], name, length) != 0 || argv[i][length] != '=')) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *text = !is_apart ? argv[i] + length + 1 : i + 1 < argc ? argv[++i] : "";
        *is_given = cluster_options[option].read(text, start);
        if (!*is_given) {
            return -1;
        }
    }
    argv[kept] = NULL;
    return kept;
}

/* Returns how many words are left, or -1 with a line on stderr. */
static int take_options(int argc, char **argv, struct start *start) {
    for (int i = 0; i < CLUSTER_OPTIONS; i++) {
        bool is_given = i > 0; /* --mode must be */
        argc = take_option(argc, argv, i, start, &is_given);
        if (argc < 0 || !is_given) {
            log_plain("drover-cluster: %s: expected %s", cluster_options[i].name, cluster_options[i].allowed);
            return -1;
        }
    }
    return argc;
}

static bool has_word(int argc, char **argv, const char *word) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static void print_use(void) {
    (void)puts(
        "Usage: mpirun -n RANKS drover-cluster --mode copy|stripes [SCENARIO] [OPTIONS]\n"
        "\n"
        "  --mode copy     every rank has the whole world and steps its share: all behaviors, all requests\n"
        "  --mode stripes  a rank has some rows of the world, and what borders on them\n"
        "  --rank-timeout SECONDS\n"
        "                  a rank for which the others wait so long, and that hangs, ends the world with "
        "exit code 3\n"
        "                  (1 to 600, or 0: none, for a debugger; default 10)\n"
        "  --lost TEXT     what ended the run before, for the event \"restarted\"; drover-cluster-run gives "
        "it\n"
        "\n"
        "  --help          shows this and exits\n"
        "  --version       shows the version and exits\n"
        "\n"
        "All other options are those of drover-server: drover-server --help shows them. --check FILE ... "
        "says of each\n"
        "scenario whether so many ranks would refuse it.");
}

/* False: the program ends with *code. */
static bool read_start(int argc, char **argv, struct start *start, int *code) {
    if (has_word(argc, argv, "--help") || has_word(argc, argv, "-h")) {
        print_use();
        *code = EXIT_SUCCESS;
        return false;
    }
    const int left = has_word(argc, argv, "--version") ? argc : take_options(argc, argv, start);
    if (left < 0) {
        *code = EXIT_USAGE;
        return false;
    }
    start->options = server_options_default();
    start->options.program = "drover-cluster";
    if (start->mode == EXCHANGE_STRIPES && is_first_rank()) { /* which checks files for all */
        start->options.stripes = told_by_mpirun("OMPI_COMM_WORLD_SIZE", 1);
    }
    return server_main_read(left, argv, &start->options, &start->argument, code);
}

/* The same without a word. */
static bool read_quietly(int argc, char **argv, struct start *start, int *code) {
    const int output = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    if (output < 0 || errors < 0 || nowhere < 0) {
        perror("drover-cluster");
        exit(EXIT_FAILURE);
    }
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    const bool is_good = read_start(argc, argv, start, code);
    (void)fflush(stdout);
    (void)dup2(output, STDOUT_FILENO);
    (void)dup2(errors, STDERR_FILENO);
    (void)close(output);
    (void)close(errors);
    (void)close(nowhere);
    return is_good;
}

/* ---- what all ranks have alike ---- */

/* A number for the program's file; 0 where it cannot be read. Piece by piece: a rank has no memory to spare. */
static uint64_t build_of_program(void) {
    char piece[1 << 16];
    uint64_t sum = 0;
    FILE *file = fopen("/proc/self/exe", "rbe");
    for (size_t count = 1; file != NULL && count > 0;) {
        count = fread(piece, 1, sizeof piece, file);
        sum = 3 * sum + checkpoint_part_sum(piece, count);
    }
    const bool is_read = file != NULL && ferror(file) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_read ? sum : 0;
}

/* The program, and what decides on the world, and on how and when ranks send each other what. Not among them: --threads and DROVER_SIMD,
 * which may suit each machine, and what is rank 0's alone. */
static void write_traits(const struct start *start, bool is_good, char text[CLUSTER_TRAITS_BYTES]) {
    const struct server_options *options = &start->options;
    int length = snprintf(text, CLUSTER_TRAITS_BYTES, "version %s\nbuild %016" PRIx64 "\ncommand-line %s\n",
                          DROVER_VERSION, build_of_program(), is_good ? "understood" : "with a mistake");
    if (is_good) {
        (void)snprintf(text + length, CLUSTER_TRAITS_BYTES - (size_t)length,
                       "--mode %s\n--rank-timeout %g\n--max-agents %" PRIu32
                       "\n--seed %s\n--tick-hz %g\n--state %.900s\n--from %.900s\n--replay %.900s\n"
                       "scenario %.900s\n",
                       start->mode == EXCHANGE_STRIPES ? "stripes" : "copy", start->timeout_s,
                       options->max_agents, options->seed, options->tick_hz, options->state, options->from,
                       options->replay, start->argument == NULL ? "" : start->argument);
    }
}

/* ---- the ranks ---- */

static void leave(void *context) {
    lifeline_leave(context);
}

static void watch(void *context, void (*wake)(void *server), void *server) {
    lifeline_watch(context, wake, server);
}

static int lead(struct parts *parts, const struct start *start, int threads) {
    struct conductor *conductor =
        conductor_create(&parts->cluster, parts->channel, parts->sender, parts->lifeline);
    int host_count = 0;
    struct host_room *hosts = cluster_hosts(&parts->cluster, &host_count);
    if (conductor == NULL || hosts == NULL) {
        cluster_fail(&parts->cluster, "out of memory");
    }
    const struct server_ranks ranks = {.exchange = exchange_mpi_exchange(parts->exchange),
                                       .state = conductor_ranks(conductor),
                                       .threads = threads,
                                       .lost = start->lost,
                                       .hosts = hosts,
                                       .host_count = host_count,
                                       .beside = parts->cluster.here - 1,
                                       .context = parts->lifeline,
                                       .watch = watch,
                                       .leave = leave};
    const int code = server_main_run(&start->options, start->argument, &ranks);
    lifeline_release(parts->lifeline);
    conductor_destroy(conductor);
    free(hosts);
    return code;
}

/* Signals are rank 0's, which ends all; mpirun passes them on to each. */
static int follow(struct parts *parts, const struct start *start, int threads) {
    struct failure failure = {0};
    struct follower_def def = {.cluster = &parts->cluster,
                               .channel = parts->channel,
                               .exchange = exchange_mpi_exchange(parts->exchange),
                               .sender = parts->sender,
                               .lifeline = parts->lifeline,
                               .threads = threads};
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    log_start();
    /* As rank 0, whose options all ranks were given. */
    def.overrides.max_agents = (int32_t)start->options.max_agents;
    def.overrides.memory_free = memory_free;
    def.overrides.stripes_rank = parts->cluster.rank;
    def.overrides.stripes = start->mode == EXCHANGE_STRIPES ? parts->cluster.ranks : 0;
    if (server_options_simd(getenv("DROVER_SIMD"), &def.overrides, &failure) != 0) {
        cluster_fail(&parts->cluster, failure.message);
    }
    follower_run(&def);
    log_stop();
    return EXIT_SUCCESS;
}

static void warn_of_crowding(const struct cluster *cluster, int threads) {
    if (cluster->ranks == 1) {
        log_write(LOG_WARN, "cluster",
                  "there is 1 rank, this one: mpirun -n RANKS drover-cluster starts more");
    }
    if (cluster->rank == 0 && threads == 1 && cluster->here > cluster_cores()) {
        log_write(LOG_WARN, "cluster",
                  "there are %d ranks on %s, which has %d cores: ranks without a core of their own hold up "
                  "all others",
                  cluster->here, cluster->all[0].host, cluster_cores());
    }
}

static int run(struct parts *parts, const struct start *start) {
    const int threads =
        start->options.threads > 0 ? (int)start->options.threads : cluster_threads(&parts->cluster);
    parts->exchange = exchange_mpi_create(&parts->cluster, start->mode);
    parts->channel = order_channel_create(&parts->cluster);
    if (parts->exchange == NULL || parts->channel == NULL) {
        cluster_fail(&parts->cluster, "out of memory");
    }
    parts->sender = rank_sender_create(&parts->cluster, parts->exchange);
    parts->lifeline = lifeline_create(&parts->cluster, start->timeout_s);
    if (parts->sender == NULL || parts->lifeline == NULL) {
        cluster_fail(&parts->cluster, "out of memory, descriptors or threads");
    }
    cluster_limit(0);
    warn_of_crowding(&parts->cluster, threads);
    const int code = parts->cluster.rank == 0 ? lead(parts, start, threads) : follow(parts, start, threads);
    lifeline_destroy(parts->lifeline);
    rank_sender_destroy(parts->sender);
    order_channel_destroy(parts->channel);
    exchange_mpi_destroy(parts->exchange);
    return code;
}

int main(int argc, char **argv) {
    static struct start start;
    struct parts parts = {0};
    char traits[CLUSTER_TRAITS_BYTES];
    bool is_alike = true;
    int code = EXIT_FAILURE;
    if (descriptors_fill_standard() != 0) {
        perror("drover-cluster: /dev/null");
        return EXIT_FAILURE;
    }
    start.timeout_s = TIMEOUT_S;
    const bool is_first = is_first_rank();
    const bool is_good =
        is_first ? read_start(argc, argv, &start, &code) : read_quietly(argc, argv, &start, &code);
    if (!is_good && (is_first || code == EXIT_SUCCESS)) {
        return code;
    }
    write_traits(&start, is_good, traits);
    cluster_limit(LIMIT_SPANS * start.timeout_s);
    if (cluster_begin(&parts.cluster, &argc, &argv, traits, &is_alike) != 0) {
        return EXIT_FAILURE;
    }
    code = is_alike ? run(&parts, &start) : EXIT_USAGE;
    cluster_limit(LIMIT_SPANS * start.timeout_s);
    cluster_end(&parts.cluster);
    return code;
}
