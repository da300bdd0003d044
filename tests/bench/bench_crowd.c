/* See bench_crowd.h. */
#include "tests/bench/bench_crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/system/clock.h"
#include "tests/bench/bench_median.h"
#include "tests/bench/crowd_case.h"
#include "tests/bench/crowd_quality.h"

enum { WARM_TICKS = 2, THREADS_MAX = 2, ROUNDS = 3, ROUNDS_MAX = 101 };

/* LP3 is rare at 10 in sight, usual at 30, and nearly all that happens at 71. */
/* clang-format off */
static const struct crowd_case rows[] = {
    {"orca_10k", 10000, 10.0, NULL, 120, 24},
    {"orca_50k", 50000, 10.0, NULL, 120, 12},
    {"orca_200k", 200000, 10.0, NULL, 120, 8},
    {"orca_30", 10000, 30.0, NULL, 10, 24},
    {"orca_crush", 10000, 71.0, NULL, 10, 24},
    {"hunters", 100000, 0.0, "hunters_and_prey", 60, 16},
    {"pedestrians", 20000, 0.0, "pedestrians", 60, 24},
    {"flock", 100000, 0.0, "flock", 60, 16},
    {"murmuration", 100000, 0.0, "murmuration_100k", 120, 48},
    {"throng", 50000, 0.0, "throng", 60, 12},
    {"great_hunt", 10000, 0.0, "great_hunt", 60, 48},
    {"corridor", 2000, 0.0, "corridor", 60, 24},
    {"walk", 2000, 0.0, "walk", 60, 24},
};
/* clang-format on */
enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* What the arguments choose. */
struct choice {
    const char *row; /* "all": each */
    int rounds;
    struct crowd_ways ways;
    int threads; /* 0: one and two */
};

/* ns an agent. */
struct cost {
    double wall;      /* the clock on the wall: what two threads save */
    double processor; /* the time of the calling thread: what the other programs of the machine leave alone */
};

/* The figures of a row, round by round. */
struct figures {
    struct cost rival[ROUNDS_MAX];
    struct cost own[SIMD_COUNT][THREADS_MAX][ROUNDS_MAX];
    struct crowd_work work;
    double in_sight;
    bool differs; /* two ways of computing have different bits */
};

static bool is_chosen(const struct choice *choice, int simd, int threads) {
    return choice->ways.has_simd[simd] && (choice->threads == 0 || choice->threads == threads);
}

/* ---- rounds ---- */

static struct cost now(void) {
    struct timespec processor;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
    return (struct cost){(double)clock_now_ns(), (double)processor.tv_sec * 1e9 + (double)processor.tv_nsec};
}

static struct cost since(struct cost start, int ticks, int32_t agents) {
    const struct cost end = now();
    const double updates = (double)ticks * agents;
    return (struct cost){(end.wall - start.wall) / updates, (end.processor - start.processor) / updates};
}

static void step_world(struct world *world, struct worker_pool *pool, int ticks) {
    const struct parallel parallel = worker_pool_parallel(pool);
    for (int tick = 0; tick < ticks; tick++) {
        world_step_parallel(world, &parallel);
    }
}

static struct cost time_world(struct world *world, struct worker_pool *pool, int ticks) {
    step_world(world, pool, WARM_TICKS);
    const struct cost start = now();
    step_world(world, pool, ticks);
    return since(start, ticks, world_agent_count(world));
}

static void step_rival(struct crowd_rival *rival, int ticks) {
    for (int tick = 0; tick < ticks; tick++) {
        crowd_rival_step(rival);
    }
}

static struct cost time_rival(struct crowd_rival *rival, int32_t agents, int ticks) {
    step_rival(rival, WARM_TICKS);
    const struct cost start = now();
    step_rival(rival, ticks);
    return since(start, ticks, agents);
}

