/* How many agents a world may have, and what memory they take. */
#include "tests/unit/server/sim/sim_fixture.h"

#include "server/sim/world/world_internal.h"

static struct world *flock(int32_t agents) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    def.edge = EDGE_WRAP;
    for (int32_t i = 0; i < agents; i++) {
        place(&def, vec2_make(20.0f * (float)i, 50.0f + 30.0f * (float)(i % 5)), vec2_make(9.0f, 8.0f));
    }
    return build(&def);
}

static uint64_t bytes_of(const struct world *world, int64_t agents, int threads) {
    const int64_t population[LIMIT_KINDS] = {agents};
    return world_bytes(world, population, threads);
}

static void limits(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    struct spawn_def spawn = {.count = 3};
    uint32_t first = 0;
    def.max_agents = 5;
    struct world *world = build(&def);
    assert_int_equal(world_max_agents(world), 5);
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_FULL);
    spawn.count = 2;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    assert_int_equal(world_agent_count(world), 5);
    world_destroy(world);
}

static void placements_beyond_the_limit(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    struct world *world = NULL;
    const char *what = "";
    place(&def, vec2_make(1.0f, 1.0f), vec2_make(0.0f, 0.0f));
    def.placements[0].count = LIMIT_AGENTS_USUAL + 1;
    assert_int_equal(world_create(&def, &world, &what), WORLD_FULL);
    place(&def, vec2_make(1.0f, 1.0f), vec2_make(0.0f, 0.0f));
    def.max_agents = LIMIT_AGENTS;
    def.placements[0].count = UINT32_MAX;
    def.placements[1].count = UINT32_MAX;
    assert_int_equal(world_create(&def, &world, &what), WORLD_FULL);
    def.max_agents = LIMIT_AGENTS + 1;
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    def.max_agents = 0;
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    world_def_fini(&def);
}

/* The index of sights has rows as floats. */
static void fewer_where_some_look_for_a_kind(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_PURSUE, vec2_make(400.0f, 300.0f));
    struct target_ref *target = &def.kinds[0].states[0].behaviors[0].target;
    *target = (struct target_ref){.within = 50.0f};
    memcpy(target->kind, def.kinds[0].name, sizeof target->kind);
    def.max_agents = LIMIT_AGENTS;
    struct world *world = build(&def);
    assert_int_equal(world_max_agents(world), SIGHT_ROWS);
    assert_true((float)(SIGHT_ROWS - 1) < (float)SIGHT_ROWS);
    assert_true(bytes_of(world, SIGHT_ROWS, 1) > UINT64_C(200) * SIGHT_ROWS);
    world_destroy(world);
}

/* Nothing of that takes memory. */
static void as_many_as_there_can_be(void **state) {
    const vec2 largest = {(float)LIMIT_WORLD_SIZE, (float)LIMIT_WORLD_SIZE};
    struct world *world = flock(0);
    const int32_t cells = grid_cells_of(LIMIT_AGENTS, largest, true, 1.0f);
    assert_true(cells > LIMIT_AGENTS && cells <= grid_cells_max(LIMIT_AGENTS));
    assert_true(grid_cells_max(LIMIT_AGENTS) + 1 > LIMIT_AGENTS);
    world->max_agents = LIMIT_AGENTS;
    assert_int_equal(world_room_for(world, LIMIT_AGENTS), LIMIT_AGENTS);
    world->capacity = LIMIT_AGENTS - 1;
    assert_int_equal(world_room_for(world, LIMIT_AGENTS), LIMIT_AGENTS);
    world->capacity = 0;
    const uint64_t bytes = bytes_of(world, LIMIT_AGENTS, GRID_PARTS);
    assert_true(bytes > UINT64_C(60) * LIMIT_AGENTS && bytes < UINT64_C(130) * LIMIT_AGENTS);
    assert_true(bytes_of(world, LIMIT_AGENTS, 1) <= bytes);
    assert_true(bytes_of(world, 0, 1) < 100000);
    world_destroy(world);
}

