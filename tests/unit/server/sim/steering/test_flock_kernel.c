/* Worlds of flocks, stepped agent by agent and by the kernels of every width: the same bits after every tick.
 *
 * A second state that is never left keeps a kind from the kernels: the other worlds are compared with
 * such a world.
 */
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world.h"
#include "tests/unit/server/cmocka_all.h"

enum { WORLDS = 60, TICKS = 25 };

static bool flip(struct rng *rng, float chance) {
    return rng_unit(rng) < chance;
}

static struct behavior_def random_behavior(struct rng *rng, enum behavior_type type, bool is_twin) {
    struct behavior_def behavior = behavior_def_default(type);
    const bool has_view = flip(rng, 0.4f);
    behavior.weight = flip(rng, 0.5f) ? 1.0f : rng_between(rng, 0.0f, 2.0f);
    behavior.falloff = flip(rng, 0.3f) ? FALLOFF_NONE : FALLOFF_SMOOTH;
    for (int z = 0; z < ZONE_COUNT; z++) {
        behavior.zones[z].radius = flip(rng, 0.1f) ? 0.0f : rng_between(rng, 5.0f, 90.0f);
        behavior.zones[z].field_of_view = has_view ? rng_between(rng, 0.1f, 6.28f) : 7.0f;
        behavior.zones[z].weight = rng_between(rng, 0.0f, 2.0f);
    }
    if (is_twin) {
        behavior.zones[ZONE_COHESION] = behavior.zones[ZONE_ALIGNMENT];
    }
    return behavior;
}

static void random_kind(struct rng *rng, struct kind_def *kind, bool is_alone) {
    struct body_def *body = &kind->body;
    const float masses = rng_between(rng, 0.2f, 5.0f),
                speed = flip(rng, 0.1f) ? 0.0f : rng_between(rng, 1, 300);
    const float force = flip(rng, 0.1f) ? 0.0f : rng_between(rng, 1, 900);
    body->mass = (struct field_range){masses, masses};
    body->max_speed = (struct field_range){speed, flip(rng, 0.1f) ? speed + 50.0f : speed};
    body->max_force = (struct field_range){force, force};
    body->max_turn_rate = flip(rng, 0.4f) ? rng_between(rng, 0.1f, 20.0f) : body->max_turn_rate;
    body->locomotion = flip(rng, 0.8f) ? LOCOMOTION_STEERED : LOCOMOTION_CONSTANT_SPEED;
    struct state_def *state = &kind->states[0];
    state->stamina_rate = flip(rng, 0.5f) ? -0.7f : 0.0f;
    state->behaviors[state->behavior_count++] = random_behavior(rng, BEHAVIOR_FLOCK, flip(rng, 0.5f));
    if (flip(rng, 0.4f)) {
        state->behaviors[state->behavior_count++] = random_behavior(rng, BEHAVIOR_SEPARATION, false);
        state->behaviors[state->behavior_count++] = behavior_def_default(BEHAVIOR_WANDER);
        state->behaviors[state->behavior_count++] = random_behavior(rng, BEHAVIOR_ALIGNMENT, false);
    }
    if (is_alone) {
        kind->states[1] = kind->states[0];
        kind->state_count = 2;
    }
}

