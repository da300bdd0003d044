/* Two worlds whose hashes are equal at one time have equal hashes at every later one, however they came to
 * be.
 *
 * Each scenario, and a number of random worlds, runs several times side by side with different histories:
 * requests that change nothing, other SIMD widths and thread counts, checkpoints that are written and read, agents that were spawned and removed,
 * in one batch or in several (which leaves different capacities), parameters that were changed and set back.
 * Where DROVER_SLOW is set it is up to 100 ticks of all scenarios but the largest and 60 random worlds, where DROVER_FULL is
 * set as well 300 ticks of every scenario and 200 worlds. DROVER_FUTURES=NAME runs one scenario; DROVER_PROPERTY_SEED and DROVER_PROPERTY_WORLDS repeat or lengthen the random part.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/recording/checkpoint.h"
#include "server/sim/world/world_image.h"
#include "tests/property/each_scenario.h"
#include "tests/property/environment.h"
#include "tests/property/named_scenario.h"
#include "tests/property/other_ways.h"
#include "tests/property/random_world.h"
#include "tests/property/state_rows.h"

enum {
    LARGE = 50000, /* agents: the fast run has no such scenario, */
    VAST = 500000, /* and the slow one none of these */
    BATCHES = 8,
    NO_AGENT = 2000000000,
};

/* How a world came to be what it is. */
enum history {
    PLAIN,
    IDLE_REQUESTS, /* requests that change nothing */
    OTHER_WIDTH,   /* other SIMD instructions, other shares of the work */
    CLONED,        /* now and then replaced by a clone of itself */
    THROUGH_FILES, /* now and then written as a saved world and read again */
    ONE_BATCH,     /* agents were spawned and removed, all at once */
    SMALL_BATCHES, /* the same number, some at a time: less room is left */
    RETUNED_MASS,  /* a parameter was changed and set back */
    RETUNED_STAMINA,
    HISTORIES
};
static const char *const history_names[HISTORIES] = {"plain",         "idle requests", "another width",
                                                     "clones",        "through files", "one batch",
                                                     "small batches", "mass set back", "stamina set back"};

/* Which history a history must have equal hashes with from the beginning. */
static const enum history partner_of[HISTORIES] = {PLAIN,     PLAIN,     PLAIN,        PLAIN,       PLAIN,
                                                   ONE_BATCH, ONE_BATCH, RETUNED_MASS, RETUNED_MASS};

/* How far a run goes. */
struct extent {
    int ticks;       /* of a scenario, and of a random world */
    int32_t updates; /* agents times ticks of a scenario: */
    int least;       /* never fewer ticks than this */
    int large_ticks; /* of a LARGE scenario, */
    int vast_ticks;  /* and of a VAST one */
    int worlds;
};
static const struct extent fast = {60, 9000, 12, 0, 0, 24}, slow = {100, 200000, 12, 3, 0, 60},
                           full = {300, INT32_MAX, 300, 10, 10, 200};

static const struct extent *extent(void) {
    return !is_slow() ? &fast : is_full() ? &full : &slow;
}

struct trial {
    const char *name;
    const struct scenario *scenario;
    struct world *worlds[HISTORIES], *spare;
    uint64_t hash[HISTORIES];
    int64_t equal_since[HISTORIES][HISTORIES]; /* tick; -1: not equal yet */
    uint32_t batch;                            /* agents of ONE_BATCH */
    int failures;
};

/* ---- requests that change nothing ---- */

static float own_number(const struct agent_view *agent, const char *name) {
    return strcmp(name, "mass") == 0        ? agent->mass
           : strcmp(name, "radius") == 0    ? agent->radius
           : strcmp(name, "max_speed") == 0 ? agent->max_speed
                                            : agent->max_force;
}

/* Whether setting the parameter of a kind to its value is allowed (an angle may have been rounded to just
 * above its limit) and changes nothing: no agent has another one. */
static bool is_common(const struct world *world, const struct param_ref *ref) {
    const double value = world_get_param(world, ref);
    bool is_common = value >= ref->field->min && value <= ref->field->max;
    if (ref->field->type != FIELD_RANGE) {
        return is_common;
    }
    const char *member = (const char *)&world_kind(world, ref->kind)->body + ref->field->offset;
    struct field_range range;
    memcpy(&range, member, sizeof range);
    is_common = is_common && range.low == range.high;
    for (int32_t row = 0; row < world_agent_count(world) && is_common; row++) {
        const struct agent_view agent = world_agent(world, row);
        is_common = agent.kind != ref->kind || own_number(&agent, ref->field->name) == range.low;
    }
    return is_common;
}

