/* Steering in lanes: every width gives the bits of one agent alone. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/math/rng.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_internal.h"

/* ==== flock kernel ====
 * Worlds of flocks, stepped agent by agent and by the kernels of every width: the same bits after every tick.
 *
 * A second state that is never left keeps a kind from the kernels: the other worlds are compared with
 * such a world. */

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
static bool is_same_flock_kernel(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

/* All columns of an agent are equal, signs of zeros included. */
static void check_agents(const struct world *fast, const struct world *plain, uint64_t seed, int simd) {
    assert_int_equal(world_agent_count(fast), world_agent_count(plain));
    for (int32_t row = 0; row < world_agent_count(fast); row++) {
        const struct agent_view a = world_agent(fast, row), b = world_agent(plain, row);
        if (!is_same_flock_kernel(&a.position, &b.position, sizeof a.position) ||
            !is_same_flock_kernel(&a.velocity, &b.velocity, sizeof a.velocity) ||
            !is_same_flock_kernel(&a.heading, &b.heading, sizeof a.heading) || a.stamina != b.stamina) {
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

/* ==== steering kernel ====
 * The rules of every width against the behaviors' functions, bit by bit: random agents, and the places where a rule
 * turns into another. */

enum { ROUNDS = 40 };

static struct rng dice;

static int below(int count) {
    return (int)(rng_next(&dice) % (uint64_t)count);
}

/* Mostly ordinary values, often zeros of both signs and the limits. */
static float any(float most) {
    switch (below(8)) {
    case 0:
        return 0.0f;
    case 1:
        return -0.0f;
    case 2:
        return most;
    case 3:
        return -most;
    case 4:
        return rng_between(&dice, -1.0f, 1.0f) * 1e-12f;
    default:
        return rng_between(&dice, -most, most);
    }
}

static float any_positive(float most) {
    return fabsf(any(most));
}

/* The agents of a batch as the behaviors' functions see them. */
struct fixture {
    struct steering_batch batch;
    struct sums_columns sums;
    struct threat_columns threats;
    struct body bodies[BATCH_MAX];
    struct memory memory[BATCH_MAX];
    struct behavior_def behavior;
    uint64_t seed, tick;
};

static void random_agent(struct fixture *fixture, int32_t place) {
    struct steering_batch *batch = &fixture->batch;
    struct body *body = &fixture->bodies[place];
    const vec2 heading = vec2_with_length(vec2_make(any(1.0f) + 2.0f, any(1.0f)), 1.0f);
    body->max_speed = batch->max_speed[place] = any_positive(300.0f);
    body->max_force = batch->max_force[place] = any_positive(900.0f);
    body->mass = batch->mass[place] = 0.1f + any_positive(5.0f);
    body->radius = batch->radius[place] = any_positive(20.0f);
    batch->x[place] = any(1e6f);
    batch->y[place] = any(500.0f);
    batch->vx[place] = any(300.0f);
    batch->vy[place] = any(300.0f);
    batch->heading_x[place] = heading.x;
    batch->heading_y[place] = heading.y;
    batch->rate[place] = rng_between(&dice, 1.0f, 60.0f);
    batch->exact_rate[place] = batch->rate[place] + any_positive(60.0f);
    batch->id[place] = (uint32_t)rng_next(&dice);
    fixture->memory[place] = (struct memory){.wander = heading};
}

/* What an agent notices: on its spot, on its course, exactly at the panic distance, anywhere. */
static void random_notice(struct fixture *fixture, int32_t place) {
    struct steering_batch *batch = &fixture->batch;
    batch->offset_x[place] = any(700.0f);
    batch->offset_y[place] = any(700.0f);
    if (below(6) == 0) {
        batch->offset_x[place] = 2.0f * batch->vx[place];
        batch->offset_y[place] = 2.0f * batch->vy[place];
    } else if (below(6) == 0) {
        batch->offset_x[place] = fixture->behavior.panic_distance;
        batch->offset_y[place] = 0.0f;
    } else if (below(6) == 0) {
        batch->offset_x[place] = rng_between(&dice, -0.1f, 0.1f);
        batch->offset_y[place] = rng_between(&dice, -0.1f, 0.1f);
    }
    batch->other_vx[place] = any(300.0f);
    batch->other_vy[place] = any(300.0f);
    const struct neighbor_sums sums = {
        .separation_count = below(3),
        .alignment_count = below(3),
        .cohesion_count = below(3),
        .separation = {any(2.0f), any(2.0f)},
        .velocity = {any(200.0f), any(200.0f)},
        .velocity_weight = any_positive(3.0f),
        .offset = {any(200.0f), any(200.0f)},
        .offset_weight = any_positive(3.0f),
    };
    sums_columns_set(&fixture->sums, place, &sums);
    fixture->threats.count[place] = (float)below(3);
    fixture->threats.push_x[place] = any(2.0f);
    fixture->threats.push_y[place] = any(2.0f);
}

static void random_fixture(struct fixture *fixture, enum behavior_type type) {
    struct steering_batch *batch = &fixture->batch;
    const bool wraps = below(2);
    fixture->behavior = behavior_def_default(type);
    fixture->behavior.panic_distance = any_positive(400.0f);
    fixture->behavior.slowing_distance = any_positive(200.0f);
    fixture->behavior.law = below(2);
    fixture->behavior.mode = below(2);
    fixture->behavior.limit = any_positive(400.0f);
    fixture->behavior.max_prediction = any_positive(5.0f);
    fixture->behavior.wander_rate = any_positive(9.0f);
    fixture->behavior.wander_radius = any_positive(90.0f);
    fixture->behavior.wander_distance = any_positive(90.0f);
    fixture->behavior.zones[ZONE_COHESION].radius = any_positive(90.0f);
    batch->begin = 0;
    batch->count = 1 + below(BATCH_MAX);
    batch->dt = below(4) ? 1.0f / 60.0f : 0.5f;
    batch->dt_root = sqrtf(batch->dt);
    batch->bounds =
        (struct bounds){{rng_between(&dice, 50.0f, 900.0f), 600.0f}, wraps ? EDGE_WRAP : EDGE_OPEN};
    batch->half = wraps ? vec2_scale(batch->bounds.size, 0.5f) : vec2_make(3e38f, 3e38f);
    fixture->seed = rng_next(&dice);
    fixture->tick = rng_next(&dice);
    batch->noise_key = rng_tick_key(fixture->seed, fixture->tick);
    batch->memory = fixture->memory;
    batch->sums = &fixture->sums;
    batch->threats = &fixture->threats;
    for (int32_t place = 0; place < batch->count; place++) {
        random_agent(fixture, place);
        random_notice(fixture, place);
    }
}

static struct steering_output expected_at(struct fixture *fixture, int32_t place, struct memory *memory) {
    const struct steering_batch *batch = &fixture->batch;
    const struct drive drive = {{batch->offset_x[place], batch->offset_y[place]}, LIMIT_HOLD};
    struct steering_context context = {
        .position = {batch->x[place], batch->y[place]},
        .velocity = {batch->vx[place], batch->vy[place]},
        .heading = {batch->heading_x[place], batch->heading_y[place]},
        .first = {.is_there = true,
                  .offset = {batch->offset_x[place], batch->offset_y[place]},
                  .velocity = {batch->other_vx[place], batch->other_vy[place]}},
        .body = &fixture->bodies[place],
        .bounds = &batch->bounds,
        .dt = batch->dt,
        .rate = batch->rate[place],
        .exact_rate = batch->exact_rate[place],
        .seed = fixture->seed,
        .tick = fixture->tick,
        .id = batch->id[place],
        .memory = memory,
        .drive = &drive,
        .sums = sums_columns_get(&fixture->sums, place),
        .threats = {.count = (int32_t)fixture->threats.count[place],
                    .push = {fixture->threats.push_x[place], fixture->threats.push_y[place]}},
    };
    return behavior_row(fixture->behavior.type)->function(&fixture->behavior, &context);
}

static bool is_same_steering_kernel(vec2 expected, float x, float y) {
    return bits_of(expected.x) == bits_of(x) && bits_of(expected.y) == bits_of(y);
}

static void check_rule(struct fixture *fixture, enum simd simd, place_set wanted) {
    struct memory before[BATCH_MAX];
    struct steering_columns out;
    const enum behavior_type type = (enum behavior_type)fixture->behavior.type;
    memcpy(before, fixture->memory, sizeof before);
    steering_kernel_of(simd)->rules[type](&fixture->batch, &fixture->behavior, wanted, &out);
    assert_true((out.active & ~wanted) == 0);
    for (int32_t place = 0; place < fixture->batch.count; place++) {
        const struct memory *after = &fixture->memory[place];
        if (((wanted >> place) & 1) == 0) { /* holes keep what they remember */
            assert_true(is_same_steering_kernel(before[place].wander, after->wander.x, after->wander.y));
            continue;
        }
        const struct steering_output expected = expected_at(fixture, place, &before[place]);
        const bool is_active = (out.active >> place) & 1;
        if (is_active != expected.is_active ||
            (is_active &&
             (!is_same_steering_kernel(expected.desired, out.desired_x[place], out.desired_y[place]) ||
              !is_same_steering_kernel(expected.force, out.force_x[place], out.force_y[place]))) ||
            !is_same_steering_kernel(before[place].wander, after->wander.x, after->wander.y)) {
            fail_msg("%s, %s, place %d of %d: %d %a %a %a %a, expected %d %a %a %a %a",
                     behavior_type_name(type), simd_names[simd], (int)place, (int)fixture->batch.count,
                     is_active, (double)out.desired_x[place], (double)out.desired_y[place],
                     (double)out.force_x[place], (double)out.force_y[place], expected.is_active,
                     (double)expected.desired.x, (double)expected.desired.y, (double)expected.force.x,
                     (double)expected.force.y);
        }
    }
}

/* Those about scenery are in test_geometry.c. */
static bool has_rule(enum simd simd, int type) {
    return simd_is_supported(simd) && steering_kernel_of(simd)->rules[type] != NULL &&
           !behavior_has_trait(type, TRAIT_SCENERY);
}

static void test_rules(void **state) {
    static struct fixture fixture;
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        for (int type = 0; type < BEHAVIOR_TYPE_COUNT; type++) {
            dice = rng_begin(1, (uint64_t)type, 0, RNG_SPAWN_PLACE);
            for (int round = 0; has_rule((enum simd)simd, type) && round < ROUNDS; round++) {
                random_fixture(&fixture, (enum behavior_type)type);
                const place_set all = places_until(fixture.batch.count);
                check_rule(&fixture, (enum simd)simd, below(2) ? all : all & rng_next(&dice));
            }
        }
    }
}

/* Places that a kernel is not asked about keep what stands in their columns. */
static void test_look(void **state) {
    static struct fixture fixture;
    _Alignas(64) float limit[BATCH_ROOM];
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        dice = rng_begin(2, 0, 0, RNG_SPAWN_PLACE);
        for (int round = 0; simd_is_supported((enum simd)simd) && round < ROUNDS; round++) {
            random_fixture(&fixture, BEHAVIOR_SEEK);
            struct steering_batch *batch = &fixture.batch;
            const struct steering_batch before = *batch;
            const place_set wanted = places_until(batch->count) & rng_next(&dice);
            for (int32_t place = 0; place < batch->count; place++) {
                limit[place] = below(2) ? INFINITY : any_positive(1e6f);
            }
            const place_set there = steering_kernel_of((enum simd)simd)->look(batch, limit, wanted);
            for (int32_t place = 0; place < batch->count; place++) {
                const vec2 at = {before.x[place], before.y[place]};
                vec2 expected = {before.offset_x[place], before.offset_y[place]};
                if ((wanted >> place) & 1) {
                    expected = bounds_difference(&batch->bounds, at, expected);
                    assert_int_equal((there >> place) & 1, !(vec2_length_squared(expected) > limit[place]));
                }
                assert_true(
                    is_same_steering_kernel(expected, batch->offset_x[place], batch->offset_y[place]));
            }
        }
    }
}

/* The same for places of agents, at which velocities stay; and which places have no more than a limit. */
static void test_turn_to(void **state) {
    static struct fixture fixture;
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        dice = rng_begin(4, 0, 0, RNG_SPAWN_PLACE);
        for (int round = 0; simd_is_supported((enum simd)simd) && round < ROUNDS; round++) {
            random_fixture(&fixture, BEHAVIOR_SEEK);
            struct steering_batch *batch = &fixture.batch;
            const struct steering_batch before = *batch;
            const place_set wanted = places_until(batch->count) & rng_next(&dice);
            const struct steering_kernel *kernel = steering_kernel_of((enum simd)simd);
            const place_set near = kernel->within(batch, batch->offset_x, before.offset_x[0], wanted);
            kernel->turn_to(batch, wanted);
            for (int32_t place = 0; place < batch->count; place++) {
                const bool is_wanted = ((wanted >> place) & 1) != 0;
                const vec2 at = {before.x[place], before.y[place]};
                const vec2 there = {before.offset_x[place], before.offset_y[place]};
                const vec2 expected = is_wanted ? bounds_difference(&batch->bounds, at, there) : there;
                assert_int_equal((near >> place) & 1, is_wanted && there.x <= before.offset_x[0]);
                assert_true(
                    is_same_steering_kernel(expected, batch->offset_x[place], batch->offset_y[place]));
                assert_true(is_same_steering_kernel(vec2_make(before.other_vx[place], before.other_vy[place]),
                                                    batch->other_vx[place], batch->other_vy[place]));
            }
        }
    }
}

/* inside() is never true where the edge would do something, nor leaves() false where containment acts. */
static void test_edges(void **state) {
    static struct fixture fixture;
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        dice = rng_begin(3, 0, 0, RNG_SPAWN_PLACE);
        for (int round = 0; simd_is_supported((enum simd)simd) && round < ROUNDS; round++) {
            random_fixture(&fixture, BEHAVIOR_SEEK);
            struct steering_batch *batch = &fixture.batch;
            batch->bounds.edge = (enum edge)(round % 4);
            for (int32_t place = 0; place < batch->count; place++) {
                batch->x[place] = batch->next_x[place] = any(1000.0f);
                batch->next_y[place] = batch->y[place];
                batch->next_vx[place] = batch->vx[place];
                batch->next_vy[place] = batch->vy[place];
            }
            const place_set all = places_until(batch->count);
            const place_set inside = steering_kernel_of((enum simd)simd)->inside(batch, all);
            const place_set leaves = steering_kernel_of((enum simd)simd)->leaves(batch, all);
            for (int32_t place = 0; place < batch->count; place++) {
                const struct motion at = {batch->x[place], batch->y[place], batch->vx[place],
                                          batch->vy[place]};
                const struct motion settled = bounds_apply(&batch->bounds, at, batch->radius[place]);
                vec2 inward;
                assert_true(((inside >> place) & 1) == 0 ||
                            memcmp((const char *)&at, (const char *)&settled, sizeof at) == 0);
                assert_true(batch->bounds.edge != EDGE_CONTAIN || ((leaves >> place) & 1) != 0 ||
                            !bounds_contain(&batch->bounds, at, batch->radius[place], batch->max_speed[place],
                                            batch->max_force[place] / batch->mass[place], 2.0f * batch->dt,
                                            &inward));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width), cmocka_unit_test(test_own_body), cmocka_unit_test(test_rules),
        cmocka_unit_test(test_look),        cmocka_unit_test(test_turn_to),  cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
