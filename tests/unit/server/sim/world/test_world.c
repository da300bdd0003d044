/* Worlds: ticks, hashes, copies, parameters, bytes. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "server/sim/world/world_internal.h" /* to look into the grid, and for what a clone must not keep */
#include "tests/unit/server/sim/grid_fixture.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== world.h: the tick ==== */

static float distance_to(const struct world *world, int32_t row, vec2 point) {
    return vec2_length(vec2_sub(world_agent(world, row).position, point));
}

/* Arrive's promise: no visible overshoot, then exactly at rest, for good, facing where it came. */
static void check_arrival(vec2 start, vec2 velocity, struct body_def body, double hz, float max_overshoot) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){500.0f, 300.0f});
    def.tick_hz = hz;
    def.kinds[0].body = body;
    place(&def, start, velocity);
    struct world *world = build(&def);
    const vec2 target = {500.0f, 300.0f}, from = vec2_sub(target, start);
    float overshoot = 0.0f;
    for (int tick = 0; tick < (int)(30.0 * hz); tick++) {
        world_step(world);
        const vec2 past = vec2_sub(world_agent(world, 0).position, target);
        const float along = vec2_dot(past, vec2_with_length(from, 1.0f));
        overshoot = along > overshoot ? along : overshoot;
    }
    const struct agent_view agent = world_agent(world, 0);
    assert_true(agent.velocity.x == 0.0f && agent.velocity.y == 0.0f);
    assert_true(distance_to(world, 0, target) < 0.01f);
    assert_true(overshoot <= max_overshoot);
    const uint64_t tick = world_tick(world);
    steps(world, 600);
    const struct agent_view later = world_agent(world, 0);
    assert_true(world_tick(world) == tick + 600);
    assert_memory_equal(&later.position, &agent.position, sizeof agent.position);
    assert_memory_equal(&later.heading, &agent.heading, sizeof agent.heading);
    world_destroy(world);
}

static void test_arrive_stops_exactly(void **state) {
    struct body_def body = kind_def_default().body;
    body.max_speed = (struct field_range){150.0f, 150.0f};
    body.max_force = (struct field_range){100.0f, 100.0f};
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 60.0, 0.05f);
    check_arrival((vec2){100.0f, 300.0f}, (vec2){150.0f, 0}, body, 60.0, 0.05f);
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 30.0, 0.05f);
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 240.0, 0.05f);
    body.mass = (struct field_range){5.0f, 5.0f};
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 60.0, 0.05f);
    body.mass = (struct field_range){0.2f, 0.2f};
    check_arrival((vec2){100.0f, 100.0f}, (vec2){0, 0}, body, 60.0, 0.05f);
    /* Sideways and too fast to brake: it has to come back, but it comes to rest all the same. */
    check_arrival((vec2){480.0f, 300.0f}, (vec2){100.0f, 150.0f}, body, 60.0, 1000.0f);
}

static void test_linear_law_overshoots_as_the_tutorials_do(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){500.0f, 300.0f});
    def.kinds[0].states[0].behaviors[0].law = ARRIVE_LINEAR;
    def.kinds[0].states[0].behaviors[0].slowing_distance = 20.0f;
    def.kinds[0].body.max_speed = (struct field_range){150.0f, 150.0f};
    def.kinds[0].body.max_force = (struct field_range){100.0f, 100.0f};
    place(&def, (vec2){100.0f, 300.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    float furthest = 0.0f;
    for (int tick = 0; tick < 600; tick++) {
        world_step(world);
        furthest = fmaxf(furthest, world_agent(world, 0).position.x - 500.0f);
    }
    assert_true(furthest > 80.0f && furthest < 110.0f); /* v*v/2a less the ramp: measured 93.75 */
    world_destroy(world);
}

static void test_wrap_takes_the_short_way(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){790.0f, 300.0f});
    def.edge = EDGE_WRAP;
    place(&def, (vec2){10.0f, 300.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    steps(world, 5);
    assert_true(world_agent(world, 0).velocity.x < 0.0f);
    steps(world, 40);
    assert_true(world_agent(world, 0).position.x > 700.0f);
    world_destroy(world);
}

static void test_contained_agents_come_back(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_FLEE, (vec2){400.0f, 300.0f});
    def.edge = EDGE_CONTAIN;
    for (int i = 0; i < 8; i++) {
        place(&def, (vec2){390.0f + 3.0f * (float)i, 310.0f}, (vec2){0, 0});
    }
    struct world *world = build(&def);
    for (int tick = 0; tick < 3000; tick++) {
        world_step(world);
        for (int32_t row = 0; row < world_agent_count(world); row++) {
            const vec2 at = world_agent(world, row).position;
            assert_true(at.x > -2.0f && at.x < 802.0f && at.y > -2.0f && at.y < 602.0f);
        }
    }
    world_destroy(world);
}

