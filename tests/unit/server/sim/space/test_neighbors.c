/* The neighbor sums of an agent, in small arrangements with results known by hand. */
#include "server/sim/space/neighbors.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/grid_fixture.h"

enum { MOST = 8 };

static struct grid grid;
static struct bounds bounds;
static const uint32_t ids[MOST] = {11, 12, 13, 14, 15, 16, 17, 18};

/* Sorts `count` agents in, all of kind 0 and body radius 5. */
static void arrange(enum edge edge, const struct motion *motion, int32_t count) {
    static const uint8_t kinds[MOST];
    bounds = (struct bounds){{800.0f, 600.0f}, edge};
    grid_fini(&grid);
    assert_int_equal(grid_reserve(&grid, MOST), 0);
    grid_build(&grid, &bounds, motion, kinds, count, 100.0f);
    for (int32_t slot = 0; slot < count; slot++) {
        grid.radius[slot] = 5.0f;
    }
}

/* Agent `row` looks along +x. */
static struct neighbor_query asks(int32_t row) {
    return (struct neighbor_query){
        .bounds = &bounds, .ids = ids, .slot = grid_slot(&grid, row), .heading = {1.0f, 0.0f}, .kinds = 1};
}

static struct neighbor_sums sums(const struct neighbor_query *query, float radius, float cosine,
                                 bool is_sharp) {
    const struct neighbor_zone zone = {radius, cosine, is_sharp};
    const struct neighbor_zone zones[ZONE_COUNT] = {zone, zone, zone};
    return neighbors_sum(&grid, query, zones);
}

static void test_by_hand(void **state) {
    const struct motion motion[] = {{100, 100, 1, 2}, {150, 100, 30, 40}, {100, 175, 7, 8}, {300, 100, 9, 9}};
    arrange(EDGE_OPEN, motion, 4);
    const struct neighbor_query query = asks(0);
    struct neighbor_sums sum = sums(&query, 100.0f, -2.0f, false);
    assert_int_equal(sum.separation_count, 2);
    assert_int_equal(sum.alignment_count, 2);
    assert_int_equal(sum.cohesion_count, 2);
    /* At half the radius a push of 1, at three quarters one of 2/3 (4/3 - 3/4); weights 3/4 and 7/16. */
    assert_float_equal(sum.separation.x, -1.0f, 1e-6);
    assert_float_equal(sum.separation.y, -7.0f / 18.0f, 1e-6);
    assert_float_equal(sum.velocity_weight, 1.1875f, 1e-6);
    assert_float_equal(sum.velocity.x, 22.5f + 49.0f / 16.0f, 1e-5);
    assert_float_equal(sum.velocity.y, 30.0f + 3.5f, 1e-5);
    assert_float_equal(sum.offset_weight, 1.1875f, 1e-6);
    assert_float_equal(sum.offset.x, 37.5f, 1e-5);
    assert_float_equal(sum.offset.y, 75.0f * 7.0f / 16.0f, 1e-5);
    /* Without falloff Reynolds' 1/r. */
    sum = sums(&query, 100.0f, -2.0f, true);
    assert_float_equal(sum.separation.x, -2.0f, 1e-6);
    assert_float_equal(sum.separation.y, -4.0f / 3.0f, 1e-6);
    assert_float_equal(sum.offset_weight, 2.0f, 1e-6);
    /* Exactly at the radius is outside. */
    sum = sums(&query, 50.0f, -2.0f, true);
    assert_int_equal(sum.separation_count, 0);
}

static void test_fades_at_the_radius(void **state) {
    const struct motion motion[] = {{100, 100, 0, 0}, {199.99f, 100, 50, 0}};
    arrange(EDGE_OPEN, motion, 2);
    const struct neighbor_query query = asks(0);
    const struct neighbor_sums sum = sums(&query, 100.0f, -2.0f, false);
    assert_int_equal(sum.separation_count, 1);
    assert_true(vec2_length(sum.separation) < 1e-3f && sum.velocity_weight < 1e-3f &&
                sum.offset_weight < 1e-3f);
}