static struct world *random_world(uint64_t seed, bool is_alone) {
    struct rng rng = rng_begin(seed, 3, 1, RNG_SPAWN_PLACE);
    struct world_def def = world_def_default();
    def.seed = seed;
    def.size = (vec2){rng_between(&rng, 100, 900), rng_between(&rng, 100, 900)};
    def.edge = (int)(seed % 4);
    const int kinds = flip(&rng, 0.6f) ? 1 : 3;
    for (int k = 0; k < kinds; k++) {
        const char name[2] = {(char)('a' + k), '\0'};
        struct kind_def *kind = world_def_add_kind(&def, name);
        struct placement_def *placement = world_def_add_placement(&def, name);
        assert_non_null(kind);
        assert_non_null(placement);
        random_kind(&rng, kind, is_alone);
        placement->count = (uint32_t)rng_between(&rng, 1.0f, flip(&rng, 0.5f) ? 500.0f : 30.0f);
        placement->shape = flip(&rng, 0.9f) ? PLACE_RECT : PLACE_POINT;
        placement->size = vec2_scale(def.size, flip(&rng, 0.7f) ? 1.0f : 0.1f);
        placement->has_velocity = flip(&rng, 0.5f);
        placement->velocity = (vec2){20.0f, -30.0f};
    }
    if (flip(&rng, 0.2f)) {
        struct obstacle_def *pillar = geometry_def_add_obstacle(&def.geometry);
        assert_non_null(pillar);
        pillar->shape = OBSTACLE_CIRCLE;
        pillar->at = vec2_scale(def.size, 0.5f);
        pillar->radius = 0.2f * def.size.x;
    }
    struct world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    return world;
}

/* Distinguishes +0 from -0 as well. */
static bool is_same(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

/* All columns of an agent are equal, signs of zeros included. */
static void check_agents(const struct world *fast, const struct world *plain, uint64_t seed, int simd) {
    assert_int_equal(world_agent_count(fast), world_agent_count(plain));
    for (int32_t row = 0; row < world_agent_count(fast); row++) {
        const struct agent_view a = world_agent(fast, row), b = world_agent(plain, row);
        if (!is_same(&a.position, &b.position, sizeof a.position) ||
            !is_same(&a.velocity, &b.velocity, sizeof a.velocity) ||
            !is_same(&a.heading, &b.heading, sizeof a.heading) || a.stamina != b.stamina) {
            fail_msg("world %d, %s, tick %d, row %d: at %a %a velocity %a %a, expected %a %a, %a %a",
                     (int)seed, simd_names[simd], (int)world_tick(fast), row, (double)a.position.x,
                     (double)a.position.y, (double)a.velocity.x, (double)a.velocity.y, (double)b.position.x,
                     (double)b.position.y, (double)b.velocity.x, (double)b.velocity.y);
        }
    }
}

static void test_every_width(void **state) {
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        if (!simd_is_supported((enum simd)simd)) {
            continue;
        }
        for (uint64_t seed = 0; seed < WORLDS; seed++) {
            struct world *fast = random_world(seed, false), *plain = random_world(seed, true);
            world_set_simd(fast, (enum simd)simd);
            for (int tick = 0; tick < TICKS; tick++) {
                world_step(fast);
                world_step(plain);
                check_agents(fast, plain, seed, simd);
            }
            world_destroy(fast);
            world_destroy(plain);
        }
    }
}

/* An agent that got a body of its own is not moved with that of its kind. */
static void test_own_body(void **state) {
    struct world_def def = world_def_default();
    struct kind_def *kind = world_def_add_kind(&def, "boid");
    struct placement_def *placement = world_def_add_placement(&def, "boid");
    assert_non_null(kind);
    assert_non_null(placement);
    kind->states[0].behavior_count = 1;
    kind->states[0].behaviors[0] = behavior_def_default(BEHAVIOR_FLOCK);
    placement->count = 40;
    placement->shape = PLACE_RECT;
    placement->size = (vec2){100.0f, 100.0f};
    struct world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), WORLD_OK);
    world_def_fini(&def);
    const struct field *field = body_fields();
    while (strcmp(field->name, "max_speed") != 0) {
        field++;
    }
    assert_int_equal(world_set_agent_param(world, 7, field, 3.0), WORLD_OK);
    float fastest = 0.0f;
    for (int tick = 0; tick < 30; tick++) {
        world_step(world);
        assert_true(vec2_length(world_agent(world, world_find_agent(world, 7)).velocity) <= 3.001f);
        const float other = vec2_length(world_agent(world, world_find_agent(world, 8)).velocity);
        fastest = other > fastest ? other : fastest;
    }
    assert_true(fastest > 10.0f);
    world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_own_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