static void set_own_param(struct world *world) {
    struct param_ref ref;
    char name[64];
    const int kind = below(world_kind_count(world));
    if (world_param_at(world, kind, below(40), &ref, name) && is_common(world, &ref)) {
        world_set_param(world, &ref, world_get_param(world, &ref));
    }
}

static void set_own_number_of_an_agent(struct world *world) {
    const struct field *field = &body_fields()[below(4)];
    const int row = below(world_agent_count(world) + 1) - 1;
    const struct agent_view agent = row < 0 ? (struct agent_view){0} : world_agent(world, row);
    const double value = (double)own_number(&agent, field->name);
    if (row >= 0 && value >= field->min && value <= field->max) {
        assert_int_equal(world_set_agent_param(world, agent.id, field, value), WORLD_OK);
    }
}

static void move_obstacle_nowhere(struct world *world) {
    const struct geometry_def *def = &world_scenery(world)->def;
    if (def->obstacle_count > 0) {
        const struct obstacle_def *obstacle = &def->obstacles[below(def->obstacle_count)];
        int32_t pushed = -1;
        assert_int_equal(world_move_obstacle(world, obstacle->id, obstacle_point(obstacle), &pushed),
                         WORLD_OK);
        assert_int_equal(pushed, 0);
    }
}

static void remove_no_agent(struct world *world) {
    const uint32_t ids[] = {NO_AGENT, NO_AGENT + 1};
    bool found[2];
    assert_int_equal(world_remove(world, ids, 2, found), 0);
    for (int kind = 0; kind < world_kind_count(world); kind++) {
        if (world_kind_population(world, kind) == 0) {
            assert_int_equal(world_remove_kind(world, kind), 0);
        }
    }
}

static void spawn_no_agent(struct world *world) {
    uint32_t first;
    const struct spawn_def spawn = {.kind = 0, .count = 0};
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
}

static void ask(struct world *world) {
    struct steering_view view;
    struct trace trace;
    struct world_clump clump;
    (void)world_candidates(world);
    (void)world_find_clump(world, &clump);
    if (world_agent_count(world) > 0) {
        world_explain(world, below(world_agent_count(world)), &view);
        world_trace(world, below(world_agent_count(world)), &view, &trace);
    }
}

static void idle_request(struct world *world) {
    switch (below(8)) {
    case 0:
        remove_no_agent(world);
        break;
    case 1:
        set_own_number_of_an_agent(world);
        break;
    case 2:
        move_obstacle_nowhere(world);
        break;
    case 3:
        spawn_no_agent(world);
        break;
    case 4:
        ask(world);
        break;
    case 5:
        if (world_target_count(world) > 0) {
            const int target = below(world_target_count(world));
            if (world_image_target(world, target)->stroll_speed == 0.0f) { /* otherwise it waits again */
                world_set_target(world, target, world_target_position(world, target));
            }
        }
        break;
    default:
        set_own_param(world);
    }
}

/* ---- requests that leave things as they were ---- */

static void spawn_and_remove(struct world *world, uint32_t count) {
    const struct spawn_def spawn = {
        .kind = 0, .count = count, .shape = PLACE_RECT, .size = world_size(world)};
    uint32_t first;
    uint32_t *ids = calloc((size_t)count + 1, sizeof *ids);
    assert_non_null(ids);
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = first + i;
    }
    assert_int_equal(world_remove(world, ids, (int32_t)count, NULL), (int32_t)count);
    free(ids);
}

static void set_and_set_back(struct world *world, const char *name, double other) {
    for (int kind = 0; kind < world_kind_count(world); kind++) {
        struct param_ref ref;
        assert_true(world_find_param(world, kind, name, &ref));
        const double value = world_get_param(world, &ref);
        if (is_common(world, &ref)) {
            world_set_param(world, &ref, value == other ? other + 1.0 : other);
            world_set_param(world, &ref, value);
        }
    }
}

/* A resort and nothing else: what both histories of a pair begin with. */
static void retune(struct world *world, const char *name) {
    set_and_set_back(world, "max_force", 1234.0);
    set_and_set_back(world, name, 7.0);
}

/* ---- side by side ---- */

/* Equal hashes: what follows from hashed members is equal as well. */
static int compare_derived(struct trial *trial, int a, int b) {
    struct state_rows one = {0}, other = {0};
    derived_rows(trial->worlds[a], &one);
    derived_rows(trial->worlds[b], &other);
    assert_int_equal(one.count, other.count);
    for (int i = 0; i < one.count; i++) {
        if (one.row[i].size > 0 && memcmp(one.row[i].at, other.row[i].at, one.row[i].size) != 0) {
            print_message("%s: \"%s\" and \"%s\" have equal hashes, but not %s\n", trial->name,
                          history_names[a], history_names[b], one.row[i].name);
            return 1;
        }
    }
    return 0;
}

