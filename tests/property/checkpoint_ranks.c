/* A checkpoint that some ranks write, others read: with any number of ranks, and in one process, the world goes on with the
 * hashes of a run that was never interrupted.
 *
 * Every scenario that stripes run is stepped by 1 to RANKS_MAX fake ranks with random borders. They write a checkpoint
 * while they go on; then 1 to RANKS_MAX others read it. Without one of its files the checkpoint before it is read.
 *
 * DROVER_RANKS_SCENARIO=NAME tries one scenario; DROVER_PROPERTY_SEED varies the borders. Where DROVER_SLOW is set there
 * are more ticks and larger worlds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/commands/command_apply.h"
#include "server/sim/world/world_stripes.h"
#include "server/storage/checkpoint_round.h"
#include "server/storage/recording.h"
#include "server/storage/state_directory.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/support/fake_ranks.h"
#include "tests/support/request_decode.h"

enum {
    RANKS_MAX = 4,      /* of a scenario */
    RANKS_MOST = 7,     /* of a flock */
    SPAWNED = 2,        /* ticks to further agents */
    BEFORE = 5,         /* ticks to the first checkpoint */
    BETWEEN = 6,        /* and to the second one */
    TICKS_MAX = 200,    /* that are compared after a checkpoint, in the slow run */
    UPDATES = 40000,    /* agents times ticks, otherwise */
    LARGE = 5000,       /* agents: not in the run that is not slow */
    LOOKS_MAX = 120000, /* of 1 ms: a disk that syncs what others wrote takes its time */
    PATHS = 2,          /* checkpoints */
};

struct trial {
    const struct scenario *scenario;
    char paths[PATHS][128];
    int ticks;        /* that are compared */
    unsigned numbers; /* of ranks: bit n for n of them */
    uint64_t hashes[BEFORE + BETWEEN + TICKS_MAX + 1];
    int written; /* checkpoints that count */
    int first;   /* the checkpoint that is read from on */
    uint64_t tick;
    pthread_mutex_t lock;
    char fault[256]; /* the first */
};

/* Of this run alone: ranks put a file of a fixed name there. */
static char folder[] = "/tmp/drover-ranks-XXXXXX";

/* ---- the disk ---- */

static _Thread_local int syncs; /* of this rank */

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor) {
    syncs++;
    return __real_fsync(descriptor);
}

int __real_fdatasync(int descriptor);
int __wrap_fdatasync(int descriptor);
int __wrap_fdatasync(int descriptor) {
    syncs++;
    return __real_fdatasync(descriptor);
}

static void note_fault(struct trial *trial, const char *what, int rank, uint64_t tick) {
    pthread_mutex_lock(&trial->lock);
    if (trial->fault[0] == '\0') {
        (void)snprintf(trial->fault, sizeof trial->fault, "%s (rank %d, tick %d)", what, rank, (int)tick);
    }
    pthread_mutex_unlock(&trial->lock);
}

static void compare(struct trial *trial, const struct simulation_state *state, int rank) {
    const uint64_t tick = world_tick(state->world);
    if (world_hash(state->world) != trial->hashes[tick]) {
        note_fault(trial, "another hash", rank, tick);
    }
}

static int spawns = 3; /* agents */

/* A few agents in a corner: of a flock one rank alone has agents that remember more than new ones. */
static void spawn_some(struct simulation_state *state) {
    char text[128];
    struct request request;
    struct failure failure;
    struct buffer reply;
    const int length =
        snprintf(text, sizeof text, "{\"op\":\"spawn\",\"kind\":\"%s\",\"count\":%d,\"x\":5,\"y\":5}",
                 world_kind(state->world, 0)->name, spawns);
    if (request_decode(text, (size_t)length, &request, &failure) != 0) {
        abort();
    }
    buffer_init(&reply, (size_t)1 << 20);
    (void)command_apply(state, &request, 1, &reply);
    request_fini(&request);
    buffer_fini(&reply);
}

static void step(struct simulation_state *state) {
    if (world_tick(state->world) == SPAWNED && spawns > 0) {
        spawn_some(state);
    }
    simulation_state_step(state);
    state->log.count = 0;
}

/* exchange: NULL for one process. */
static void begin(const struct trial *trial, const struct exchange *exchange,
                  struct simulation_state *state) {
    const struct world_overrides overrides = {.has_simd = false};
    struct built_world built;
    struct failure failure;
    simulation_state_init(state);
    state->exchange = exchange;
    if (built_world_make(trial->scenario, &overrides, NULL, NULL, &built, &failure) != 0) {
        abort();
    }
    simulation_state_change(state, &built);
    built_world_fini(&built);
}

/* ---- writing ---- */

