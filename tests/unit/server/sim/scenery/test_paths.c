/* The paths of server/sim/scenery/scenery.h, and path_rules.inc.h with one lane. */
#define LANES_WIDTH 1
#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/scenery/path_rules.inc.h"
#include "server/sim/scenery/scenery.h"
#include "tests/unit/server/cmocka_all.h"

static const struct bounds open = {{800, 600}, EDGE_OPEN}, torus = {{800, 600}, EDGE_WRAP};
static const struct path_def bent = {
    .radius = 10, .point_count = 3, .points = {{100, 100}, {300, 100}, {300, 250}}};

static struct path prepare(bool is_loop) {
    struct path_def def = bent;
    def.is_loop = is_loop;
    return path_prepare(&def, &open);
}

static void test_lengths(void **state) {
    const struct path line = prepare(false), loop = prepare(true);
    assert_true(line.count == 2 && line.length == 350.0f);
    assert_true(loop.count == 3 && fabsf(loop.length - 600.0f) < 1e-3f); /* back with 250 */
}

static void test_nearest_against_samples(void **state) {
    struct rng dice = rng_begin(3, 0, 0, RNG_SPAWN_PLACE);
    const struct path loop = prepare(true);
    for (int round = 0; round < 500; round++) {
        const vec2 place = {rng_between(&dice, 0, 800), rng_between(&dice, 0, 600)};
        float best = 1e9f;
        for (int i = 0; i < 6000; i++) {
            best = fminf(best, vec2_length(vec2_sub(path_point(&loop, (float)i * 0.1f), place)));
        }
        const struct path_spot spot = path_nearest(&loop, &open, place);
        assert_true(fabsf(spot.distance - best) < 0.1f);
        const vec2 at = path_point(&loop, spot.s);
        assert_true(vec2_length(vec2_sub(vec2_add(place, spot.offset), at)) < 0.01f);
        assert_true(fabsf(vec2_length(spot.direction) - 1.0f) < 1e-4f);
    }
}

static void test_ends_and_rounds(void **state) {
    const struct path line = prepare(false), loop = prepare(true);
    assert_true(path_held(&line, 340 + 20) == 350.0f && path_held(&line, 10 - 20) == 0.0f);
    assert_true(fabsf(path_held(&loop, 590 + 20) - 10.0f) < 1e-3f);
    assert_true(fabsf(path_held(&loop, 10 - 20) - 590.0f) < 1e-3f);
    assert_true(fabsf(path_difference(&loop, 590, 10) - 20.0f) < 1e-3f);
    assert_true(fabsf(path_difference(&loop, 10, 590) + 20.0f) < 1e-3f);
    assert_true(path_difference(&line, 10, 300) == 290.0f);
    const vec2 end = path_point(&line, 1e9f), start = path_point(&line, -5.0f);
    assert_true(end.x == 300.0f && end.y == 250.0f && start.x == 100.0f && start.y == 100.0f);
}

static void test_degenerate(void **state) {
    const struct path_def twice = {
        .point_count = 4, .points = {{5, 5}, {5, 5}, {9, 5}, {9, 5}}, .is_loop = true};
    const struct path_def dot = {.point_count = 2, .points = {{5, 5}, {5, 5}}};
    const struct path thin = path_prepare(&twice, &open), point = path_prepare(&dot, &open);
    assert_true(thin.count == 2 && thin.length == 8.0f);
    assert_true(point.count == 1 && point.length == 0.0f);
    const struct path_spot spot = path_nearest(&point, &open, (vec2){5, 5});
    assert_true(spot.distance == 0.0f && spot.s == 0.0f && spot.direction.x == 1.0f);
    const vec2 at = path_point(&point, path_held(&point, 100.0f));
    assert_true(at.x == 5.0f && at.y == 5.0f);
}

static void test_over_the_wrapping_edge(void **state) {
    const struct path_def seam = {.point_count = 2, .points = {{780, 300}, {40, 300}}};
    const struct path path = path_prepare(&seam, &torus);
    assert_true(fabsf(path.length - 60.0f) < 1e-3f);
    const struct path_spot spot = path_nearest(&path, &torus, (vec2){10, 310});
    assert_true(fabsf(spot.distance - 10.0f) < 1e-3f && fabsf(spot.s - 30.0f) < 1e-3f);
    assert_true(spot.direction.x == 1.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_nearest_against_samples),
        cmocka_unit_test(test_ends_and_rounds),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_over_the_wrapping_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