static void compare(struct trial *trial) {
    const uint64_t tick = world_tick(trial->worlds[PLAIN]);
    for (int h = 0; h < HISTORIES; h++) {
        trial->hash[h] = world_hash(trial->worlds[h]);
    }
    for (int a = 0; a < HISTORIES; a++) {
        for (int b = a + 1; b < HISTORIES; b++) {
            int64_t *since = &trial->equal_since[a][b];
            const bool is_equal = trial->hash[a] == trial->hash[b];
            const bool must_be = *since >= 0 || (int)partner_of[b] == a;
            if (!is_equal && must_be) {
                print_message("%s: \"%s\" and \"%s\" are equal at tick %" PRId64 ", different at %" PRIu64
                              "\n",
                              trial->name, history_names[a], history_names[b], *since, tick);
                trial->failures++;
            }
            trial->failures += is_equal && a + 1 == b ? compare_derived(trial, a, b) : 0;
            *since = !is_equal ? -1 : *since < 0 ? (int64_t)tick : *since;
        }
    }
}

/* These histories change something: what was equal to them need not be so any longer. */
static void forget(struct trial *trial, enum history first) {
    for (int a = 0; a < HISTORIES; a++) {
        for (int b = a + 1; b < HISTORIES; b++) {
            if (a >= (int)first || b >= (int)first) {
                trial->equal_since[a][b] = -1;
            }
        }
    }
}

static void make_history(struct trial *trial) {
    spawn_and_remove(trial->worlds[ONE_BATCH], trial->batch);
    for (int i = 0; i < BATCHES; i++) {
        spawn_and_remove(trial->worlds[SMALL_BATCHES], trial->batch / BATCHES);
    }
    retune(trial->worlds[RETUNED_MASS], "mass");
    retune(trial->worlds[RETUNED_STAMINA], "max_stamina");
    forget(trial, ONE_BATCH);
}

/* One world, then the other, whatever that held. */
static void exchange_clones(struct trial *trial) {
    struct world *old = trial->worlds[CLONED];
    if (trial->spare == NULL) {
        trial->spare = world_clone_new(old);
        assert_non_null(trial->spare);
    } else if (!world_clone(trial->spare, old)) {
        assert_true(world_clone_reserve(trial->spare, old));
        assert_true(world_clone(trial->spare, old));
    }
    trial->worlds[CLONED] = trial->spare;
    trial->spare = old;
}

/* The world that is read from what was written. */
static void go_through_file(struct trial *trial) {
    const struct world_overrides overrides = {.has_simd = true, .simd = some_width()};
    const struct checkpoint_rest rest = {.seq = 7};
    struct checkpoint_rest read;
    struct built_world built;
    struct failure failure;
    struct buffer line;
    buffer_init(&line, LIMIT_CHECKPOINT_BYTES);
    checkpoint_write(trial->worlds[THROUGH_FILES], &rest, &line, NULL);
    assert_false(line.failed);
    if (checkpoint_read(line.data, line.length - 1, trial->scenario, &overrides, NULL, &built, &read,
                        &failure) != 0) {
        fail_msg("%s: tick %" PRIu64 ": %s", trial->name, world_tick(trial->worlds[THROUGH_FILES]),
                 failure.message);
    }
    buffer_fini(&line);
    world_destroy(trial->worlds[THROUGH_FILES]);
    trial->worlds[THROUGH_FILES] = built.world;
    built.world = NULL;
    built_world_fini(&built);
}

/* The same vectors in every history. */
static void drive_all(struct trial *trial) {
    float x[64], y[64];
    struct drive_def drive = {.x = x, .y = y};
    while (drive.kind < world_kind_count(trial->worlds[PLAIN]) &&
           !world_heeds_drive(trial->worlds[PLAIN], drive.kind)) {
        drive.kind++;
    }
    if (drive.kind == world_kind_count(trial->worlds[PLAIN]) || below(4) != 0) {
        return;
    }
    for (int i = 0; i < 64; i++) {
        x[i] = any(-300.0f, 300.0f);
        y[i] = any(-300.0f, 300.0f);
    }
    for (int h = 0; h < HISTORIES; h++) {
        const int32_t population = world_kind_population(trial->worlds[h], drive.kind);
        int32_t gone;
        drive.count = population < 64 ? population : 64;
        assert_int_equal(world_drive(trial->worlds[h], &drive, &gone), WORLD_OK);
    }
}