/* Removing agents, or adding some, does not change the motion of the others. */
static void test_agents_do_not_depend_on_each_other(void **state) {
    struct world *worlds[2];
    for (int w = 0; w < 2; w++) {
        struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){300.0f, 200.0f});
        def.kinds[0].body.max_speed = (struct field_range){50.0f, 150.0f};
        struct placement_def *placement = world_def_add_placement(&def, "agent");
        assert_non_null(placement);
        placement->count = 20;
        placement->shape = PLACE_RECT;
        placement->size = def.size;
        worlds[w] = build(&def);
    }
    const uint32_t gone[] = {3, 7, 8, 20};
    assert_int_equal(world_remove(worlds[1], gone, 4, NULL), 4);
    steps(worlds[0], 100);
    steps(worlds[1], 100);
    for (int32_t row = 0; row < world_agent_count(worlds[1]); row++) {
        const struct agent_view agent = world_agent(worlds[1], row);
        const struct agent_view twin = world_agent(worlds[0], world_find_agent(worlds[0], agent.id));
        assert_memory_equal(&agent.position, &twin.position, sizeof twin.position);
        assert_memory_equal(&agent.velocity, &twin.velocity, sizeof twin.velocity);
    }
    world_destroy(worlds[0]);
    world_destroy(worlds[1]);
}

/* Ticks of 60 that left 2 000 agents in their slots; in each of them every agent is found. */
static int kept_ticks(float max_speed) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, (vec2){0, 0});
    def.edge = EDGE_WRAP;
    def.kinds[0].body.max_speed = (struct field_range){max_speed, max_speed};
    def.kinds[0].body.locomotion = LOCOMOTION_CONSTANT_SPEED;
    place(&def, (vec2){0, 0}, (vec2){0, 0});
    def.placements[0].shape = PLACE_RECT;
    def.placements[0].size = def.size;
    def.placements[0].count = 2000;
    struct world *world = build(&def);
    int kept = 0;
    for (int tick = 0; tick < 60; tick++) {
        world_step(world);
        kept += world->grid.drift > 0.0f;
        for (int32_t slot = 0; slot < world->agent_count; slot++) {
            assert_true(grid_finds(&world->grid, slot));
        }
    }
    world_destroy(world);
    return kept;
}

static void test_order_is_kept_while_agents_stay_near(void **state) {
    const int slow = kept_ticks(20.0f), brisk = kept_ticks(60.0f);
    assert_true(slow > brisk && slow < 60);
    assert_true(brisk > 20);
    assert_int_equal(kept_ticks(2000.0f), 0);
}

static void test_target_jumps_when_reached(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400.0f, 300.0f});
    def.targets[0].jump_within = 2.0f;
    def.targets[0].jump_margin = 10.0f;
    place(&def, (vec2){401.0f, 300.0f}, (vec2){0, 0});
    struct world *world = build(&def);
    const vec2 before = world_target_position(world, 0);
    world_step(world);
    int jumps = 0;
    vec2 last = world_target_position(world, 0);
    assert_true(last.x != before.x || last.y != before.y);
    for (int tick = 0; tick < 6000; tick++) {
        world_step(world);
        const vec2 at = world_target_position(world, 0);
        assert_true(at.x >= 10.0f && at.x <= 790.0f && at.y >= 10.0f && at.y <= 590.0f);
        jumps += at.x != last.x || at.y != last.y;
        last = at;
    }
    assert_true(jumps >= 2);
    world_destroy(world);
}