/* Ticks go on until it is written; all ranks do as many. */
static void write_one(struct trial *trial, struct checkpoint_round *round, struct simulation_state *state,
                      int number, int rank) {
    const struct timespec moment = {.tv_nsec = 1000000};
    enum checkpoint_progress progress = CHECKPOINT_WRITING;
    struct failure failure = {0};
    uint64_t bytes = 0;
    if (checkpoint_round_begin(round, state, trial->paths[number]) !=
        trial->hashes[world_tick(state->world)]) {
        note_fault(trial, "the checkpoint has another hash", rank, world_tick(state->world));
    }
    for (int look = 0; look < LOOKS_MAX && progress == CHECKPOINT_WRITING; look++) {
        if (look < BETWEEN) {
            step(state);
            compare(trial, state, rank);
        }
        (void)nanosleep(&moment, NULL);
        progress = checkpoint_round_look(round, &bytes, &failure);
    }
    if (progress != CHECKPOINT_WRITTEN || bytes == 0) {
        note_fault(trial, progress == CHECKPOINT_FAILED ? failure.message : "not written", rank, 0);
    }
}

static void write_rank(const struct exchange *exchange, void *context) {
    struct trial *trial = context;
    struct simulation_state state;
    struct checkpoint_round *round = checkpoint_round_new(exchange);
    struct failure failure = {0};
    begin(trial, exchange, &state);
    if (round == NULL || checkpoint_round_check(exchange, folder, &failure) != 0) {
        note_fault(trial, failure.message, exchange->rank, 0);
    }
    if (syncs > 0) { /* which may take long: the rank would count as one that hangs */
        note_fault(trial, "the other ranks wait for a sync", exchange->rank, 0);
    }
    for (int number = 0; number < PATHS; number++) {
        while (world_tick(state.world) < BEFORE + BETWEEN * (uint64_t)number) {
            step(&state);
        }
        write_one(trial, round, &state, number, exchange->rank);
    }
    checkpoint_round_destroy(round);
    simulation_state_fini(&state);
}

/* ---- reading ---- */

/* Goes on from the last checkpoint that can be read. */
static void read_rank(const struct exchange *exchange, void *context) {
    struct trial *trial = context;
    const char *paths[PATHS] = {trial->paths[0], trial->paths[1]};
    const int rank = exchange == NULL ? 0 : exchange->rank;
    const struct world_overrides overrides = {.stripes = exchange == NULL ? 0 : exchange->ranks,
                                              .stripes_rank = rank};
    struct simulation_state state;
    struct failure failure = {0};
    struct recording *recording = recording_open(paths, PATHS, &failure);
    if (recording == NULL) {
        note_fault(trial, failure.message, rank, 0);
        return;
    }
    const struct recording_source source = recording_source(recording, &overrides);
    const struct recording_moment end = {.world = 1, .tick = UINT32_MAX};
    simulation_state_init(&state);
    state.exchange = exchange;
    if (source.seek(source.context, &end, &state, &failure) != 0) {
        note_fault(trial, failure.message, rank, 0);
    } else {
        if (world_tick(state.world) != trial->tick) {
            note_fault(trial, "another checkpoint was read", rank, world_tick(state.world));
        }
        compare(trial, &state, rank);
        for (int tick = 0; tick < trial->ticks; tick++) {
            step(&state);
            compare(trial, &state, rank);
        }
    }
    simulation_state_fini(&state);
    recording_close(recording);
}

/* ---- trials ---- */

static void make_reference(struct trial *trial) {
    struct simulation_state state;
    begin(trial, NULL, &state);
    for (int tick = 0; tick <= BEFORE + BETWEEN + trial->ticks; tick++) {
        trial->hashes[tick] = world_hash(state.world);
        step(&state);
    }
    simulation_state_fini(&state);
}

static uint64_t next_seed(void) {
    static uint64_t runs;
    return environment("DROVER_PROPERTY_SEED", 1) * 1000003 + ++runs;
}

static void run(struct trial *trial, int ranks,
                void (*body)(const struct exchange *exchange, void *context)) {
    struct fake_ranks *fake = fake_ranks_new(ranks, EXCHANGE_STRIPES, next_seed());
    fake_ranks_run(fake, body, trial);
    fake_ranks_destroy(fake);
}

static void remove_files(const struct trial *trial) {
    for (int number = 0; number < PATHS; number++) {
        (void)unlink(trial->paths[number]);
        for (uint32_t part = 0; part < RANKS_MOST; part++) {
            char path[PART_FILES_PATH];
            part_file_path(trial->paths[number], part, path);
            (void)unlink(path);
        }
    }
}