static void test_field_of_view(void **state) {
    /* Ahead, to the side, behind; and behind but nearer than the core. */
    const struct motion motion[] = {
        {100, 100, 0, 0}, {150, 100, 0, 0}, {100, 150, 0, 0}, {50, 100, 0, 0}, {88, 100, 0, 0}};
    arrange(EDGE_OPEN, motion, 5);
    struct neighbor_query query = asks(0);
    assert_int_equal(sums(&query, 60.0f, 0.9f, true).cohesion_count, 1);
    assert_int_equal(sums(&query, 60.0f, -0.1f, true).cohesion_count, 2);
    assert_int_equal(sums(&query, 60.0f, -2.0f, true).cohesion_count, 4);
    query.core = 15.0f;
    assert_int_equal(sums(&query, 60.0f, 0.9f, true).cohesion_count, 2);
    assert_true(sums(&query, 60.0f, 0.9f, true).offset.x == 50.0f - 12.0f);
    query.heading = (vec2){-1.0f, 0.0f};
    assert_int_equal(sums(&query, 60.0f, 0.9f, true).cohesion_count, 2);
    /* The core does not reach beyond the radius. */
    assert_int_equal(sums(&query, 10.0f, 0.9f, true).cohesion_count, 0);
}

static void test_kinds(void **state) {
    const struct motion motion[] = {{100, 100, 0, 0}, {110, 100, 0, 0}, {120, 100, 0, 0}};
    arrange(EDGE_OPEN, motion, 3);
    grid.kind[grid_slot(&grid, 1)] = 3;
    grid.kind[grid_slot(&grid, 2)] = 63;
    struct neighbor_query query = asks(0);
    assert_int_equal(sums(&query, 60.0f, -2.0f, true).cohesion_count, 0);
    query.kinds = UINT64_C(1) << 63;
    assert_true(sums(&query, 60.0f, -2.0f, true).offset.x == 20.0f);
    query.kinds |= UINT64_C(1) << 3;
    assert_int_equal(sums(&query, 60.0f, -2.0f, true).cohesion_count, 2);
}

static void test_across_the_edge(void **state) {
    const struct motion motion[] = {{2, 2, 0, 0}, {798, 598, 10, 20}};
    arrange(EDGE_WRAP, motion, 2);
    struct neighbor_query query = asks(0);
    struct neighbor_sums sum = sums(&query, 50.0f, -2.0f, true);
    assert_int_equal(sum.cohesion_count, 1);
    assert_true(sum.offset.x == -4.0f && sum.offset.y == -4.0f && sum.separation.x > 0.0f);
    query = asks(1);
    sum = sums(&query, 50.0f, -2.0f, true);
    assert_true(sum.offset.x == 4.0f && sum.offset.y == 4.0f && sum.separation.x < 0.0f);
    arrange(EDGE_OPEN, motion, 2);
    query = asks(0);
    assert_int_equal(sums(&query, 50.0f, -2.0f, true).cohesion_count, 0);
}

static void test_coincident(void **state) {
    const struct motion motion[] = {{100, 100, 0, 0}, {100, 100, 0, 0}, {100, 100, 0, 0}};
    arrange(EDGE_OPEN, motion, 2);
    struct neighbor_query query = asks(0);
    const vec2 one = sums(&query, 64.0f, -2.0f, false).separation;
    query = asks(1);
    const vec2 other = sums(&query, 64.0f, -2.0f, false).separation;
    assert_true(vec2_length(one) > 1.0f && one.x == -other.x && one.y == -other.y);
    /* A third is pushed elsewhere, so that heaps dissolve in all directions. */
    const vec2 a = neighbors_split(11, 12), b = neighbors_split(11, 13);
    assert_true(vec2_dot(a, b) < 0.999f);
    assert_float_equal(vec2_length(a), 1.0f, 1e-6);
    arrange(EDGE_OPEN, motion, 3);
    query = asks(2);
    const vec2 third = sums(&query, 64.0f, -2.0f, false).separation;
    assert_true(third.x - third.x == 0.0f && third.y - third.y == 0.0f);
}

static void test_nearest(void **state) {
    const struct motion motion[] = {{100, 100, 0, 0}, {130, 100, 0, 0}, {100, 130, 0, 0}, {70, 100, 0, 0}};
    arrange(EDGE_OPEN, motion, 4);
    const struct neighbor_query query = asks(0);
    struct neighbor_zone zone = {50.0f, -2.0f, false};
    /* Three are as near: the lowest id, whatever cells they are in. */
    struct neighbor nearest = neighbors_nearest(&grid, &query, &zone);
    assert_true(nearest.is_there && nearest.id == 12 && nearest.distance == 30.0f && nearest.radius == 5.0f);
    struct neighbor_query back = query;
    back.heading = (vec2){-1.0f, 0.0f};
    zone.cosine = 0.5f;
    nearest = neighbors_nearest(&grid, &back, &zone);
    assert_true(nearest.is_there && nearest.id == 14 && nearest.offset.x == -30.0f);
    zone.radius = 20.0f;
    assert_false(neighbors_nearest(&grid, &query, &zone).is_there);
}