/* One round: the rival, then each way of computing, all from the settled state. */
static void play_round(const struct crowd_case *row, const struct choice *choice, int round,
                       const struct world *settled, struct crowd_rival *rival, struct figures *figures) {
    struct world *world = world_clone_new(settled);
    uint64_t hash = 0;
    if (world == NULL) {
        abort();
    }
    if (rival != NULL) {
        crowd_rival_follow(rival, settled);
        figures->rival[round] = time_rival(rival, world_agent_count(settled), row->ticks);
        figures->work = crowd_rival_work(rival);
    }
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        struct worker_pool *pool = worker_pool_create(threads);
        for (int simd = SIMD_COUNT - 1; pool != NULL && simd >= 0; simd--) {
            if (!is_chosen(choice, simd, threads) || !world_clone(world, settled)) {
                continue;
            }
            world_set_simd(world, (enum simd)simd);
            figures->own[simd][threads - 1][round] = time_world(world, pool, row->ticks);
            const uint64_t this_hash = world_hash(world);
            figures->differs = figures->differs || (hash != 0 && hash != this_hash);
            hash = this_hash;
        }
        worker_pool_destroy(pool);
    }
    world_destroy(world);
}

/* ---- the table ---- */

static void print_head(void) {
    printf("%-12s %7s %8s %6s  %-7s %7s %9s %9s %9s %9s\n", "row", "agents", "in sight", "LP3", "simd",
           "threads", "ns/agent", "M agent/s", "x rival", "x 1 thr.");
}

static void print_start(const struct crowd_case *row, const struct figures *figures, bool has_rival) {
    printf("%-12s %7u ", row->name, row->count);
    if (has_rival) {
        printf("%8.1f %5.1f%%  ", figures->in_sight, 100.0 * figures->work.infeasible);
    } else {
        printf("%8s %6s  ", "-", "-");
    }
}

/* The median of the rounds: of the time of one thread's processor, of two threads together the time that passes. */
static double median_cost(const struct cost *costs, int threads, int rounds) {
    double values[ROUNDS_MAX];
    for (int round = 0; round < rounds; round++) {
        values[round] = threads == 1 ? costs[round].processor : costs[round].wall;
    }
    return bench_median(values, (size_t)rounds);
}

/* The median of the rounds' quotients; a line where there is no dividend. */
static void print_ratio(const struct cost *dividend, const struct cost *divisor, bool is_wall, int rounds) {
    double ratios[ROUNDS_MAX];
    for (int round = 0; round < rounds; round++) {
        ratios[round] = is_wall ? dividend[round].wall / divisor[round].wall
                                : dividend[round].processor / divisor[round].processor;
    }
    if (dividend[0].wall > 0.0) {
        printf(" %9.2f", bench_median(ratios, (size_t)rounds));
    } else {
        printf(" %9s", "-");
    }
}

static void print_way(const struct figures *figures, int simd, int threads, int rounds) {
    const struct cost *own = figures->own[simd][threads - 1];
    const double ns = median_cost(own, threads, rounds);
    printf("%-7s %7d %9.1f %9.2f", simd_names[simd], threads, ns, 1e3 / ns);
    print_ratio(figures->rival, own, threads > 1, rounds);
    print_ratio(figures->own[simd][0], own, true, rounds);
    printf("\n");
}

static void print_row(const struct crowd_case *row, const struct choice *choice, struct figures *figures) {
    const bool has_rival = figures->rival[0].wall > 0.0;
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        for (int simd = SIMD_COUNT - 1; simd >= 0; simd--) {
            if (is_chosen(choice, simd, threads)) {
                print_start(row, figures, has_rival);
                print_way(figures, simd, threads, choice->rounds);
            }
        }
    }
    if (has_rival) {
        print_start(row, figures, true);
        const double ns = median_cost(figures->rival, 1, choice->rounds);
        printf("%-7s %7d %9.1f %9.2f\n", "rival", 1, ns, 1e3 / ns);
    }
    if (figures->differs) {
        printf("%-12s DIFFERENT BITS: two widths or numbers of threads have different hashes\n", row->name);
    }
    (void)fflush(stdout);
}