static void test_explain_is_what_the_tick_does(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){600.0f, 300.0f});
    struct state_def *only = &def.kinds[0].states[0];
    only->behavior_count = 3;
    only->behaviors[1] = behavior_def_default(BEHAVIOR_FLEE);
    only->behaviors[2] = behavior_def_default(BEHAVIOR_SEEK);
    copy_text(only->behaviors[1].target.target, "mouse");
    copy_text(only->behaviors[2].target.target, "mouse");
    only->behaviors[1].weight = 0.25f;
    def.kinds[0].body.mass = (struct field_range){3.0f, 3.0f};
    place(&def, (vec2){100.0f, 120.0f}, (vec2){20.0f, 30.0f});
    struct world *world = build(&def);
    struct steering_view view;
    world_explain(world, 0, &view);
    assert_int_equal(view.count, 3);
    assert_string_equal(view.labels[0], "seek");
    assert_string_equal(view.labels[1], "flee");
    assert_string_equal(view.labels[2], "seek2");
    const vec2 sum = vec2_add(vec2_add(view.forces[0], view.forces[1]), view.forces[2]);
    const vec2 total = vec2_truncate(sum, world_agent(world, 0).max_force);
    assert_true(fabsf(total.x - view.steering.x) < 0.01f && fabsf(total.y - view.steering.y) < 0.01f);
    const vec2 before = world_agent(world, 0).velocity;
    world_step(world);
    const vec2 gained = vec2_sub(world_agent(world, 0).velocity, before);
    assert_true(fabsf(gained.x - view.steering.x / 180.0f) < 1e-4f);
    assert_true(fabsf(gained.y - view.steering.y / 180.0f) < 1e-4f);
    world_destroy(world);
}

static void test_bad_definitions_are_refused(void **state) {
    struct world *world = NULL;
    const char *what = NULL;
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){0, 0});
    copy_text(def.kinds[0].states[0].behaviors[0].target.target, "ghost");
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    assert_string_equal(what, "a behavior names an unknown target or kind; allowed: those of the definition");
    world_def_fini(&def);
    def = world_def_default();
    def.size.x = 0.0f;
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    def = world_def_default();
    assert_non_null(world_def_add_placement(&def, "ghost"));
    assert_int_equal(world_create(&def, &world, NULL), WORLD_BAD_DEF);
    world_def_fini(&def);
    assert_null(world);
}

/* ==== How many agents a world may have, and what memory they take ==== */

static struct world *flock_world_bytes(int32_t agents) {
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    def.edge = EDGE_WRAP;
    for (int32_t i = 0; i < agents; i++) {
        place(&def, vec2_make(20.0f * (float)i, 50.0f + 30.0f * (float)(i % 5)), vec2_make(9.0f, 8.0f));
    }
    return build(&def);
}

