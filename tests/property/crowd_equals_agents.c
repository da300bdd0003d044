/* Worlds whose agents are steered many at once have the same futures as worlds that are stepped agent by agent:
 * random kinds, states, tiers, targets, edges, solids and bodies; every width, shares of the work of any size,
 * commands and clones between ticks.
 *
 * DROVER_PROPERTY_SEED and DROVER_PROPERTY_WORLDS repeat or lengthen a run (30 worlds; 200 where DROVER_SLOW is set, 1000
 * where DROVER_FULL is); a failure prints the seed of its world.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/sim/world/world_internal.h"
#include "tests/property/environment.h"
#include "tests/property/lively_world.h"
#include "tests/property/other_ways.h"
#include "tests/property/random_world.h"
#include "tests/unit/server/sim/sim_fixture.h"

enum { TICKS = 12 };

static uint64_t current_seed;

/* The tick that is in hand. */
struct stepping {
    struct world *world;
    uint64_t tick;
};

/* Of the loops over a world the one of tick t is over its agents; later ones are about tick t+1. Agents of a pure
 * flock have no headings of their own. */
static void run_alone(void *pool, int32_t count, int32_t grain, parallel_body body, void *context) {
    const struct stepping *stepping = pool;
    (void)grain;
    if (context != stepping->world || world_tick(stepping->world) != stepping->tick ||
        stepping->world->is_pure_flock) {
        body(context, 0, count);
        return;
    }
    for (int32_t slot = 0; slot < count; slot++) {
        world_step_agent(stepping->world, slot, NULL);
    }
}

static void step_alone(struct world *world) {
    struct stepping stepping = {world, world_tick(world)};
    const struct parallel parallel = {&stepping, 1, run_alone};
    world_step_parallel(world, &parallel);
}

/* Whether a world of this size may wrap around its solids and areas. */
static bool solids_fit(const struct geometry_def *geometry, vec2 size) {
    for (int i = 0; i < geometry->obstacle_count; i++) {
        if (obstacle_def_fault(&geometry->obstacles[i], true, size) != NULL) {
            return false;
        }
    }
    for (int i = 0; i < geometry->wall_count; i++) {
        if (wall_def_fault(&geometry->walls[i], true, size) != NULL) {
            return false;
        }
    }
    for (int i = 0; i < geometry->area_count; i++) {
        if (area_def_fault(&geometry->areas[i], true, size) != NULL) {
            return false;
        }
    }
    return true;
}

/* Ordinary numbers: agents meet, turn and come to the borders. */
static void calm_down(struct world_def *def) {
    const vec2 size = vec2_make(any(100.0f, 900.0f), any(100.0f, 900.0f));
    def->size = solids_fit(&def->geometry, size) ? size : def->size;
    def->tick_hz = 60.0;
    for (int a = 0; a < def->geometry.area_count; a++) {
        struct obstacle_def *shape = &def->geometry.areas[a].shape;
        shape->at = vec2_make(any(0.0f, 0.9f * def->size.x), any(0.0f, 0.9f * def->size.y));
        shape->size = vec2_scale(def->size, 0.4f);
        shape->radius = any(0.01f, 0.4f) * fminf(def->size.x, def->size.y);
    }
    for (int t = 0; t < def->target_count; t++) {
        def->targets[t].at = vec2_make(any(0.0f, def->size.x), any(0.0f, def->size.y));
    }
    for (int k = 0; k < def->kind_count; k++) {
        struct kind_def *kind = &def->kinds[k];
        kind->body.mass = (struct field_range){1.0f, below(4) ? 1.0f : 3.0f};
        kind->body.radius = (struct field_range){5.0f, below(4) ? 5.0f : 9.0f};
        kind->body.max_speed = (struct field_range){any(0.0f, 200.0f), 200.0f};
        kind->body.max_speed.low = below(2) ? 200.0f : kind->body.max_speed.low;
        kind->body.max_force = (struct field_range){400.0f, 400.0f};
        kind->body.max_turn_rate = below(2) ? 1507.0f : any(1.0f, 20.0f);
        for (int s = 0; s < kind->state_count; s++) {
            for (int b = 0; b < kind->states[s].behavior_count; b++) {
                struct behavior_def *behavior = &kind->states[s].behaviors[b];
                behavior->weight = any(0.0f, 1.0f);
                behavior->target.within = below(2) ? 0.0f : any(1.0f, 300.0f);
                for (int zone = 0; zone < ZONE_COUNT; zone++) {
                    behavior->zones[zone].radius = any(0.0f, 90.0f);
                }
            }
        }
    }
    for (int p = 0; p < def->placement_count; p++) {
        def->placements[p].count *= 5;
        def->placements[p].shape = below(4) ? PLACE_RECT : def->placements[p].shape;
        def->placements[p].at = vec2_make(0.0f, 0.0f);
        def->placements[p].size = def->size;
    }
}

