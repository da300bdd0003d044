/* Agents come and go: whoever is there came at the start or by a source and was not taken by a sink, ids are used once, nobody
 * comes where a body is, nobody is dropped, and the future is the same for other shares of the work, for clones, for a saved
 * world that is read again, and on ranks.
 *
 * DROVER_PROPERTY_SEED varies the worlds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/recording/checkpoint.h"
#include "server/scenario/scenario.h"
#include "server/sim/world/world_stripes.h"
#include "tests/property/environment.h"
#include "tests/property/other_ways.h"
#include "tests/support/fake_ranks.h"
#include "tests/unit/common/test_support.h"

enum { TEXT = 4096, WORLDS = 4, TICKS = 400, RANKS = 3, SOAK_TICKS = 10000 };

static const char *const edges[] = {"open", "wrap", "bounce", "contain"};

/* Two kinds, sources in areas of every shape, one of them too small for what it is to bring. */
static void write_scenario(char text[TEXT], int variant, int placed) {
    (void)snprintf(
        text, TEXT,
        "{\"name\":\"t\",\"seed\":%d,\"world\":{\"size\":[600,400],\"edge\":\"%s\",%s\"areas\":{"
        "\"left\":{\"rect\":[0,60,80,280]},\"disc\":{\"circle\":[500,200,60]},"
        "\"corner\":{\"polygon\":[[300,0],[420,0],[300,90]]},\"small\":{\"rect\":[280,180,30,30]},"
        "\"out\":{\"rect\":[540,0,60,120]},\"all\":{\"rect\":[0,380,600,20]}}},"
        "\"kinds\":{\"a\":{\"radius\":[4,9],\"max_speed\":[60,140],\"behaviors\":[{\"wander\":{}},{"
        "\"separation\":{}}]},"
        "\"b\":{\"radius\":6,\"behaviors\":[{\"seek\":{\"target\":\"goal\"}}]}},\"targets\":{\"goal\":[590,"
        "50]},"
        "\"agents\":[{\"kind\":\"a\",\"count\":%d,\"in\":{\"rect\":[100,100,300,200]}}],"
        "\"sources\":{\"even\":{\"kind\":\"a\",\"area\":\"left\",\"rate\":7,\"from\":0.5},"
        "\"random\":{\"kind\":\"b\",\"area\":\"disc\",\"rate\":9,\"burst\":3,\"spread\":\"random\"},"
        "\"few\":{\"kind\":\"a\",\"area\":\"corner\",\"rate\":20,\"at_most\":11,\"until\":3},"
        "\"crammed\":{\"kind\":\"b\",\"area\":\"small\",\"rate\":50,\"until\":4}},"
        "\"sinks\":{\"exit\":{\"area\":\"out\",\"kinds\":[\"b\"]},\"floor\":{\"area\":\"all\"}}}",
        variant + (int)environment("DROVER_PROPERTY_SEED", 1), edges[variant % 4],
        variant % 3 == 2 ? "\"obstacles\":[{\"box\":[40,100,20,60]}]," : "", placed);
}

static struct world *create(const char *text, int32_t most) {
    struct scenario scenario;
    struct failure failure = {0};
    struct built_world built;
    const struct world_overrides overrides = {.max_agents = most};
    if (scenario_read(text, strlen(text), &scenario, &failure) != 0 ||
        built_world_make(&scenario, &overrides, NULL, NULL, &built, &failure) != 0) {
        fail_msg("%s: %s", failure.field, failure.message);
    }
    scenario_fini(&scenario);
    struct world *world = built.world;
    built.world = NULL;
    built_world_fini(&built);
    return world;
}

static uint32_t spawned_by_all(const struct world *world) {
    uint32_t sum = 0;
    for (int i = 0; i < world_source_count(world); i++) {
        sum += world_source(world, i).spawned;
    }
    return sum;
}

static uint32_t removed_by_all(const struct world *world) {
    uint32_t sum = 0;
    for (int i = 0; i < world_sink_count(world); i++) {
        sum += world_sink(world, i).removed;
    }
    return sum;
}

/* Who came in the last tick, with an id above `last`: they touch nobody. Returns the highest id. */
static uint32_t check_new(const struct world *world, uint32_t last) {
    const struct bounds bounds = world_bounds(world);
    const int32_t count = world_agent_count(world);
    uint32_t highest = last;
    for (int32_t row = 0; row < count; row++) {
        const struct agent_view agent = world_agent(world, row);
        assert_true(row == 0 || agent.id > world_agent(world, row - 1).id);
        for (int32_t other = 0; agent.id > last && other < count; other++) {
            const struct agent_view beside = world_agent(world, other);
            const float apart = agent.radius + beside.radius;
            const vec2 between = bounds_difference(&bounds, agent.position, beside.position);
            assert_true(other == row || vec2_length_squared(between) >= apart * apart);
        }
        highest = agent.id > highest ? agent.id : highest;
    }
    return highest;
}

