/* See bench_time.h.
 *
 * Each way to keep a world is a simulation of its own, with the same scenario: tick N is the same work in all of them.
 * They take turns of some ticks; between two turns everything that was ordered is finished. The ticks are done
 * by this thread with the functions that the simulation thread calls.
 */
#include "tests/bench/bench_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/system/clock.h"
#include "server/simulation/simulation_internal.h"
#include "server/storage/state_directory.h"
#include "tests/bench/bench_median.h"
#include "tests/bench/bench_scenario.h"

enum { WAYS = 4, MOST_TICKS = 4096, MOST_TURNS = 128, COPIES = 9, HOUR = 3600, PATH_BYTES = 512 };

/* Worlds of a size: so many ticks a turn, so often. Each world does 120 ticks at least: hashes are made once a
 * second of ticks. */
struct size {
    uint32_t agents;
    int turn, rounds;
};

static const struct size sizes[] = {{1000, 60, 15}, {100000, 20, 15}, {1000000, 6, 20}};

/* How a world is kept. */
struct way {
    const char *name;
    bool is_kept;
    double checkpoint_every_s;
};

static const struct way ways[WAYS] = {
    {"nothing kept", false, 0.0},
    {"nothing kept, again", false, 0.0}, /* what the machine's other work alone makes of the ratios */
    {"journal + recording", true, 60.0},
    {"a checkpoint a second", true, 1.0},
};

/* A simulation that is kept in one of these ways. */
struct run {
    struct simulation *simulation;
    struct logbook *logbook;
    struct state_directory *directory;
    /* Of each tick, us: by the clock, by the processor, and by the processor for what is kept. */
    double *wall, *busy, *keep;
    int ticks;
};

static uint64_t cpu_ns(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void rest_until(uint64_t until_ns) {
    const uint64_t now_ns = clock_now_ns();
    if (until_ns > now_ns) {
        const uint64_t left_ns = until_ns - now_ns;
        const struct timespec span = {(time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000)};
        (void)nanosleep(&span, NULL);
    }
}

/* Waits until the threads that write have nothing to do. */
static void wait_until_quiet(void) {
    for (int quiet = 0; quiet < 5;) {
        const uint64_t before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
        rest_until(clock_now_ns() + UINT64_C(30000000));
        quiet = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before < UINT64_C(1000000) ? quiet + 1 : 0;
    }
}

static void notify(void *context) {
    (void)context;
}

static int load_nothing(void *context, const char *name, struct scenario *out, struct failure *failure) {
    (void)context;
    (void)out;
    return failure_set(failure, FAILURE_NO_SCENARIO, NULL, "no scenario %s", name);
}

static const struct scenario_list *list_nothing(void *context, struct failure *failure) {
    (void)context;
    (void)failure_set(failure, FAILURE_NO_SCENARIO, NULL, "no list");
    return NULL;
}

/* A mistake of the bench or of the machine. */
static void give_up(const struct failure *failure) {
    fprintf(stderr, "drover-bench: %s\n", failure->message);
    exit(1);
}

static void open_logbook(struct run *run, const struct way *way, const char *folder, const char *name) {
    struct failure failure = {0};
    char state[PATH_BYTES], record[PATH_BYTES];
    (void)snprintf(state, sizeof state, "%s/%s", folder, name);
    (void)snprintf(record, sizeof record, "%s/%s.drover", folder, name);
    run->directory = state_directory_open(state, true, &failure);
    if (run->directory == NULL) {
        give_up(&failure);
    }
    const struct logbook_def def = {.directory = run->directory,
                                    .sync_s = 1.0,
                                    .checkpoint_every_s = way->checkpoint_every_s,
                                    .record = record,
                                    .memory_bytes = UINT64_C(64) << 20,
                                    .recordings = folder,
                                    .build = "bench"};
    run->logbook = logbook_create(&def, &failure);
    if (run->logbook == NULL) {
        give_up(&failure);
    }
}

static struct run begin_run(const struct way *way, const struct scenario *scenario, const char *folder,
                            const char *name) {
    struct run run = {0};
    struct failure failure = {0};
    if (way->is_kept) {
        open_logbook(&run, way, folder, name);
    }
    const struct simulation_def def = {.source = {.load = load_nothing, .list = list_nothing},
                                       .scenario = scenario,
                                       .threads = 1,
                                       .logbook = run.logbook};
    run.simulation = simulation_create(&def, &failure);
    run.wall = calloc(MOST_TICKS, sizeof *run.wall);
    run.busy = calloc(MOST_TICKS, sizeof *run.busy);
    run.keep = calloc(MOST_TICKS, sizeof *run.keep);
    if (run.simulation == NULL || run.wall == NULL || run.busy == NULL || run.keep == NULL) {
        give_up(&failure);
    }
    run.simulation->notify = notify;
    return run;
}

static void end_run(struct run *run) {
    simulation_destroy(run->simulation);
    logbook_destroy(run->logbook);
    state_directory_close(run->directory);
    free(run->wall);
    free(run->busy);
    free(run->keep);
    *run = (struct run){0};
}

/* One tick, as the simulation thread does it. keep_ns: the time that the logbook gets; 0: the clock's. Returns the
 * processor's time for what is kept, ns. */
static uint64_t do_tick(struct simulation *simulation, uint64_t keep_ns) {
    const uint64_t start_ns = clock_now_ns();
    const uint64_t now_ns = simulation_do_tick(simulation, start_ns);
    simulation_note_tick(simulation, start_ns, now_ns);
    const uint64_t busy_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    simulation_keep_tick(simulation, keep_ns == 0 ? now_ns : keep_ns);
    const uint64_t kept_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    simulation_push_log(simulation);
    return kept_ns - busy_ns;
}

/* Ticks at the pace of the world, as far as the machine keeps up. */
static void do_turn(struct run *run, int ticks) {
    const uint64_t tick_ns = (uint64_t)(1e9 / world_tick_hz(run->simulation->state.world));
    uint64_t due_ns = clock_now_ns();
    for (int tick = 0; tick < ticks; tick++) {
        rest_until(due_ns);
        const uint64_t busy_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID), start_ns = clock_now_ns();
        run->keep[run->ticks] = (double)do_tick(run->simulation, 0) * 1e-3;
        const uint64_t end_ns = clock_now_ns();
        run->busy[run->ticks] = (double)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - busy_ns) * 1e-3;
        run->wall[run->ticks++] = (double)(end_ns - start_ns) * 1e-3;
        due_ns = due_ns + tick_ns > end_ns ? due_ns + tick_ns : end_ns;
    }
}

