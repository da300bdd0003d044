/* Agents as they lie in memory: a strip of the world has all agents that are in it, each once, whatever the edges and however
 * far agents have drifted since they were sorted. */
#include "server/sim/world/world.h"

#include <math.h>

#include "server/sim/math/rng.h"
#include "tests/unit/server/sim/sim_fixture.h"

enum { AGENTS = 1500, STRIPS = 200 };

static struct world *make_world(enum edge edge, enum behavior_type type) {
    struct world_def def = one_kind_def(type, vec2_make(400, 300));
    def.edge = (int)edge;
    def.kinds[0].body.max_speed = (struct field_range){150.0f, 150.0f};
    struct placement_def *placement = world_def_add_placement(&def, "agent");
    assert_non_null(placement);
    placement->count = AGENTS;
    placement->shape = PLACE_RECT;
    placement->size = def.size;
    return build(&def);
}

/* Whether a y is within the strip, the short way round in a world that wraps. */
static bool is_within(double y, double low, double high, double around) {
    const double above = around > 0.0 ? (y - low) - floor((y - low) / around) * around : y - low;
    return above >= 0.0 && above <= high - low;
}

static void check_strip(const struct world *world, double low, double high) {
    static int seen[AGENTS];
    struct world_run runs[2];
    const double around = world_edge(world) == EDGE_WRAP ? (double)world_size(world).y : 0.0;
    const int count = world_runs_between(world, low, high, runs);
    memset(seen, 0, sizeof seen);
    assert_true(count >= 1 && count <= 2);
    for (int r = 0; r < count; r++) {
        for (int32_t i = 0; i < runs[r].count; i++) {
            const struct agent_view agent = world_agent(world, runs[r].row[i]);
            seen[runs[r].row[i]]++;
            assert_true(runs[r].motion[i].x == agent.position.x && runs[r].motion[i].y == agent.position.y);
            assert_int_equal(runs[r].kind[i], agent.kind);
        }
    }
    for (int32_t row = 0; row < AGENTS; row++) {
        assert_true(seen[row] <= 1);
        if (is_within((double)world_agent(world, row).position.y, low, high, around)) {
            assert_int_equal(seen[row], 1);
        }
    }
}

static void check_world(enum edge edge, enum behavior_type type) {
    struct world *world = make_world(edge, type);
    struct rng dice = rng_begin(7, 0, 0, RNG_SPAWN_PLACE);
    for (int i = 0; i < STRIPS; i++) {
        const double low = (double)rng_between(&dice, -900.0f, 1500.0f);
        const double height =
            i % 5 == 0 ? 0.0 : (double)rng_between(&dice, 0.0f, i % 7 == 0 ? 900.0f : 90.0f);
        check_strip(world, low, low + height);
        world_step(world);
    }
    world_destroy(world);
}

static void strips_have_their_agents(void **state) {
    check_world(EDGE_WRAP, BEHAVIOR_FLOCK);
    check_world(EDGE_BOUNCE, BEHAVIOR_FLOCK);
    check_world(EDGE_OPEN, BEHAVIOR_SEPARATION);
    check_world(EDGE_WRAP, BEHAVIOR_WANDER); /* nobody looks at neighbors: agents are not sorted */
}

static void strips_are_small(void **state) {
    struct world *world = make_world(EDGE_WRAP, BEHAVIOR_SEPARATION);
    struct world_run runs[2];
    world_step(world);
    int32_t found = 0;
    for (int r = world_runs_between(world, 299.0, 301.0, runs) - 1; r >= 0; r--) {
        found += runs[r].count;
    }
    assert_true(found > 0 && found < AGENTS / 2);
    world_destroy(world);
}

static void counts_of_states(void **state) {
    struct world *world = make_world(EDGE_WRAP, BEHAVIOR_FLOCK);
    world_step(world);
    assert_int_equal(world_count_in_state(world, 0, 0, AGENTS + 1), AGENTS);
    assert_true(world_count_in_state(world, 0, 0, 10) >= 10);
    assert_int_equal(world_count_in_state(world, 0, 1, 1), 0);
    assert_int_equal(world_agent_anywhere(world, 3).id, world_agent(world, 3).id);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_have_their_agents),
        cmocka_unit_test(strips_are_small),
        cmocka_unit_test(counts_of_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
