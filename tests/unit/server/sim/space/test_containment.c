/* Containment as a behavior and as an edge (edge.h): no agent leaves, agents outside come back, and the two
 * share their code. */
#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/space/edge.h"
#include "tests/unit/server/sim/sim_fixture.h"

static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}

/* Kind "agent": contain above wander, radius 8, max_speed 100, max_force 200. */
static struct world_def contained(struct region_def region, float margin, float prediction, enum edge edge) {
    struct world_def def = one_kind_def(BEHAVIOR_CONTAIN, (vec2){400.0f, 300.0f});
    def.edge = (int)edge;
    struct state_def *state = &def.kinds[0].states[0];
    state->behaviors[0].target.target[0] = '\0';
    state->behaviors[0].region = region;
    state->behaviors[0].margin = margin;
    state->behaviors[0].prediction = prediction;
    state->behaviors[1] = behavior_def_default(BEHAVIOR_WANDER);
    state->behaviors[1].tier = 1;
    state->behavior_count = 2;
    return def;
}

static const struct region_def rect = {
    .shape = REGION_RECT, .at = {700.0f, 500.0f}, .size = {200.0f, 250.0f}};
static const struct region_def circle = {.shape = REGION_CIRCLE, .at = {790.0f, 20.0f}, .radius = 150.0f};
static const struct region_def whole = {.shape = REGION_WORLD};

/* px that the body is outside the region; < 0 inside. Regions may reach over the edge of a torus. */
static float outside(const struct world *world, int32_t row, const struct region_def *region) {
    const struct bounds bounds = world_bounds(world);
    const struct agent_view agent = world_agent(world, row);
    if (region->shape == REGION_CIRCLE) {
        return vec2_length(bounds_difference(&bounds, region->at, agent.position)) + agent.radius -
               region->radius;
    }
    const vec2 size = region->shape == REGION_RECT ? region->size : bounds.size;
    const vec2 half = vec2_scale(size, 0.5f);
    const vec2 middle = region->shape == REGION_RECT ? vec2_add(region->at, half) : half;
    const vec2 from = bounds_difference(&bounds, middle, agent.position);
    return fmaxf(fabsf(from.x) - half.x, fabsf(from.y) - half.y) + agent.radius;
}

static void place_around(struct world_def *def, const struct region_def *region, int count, float spread) {
    const vec2 middle = region->shape == REGION_WORLD  ? (vec2){400.0f, 300.0f}
                        : region->shape == REGION_RECT ? vec2_add(region->at, vec2_scale(region->size, 0.5f))
                                                       : region->at;
    for (int i = 0; i < count; i++) {
        place(def, vec2_add(middle, (vec2){any(-spread, spread), any(-spread, spread)}),
              (vec2){any(-50.0f, 50.0f), any(-50.0f, 50.0f)});
    }
}

/* The body stays inside, or `margin` from the border, but for the overshoot of a diagonal approach. */
static void test_no_agent_leaves(void **state) {
    dice = rng_begin(3, 0, 0, RNG_SPAWN_PLACE);
    const struct region_def *const regions[] = {&rect, &circle, &whole};
    for (int r = 0; r < 3; r++) {
        for (int margin = 0; margin < 2; margin++) {
            for (int edge = EDGE_OPEN; edge <= EDGE_WRAP; edge++) {
                struct world_def def = contained(*regions[r], margin ? 20.0f : 0.0f, 0.0f, (enum edge)edge);
                place_around(&def, regions[r], 30, 60.0f);
                struct world *world = build(&def);
                float most = -1e9f, sum = 0.0f;
                for (int tick = 0; tick < 1200; tick++) {
                    world_step(world);
                    for (int32_t row = 0; row < 30; row++) {
                        most = fmaxf(most, outside(world, row, regions[r]));
                        sum += vec2_length(world_agent(world, row).velocity);
                    }
                }
                assert_true(most < (margin ? -19.0f : 1.0f));
                assert_true(most > (margin ? -40.0f : -20.0f)); /* but goes up to there */
                assert_true(sum / (1200.0f * 30.0f) > 50.0f);
                world_destroy(world);
            }
        }
    }
}

static void test_who_is_outside_comes_back(void **state) {
    dice = rng_begin(4, 0, 0, RNG_SPAWN_PLACE);
    const struct region_def *const regions[] = {&rect, &circle, &whole};
    for (int r = 0; r < 3; r++) {
        struct world_def def = contained(*regions[r], 0.0f, 0.0f, EDGE_OPEN);
        place_around(&def, regions[r], 20, 1500.0f);
        struct world *world = build(&def);
        steps(world, 1800);
        for (int32_t row = 0; row < 20; row++) {
            assert_true(outside(world, row, regions[r]) < 1.0f);
        }
        world_destroy(world);
    }
}