/* ---- tables ---- */

/* The value below which this part of the values lies. */
static double part_of(const double *values, int count, double part) {
    double *sorted = malloc(sizeof *sorted * ((size_t)count + 1));
    if (sorted == NULL) {
        abort();
    }
    memcpy(sorted, values, sizeof *sorted * (size_t)count);
    qsort(sorted, (size_t)count, sizeof *sorted, bench_by_value);
    const double value = sorted[(int)((double)(count - 1) * part)];
    free(sorted);
    return value;
}

/* The median over the turns of: the median tick of a turn over that of the other run in the same round. */
static double ratio_of(const double *values, const double *others, int ticks, int turn) {
    double ratios[MOST_TURNS];
    int count = 0;
    for (int begin = 0; begin + turn <= ticks && count < MOST_TURNS; begin += turn) {
        ratios[count++] = part_of(values + begin, turn, 0.5) / part_of(others + begin, turn, 0.5);
    }
    return part_of(ratios, count, 0.5);
}

static double sum_of(const double *values, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum;
}

/* us; the median of several copies of all columns. */
static double time_copy(const struct world *world) {
    double times[COPIES];
    struct world *copy = world_clone_new(world);
    if (copy == NULL) {
        abort();
    }
    for (int i = 0; i < COPIES; i++) {
        const uint64_t start_ns = clock_now_ns();
        if (!world_clone(copy, world)) {
            abort();
        }
        times[i] = (double)(clock_now_ns() - start_ns) * 1e-3;
    }
    world_destroy(copy);
    return bench_median(times, COPIES);
}

static void print_runs(const struct run *runs, const struct size *size) {
    const struct run *plain = &runs[0];
    const int ticks = plain->ticks;
    const double copy = time_copy(plain->simulation->state.world);
    const double plain_p99 = part_of(plain->wall, ticks, 0.99), busy_p99 = part_of(plain->busy, ticks, 0.99);
    for (int way = 0; way < WAYS; way++) {
        const struct run *run = &runs[way];
        const double p99 = part_of(run->wall, ticks, 0.99);
        printf("%8" PRIu32 " %-22s %5d %8.0f %6.3f %6.3f %6.2f%% %8.0f %8.0f %8.0f %8.0f %6.2f %6.2f\n",
               size->agents, ways[way].name, ticks, part_of(run->wall, ticks, 0.5),
               ratio_of(run->wall, plain->wall, ticks, size->turn),
               ratio_of(run->busy, plain->busy, ticks, size->turn),
               100.0 * sum_of(run->keep, ticks) / sum_of(run->busy, ticks), part_of(run->keep, ticks, 0.99),
               part_of(run->keep, ticks, 1.0), p99, copy, (p99 - plain_p99) / copy,
               (part_of(run->busy, ticks, 0.99) - busy_p99) / copy);
    }
    fflush(stdout);
}