static uint64_t bytes_of(const struct world *world, int64_t agents, int threads) {
    const int64_t population[LIMIT_KINDS] = {agents};
    return world_bytes(world, population, threads, 1);
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
    struct world *world = flock_world_bytes(0);
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

/* What every rank has of all agents is a small part of it. */
static void ranks_share_the_memory(void **state) {
    const int64_t population[LIMIT_KINDS] = {8000000};
    struct world *world = flock_world_bytes(0);
    const uint64_t alone = world_bytes(world, population, 1, 1);
    assert_true(world_bytes(world, population, 1, 4) < alone * 4 / 10);
    assert_true(world_bytes(world, population, 1, 8) < alone * 3 / 10);
    assert_true(world_bytes(world, population, 1, 8) > alone / 8);
    assert_int_equal(world_stripes_ranks(world), 1);
    world_destroy(world);
}

static void what_spawning_takes(void **state) {
    struct world *world = flock_world_bytes(10);
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
    struct world *world = flock_world_bytes(40);
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
    struct world *world = flock_world_bytes(40), *other = flock_world_bytes(40);
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

/* ==== Copies of worlds go on like what they were copied from, into memory that is there ==== */

static struct world *flock_world_clone(vec2 size, uint32_t count, int kinds) {
    static const char *const names[] = {"agent", "other", "third"};
    struct world_def def = world_def_default();
    def.size = size;
    def.edge = EDGE_WRAP;
    for (int k = 0; k < kinds; k++) {
        struct kind_def *kind = world_def_add_kind(&def, names[k]);
        struct placement_def *placement = world_def_add_placement(&def, names[k]);
        assert_non_null(kind);
        assert_non_null(placement);
        kind->states[0].behavior_count = 1;
        kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
        placement->count = count;
        placement->shape = PLACE_RECT;
        placement->size = size;
    }
    return build(&def);
}

/* Every sort of geometry. */
static struct world *landscape(void) {
    struct world_def def = one_kind_def(BEHAVIOR_FOLLOW_FLOW, vec2_make(400.0f, 300.0f));
    vec2 *vectors = calloc(4, sizeof *vectors);
    assert_non_null(vectors);
    for (int i = 0; i < 4; i++) {
        vectors[i] = vec2_make(10.0f * (float)i, 20.0f);
    }
    add_flow(&def, "f", (struct flow_def){.type = FLOW_GRID, .columns = 2, .rows = 2, .vectors = vectors});
    struct state_def *state = &def.kinds[0].states[0];
    state->behaviors[1] = behavior_def_default(BEHAVIOR_AVOID_OBSTACLES);
    state->behaviors[2] = behavior_def_default(BEHAVIOR_FOLLOW_PATH);
    state->behavior_count = 3;
    copy_text(state->behaviors[2].path, "p");
    struct path_def *path = geometry_def_add_path(&def.geometry);
    struct wall_def *wall = geometry_def_add_wall(&def.geometry);
    assert_non_null(path);
    assert_non_null(wall);
    *path = (struct path_def){.name = "p", .radius = 20.0f, .point_count = 2, .points = {{0, 0}, {800, 600}}};
    *wall = (struct wall_def){{300.0f, 100.0f}, {300.0f, 500.0f}};
    add_circle(&def, vec2_make(500.0f, 300.0f), 60.0f);
    for (int i = 0; i < 40; i++) {
        place(&def, vec2_make(15.0f * (float)i, 280.0f), vec2_make(60.0f, 0.0f));
    }
    return build(&def);
}

static void assert_same_futures(struct world *a, struct world *b, int ticks) {
    assert_true(world_hash(a) == world_hash(b));
    for (int tick = 0; tick < ticks; tick++) {
        world_step(a);
        world_step(b);
        assert_true(world_hash(a) == world_hash(b));
    }
}

static void test_a_clone_goes_on_alike(void **state) {
    struct world *worlds[] = {flock_world_clone(vec2_make(900.0f, 700.0f), 120, 2), landscape()};
    for (int i = 0; i < 2; i++) {
        steps(worlds[i], 31);
        struct world *clone = world_clone_new(worlds[i]);
        assert_non_null(clone);
        assert_same_futures(worlds[i], clone, 200);
        world_destroy(worlds[i]); /* they share nothing */
        steps(clone, 10);
        world_destroy(clone);
    }
}

/* Wherever the phase of the order of slots is. */
static void test_a_clone_of_every_tick(void **state) {
    struct world *world = flock_world_clone(vec2_make(900.0f, 700.0f), 120, 1), *end = world_clone_new(world);
    steps(end, 40);
    for (int tick = 0; tick < 12; tick++) {
        struct world *clone = world_clone_new(world);
        steps(clone, 40 - tick);
        assert_true(world_hash(clone) == world_hash(end));
        world_destroy(clone);
        world_step(world);
    }
    world_destroy(world);
    world_destroy(end);
}

/* Whatever was there before, in a world that is larger or smaller in every respect. */
static void test_into_another_world(void **state) {
    struct world *from[] = {flock_world_clone(vec2_make(900.0f, 700.0f), 50, 1), landscape(),
                            flock_world_clone(vec2_make(2000.0f, 2000.0f), 300, 3)};
    struct world *to = flock_world_clone(vec2_make(500.0f, 500.0f), 60, 1);
    for (int round = 0; round < 6; round++) {
        struct world *world = from[round % 3];
        steps(world, 7);
        steps(to, 5);
        assert_true(world_clone_reserve(to, world));
        assert_true(world_clone(to, world));
        assert_same_futures(world, to, 50);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(world_clone(to, from[i])); /* there is room for each by now */
        world_destroy(from[i]);
    }
    world_destroy(to);
}

static void test_what_does_not_fit_changes_nothing(void **state) {
    struct world *small = flock_world_clone(vec2_make(500.0f, 500.0f), 10, 1);
    struct world *small_too = flock_world_clone(vec2_make(500.0f, 500.0f), 10, 1);
    struct world *many = flock_world_clone(vec2_make(500.0f, 500.0f), 100, 1);
    struct world *kinds = flock_world_clone(vec2_make(500.0f, 500.0f), 3, 2), *solids = landscape();
    const uint64_t hash = world_hash(small);
    assert_true(world_clone_reserve(small, small_too));
    assert_false(world_clone(small, many));
    assert_false(world_clone(small, kinds));
    assert_false(world_clone(small, solids));
    assert_true(world_hash(small) == hash);
    assert_true(world_clone_reserve(small, solids));
    assert_true(world_hash(small) == hash); /* room alone changes nothing either */

    assert_true(world_clone(small, solids));
    world_destroy(small);
    world_destroy(small_too);
    world_destroy(many);
    world_destroy(kinds);
    world_destroy(solids);
}

/* A clone is a world like others: commands work, and take the room for geometry. */
static void test_commands_in_a_clone(void **state) {
    struct world *world = landscape(), *clone = world_clone_new(world);
    const struct obstacle_def circle = {.shape = OBSTACLE_CIRCLE, .at = {600.0f, 100.0f}, .radius = 30.0f};
    struct world *both[] = {world, clone};
    for (int i = 0; i < 2; i++) {
        uint32_t id, first;
        int32_t pushed;
        const struct spawn_def spawn = {.kind = 0, .count = 100, .shape = PLACE_RECT, .size = {800, 600}};
        assert_int_equal(world_add_obstacle(both[i], &circle, &id, &pushed), WORLD_OK);
        assert_int_equal(world_spawn(both[i], &spawn, &first), WORLD_OK);
        assert_int_equal(world_remove(both[i], (const uint32_t[]){3, 5}, 2, NULL), 2);
    }
    assert_same_futures(world, clone, 100);
    assert_false(world_clone(clone, world));
    assert_true(world_clone_reserve(clone, world));
    assert_true(world_clone(clone, world));
    assert_same_futures(world, clone, 20);
    world_destroy(world);
    world_destroy(clone);
}

static void test_how_it_is_computed_stays(void **state) {
    struct world *world = flock_world_clone(vec2_make(500.0f, 500.0f), 10, 1),
                 *clone = world_clone_new(world);
    atomic_bool given_up = false;
    world_set_simd(clone, SIMD_PLAIN);
    world_allow_giving_up(clone, &given_up);
    assert_true(world_clone(clone, world));
    assert_int_equal(clone->simd, SIMD_PLAIN);
    assert_ptr_equal(clone->grid.given_up, &given_up);
    world_destroy(world);
    world_destroy(clone);
}

static void test_an_empty_world(void **state) {
    struct world_def def = world_def_default();
    struct world *world = build(&def), *clone = world_clone_new(world);
    assert_non_null(clone);
    assert_same_futures(world, clone, 3);
    world_destroy(world);
    world_destroy(clone);
}

/* Cells are left over from agents that are gone. */
static void test_an_emptied_world(void **state) {
    struct world *world = flock_world_clone(vec2_make(500.0f, 500.0f), 1, 1);
    assert_int_equal(world_remove_kind(world, 0), 1);
    struct world *clone = world_clone_new(world);
    assert_non_null(clone);
    assert_same_futures(world, clone, 3);
    const struct spawn_def spawn = {.kind = 0, .count = 5};
    uint32_t first;
    assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
    assert_int_equal(world_spawn(clone, &spawn, &first), WORLD_OK);
    assert_same_futures(world, clone, 3);
    world_destroy(world);
    world_destroy(clone);
}

/* ==== world.h: live parameters ==== */

static struct world *arriving_world(void) {
    struct world_def def = one_kind_def(BEHAVIOR_ARRIVE, (vec2){400.0f, 300.0f});
    def.kinds[0].body.max_speed = (struct field_range){50.0f, 150.0f};
    def.kinds[0].states[0].behavior_count = 2;
    def.kinds[0].states[0].behaviors[1] = def.kinds[0].states[0].behaviors[0];
    for (int i = 0; i < 10; i++) {
        place(&def, (vec2){10.0f * (float)i, 0.0f}, (vec2){0, 0});
    }
    return build(&def);
}

static void test_listing(void **state) {
    struct world *world = arriving_world();
    const char *expected[] = {"mass",
                              "radius",
                              "max_speed",
                              "max_force",
                              "max_turn_rate",
                              "max_stamina",
                              "arrive.weight",
                              "arrive.slowing_distance",
                              "arrive.within",
                              "arrive2.weight",
                              "arrive2.slowing_distance",
                              "arrive2.within"};
    enum { COUNT = sizeof expected / sizeof *expected };
    struct param_ref ref;
    char name[64];
    for (int i = 0; i < COUNT; i++) {
        assert_true(world_param_at(world, 0, i, &ref, name));
        assert_string_equal(name, expected[i]);
        struct param_ref found;
        assert_true(world_find_param(world, 0, name, &found));
        assert_ptr_equal(found.field, ref.field);
        assert_int_equal(found.behavior, ref.behavior);
    }
    assert_false(world_param_at(world, 0, COUNT, &ref, name));
    assert_false(world_find_param(world, 0, "arrive3.weight", &ref));
    assert_false(world_find_param(world, 0, "locomotion", &ref)); /* no number */
    world_destroy(world);
}

static void test_every_parameter_reads_back(void **state) {
    struct world *world = arriving_world();
    struct param_ref ref;
    char name[64];
    for (int i = 0; world_param_at(world, 0, i, &ref, name); i++) {
        const uint64_t before = world_hash(world);
        const double value = ref.field->min + 0.25 * (ref.field->max - ref.field->min);
        world_set_param(world, &ref, value);
        assert_true(fabs(world_get_param(world, &ref) - value) <= 1e-6 * fabs(value));
        assert_true(world_hash(world) != before);
    }
    world_destroy(world);
}

/* A limit of neighbors is a whole number, and acts at once: of three neighbors the two nearest are on one
 * side.
 */
static void test_whole_numbers(void **state) {
    struct world_def def = one_kind_def(BEHAVIOR_COHESION, (vec2){400.0f, 300.0f});
    def.kinds[0].states[0].behaviors[0].target.target[0] = '\0';
    def.kinds[0].states[0].behaviors[0].falloff = FALLOFF_NONE;
    const float places[] = {400.0f, 410.0f, 420.0f, 300.0f};
    for (int i = 0; i < 4; i++) {
        place(&def, (vec2){places[i], 300.0f}, (vec2){0, 0});
    }
    struct world *world = build(&def);
    struct param_ref ref;
    struct steering_view view;
    assert_true(world_find_param(world, 0, "cohesion.max_neighbors", &ref));
    assert_true(world_get_param(world, &ref) == 0.0);
    world_explain(world, 0, &view);
    assert_true(view.forces[0].x < 0.0f);
    world_set_param(world, &ref, 2.0);
    assert_true(world_get_param(world, &ref) == 2.0);
    world_explain(world, 0, &view);
    assert_true(view.forces[0].x > 0.0f);
    world_destroy(world);
}

/* Two worlds that differ in a parameter of any behavior have different hashes. */
static void test_every_parameter_is_in_the_hash(void **state) {
    for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
        struct world_def def = one_kind_def((enum behavior_type)type, (vec2){400.0f, 300.0f});
        struct behavior_def *behavior = &def.kinds[0].states[0].behaviors[0];
        if (behavior_target_count((enum behavior_type)type) == 0) {
            behavior->target.target[0] = '\0';
        }
        copy_text(behavior->second.target, "mouse");
        struct path_def *path = geometry_def_add_path(&def.geometry);
        struct flow_def *flow = geometry_def_add_flow(&def.geometry);
        assert_non_null(path);
        assert_non_null(flow);
        copy_text(path->name, "p");
        path->point_count = 2;
        path->points[1] = (vec2){100.0f, 100.0f};
        copy_text(flow->name, "f");
        copy_text(behavior->path, "p");
        copy_text(behavior->flow_field, "f");
        struct world *world = build(&def);
        struct param_ref ref;
        char name[64];
        for (int i = 0; world_param_at(world, 0, i, &ref, name); i++) {
            const uint64_t before = world_hash(world);
            const double value = world_get_param(world, &ref);
            world_set_param(world, &ref, value < ref.field->max ? ref.field->max : ref.field->min);
            if (world_hash(world) == before) {
                fail_msg("%s is not in the hash", name);
            }
        }
        world_destroy(world);
    }
}

static void test_drawn_values_and_setting_them(void **state) {
    struct world *world = arriving_world();
    int different = 0;
    for (int32_t row = 0; row < 10; row++) {
        const float speed = world_agent(world, row).max_speed;
        assert_true(speed >= 50.0f && speed <= 150.0f);
        different += speed != world_agent(world, 0).max_speed;
    }
    assert_true(different >= 8);
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "max_speed", &ref));
    const float mass = world_agent(world, 4).mass;
    world_set_param(world, &ref, 70.0);
    for (int32_t row = 0; row < 10; row++) {
        assert_true(world_agent(world, row).max_speed == 70.0f && world_agent(world, row).mass == mass);
    }
    assert_int_equal(world_set_agent_param(world, 3, ref.field, 20.0), WORLD_OK);
    assert_int_equal(world_set_agent_param(world, 99, ref.field, 20.0), WORLD_NO_AGENT);
    assert_true(world_agent(world, 2).max_speed == 20.0f && world_agent(world, 3).max_speed == 70.0f);
    world_destroy(world);
}

