/* server/sim/world/world.h: agents that exist are put somewhere else. */
#include <math.h>

#include "server/sim/math/rng.h"
#include "tests/unit/server/sim/sim_fixture.h"

static struct world *world_of(enum behavior_type type, enum edge edge, int count) {
    struct world_def def = one_kind_def(type, vec2_make(400.0f, 300.0f));
    def.edge = (int)edge;
    add_circle(&def, vec2_make(600.0f, 300.0f), 80.0f);
    def.kinds[0].body.max_stamina = 10.0f;
    for (int i = 0; i < count; i++) {
        const int column = i % 40, row = i / 40;
        place(&def, vec2_make(20.0f + 7.0f * (float)column, 20.0f + 9.0f * (float)row),
              vec2_make(30.0f, (float)(i % 5)));
    }
    return build(&def);
}

static struct agent_view agent_of(const struct world *world, uint32_t id) {
    const int32_t row = world_find_agent(world, id);
    assert_true(row >= 0);
    return world_agent(world, row);
}

static void put(struct world *world, uint32_t id, const vec2 *at, const vec2 *velocity, const float *heading,
                const float *stamina) {
    const struct world_placing placing = {.count = 1,
                                          .ids = &id,
                                          .x = at == NULL ? NULL : &at->x,
                                          .y = at == NULL ? NULL : &at->y,
                                          .vx = velocity == NULL ? NULL : &velocity->x,
                                          .vy = velocity == NULL ? NULL : &velocity->y,
                                          .heading = heading,
                                          .stamina = stamina};
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
}

/* Wherever it is put, beyond borders and inside solids too, it is where a spawned agent would be. */
static void test_places_are_those_of_spawn(void **state) {
    static const enum edge edges[] = {EDGE_WRAP, EDGE_BOUNCE, EDGE_CONTAIN, EDGE_OPEN};
    for (size_t e = 0; e < sizeof edges / sizeof edges[0]; e++) {
        struct world *world = world_of(BEHAVIOR_SEEK, edges[e], 3);
        const vec2 places[] = {{100.5f, 200.25f}, {-50.0f, 700.0f}, {800.0f, 600.0f}, {600.0f, 300.0f},
                               {640.0f, 310.0f},  {1e6f, -1e6f},    {0.0f, 0.0f},     {799.9999f, 1e-30f}};
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            const struct spawn_def spawn = {
                .count = 1, .shape = PLACE_POINT, .at = places[i], .velocity = {300.0f, 400.0f}};
            const vec2 velocity = {300.0f, 400.0f};
            uint32_t id = 0;
            assert_int_equal(world_spawn(world, &spawn, &id), WORLD_OK);
            put(world, 2, &places[i], &velocity, NULL, NULL);
            const struct agent_view fresh = agent_of(world, id), placed = agent_of(world, 2);
            assert_true(fresh.position.x == placed.position.x && fresh.position.y == placed.position.y);
            assert_true(fresh.velocity.x == placed.velocity.x && fresh.velocity.y == placed.velocity.y);
            assert_true(fresh.heading.x == placed.heading.x && fresh.heading.y == placed.heading.y);
        }
        steps(world, 30);
        world_destroy(world);
    }
}

static void test_each_part_alone(void **state) {
    struct world *world = world_of(BEHAVIOR_SEEK, EDGE_WRAP, 3);
    steps(world, 5);
    const struct agent_view before = agent_of(world, 2), other = agent_of(world, 1);
    const float heading = 3.14159265f, stamina = 4.0f, more = 99.0f, none = 0.0f;
    put(world, 2, NULL, NULL, &heading, NULL);
    struct agent_view now = agent_of(world, 2);
    assert_true(now.heading.x == -1.0f && now.position.x == before.position.x &&
                now.velocity.y == before.velocity.y && now.stamina == before.stamina);
    put(world, 2, NULL, NULL, NULL, &stamina);
    assert_true(agent_of(world, 2).stamina == 4.0f);
    put(world, 2, NULL, NULL, NULL, &more);
    assert_true(agent_of(world, 2).stamina == 10.0f);
    put(world, 2, NULL, NULL, NULL, &none);
    assert_true(agent_of(world, 2).stamina == 0.0f);
    const vec2 still = {0.0f, 0.0f}, down = {0.0f, 1000.0f};
    put(world, 2, NULL, &still, NULL, NULL);
    now = agent_of(world, 2);
    assert_true(now.velocity.x == 0.0f && now.heading.x == -1.0f); /* it faces where it did */
    put(world, 2, NULL, &down, NULL, NULL);
    now = agent_of(world, 2);
    assert_true(now.velocity.y == 100.0f && now.heading.y == 1.0f);
    assert_true(now.position.x == before.position.x && now.position.y == before.position.y);
    const struct agent_view same = agent_of(world, 1);
    assert_true(same.position.x == other.position.x && same.velocity.x == other.velocity.x);
    world_destroy(world);
}