static struct neighbor_threats threats_of(int32_t row, float clearance, float horizon) {
    const struct neighbor_query query = asks(row);
    const struct neighbor_zone zone = {400.0f, -2.0f, false};
    const struct neighbor_space space = {5.0f, clearance, horizon};
    return neighbors_threats(&grid, &query, &zone, &space);
}

static void test_real_miss(void **state) {
    /* Offset (100, 12), closing at (-10, 0): nearest after 10 s, missing by 12, and 12 > 5 + 5 + 1. The value
     * of gdx-ai, the distance less the distance traveled, is 0.7: it dodges. */
    const struct motion motion[] = {{100, 100, 10, 0}, {200, 112, 0, 0}};
    arrange(EDGE_OPEN, motion, 2);
    assert_int_equal(threats_of(0, 1.0f, 20.0f).count, 0);
    const struct neighbor_threats threats = threats_of(0, 3.0f, 20.0f);
    assert_int_equal(threats.count, 1);
    assert_float_equal(threats.soonest.time, 10.0f, 1e-4);
    assert_float_equal(threats.soonest.miss, 12.0f, 1e-4);
    assert_float_equal(threats.soonest.offset_then.y, 12.0f, 1e-4);
    assert_true(threats.push.y < 0.0f);
    assert_int_equal(threats_of(0, 3.0f, 9.9f).count, 0);
}

static void test_soonest(void **state) {
    const struct motion motion[] = {
        {100, 100, 10, 0}, {300, 100, 0, 0}, {200, 102, 0, 0}, {60, 100, 0, 0}, {108, 108, 30, 30}};
    arrange(EDGE_OPEN, motion, 5);
    /* One straight behind is left behind, one at the elbow is leaving. */
    const struct neighbor_threats threats = threats_of(0, 1.0f, 60.0f);
    assert_int_equal(threats.count, 2);
    assert_int_equal(threats.soonest.id, 13);
    /* Across the edge of a torus. */
    const struct motion wrapped[] = {{790, 100, 10, 0}, {10, 100, 0, 0}};
    arrange(EDGE_WRAP, wrapped, 2);
    assert_float_equal(threats_of(0, 1.0f, 60.0f).soonest.time, 2.0f, 1e-4);
}

static void test_head_on(void **state) {
    /* Perfect symmetry: both step aside, to opposite sides of the world, the same hand of each. */
    const struct motion motion[] = {{100, 100, 50, 0}, {200, 100, -50, 0}};
    arrange(EDGE_OPEN, motion, 2);
    const vec2 one = threats_of(0, 4.0f, 2.0f).push, other = threats_of(1, 4.0f, 2.0f).push;
    assert_true(one.y > 0.5f || one.y < -0.5f);
    assert_true(one.x == -other.x && one.y == -other.y);
}

static void test_faster_goes_first(void **state) {
    /* On course for the same point; the faster leans forward, the slower backward, whatever their ids. */
    const struct motion motion[] = {
        {100, 100, 60, 0}, {160, 140, 0, -40}, {100, 400, 40, 0}, {140, 460, 0, -60}};
    arrange(EDGE_OPEN, motion, 4);
    assert_true(threats_of(0, 4.0f, 2.0f).push.x > 0.1f);
    assert_true(threats_of(1, 4.0f, 2.0f).push.y > 0.1f);
    assert_true(threats_of(2, 4.0f, 2.0f).push.x < -0.1f);
    assert_true(threats_of(3, 4.0f, 2.0f).push.y < -0.1f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),           cmocka_unit_test(test_fades_at_the_radius),
        cmocka_unit_test(test_field_of_view),     cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_across_the_edge),   cmocka_unit_test(test_coincident),
        cmocka_unit_test(test_nearest),           cmocka_unit_test(test_real_miss),
        cmocka_unit_test(test_soonest),           cmocka_unit_test(test_head_on),
        cmocka_unit_test(test_faster_goes_first),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&grid);
    return failed;
}