/* Silent inside; turned inward outside, with the part along the border kept; earlier with a longer
 * prediction. */
static void test_what_it_wants(void **state) {
    const struct region_def box = {.shape = REGION_RECT, .at = {100.0f, 100.0f}, .size = {400.0f, 300.0f}};
    struct steering_view view;
    struct world_def def = contained(box, 10.0f, 0.0f, EDGE_OPEN);
    place(&def, (vec2){300.0f, 250.0f}, (vec2){100.0f, 0.0f});
    place(&def, (vec2){475.0f, 250.0f}, (vec2){90.0f, 20.0f});
    def.kinds[0].states[0].behavior_count = 1;
    struct world *world = build(&def);
    world_explain(world, 0, &view);
    assert_true(vec2_length(view.forces[0]) <= 0.0f);
    world_explain(world, 1, &view);
    assert_true(view.forces[0].x < -1000.0f && fabsf(view.forces[0].y) < 100.0f);
    world_destroy(world);
    for (int looks = 0; looks < 2; looks++) {
        def = contained(box, 10.0f, looks ? 2.0f : 0.0f, EDGE_OPEN);
        place(&def, (vec2){300.0f, 250.0f}, (vec2){100.0f, 0.0f});
        world = build(&def);
        world_explain(world, 0, &view);
        assert_true(looks ? view.forces[0].x < -100.0f : vec2_length(view.forces[0]) <= 0.0f);
        world_destroy(world);
    }
    const struct region_def disc = {.shape = REGION_CIRCLE, .at = {300.0f, 300.0f}, .radius = 100.0f};
    def = contained(disc, 0.0f, 0.0f, EDGE_OPEN);
    place(&def, (vec2){400.0f, 300.0f}, (vec2){30.0f, 40.0f}); /* on the border: outwards and along it */
    def.kinds[0].states[0].behavior_count = 1;
    world = build(&def);
    world_explain(world, 0, &view);
    assert_true(view.desired.x < -60.0f && view.desired.y > 10.0f);
    world_destroy(world);
}

/* The behavior about the whole world turns where the edge does, to the bit. */
static void test_same_as_the_edge(void **state) {
    dice = rng_begin(5, 0, 0, RNG_SPAWN_PLACE);
    const struct bounds bounds = {{640.0f, 480.0f}, EDGE_CONTAIN};
    int outward = 0;
    for (int i = 0; i < 20000; i++) {
        const struct motion motion = {any(-50.0f, 690.0f), any(-50.0f, 530.0f), any(-200.0f, 200.0f),
                                      any(-200.0f, 200.0f)};
        const vec2 velocity = {motion.vx, motion.vy};
        vec2 one = velocity, other = velocity;
        const bool leaves = bounds_contain(&bounds, motion, 8.0f, 150.0f, 200.0f, 0.03f, &one);
        const float ahead = containment_horizon(velocity, 200.0f, 0.03f);
        const vec2 future = {motion.x + motion.vx * ahead, motion.y + motion.vy * ahead};
        assert_int_equal(leaves, containment_box(future, bounds.size, 8.0f, 150.0f, &other));
        assert_memory_equal(&one, &other, sizeof one);
        outward += leaves;
    }
    assert_true(outward > 2000 && outward < 18000);
    /* In a circle: along the border as before, inwards at max_speed. */
    vec2 desired = {30.0f, 40.0f};
    assert_true(containment_circle(100.0f, 10.0f, (vec2){95.0f, 0.0f}, 80.0f, &desired));
    assert_float_equal(desired.x / desired.y, -2.0f, 1e-4);
    assert_float_equal(vec2_length(desired), 80.0f, 1e-3);
    assert_false(containment_circle(100.0f, 10.0f, (vec2){85.0f, 0.0f}, 80.0f, &desired));
    /* A body wider than the circle is held at its middle. */
    assert_false(containment_circle(100.0f, 200.0f, (vec2){0.0f, 0.0f}, 80.0f, &desired));
    assert_true(containment_circle(100.0f, 200.0f, (vec2){1.0f, 0.0f}, 80.0f, &desired));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_agent_leaves),
        cmocka_unit_test(test_who_is_outside_comes_back),
        cmocka_unit_test(test_what_it_wants),
        cmocka_unit_test(test_same_as_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