static void test_all_or_none(void **state) {
    struct world *world = world_of(BEHAVIOR_SEEK, EDGE_WRAP, 10);
    steps(world, 3);
    const uint64_t hash = world_hash(world);
    const uint32_t ids[] = {1, 2, 77};
    const float x[] = {1.0f, 2.0f, 3.0f}, y[] = {1.0f, 2.0f, 3.0f};
    struct world_placing placing = {.count = 3, .ids = ids, .x = x, .y = y};
    assert_int_equal(world_place_agents(world, &placing), WORLD_NO_AGENT);
    assert_true(world_hash(world) == hash);
    placing.count = 0;
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
    assert_true(world_hash(world) == hash);
    placing = (struct world_placing){.count = 2, .ids = ids};
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
    assert_true(world_hash(world) == hash);
    world_destroy(world);
}

static void test_the_last_entry_of_an_id_counts(void **state) {
    struct world *world = world_of(BEHAVIOR_SEEK, EDGE_WRAP, 10);
    const uint32_t ids[] = {4, 5, 4};
    const float x[] = {1.0f, 2.0f, 33.0f}, y[] = {1.0f, 2.0f, 44.0f};
    const struct world_placing placing = {.count = 3, .ids = ids, .x = x, .y = y};
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
    assert_true(agent_of(world, 4).position.x == 33.0f && agent_of(world, 5).position.y == 2.0f);
    world_destroy(world);
}

/* Flocks keep their agents in order of rows and their headings unwritten, and sort now and then: clones that are given
 * the same, at once or one by one, stay equal, and the world keeps its invariants. */
static void test_flocks_that_are_placed_stay_equal(void **state) {
    struct rng rng = rng_begin(3, 1, 4, RNG_SPAWN_PLACE);
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    for (int i = 0; i < 400; i++) {
        const int column = i % 20, row = i / 20;
        place(&def, vec2_make((float)column * 31.0f, (float)row * 23.0f), vec2_make(20.0f, 1.0f));
    }
    struct world *world = build(&def), *clone = world_clone_new(world);
    assert_non_null(clone);
    for (int round = 0; round < 40; round++) {
        enum { MOST = 32 };
        uint32_t ids[MOST];
        float x[MOST], y[MOST], heading[MOST];
        for (int i = 0; i < MOST; i++) {
            ids[i] = 1 + (uint32_t)(399.0f * rng_unit(&rng));
            x[i] = rng_between(&rng, -100.0f, 900.0f);
            y[i] = rng_between(&rng, -100.0f, 700.0f);
            heading[i] = rng_between(&rng, -3.0f, 3.0f);
        }
        const struct world_placing all = {.count = MOST, .ids = ids, .x = x, .y = y, .heading = heading};
        assert_int_equal(world_place_agents(world, &all), WORLD_OK);
        for (int i = 0; i < MOST; i++) {
            const struct world_placing one = {
                .count = 1, .ids = &ids[i], .x = &x[i], .y = &y[i], .heading = &heading[i]};
            assert_int_equal(world_place_agents(clone, &one), WORLD_OK);
        }
        assert_true(world_hash(world) == world_hash(clone));
        steps(world, 7);
        steps(clone, 7);
        assert_true(world_hash(world) == world_hash(clone));
    }
    world_destroy(world);
    world_destroy(clone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_are_those_of_spawn),
        cmocka_unit_test(test_each_part_alone),
        cmocka_unit_test(test_all_or_none),
        cmocka_unit_test(test_the_last_entry_of_an_id_counts),
        cmocka_unit_test(test_flocks_that_are_placed_stay_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