static void check_tick(const struct world *together, const struct world *alone) {
    for (int32_t row = 0; row < world_agent_count(alone); row++) {
        const struct agent_view a = world_agent(together, row), b = world_agent(alone, row);
        if (bits_of(a.position.x) != bits_of(b.position.x) ||
            bits_of(a.velocity.x) != bits_of(b.velocity.x) ||
            bits_of(a.position.y) != bits_of(b.position.y) ||
            bits_of(a.velocity.y) != bits_of(b.velocity.y) || bits_of(a.heading.x) != bits_of(b.heading.x) ||
            a.state != b.state) {
            fail_msg(
                "world %d, %s, tick %d, row %d of kind %s, state %d: at %a %a, %a %a; alone %a %a, %a %a",
                (int)current_seed, simd_names[together->simd], (int)world_tick(alone), (int)row,
                world_kind(alone, a.kind)->name, b.state, (double)a.position.x, (double)a.position.y,
                (double)a.velocity.x, (double)a.velocity.y, (double)b.position.x, (double)b.position.y,
                (double)b.velocity.x, (double)b.velocity.y);
        }
    }
    assert_true(world_hash(together) == world_hash(alone));
}

static struct world_def pick_def(void) {
    if (below(2)) {
        return lively_def();
    }
    struct world_def def = random_def();
    if (below(4)) {
        calm_down(&def);
    }
    return def;
}

/* Equal worlds get the same commands. */
static void command_both(struct world *together, struct world *alone) {
    const struct rng before = dice;
    some_commands(together);
    const struct rng after = dice;
    dice = before;
    some_commands(alone);
    assert_true(dice.state == after.state);
    assert_true(world_hash(together) == world_hash(alone));
}

/* Another world that is computed in the same way. */
static struct world *replace_by_clone(struct world *world) {
    struct world *clone = world_clone_new(world);
    assert_non_null(clone);
    world_set_simd(clone, world->simd);
    world_destroy(world);
    return clone;
}

static void run_world(enum simd simd) {
    struct world_def def = pick_def();
    struct world *together = build(&def), *alone = world_clone_new(together);
    const struct parallel one = parallel_alone(), shared = {.threads = 3, .run = run_in_pieces};
    const bool is_shared = below(2), is_commanded = below(2);
    assert_non_null(alone);
    world_set_simd(together, simd);
    for (int tick = 0; tick < TICKS; tick++) {
        if (is_commanded && below(3) == 0) {
            command_both(together, alone);
        }
        if (is_commanded && below(4) == 0) {
            together = replace_by_clone(together);
        }
        world_step_parallel(together, is_shared ? &shared : &one);
        step_alone(alone);
        check_tick(together, alone);
    }
    world_destroy(together);
    world_destroy(alone);
}

static void test_worlds(void **state) {
    const uint64_t seed = environment("DROVER_PROPERTY_SEED", 1),
                   usual = is_slow() ? is_full() ? 1000 : 200 : 30,
                   worlds = environment("DROVER_PROPERTY_WORLDS", usual);
    for (uint64_t w = 0; w < worlds; w++) {
        current_seed = seed + w;
        for (int simd = 0; simd < SIMD_COUNT; simd++) {
            if (simd_is_supported((enum simd)simd)) {
                dice = rng_begin(current_seed, 0, 1, RNG_SPAWN_PLACE);
                run_world((enum simd)simd);
            }
        }
    }
}

static int tell_seed(void **state) {
    fprintf(stderr, "last world: DROVER_PROPERTY_SEED=%llu DROVER_PROPERTY_WORLDS=1\n",
            (unsigned long long)current_seed);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_worlds, tell_seed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