static void what_spawning_takes(void **state) {
    struct world *world = flock(10);
    assert_true(world_spawn_bytes(world, 0, 100000, 1) > UINT64_C(60) * 100000);
    assert_int_equal(world_reserve(world, 1000), 0);
    assert_true(world_spawn_bytes(world, 0, 990, 1) == 0);
    assert_true(world_spawn_bytes(world, 0, 991, 1) > 0);
    world_destroy(world);
}

/* ---- memories ---- */

static bool is_untouched(const struct world *world) {
    const char *memory = (const char *)world->memory, *next = (const char *)world->next_memory;
    for (size_t i = 0; i < (size_t)world->agent_count * sizeof *world->memory; i++) {
        if (memory[i] != 0 || next[i] != 0) {
            return false;
        }
    }
    return true;
}

static void a_flock_remembers_nothing(void **state) {
    struct world *world = flock(40);
    for (int tick = 0; tick < 20; tick++) {
        world_step(world);
    }
    assert_true(world->is_pure_flock && !world->has_memories && is_untouched(world));
    assert_true(bytes_of(world, 1000000, 1) < UINT64_C(130) * 1000000);
    struct world *other = world_clone_new(world);
    assert_non_null(other);
    assert_true(is_untouched(other));
    const uint64_t hash = world_hash(world);
    world_remember(other);
    assert_true(world_hash(other) == hash && !is_untouched(other));
    assert_true(world_clone(other, world) && is_untouched(other)); /* it forgets */
    assert_true(world_hash(other) == hash);
    world_destroy(other);
    world_destroy(world);
}

/* Each way on is that of a world which has had memories from the start. */
static void check_same_future(void (*change)(struct world *)) {
    struct world *world = flock(40), *other = flock(40);
    world_remember(other);
    for (int tick = 0; tick < 60; tick++) {
        if (tick == 5) {
            change(world);
            change(other);
        }
        assert_true(world_hash(world) == world_hash(other));
        world_step(world);
        world_step(other);
    }
    world_destroy(other);
    world_destroy(world);
}

static void spawn_some(struct world *world) {
    const struct spawn_def spawn = {.count = 7, .shape = PLACE_RECT, .size = vec2_make(400.0f, 300.0f)};
    uint32_t first = 0;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
}

static void remove_some(struct world *world) {
    assert_int_equal(world_remove(world, (const uint32_t[]){3, 17, 40}, 3, NULL), 3);
}

static void give_stamina(struct world *world) {
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "max_stamina", &ref));
    world_set_param(world, &ref, 5.0);
}

static void set_stamina(struct world *world) {
    const uint32_t id = 4;
    const float stamina = 0.0f;
    const struct world_placing placing = {.count = 1, .ids = &id, .stamina = &stamina};
    assert_int_equal(world_place_agents(world, &placing), WORLD_OK);
}

static void add_stone(struct world *world) {
    const struct obstacle_def stone = {.shape = OBSTACLE_CIRCLE, .at = {200.0f, 100.0f}, .radius = 20.0f};
    uint32_t id = 0;
    int32_t pushed = 0;
    assert_int_equal(world_add_obstacle(world, &stone, &id, &pushed), WORLD_OK);
}

static void same_futures(void **state) {
    check_same_future(spawn_some);
    check_same_future(remove_some);
    check_same_future(give_stamina);
    check_same_future(set_stamina);
    check_same_future(add_stone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),
        cmocka_unit_test(placements_beyond_the_limit),
        cmocka_unit_test(fewer_where_some_look_for_a_kind),
        cmocka_unit_test(as_many_as_there_can_be),
        cmocka_unit_test(what_spawning_takes),
        cmocka_unit_test(a_flock_remembers_nothing),
        cmocka_unit_test(same_futures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