static void step_all(struct trial *trial) {
    const struct parallel alone = parallel_alone(), other = backwards();
    for (int h = 0; h < HISTORIES; h++) {
        if (h == OTHER_WIDTH) {
            world_set_simd(trial->worlds[h], some_width());
        }
        world_step_parallel(trial->worlds[h], h == OTHER_WIDTH ? &other : &alone);
    }
}

/* How many failures there were. */
static int run_trial(const char *name, const struct scenario *scenario, int ticks) {
    struct trial trial = {.name = name, .scenario = scenario};
    for (int h = 0; h < HISTORIES; h++) {
        assert_int_equal(world_create(&scenario->def, &trial.worlds[h], NULL), WORLD_OK);
    }
    const int32_t agents = world_agent_count(trial.worlds[PLAIN]);
    trial.batch = BATCHES * (uint32_t)(agents < LARGE ? agents / 2 + 8 : 1000);
    memset(trial.equal_since, -1, sizeof trial.equal_since);
    compare(&trial);
    for (int tick = 0; tick < ticks && trial.failures == 0; tick++) {
        if (tick == 0 || tick == ticks / 3) {
            make_history(&trial);
            compare(&trial);
        }
        if (below(3) == 0) {
            idle_request(trial.worlds[IDLE_REQUESTS]);
            compare(&trial);
        }
        if (below(4) == 0) {
            exchange_clones(&trial);
        }
        if (below(4) == 0) {
            go_through_file(&trial);
            compare(&trial);
        }
        drive_all(&trial);
        step_all(&trial);
        compare(&trial);
    }
    for (int h = 0; h < HISTORIES; h++) {
        world_destroy(trial.worlds[h]);
    }
    world_destroy(trial.spare);
    return trial.failures;
}

/* ---- which worlds ---- */

/* 0: not in this run. */
static int ticks_of(const struct world_def *def) {
    const struct extent *run = extent();
    const int32_t agents = agents_of(def);
    if (agents >= LARGE) {
        return agents >= VAST ? run->vast_ticks : run->large_ticks;
    }
    const int affordable = run->updates / (agents + 1);
    return affordable > run->ticks ? run->ticks : affordable < run->least ? run->least : affordable;
}

static int try_scenario(const char *name) {
    struct scenario scenario;
    scenario_named(name, &scenario);
    const int ticks = ticks_of(&scenario.def);
    const int failures = ticks > 0 ? run_trial(name, &scenario, ticks) : 0;
    scenario_fini(&scenario);
    return failures;
}

static void test_scenarios(void **state) {
    dice = rng_begin(1, 0, 0, RNG_SPAWN_PLACE);
    assert_int_equal(each_scenario(getenv("DROVER_FUTURES"), try_scenario), 0);
}

/* A flock on a torus, whose order of slots is kept for some ticks. */
static struct world_def random_flock(void) {
    static const enum behavior_type types[] = {BEHAVIOR_FLOCK, BEHAVIOR_SEPARATION, BEHAVIOR_COHESION,
                                               BEHAVIOR_WANDER};
    struct world_def def = world_def_default();
    def.seed = rng_next(&dice);
    def.size = (vec2){any(400.0f, 4000.0f), any(400.0f, 4000.0f)};
    def.edge = EDGE_WRAP;
    struct kind_def *kind = world_def_add_kind(&def, "k0");
    assert_non_null(kind);
    kind->body.max_speed.low = kind->body.max_speed.high = any(10.0f, 200.0f);
    if (below(3) == 0) {
        kind->body.max_turn_rate = any(0.5f, 9.0f);
    }
    kind->states[0].behavior_count = 1 + below(2);
    for (int b = 0; b < kind->states[0].behavior_count; b++) {
        kind->states[0].behaviors[b] = behavior_def_default(types[b == 0 ? 0 : below(4)]);
    }
    struct placement_def *placement = world_def_add_placement(&def, "k0");
    assert_non_null(placement);
    placement->count = 20 + (uint32_t)below(120);
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    return def;
}

static void test_random_worlds(void **state) {
    const uint64_t seed = environment("DROVER_PROPERTY_SEED", 1),
                   worlds = environment("DROVER_PROPERTY_WORLDS", (uint64_t)extent()->worlds);
    int failures = 0;
    for (uint64_t w = 0; w < worlds; w++) {
        char name[64];
        (void)snprintf(name, sizeof name, "DROVER_PROPERTY_SEED=%" PRIu64 " DROVER_PROPERTY_WORLDS=1",
                       seed + w);
        dice = rng_begin(seed + w, 0, 0, RNG_SPAWN_PLACE);
        struct scenario scenario = {.def = (seed + w) % 2 == 0 ? random_flock() : random_def()};
        failures += run_trial(name, &scenario, extent()->ticks);
        world_def_fini(&scenario.def);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenarios),
                                       cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
