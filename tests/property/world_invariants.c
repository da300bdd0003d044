/* Random worlds, random commands: the promises of world.h hold for any parameters.
 *
 * DROVER_PROPERTY_SEED and DROVER_PROPERTY_WORLDS repeat or lengthen a run; a failure prints the seed of its
 * world.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/sim/world/world_internal.h" /* to look into the grid */
#include "tests/property/environment.h"
#include "tests/property/random_world.h"
#include "tests/unit/server/sim/grid_fixture.h"
#include "tests/unit/server/sim/sim_fixture.h"

static void check_agent(const struct world *world, int32_t row) {
    const struct agent_view agent = world_agent(world, row);
    const vec2 size = world_size(world);
    assert_true(isfinite(agent.position.x) && isfinite(agent.position.y));
    assert_true(fabsf(agent.position.x) <= (float)LIMIT_COORDINATE &&
                fabsf(agent.position.y) <= (float)LIMIT_COORDINATE);
    assert_true(vec2_length(agent.velocity) <= agent.max_speed * 1.00001f);
    assert_true(fabsf(vec2_length(agent.heading) - 1.0f) < 1e-3f);
    if (world_edge(world) == EDGE_WRAP) {
        assert_true(agent.position.x >= 0.0f && agent.position.x < size.x);
        assert_true(agent.position.y >= 0.0f && agent.position.y < size.y);
    }
    if (world_edge(world) == EDGE_BOUNCE) {
        assert_true(agent.position.x >= 0.0f && agent.position.x <= size.x);
        assert_true(agent.position.y >= 0.0f && agent.position.y <= size.y);
    }
    /* No center of a body is inside a solid; bodies are often wider than the gaps, so edges may be. */
    const struct scenery *scenery = world_scenery(world);
    const struct bounds bounds = world_bounds(world);
    for (int i = 0; i < scenery->solid_count; i++) {
        const struct touch touch =
            solid_touch(&scenery->solids[i], solid_offset(&scenery->solids[i], &bounds, agent.position));
        assert_true(isfinite(touch.distance));
        if (world_edge(world) != EDGE_BOUNCE) {
            assert_true(touch.distance > -0.1f);
        }
    }
    struct steering_view view;
    world_explain(world, row, &view);
    assert_true(vec2_length(view.steering) <= agent.max_force * 1.00001f);
    assert_true(vec2_length(view.desired) <= agent.max_speed * 1.00001f);
    for (int i = 0; i < view.count; i++) {
        assert_true(isfinite(view.forces[i].x) && isfinite(view.forces[i].y));
    }
}

/* Force <= max_force as the motion shows it: steered agents never gain more speed than max_force / mass * dt.
 */
static void check_push(const struct agent_view *before, const struct agent_view *after,
                       const struct world *world) {
    const vec2 gained = vec2_sub(after->velocity, before->velocity);
    const double allowed = (double)before->max_force / (double)before->mass / world_tick_hz(world);
    if (world_kind(world, before->kind)->body.locomotion == LOCOMOTION_STEERED &&
        world_edge(world) == EDGE_WRAP && world_scenery(world)->solid_count == 0 &&
        vec2_length(before->velocity) <= before->max_speed) {
        assert_true((double)vec2_length(gained) <=
                    allowed * 1.001 + 1e-3 * (1.0 + (double)vec2_length(before->velocity)));
    }
}

static void random_command(struct world *world) {
    struct spawn_def spawn = {.kind = below(world_kind_count(world)),
                              .count = (uint32_t)below(5),
                              .shape = below(3),
                              .at = {any(-1e6f, 1e6f), any(-1e6f, 1e6f)},
                              .radius = any(0.0f, 100.0f)};
    const uint32_t ids[] = {(uint32_t)below(200), (uint32_t)below(200)};
    struct param_ref ref;
    char name[64];
    uint32_t first;
    switch (below(5)) {
    case 0:
        assert_int_equal(world_spawn(world, &spawn, &first), WORLD_OK);
        break;
    case 1:
        (void)world_remove(world, ids, 2, NULL);
        break;
    case 2:
        world_set_target(world, below(2), (vec2){any(-1e6f, 1e6f), any(-1e6f, 1e6f)});
        break;
    case 3:
        world_aim_kind(world, spawn.kind, (struct aim){(enum aim_mode)below(3), below(2), spawn.at});
        break;
    default:
        if (world_param_at(world, spawn.kind, below(60), &ref, name)) {
            const double value = (double)extreme((float)ref.field->min, (float)ref.field->max);
            world_set_param(world, &ref, fmin(fmax(value, ref.field->min), ref.field->max));
        }
    }
}

static void run_world(void) {
    struct world_def def = random_def();
    struct world *world = build(&def);
    for (int tick = 0; tick < 120; tick++) {
        if (below(10) == 0) {
            random_command(world);
        }
        enum { WATCHED = 5 };
        struct agent_view before[WATCHED];
        const int32_t watched = world_agent_count(world) < WATCHED ? world_agent_count(world) : WATCHED;
        for (int32_t row = 0; row < watched; row++) {
            before[row] = world_agent(world, row);
        }
        world_step(world);
        for (int32_t row = 0; row < watched; row++) {
            const struct agent_view after = world_agent(world, row);
            check_push(&before[row], &after, world);
        }
        for (int32_t row = 0; row < world_agent_count(world); row++) {
            check_agent(world, row);
            assert_true(!world->is_sorted || grid_finds(&world->grid, row));
        }
    }
    world_destroy(world);
}

static uint64_t current_seed;

static void test_invariants(void **state) {
    const uint64_t seed = environment("DROVER_PROPERTY_SEED", 1),
                   worlds = environment("DROVER_PROPERTY_WORLDS", 120);
    for (uint64_t w = 0; w < worlds; w++) {
        current_seed = seed + w;
        dice = rng_begin(current_seed, 0, 0, RNG_SPAWN_PLACE);
        run_world();
    }
}

static int tell_seed(void **state) {
    fprintf(stderr, "last world: DROVER_PROPERTY_SEED=%llu DROVER_PROPERTY_WORLDS=1\n",
            (unsigned long long)current_seed);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_invariants, tell_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
