/* server/sim/scenery/scenery.h */
#include <math.h>

#include "server/sim/scenery/scenery.h"
#include "tests/unit/server/cmocka_all.h"

static const struct bounds plain = {{800, 600}, EDGE_OPEN}, torus = {{800, 600}, EDGE_WRAP};

static bool is_near(vec2 value, float x, float y) {
    return fabsf(value.x - x) < 1e-3f && fabsf(value.y - y) < 1e-3f;
}

static void test_formulas(void **state) {
    const struct flow_def uniform = {.type = FLOW_UNIFORM, .vector = {3, -4}};
    const struct flow_def vortex = {.type = FLOW_VORTEX, .at = {400, 300}, .strength = 50};
    const struct flow_def towards = {.type = FLOW_TOWARDS, .at = {400, 300}, .strength = 50};
    assert_true(is_near(flow_at(&uniform, &plain, (vec2){1, 2}), 3, -4));
    /* Right of the middle downwards: clockwise on a screen. */
    assert_true(is_near(flow_at(&vortex, &plain, (vec2){500, 300}), 0, 50));
    assert_true(is_near(flow_at(&towards, &plain, (vec2){500, 300}), -50, 0));
    assert_true(is_near(flow_at(&vortex, &plain, (vec2){400, 300}), 0, 0));
    assert_true(is_near(flow_at(&towards, &plain, (vec2){410, 300}), -25, 0));
    /* Across the edge it is nearer the other way. */
    const struct flow_def left = {.type = FLOW_TOWARDS, .at = {10, 300}, .strength = 50};
    assert_true(is_near(flow_at(&left, &torus, (vec2){790, 300}), 50, 0));
    assert_true(is_near(flow_at(&left, &plain, (vec2){790, 300}), -50, 0));
}

static void test_grid_is_bilinear(void **state) {
    vec2 vectors[] = {{0, 0}, {10, 0}, {0, 20}, {10, 20}};
    const struct flow_def grid = {.type = FLOW_GRID, .columns = 2, .rows = 2, .vectors = vectors};
    assert_true(is_near(flow_at(&grid, &plain, (vec2){200, 150}), 0, 0)); /* the first cell's center */
    assert_true(is_near(flow_at(&grid, &plain, (vec2){400, 300}), 5, 10));
    assert_true(is_near(flow_at(&grid, &plain, (vec2){300, 450}), 2.5f, 20));
    assert_true(is_near(flow_at(&grid, &plain, (vec2){-9e5f, -9e5f}), 0, 0)); /* as at the border */
    assert_true(is_near(flow_at(&grid, &plain, (vec2){9e5f, 9e5f}), 10, 20));
    assert_true(is_near(flow_at(&grid, &torus, (vec2){0, 150}), 5, 0)); /* half of both sides of the edge */
}

static void test_noise(void **state) {
    const struct flow_def noise = {.type = FLOW_NOISE, .scale = 100, .strength = 60, .seed = 1};
    struct flow_def other = noise;
    other.seed = 2;
    double most = 0.0, difference = 0.0, divergence = 0.0, steepness = 0.0;
    for (int i = 0; i < 4000; i++) {
        const int column = i % 80, row = i / 80;
        const vec2 place = {(float)column * 10.0f + 3.0f, (float)row * 12.0f + 3.0f};
        const vec2 here = flow_at(&noise, &plain, place);
        assert_true(vec2_length(here) <= 60.001f);
        most = fmax(most, (double)vec2_length(here));
        difference += (double)vec2_length(vec2_sub(here, flow_at(&other, &plain, place)));
        /* It joins at the edge of the world. */
        const vec2 around = flow_at(&noise, &torus, vec2_add(place, (vec2){800, -600}));
        assert_true(vec2_length(vec2_sub(here, around)) < 0.1f);
        /* Inflow equals outflow, except where the speed is cut off. */
        const vec2 right = flow_at(&noise, &plain, vec2_add(place, (vec2){0.5f, 0}));
        const vec2 below = flow_at(&noise, &plain, vec2_add(place, (vec2){0, 0.5f}));
        assert_true(vec2_length(vec2_sub(here, right)) < 8.0f);
        if (vec2_length(here) < 55.0f) {
            divergence += fabs((double)(right.x - here.x + below.y - here.y));
            steepness += fabs((double)(right.y - here.y)) + fabs((double)(below.x - here.x));
        }
    }
    assert_true(most > 40.0 && difference / 4000.0 > 10.0);
    assert_true(divergence < 0.2 * steepness);
}

static void test_never_more_than_finite(void **state) {
    const struct flow_def noise = {.type = FLOW_NOISE, .scale = 1, .strength = 20000, .seed = 1};
    const vec2 far[] = {{1e6f, -1e6f}, {-1e6f, 0}, {0, 0}, {800, 600}};
    for (int i = 0; i < 4; i++) {
        const vec2 flow = flow_at(&noise, &plain, far[i]);
        assert_true(isfinite(flow.x) && isfinite(flow.y));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_grid_is_bilinear),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_never_more_than_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