static void the_numbers_add_up(void **state) {
    for (int variant = 0; variant < WORLDS; variant++) {
        char text[TEXT];
        write_scenario(text, variant, 12);
        struct world *world = create(text, 0);
        uint32_t last = 12, most_waiting = 0;
        for (int tick = 1; tick <= TICKS; tick++) {
            world_step(world);
            assert_int_equal(world_agent_count(world), 12 + spawned_by_all(world) - removed_by_all(world));
            last = check_new(world, last);
            const struct source_view even = world_source(world, 0), few = world_source(world, 2);
            const uint32_t due = tick > 30 ? (uint32_t)((tick - 30) * 7 / 60) : 0;
            assert_int_equal(even.spawned + even.waiting, due);
            assert_true(few.spawned + few.waiting <= 11);
            const struct source_view crammed = world_source(world, 3);
            most_waiting = crammed.waiting > most_waiting ? crammed.waiting : most_waiting;
            assert_false(world_sources_are_full(world));
        }
        const struct source_view random = world_source(world, 1), few = world_source(world, 2),
                                 crammed = world_source(world, 3);
        assert_int_equal(few.spawned + few.waiting, 11);
        assert_int_equal(crammed.spawned + crammed.waiting, 200);
        assert_true(most_waiting > 10);
        assert_true(random.spawned > 25 && random.spawned < 95 && random.spawned % 3 == 0);
        assert_true(world_sink(world, 0).removed > 5 && removed_by_all(world) > 10);
        world_destroy(world);
    }
}

/* ---- the same future ---- */

struct trial {
    const char *text;
    uint64_t hashes[TICKS + 1];
    bool is_wrong[RANKS];
};

static void run_rank(const struct exchange *exchange, void *context) {
    struct trial *trial = context;
    struct world *world = create(trial->text, 0);
    assert_int_equal(world_join(world, exchange), 0);
    const struct parallel parallel = exchange->rank % 2 == 1 ? backwards() : parallel_alone();
    for (int tick = 1; tick <= TICKS; tick++) {
        world_step_parallel(world, &parallel);
        trial->is_wrong[exchange->rank] |= world_hash(world) != trial->hashes[tick];
    }
    world_destroy(world);
}

static void every_way_is_the_same(void **state) {
    for (int variant = 0; variant < WORLDS; variant++) {
        char text[TEXT];
        struct trial trial = {.text = text};
        write_scenario(text, variant, 12);
        struct world *world = create(text, 0), *copy = NULL;
        const struct parallel parallel = backwards();
        for (int tick = 1; tick <= TICKS; tick++) {
            world_step(world);
            trial.hashes[tick] = world_hash(world);
            if (tick == TICKS / 2) {
                copy = world_clone_new(world);
            } else if (tick > TICKS / 2) {
                world_step_parallel(copy, &parallel);
                assert_int_equal(world_hash(copy), trial.hashes[tick]);
            }
        }
        for (int mode = EXCHANGE_COPY; mode <= EXCHANGE_STRIPES; mode++) {
            struct fake_ranks *fake = fake_ranks_new(RANKS, (enum exchange_mode)mode, (uint64_t)variant + 1);
            fake_ranks_run(fake, run_rank, &trial);
            fake_ranks_destroy(fake);
            for (int rank = 0; rank < RANKS; rank++) {
                assert_false(trial.is_wrong[rank]);
            }
        }
        world_destroy(copy);
        world_destroy(world);
    }
}

static void a_saved_world_goes_on(void **state) {
    char text[TEXT];
    struct buffer saved;
    write_scenario(text, 1, 5);
    buffer_init(&saved, 1 << 22);
    struct world *world = create(text, 40);
    for (int tick = 0; tick < TICKS / 2; tick++) {
        world_step(world);
    }
    assert_true(world_sources_are_full(world));        /* 40 are there, the others wait */
    assert_in_range(world_agent_count(world), 36, 40); /* sinks come after sources */
    const struct checkpoint_rest rest = {.seq = 0};
    saved_world_write(world, &rest, "t", text, strlen(text), &saved, NULL);
    const struct world_overrides wide = {.max_agents = 1000}, narrow = {.max_agents = 39};
    struct built_world built;
    struct checkpoint_rest back;
    struct failure failure = {0};
    assert_int_equal(saved_world_read(saved.data, saved.length, &wide, NULL, &built, &back, &failure), 0);
    for (int tick = 0; tick < TICKS / 2; tick++) {
        world_step(world);
        world_step(built.world);
        assert_int_equal(world_hash(world), world_hash(built.world));
        assert_true(world_agent_count(world) <= 40);
    }
    built_world_fini(&built);
    assert_int_equal(saved_world_read(saved.data, saved.length, &narrow, NULL, &built, &back, &failure), -1);
    buffer_fini(&saved);
    world_destroy(world);
}

/* 10 000 ticks of few agents: the number settles, nobody is lost. */
static void it_runs_for_long(void **state) {
    char text[TEXT];
    write_scenario(text, 3, 3);
    struct world *world = create(text, 60);
    for (int tick = 0; tick < SOAK_TICKS; tick++) {
        world_step(world);
        assert_int_equal(world_agent_count(world), 3 + spawned_by_all(world) - removed_by_all(world));
    }
    assert_true(world_agent_count(world) <= 60);
    assert_in_range(removed_by_all(world), 200, 10000);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_add_up),
        cmocka_unit_test(every_way_is_the_same),
        cmocka_unit_test(a_saved_world_goes_on),
        cmocka_unit_test(it_runs_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
