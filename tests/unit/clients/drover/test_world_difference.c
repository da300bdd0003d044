/* clients/drover/world_difference: every column and whatever else decides the future is seen, agents are paired by id. */
#include "clients/drover/diff.h"

#include <stdlib.h>

#include "server/sim/world/world_internal.h" /* to change what no command changes alone */
#include "tests/unit/server/sim/sim_fixture.h"

enum { AGENTS = 30 };

struct pair {
    struct world *a, *b;
    struct world_difference found;
};

static int set_up(void **state) {
    struct pair *pair = calloc(1, sizeof *pair);
    struct world_def def = one_kind_def(BEHAVIOR_FLOCK, vec2_make(400.0f, 300.0f));
    assert_non_null(pair);
    pair->a = build(&def);
    const struct spawn_def spawn = {.count = AGENTS, .shape = PLACE_RECT, .size = vec2_make(400.0f, 300.0f)};
    uint32_t first = 0;
    assert_int_equal(world_spawn(pair->a, &spawn, &first), WORLD_OK);
    pair->b = world_clone_new(pair->a);
    assert_non_null(pair->b);
    *state = pair;
    return 0;
}

static int tear_down(void **state) {
    struct pair *pair = *state;
    world_destroy(pair->a);
    world_destroy(pair->b);
    free(pair);
    return 0;
}

static const struct difference_agent *find_one(struct pair *pair) {
    struct failure failure = {0};
    assert_int_equal(world_difference_find(pair->a, pair->b, &pair->found, &failure), 0);
    assert_int_equal(pair->found.agent_count, 1);
    return &pair->found.agents[0];
}

static void test_clones_are_the_same(void **state) {
    struct pair *pair = *state;
    struct failure failure = {0};
    assert_int_equal(world_difference_find(pair->a, pair->b, &pair->found, &failure), 0);
    assert_int_equal(pair->found.agent_count, 0);
    assert_int_equal(pair->found.note_count, 0);
    assert_int_equal(pair->found.agents_compared, world_agent_count(pair->a));
}

static void test_a_bit_of_a_velocity(void **state) {
    struct pair *pair = *state;
    const int32_t row = 7;
    float *vx = &pair->b->grid.motion[grid_slot(&pair->b->grid, row)].vx;
    const uint32_t bits = bits_of(*vx) ^ 1u;
    memcpy(vx, &bits, sizeof bits);
    const struct difference_agent *agent = find_one(pair);
    assert_int_equal(agent->id, pair->a->id[row]);
    assert_true(agent->value_count >= 1); /* where it faces follows */
    assert_string_equal(agent->values[0].field, "vx");
    assert_int_equal(agent->values[0].bits[0] ^ agent->values[0].bits[1], 1);
}

static void test_every_member_of_the_memory(void **state) {
    struct pair *pair = *state;
    world_remember(pair->b);
    struct memory *memory = world_memory(pair->b, 3);
    const struct memory before = *memory;
#define SEEN(member, value, name)                                                                            \
    memory->member = (value);                                                                                \
    assert_string_equal(find_one(pair)->values[0].field, name);                                              \
    *memory = before
    SEEN(stamina, 0.5f, "stamina");
    SEEN(is_exhausted, true, "is_exhausted");
    SEEN(state_since, 9, "state_since");
    SEEN(quarry, 4, "quarry");
    SEEN(wander.x, 0.25f, "wander.x");
    SEEN(wander.y, 0.25f, "wander.y");
    SEEN(solid, 1, "solid");
    SEEN(side, -1, "side");
    SEEN(pace, 3.0f, "pace");
    SEEN(solid_tick, 8, "solid_tick");
    SEEN(path, 1, "path");
    SEEN(path_s, 2.0f, "path_s");
    SEEN(caught, 5, "caught");
#undef SEEN
}

static void test_a_driven_agent(void **state) {
    struct pair *pair = *state;
    pair->b->drive[2].vector.x = 1.5f;
    const struct difference_agent *agent = find_one(pair);
    assert_string_equal(agent->values[0].field, "drive.x");
    assert_true(agent->values[0].is_float);
}

static void test_agents_that_one_world_lacks(void **state) {
    struct pair *pair = *state;
    const uint32_t id = pair->b->id[5];
    assert_int_equal(world_remove(pair->b, &id, 1, NULL), 1);
    const struct difference_agent *agent = find_one(pair);
    assert_int_equal(agent->id, id);
    assert_true(agent->is_missing[1]);
    assert_false(agent->is_missing[0]);
}

static void test_an_own_body_and_a_parameter(void **state) {
    struct pair *pair = *state;
    struct param_ref ref;
    assert_true(world_find_param(pair->b, 0, "max_force", &ref));
    world_set_param(pair->b, &ref, world_get_param(pair->b, &ref) + 1.0);
    struct failure failure = {0};
    assert_int_equal(world_difference_find(pair->a, pair->b, &pair->found, &failure), 0);
    assert_int_equal(pair->found.agent_count, 0);
    assert_int_equal(pair->found.note_count, 1);
    assert_non_null(strstr(pair->found.notes[0], "max_force"));
    assert_int_equal(world_set_agent_param(pair->b, pair->b->id[2], ref.field, 33.0), WORLD_OK);
    bool is_named = false;
    const struct difference_agent *agent = find_one(pair);
    for (int i = 0; i < agent->value_count; i++) {
        is_named = is_named || strcmp(agent->values[i].field, "own_body.max_force") == 0;
    }
    assert_true(is_named);
}

static void test_what_is_no_agent(void **state) {
    struct pair *pair = *state;
    struct failure failure = {0};
    pair->b->targets[0].idle = 7;
    assert_int_equal(world_difference_find(pair->a, pair->b, &pair->found, &failure), 0);
    assert_int_equal(pair->found.note_count, 1);
    assert_non_null(strstr(pair->found.notes[0], "target mouse, ticks since it was set"));
    assert_int_equal(world_add_target(pair->b, "flag", vec2_make(1.0f, 2.0f)), WORLD_OK);
    assert_int_equal(world_difference_find(pair->a, pair->b, &pair->found, &failure), 0);
    assert_true(pair->found.note_count >= 1);
    assert_int_equal(pair->found.agent_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_clones_are_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_bit_of_a_velocity, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_member_of_the_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_driven_agent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_agents_that_one_world_lacks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_own_body_and_a_parameter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_no_agent, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
