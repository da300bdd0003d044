/* drover-cluster: one world over the ranks that mpirun starts. Rank 0 is drover-server (server_main.h), the others do what
 * it orders. Its options are those of drover-server, and --mode copy|stripes.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/system/descriptors.h"
#include "common/system/log.h"
#include "common/system/memory_free.h"
#include "server/cluster/cluster.h"
#include "server/cluster/conductor.h"
#include "server/cluster/exchange_mpi.h"
#include "server/cluster/follower.h"
#include "server/cluster/lifeline.h"
#include "server/cluster/order_channel.h"
#include "server/cluster/rank_teller.h"
#include "server/server_main.h"

enum { EXIT_USAGE = 2 };

/* What the ranks share beside the world. */
struct parts {
    struct cluster cluster;
    struct exchange_mpi *exchange;
    struct order_channel *channel;
    struct rank_teller *teller;
    struct lifeline *lifeline;
};

/* The command line. */
struct start {
    enum exchange_mode mode;
    struct server_options options;
    const char *argument; /* the scenario; NULL: none */
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

static bool read_mode(const char *text, enum exchange_mode *mode) {
    *mode = strcmp(text, "stripes") == 0 ? EXCHANGE_STRIPES : EXCHANGE_COPY;
    return strcmp(text, "stripes") == 0 || strcmp(text, "copy") == 0;
}

/* Takes `--mode MODE` or `--mode=MODE` out of the words. Returns how many are left, or -1: it is not there, or wrong. */
static int take_mode(int argc, char **argv, enum exchange_mode *mode) {
    int kept = 1;
    bool is_given = false;
    for (int i = 1; i < argc; i++) {
        const bool is_apart = strcmp(argv[i], "--mode") == 0;
        if (!is_apart && strncmp(argv[i], "--mode=", 7) != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *text = !is_apart ? argv[i] + 7 : i + 1 < argc ? argv[++i] : "";
        if (!read_mode(text, mode)) {
            return -1;
        }
        is_given = true;
    }
    argv[kept] = NULL;
    return is_given ? kept : -1;
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
    const int left = has_word(argc, argv, "--version") ? argc : take_mode(argc, argv, &start->mode);
    if (left < 0) {
        log_plain("drover-cluster: --mode: expected copy or stripes");
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

/* ---- the ranks ---- */

static void watch(void *context, void (*wake)(void *server), void *server) {
    lifeline_watch(context, wake, server);
}

static int lead(struct parts *parts, const struct start *start, int threads) {
    struct conductor *conductor =
        conductor_create(&parts->cluster, parts->channel, parts->teller, lifeline_is_lost(parts->lifeline));
    if (conductor == NULL) {
        cluster_fail(&parts->cluster, "out of memory");
    }
    const struct server_ranks ranks = {.exchange = exchange_mpi_exchange(parts->exchange),
                                       .state = conductor_ranks(conductor),
                                       .threads = threads,
                                       .beside = parts->cluster.here - 1,
                                       .context = parts->lifeline,
                                       .watch = watch};
    const int code = server_main_run(&start->options, start->argument, &ranks);
    lifeline_let_go(parts->lifeline);
    conductor_destroy(conductor);
    return code;
}

/* Signals are rank 0's, which ends all; mpirun passes them on to each. */
static int follow(struct parts *parts, const struct start *start, int threads) {
    struct failure failure = {0};
    struct follower_def def = {.cluster = &parts->cluster,
                               .channel = parts->channel,
                               .exchange = exchange_mpi_exchange(parts->exchange),
                               .teller = parts->teller,
                               .lifeline = parts->lifeline,
                               .threads = threads};
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    log_start();
    /* As rank 0, whose options all ranks were given. */
    def.overrides.max_agents = (int32_t)start->options.max_agents;
    def.overrides.memory_free = memory_free;
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
    parts->teller = rank_teller_create(&parts->cluster, parts->exchange);
    parts->lifeline = lifeline_create(&parts->cluster);
    if (parts->teller == NULL || parts->lifeline == NULL) {
        cluster_fail(&parts->cluster, "out of memory, descriptors or threads");
    }
    warn_of_crowding(&parts->cluster, threads);
    const int code = parts->cluster.rank == 0 ? lead(parts, start, threads) : follow(parts, start, threads);
    lifeline_destroy(parts->lifeline);
    rank_teller_destroy(parts->teller);
    order_channel_destroy(parts->channel);
    exchange_mpi_destroy(parts->exchange);
    return code;
}

int main(int argc, char **argv) {
    static struct start start;
    struct parts parts = {0};
    int code = EXIT_FAILURE;
    if (descriptors_fill_standard() != 0) {
        perror("drover-cluster: /dev/null");
        return EXIT_FAILURE;
    }
    if (!(is_first_rank() ? read_start(argc, argv, &start, &code)
                          : read_quietly(argc, argv, &start, &code))) {
        return code;
    }
    if (cluster_begin(&parts.cluster, &argc, &argv) != 0) {
        return EXIT_FAILURE;
    }
    code = run(&parts, &start);
    cluster_end(&parts.cluster);
    return code;
}