/* Without a part of the second checkpoint the first one is read. */
static void lose_part(struct trial *trial, int writers) {
    char path[PART_FILES_PATH];
    part_file_path(trial->paths[1], (uint32_t)(writers - 1), path);
    assert_int_equal(unlink(path), 0);
    trial->tick = BEFORE;
    read_rank(NULL, trial);
    if (writers > 1) {
        run(trial, 2, read_rank);
    }
}

static int try_writers(const char *name, struct trial *trial, int writers) {
    trial->fault[0] = '\0';
    trial->tick = BEFORE + BETWEEN;
    run(trial, writers, write_rank);
    const char *when = "writing";
    int readers = 0;
    for (; readers <= RANKS_MOST && trial->fault[0] == '\0'; readers++) {
        when = "reading";
        if (readers == 0) {
            read_rank(NULL, trial);
        } else if (trial->numbers >> readers & 1) {
            run(trial, readers, read_rank);
        }
    }
    if (trial->fault[0] == '\0') {
        when = "reading, a part is lost";
        lose_part(trial, writers);
    }
    remove_files(trial);
    if (trial->fault[0] != '\0') {
        print_message("%s: %d ranks write; %s, %d ranks: %s\n", name, writers, when, readers - 1,
                      trial->fault);
        return 1;
    }
    return 0;
}

static int most_ranks(const struct trial *trial) {
    int most = RANKS_MOST;
    while ((trial->numbers >> most & 1) == 0) {
        most--;
    }
    return most;
}

static bool is_tried(const struct trial *trial) {
    struct simulation_state state;
    char text[512];
    begin(trial, NULL, &state);
    const bool is_run = world_stripes_refusal(state.world, most_ranks(trial), text, sizeof text) == NULL;
    simulation_state_fini(&state);
    return is_run;
}

static int try_world(const char *name, const struct scenario *scenario, unsigned numbers) {
    struct trial trial = {.scenario = scenario, .numbers = numbers};
    const int64_t agents = agents_of(&scenario->def), affordable = UPDATES / (agents + 1);
    trial.ticks = is_slow() ? (agents < 20000 ? TICKS_MAX : 20) : affordable > 20 ? 20 : (int)affordable + 4;
    assert_int_equal(pthread_mutex_init(&trial.lock, NULL), 0);
    for (int number = 0; number < PATHS; number++) {
        (void)snprintf(trial.paths[number], sizeof trial.paths[number], "%s/%d.drover", folder, number);
    }
    int failures = 0;
    if ((is_slow() || agents < LARGE) && is_tried(&trial)) {
        make_reference(&trial);
        for (int writers = 1; writers <= RANKS_MOST && failures == 0; writers++) {
            failures = numbers >> writers & 1 ? try_writers(name, &trial, writers) : 0;
        }
    }
    pthread_mutex_destroy(&trial.lock);
    return failures;
}

static int try_scenario(const char *name) {
    struct scenario scenario;
    scenario_named(name, &scenario);
    const int failures = try_world(name, &scenario, 0x1e /* 1 to RANKS_MAX */);
    scenario_fini(&scenario);
    return failures;
}

static void test_scenarios(void **state) {
    assert_int_equal(each_scenario(getenv("DROVER_RANKS_SCENARIO"), try_scenario), 0);
}

/* Agents that do nothing but flock are stored otherwise, and the scenarios of that are large. Few agents leave ranks without any. */
static void try_flock(int agents, int spawned) {
    static const char text[] = "{\"name\":\"birds\",\"world\":{\"size\":[1600,1600],\"edge\":\"wrap\"},"
                               "\"kinds\":{\"bird\":{\"radius\":2,"
                               "\"max_speed\":90,\"max_force\":200,\"behaviors\":[{\"flock\":{\"separation_"
                               "radius\":12,\"alignment_radius\":24,"
                               "\"cohesion_radius\":36}}]}},\"agents\":[{\"kind\":\"bird\",\"count\":1,"
                               "\"in\":{\"rect\":[0,0,1600,900]}}]}";
    struct scenario scenario;
    struct failure failure = {0};
    if (scenario_read(text, sizeof text - 1, &scenario, &failure) != 0) {
        fail_msg("%s", failure.message);
    }
    scenario.def.placements[0].count = (uint32_t)agents;
    scenario.def.placement_count = agents > 0 ? 1 : 0;
    spawns = spawned;
    assert_int_equal(try_world("birds", &scenario, 1u << 1 | 1u << 4 | 1u << 5 | 1u << RANKS_MOST), 0);
    scenario.def.placement_count = 1;
    spawns = 3;
    scenario_fini(&scenario);
}

static void test_flock(void **state) {
    (void)state;
    try_flock(900, 3);
    try_flock(1, 0);
    try_flock(0, 3);
    try_flock(0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flock), cmocka_unit_test(test_scenarios)};
    if (mkdtemp(folder) == NULL) {
        return EXIT_FAILURE;
    }
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failures;
}