static int bench_row(const struct crowd_case *row, const struct choice *choice) {
    struct worker_pool *pool = worker_pool_create(THREADS_MAX);
    struct figures *figures = calloc(1, sizeof *figures);
    if (pool == NULL || figures == NULL) {
        abort();
    }
    struct world *settled = crowd_case_world(row, pool);
    worker_pool_destroy(pool);
    if (settled == NULL) {
        free(figures);
        return 2;
    }
    const bool has_rival = choice->ways.has_rival && row->scenario == NULL;
    struct crowd_rival *rival = has_rival ? crowd_rival_of(settled, 0.0f) : NULL;
    for (int round = 0; round < choice->rounds; round++) {
        play_round(row, choice, round, settled, rival, figures);
    }
    figures->in_sight = has_rival ? crowd_in_sight(settled) : 0.0;
    print_row(row, choice, figures);
    const int status = figures->differs ? 1 : 0;
    crowd_rival_destroy(rival);
    world_destroy(settled);
    free(figures);
    return status;
}

/* ---- arguments ---- */

static int complain(const char *wrong, const char *value, const char *allowed) {
    fprintf(stderr, "drover-bench: %s \"%s\"; %s\n", wrong, value, allowed);
    return 2;
}

static int choose_simd(struct choice *choice, const char *name) {
    const int simd = simd_from_name(name);
    if (simd < 0 || !simd_is_supported((enum simd)simd)) {
        return complain("crowd: no instructions", name,
                        "plain, sse2, avx2 or avx512, where the processor has them");
    }
    for (int i = 0; i < SIMD_COUNT; i++) {
        choice->ways.has_simd[i] = i == simd;
    }
    return 0;
}

static int choose_number(int *number, const char *text, int most, const char *allowed) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < 1 || value > most) {
        return complain("crowd: wrong number", text, allowed);
    }
    *number = (int)value;
    return 0;
}

static bool is_asked(const struct choice *choice, const char *row) {
    return strcmp(choice->row, "all") == 0 || strcmp(choice->row, row) == 0;
}

static int choose_row(struct choice *choice, const char *name) {
    choice->row = name;
    bool is_known = is_asked(choice, "quality") || is_asked(choice, "circles");
    for (int i = 0; i < ROW_COUNT; i++) {
        is_known = is_known || is_asked(choice, rows[i].name);
    }
    return is_known
               ? 0
               : complain("crowd: unknown row", name,
                          "all, orca_10k, orca_50k, orca_200k, orca_30, orca_crush, hunters, pedestrians, "
                          "flock, murmuration, throng, great_hunt, corridor, walk, quality or circles");
}

static int choose(int argc, char **argv, struct choice *choice) {
    int status = 0, places = 0;
    for (int i = 0; i < argc && status == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--no-rival") == 0) {
            choice->ways.has_rival = false;
        } else if (strcmp(argv[i], "--simd") == 0) {
            status = choose_simd(choice, value);
            i++;
        } else if (strcmp(argv[i], "--threads") == 0) {
            status = choose_number(&choice->threads, value, THREADS_MAX, "1 or 2 threads");
            i++;
        } else if (places == 0) {
            status = choose_row(choice, argv[i]);
            places++;
        } else if (places == 1) {
            status = choose_number(&choice->rounds, argv[i], ROUNDS_MAX, "1 to 101 rounds");
            places++;
        } else {
            status = complain("crowd: unknown argument", argv[i],
                              "[ROW [ROUNDS]] [--simd NAME] [--threads N] [--no-rival]");
        }
    }
    return status;
}

int bench_crowd(int argc, char **argv) {
    struct choice choice = {.row = "all", .rounds = ROUNDS, .ways.has_rival = true};
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        choice.ways.has_simd[simd] = simd_is_supported((enum simd)simd);
    }
    int status = choose(argc, argv, &choice);
    if (status != 0) {
        return status;
    }
    bool has_head = false;
    for (int i = 0; i < ROW_COUNT; i++) {
        if (is_asked(&choice, rows[i].name)) {
            if (!has_head) {
                print_head();
            }
            has_head = true;
            status |= bench_row(&rows[i], &choice);
        }
    }
    if (is_asked(&choice, "quality")) {
        crowd_quality(&choice.ways);
    }
    if (is_asked(&choice, "circles")) {
        crowd_circles(&choice.ways);
    }
    return status;
}