static void bench_size(const char *folder, const struct size *size, int rounds) {
    struct run runs[WAYS];
    struct scenario scenario;
    if (bench_scenario_load("flock", size->agents, &scenario) != 0) {
        exit(1);
    }
    for (int way = 0; way < WAYS; way++) {
        char name[64];
        (void)snprintf(name, sizeof name, "world-%" PRIu32 "-%d", size->agents, way);
        runs[way] = begin_run(&ways[way], &scenario, folder, name);
        do_turn(&runs[way], size->turn); /* warms up */
        wait_until_quiet();
        runs[way].ticks = 0;
    }
    scenario_fini(&scenario);
    for (int round = 0; round < rounds && (round + 1) * size->turn <= MOST_TICKS; round++) {
        for (int i = 0; i < WAYS; i++) {
            do_turn(&runs[(round + i) % WAYS], size->turn);
            wait_until_quiet();
        }
    }
    print_runs(runs, size);
    for (int way = 0; way < WAYS; way++) {
        end_run(&runs[way]);
    }
}

int bench_time(int argc, char **argv) {
    const uint32_t only = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    const int asked = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
    printf(
        "ticks of `flock`, one thread, in turns; times in us. ratio, cpu: the median tick to that of the\n"
        "first row, by the clock and by the processor; keep: the part of all ticks, by the processor, for\n"
        "what is kept; k99, most: the same of single ticks; extra, cpu: what the p99 has more than that of\n"
        "the first row, in copies of all columns, by the clock and by the processor\n"
        "%8s %-22s %5s %8s %6s %6s %7s %8s %8s %8s %8s %6s %6s\n",
        "agents", "", "ticks", "median", "ratio", "cpu", "keep", "k99", "most", "p99", "copy", "extra",
        "cpu");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (only == 0 || only == sizes[i].agents) {
            bench_size(argv[0], &sizes[i], asked > 0 ? asked : sizes[i].rounds);
        }
    }
    return 0;
}

/* ---- an hour ---- */

static double resident_mb(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) {
        resident = 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE) * 1e-6;
}

static uint64_t folder_bytes(const struct state_directory *directory) {
    struct state_files files;
    struct failure failure;
    if (state_files_scan(&files, state_directory_path(directory), &failure) != 0) {
        return 0;
    }
    const uint64_t bytes = state_files_bytes(&files);
    state_files_fini(&files);
    return bytes;
}

static void print_minute(const struct run *run, int second) {
    struct logbook_statistics files;
    logbook_read_statistics(run->logbook, &files);
    printf("%6d min  RSS %6.2f MB  recording %8.3f MB  journal %8.3f MB written, folder %6.3f MB\n",
           second / 60, resident_mb(), (double)files.recording.bytes * 1e-6,
           (double)files.journal.bytes * 1e-6, (double)folder_bytes(run->directory) * 1e-6);
    fflush(stdout);
}

int bench_hour(const char *folder) {
    static const int minutes[] = {1, 5, 10, 30, 60};
    struct scenario scenario;
    if (bench_scenario_load("flock", 250, &scenario) != 0) {
        return 1;
    }
    struct run run = begin_run(&ways[2], &scenario, folder, "hour");
    scenario_fini(&scenario);
    const uint64_t begin_ns = clock_now_ns();
    const double hz = world_tick_hz(run.simulation->state.world);
    size_t next = 0;
    for (int second = 1; second <= HOUR; second++) {
        for (int tick = 1; tick <= (int)hz; tick++) {
            (void)do_tick(run.simulation, begin_ns + (uint64_t)((second - 1 + tick / hz) * 1e9));
        }
        if (second == minutes[next] * 60) {
            rest_until(clock_now_ns() + UINT64_C(200000000));
            print_minute(&run, second);
            next++;
        }
    }
    end_run(&run);
    return 0;
}