static void test_a_changed_parameter_acts(void **state) {
    struct world *world = arriving_world();
    struct param_ref ref;
    assert_true(world_find_param(world, 0, "max_turn_rate", &ref));
    world_set_param(world, &ref, 0.0);
    const vec2 heading = world_agent(world, 0).heading;
    steps(world, 100);
    const vec2 later = world_agent(world, 0).heading;
    assert_memory_equal(&later, &heading, sizeof later);
    assert_true(vec2_length(world_agent(world, 0).velocity) > 1.0f);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrive_stops_exactly),
        cmocka_unit_test(test_linear_law_overshoots_as_the_tutorials_do),
        cmocka_unit_test(test_wrap_takes_the_short_way),
        cmocka_unit_test(test_contained_agents_come_back),
        cmocka_unit_test(test_agents_do_not_depend_on_each_other),
        cmocka_unit_test(test_order_is_kept_while_agents_stay_near),
        cmocka_unit_test(test_target_jumps_when_reached),
        cmocka_unit_test(test_explain_is_what_the_tick_does),
        cmocka_unit_test(test_bad_definitions_are_refused),
        cmocka_unit_test(limits),
        cmocka_unit_test(placements_beyond_the_limit),
        cmocka_unit_test(fewer_where_some_look_for_a_kind),
        cmocka_unit_test(as_many_as_there_can_be),
        cmocka_unit_test(ranks_share_the_memory),
        cmocka_unit_test(what_spawning_takes),
        cmocka_unit_test(a_flock_remembers_nothing),
        cmocka_unit_test(same_futures),
        cmocka_unit_test(test_a_clone_goes_on_alike),
        cmocka_unit_test(test_a_clone_of_every_tick),
        cmocka_unit_test(test_into_another_world),
        cmocka_unit_test(test_what_does_not_fit_changes_nothing),
        cmocka_unit_test(test_commands_in_a_clone),
        cmocka_unit_test(test_how_it_is_computed_stays),
        cmocka_unit_test(test_an_empty_world),
        cmocka_unit_test(test_an_emptied_world),
        cmocka_unit_test(test_listing),
        cmocka_unit_test(test_every_parameter_reads_back),
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_every_parameter_is_in_the_hash),
        cmocka_unit_test(test_drawn_values_and_setting_them),
        cmocka_unit_test(test_a_changed_parameter_acts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
