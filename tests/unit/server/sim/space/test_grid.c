/* The grid: every agent is in it, in order, and no slot lies outside, wherever agents are. */
#include <stdlib.h>

#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/space/grid.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/grid_fixture.h"

enum { MANY = 500 };

static struct motion motion[MANY];
static uint8_t kind[MANY];
static struct rng dice;

static struct grid make_grid(void) {
    struct grid grid = {0};
    assert_int_equal(grid_reserve(&grid, MANY), 0);
    return grid;
}

static void scatter(int32_t count, vec2 low, vec2 high) {
    for (int32_t i = 0; i < count; i++) {
        motion[i] = (struct motion){rng_between(&dice, low.x, high.x), rng_between(&dice, low.y, high.y),
                                    (float)i, 0.0f};
        kind[i] = (uint8_t)(i % 3);
    }
}

/* Every agent once, slots in order of (cell, row), exact copies. */
static void check_sorted(const struct grid *grid, int32_t count) {
    const int32_t cells = grid->across.cells * grid->down.cells;
    assert_int_equal(grid->count, count);
    assert_true(cells <= grid_cells_max(grid->count));
    assert_int_equal(grid->begin[0], 0);
    assert_int_equal(grid->begin[cells], count);
    for (int32_t slot = 0; slot < count; slot++) {
        const int32_t row = grid->row[slot];
        assert_int_equal(grid_slot(grid, row), slot);
        const int32_t cell = grid_cell(grid, &grid->motion[slot]);
        assert_true(cell >= 0 && cell < cells);
        assert_true(slot >= grid->begin[cell] && slot < grid->begin[cell + 1]);
        assert_true(grid->motion[slot].vx == (float)row && grid->kind[slot] == kind[row]);
        if (slot > 0 && grid_cell(grid, &grid->motion[slot - 1]) == cell) {
            assert_true(grid->row[slot - 1] < row);
        }
    }
}

/* A walk visits ascending slots, each at most once, and every agent within the radius. Returns their number.
 */
static int32_t check_walk(const struct grid *grid, const struct bounds *bounds, vec2 at, float radius) {
    bool seen[MANY] = {false};
    int32_t last = -1, visited = 0, begin, end;
    struct grid_walk walk;
    grid_walk_begin(&walk, grid, at, radius);
    int32_t runs = grid_walk_runs(&walk);
    while (grid_walk_next(&walk, &begin, &end)) {
        runs--;
        for (int32_t slot = begin; slot < end; slot++) {
            assert_true(slot > last && slot < grid->count);
            last = slot;
            seen[slot] = true;
            visited++;
        }
    }
    assert_int_equal(runs, 0);
    for (int32_t slot = 0; slot < grid->count; slot++) {
        const vec2 there = {grid->motion[slot].x, grid->motion[slot].y};
        if (vec2_length(bounds_difference(bounds, at, there)) < radius) {
            assert_true(seen[slot]);
        }
    }
    return visited;
}

static void test_upper_edge(void **state) {
    /* Rounding makes (coordinate - origin) * scale equal to the number of cells: clamped, not outside. */
    struct grid grid = make_grid();
    for (int edge = EDGE_OPEN; edge <= EDGE_CONTAIN; edge++) {
        for (float size = 1.0f; size < 2000.0f; size *= 1.37f) {
            const struct bounds bounds = {{size, size}, (enum edge)edge};
            const float below = edge == EDGE_WRAP ? nextafterf(size, 0.0f) : size;
            motion[0] = (struct motion){0.0f, 0.0f, 0.0f, 0.0f};
            motion[1] = (struct motion){below, below, 1.0f, 0.0f};
            motion[2] = (struct motion){0.0f, below, 2.0f, 0.0f};
            kind[0] = kind[1] = kind[2] = 0;
            grid_build(&grid, &bounds, motion, kind, 3, 7.0f);
            check_sorted(&grid, 3);
            (void)check_walk(&grid, &bounds, (vec2){below, below}, 7.0f);
        }
    }
    grid_fini(&grid);
}

static void test_outside_the_world(void **state) {
    struct grid grid = make_grid();
    const enum edge edges[] = {EDGE_OPEN, EDGE_CONTAIN};
    for (int e = 0; e < 2; e++) {
        const struct bounds bounds = {{100.0f, 100.0f}, edges[e]};
        scatter(MANY, (vec2){-1e6f, -1e6f}, (vec2){1e6f, 1e6f});
        grid_build(&grid, &bounds, motion, kind, MANY, 0.01f);
        check_sorted(&grid, MANY);
        for (int32_t i = 0; i < MANY; i += 50) {
            const vec2 at = {motion[i].x, motion[i].y};
            (void)check_walk(&grid, &bounds, at, 0.01f);
            (void)check_walk(&grid, &bounds, at, 3e4f);
            assert_int_equal(check_walk(&grid, &bounds, at, 3e6f), MANY);
        }
        /* A distant agent costs the others nothing: one lost agent leaves them their cells. */
        scatter(MANY, (vec2){0.0f, 0.0f}, (vec2){1000.0f, 1000.0f});
        motion[7].x = 3000.0f;
        grid_build(&grid, &bounds, motion, kind, MANY, 50.0f);
        assert_true(check_walk(&grid, &bounds, (vec2){motion[0].x, motion[0].y}, 50.0f) < MANY / 4);
    }
    grid_fini(&grid);
}

static void test_torus(void **state) {
    struct grid grid = make_grid();
    const float radii[] = {0.0f, 1e-3f, 20.0f, 49.0f, 50.0f, 70.0f, 333.0f, 1e6f};
    const vec2 sizes[] = {{100.0f, 100.0f}, {1.0f, 3000.0f}, {1234.5f, 77.7f}, {40.0f, 41.0f}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
            const struct bounds bounds = {sizes[s], EDGE_WRAP};
            scatter(MANY, (vec2){0.0f, 0.0f}, (vec2){sizes[s].x * 0.99f, sizes[s].y * 0.99f});
            motion[3].x = motion[3].y = 0.0f;
            motion[4].x = nextafterf(sizes[s].x, 0.0f);
            motion[4].y = nextafterf(sizes[s].y, 0.0f);
            grid_build(&grid, &bounds, motion, kind, MANY, radii[r] > 1.0f ? radii[r] : 1.0f);
            check_sorted(&grid, MANY);
            for (int32_t i = 0; i < 40; i++) {
                (void)check_walk(&grid, &bounds, (vec2){motion[i].x, motion[i].y}, radii[r]);
            }
        }
    }
    grid_fini(&grid);
}

static void test_drift(void **state) {
    /* Walks find agents that have moved since the sort, over a torus' edge as well. */
    struct grid grid = make_grid();
    for (int round = 0; round < 200; round++) {
        const struct bounds bounds = {{rng_between(&dice, 30.0f, 900.0f), rng_between(&dice, 30.0f, 900.0f)},
                                      round % 2 ? EDGE_WRAP : (enum edge)(round / 2 % 4)};
        scatter(MANY, (vec2){0.0f, 0.0f}, vec2_scale(bounds.size, 0.999f));
        const float radius = rng_between(&dice, 2.0f, 80.0f);
        grid_build(&grid, &bounds, motion, kind, MANY, radius);
        for (int tick = 0; tick < 3; tick++) {
            grid_drift_apart(&grid, &bounds, motion, rng_between(&dice, 0.01f, 0.3f) * radius, &dice);
            for (int32_t i = 0; i < 40; i++) {
                (void)check_walk(&grid, &bounds, (vec2){motion[i].x, motion[i].y}, radius);
            }
        }
        grid_resort(&grid, &bounds, radius);
        check_sorted(&grid, MANY);
        assert_true(grid.drift == 0.0f);
    }
    grid_fini(&grid);
}

static void test_nothing_in_it(void **state) {
    struct grid grid = make_grid();
    const struct bounds bounds = {{100.0f, 100.0f}, EDGE_OPEN};
    grid_build(&grid, &bounds, motion, kind, 0, 10.0f);
    assert_int_equal(check_walk(&grid, &bounds, (vec2){0.0f, 0.0f}, 1000.0f), 0);
    /* All in one place: a box without a size. */
    for (int32_t i = 0; i < MANY; i++) {
        motion[i] = (struct motion){5.0f, 5.0f, (float)i, 0.0f};
        kind[i] = 0;
    }
    grid_build(&grid, &bounds, motion, kind, MANY, 10.0f);
    check_sorted(&grid, MANY);
    assert_int_equal(check_walk(&grid, &bounds, (vec2){5.0f, 5.0f}, 1.0f), MANY);
    grid_fini(&grid);
}

static void test_few_candidates(void **state) {
    /* Three rows of height R and columns of R/2: at most 3R by 3R, whatever the world's size. */
    struct grid grid = make_grid();
    const struct bounds bounds = {{1000.0f, 1000.0f}, EDGE_WRAP};
    scatter(MANY, (vec2){0.0f, 0.0f}, (vec2){999.0f, 999.0f});
    grid_build(&grid, &bounds, motion, kind, MANY, 50.0f);
    int32_t visited = 0;
    for (int32_t i = 0; i < MANY; i++) {
        visited += check_walk(&grid, &bounds, (vec2){motion[i].x, motion[i].y}, 50.0f);
    }
    const int32_t expected = MANY * (MANY * 9 * 50 * 50 / 1000000 + 1);
    assert_true(visited < expected);
    grid_fini(&grid);
}

static void test_given_up(void **state) {
    struct grid grid = make_grid();
    const struct bounds bounds = {{1000.0f, 1000.0f}, EDGE_WRAP};
    scatter(MANY, (vec2){0.0f, 0.0f}, (vec2){999.0f, 999.0f});
    grid_build(&grid, &bounds, motion, kind, MANY, 50.0f);
    atomic_bool given_up = false;
    grid.given_up = &given_up;
    assert_int_equal(check_walk(&grid, &bounds, (vec2){5.0f, 5.0f}, 2000.0f), MANY);
    atomic_store(&given_up, true);
    struct grid_walk walk;
    grid_walk_begin(&walk, &grid, (vec2){5.0f, 5.0f}, 2000.0f);
    int32_t begin = 0, end = 0;
    assert_int_equal(grid_walk_runs(&walk), 0);
    assert_false(grid_walk_next(&walk, &begin, &end));
    grid_fini(&grid);
}

int main(void) {
    dice = rng_begin(1, 2, 3, RNG_SPAWN_PLACE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upper_edge),    cmocka_unit_test(test_outside_the_world),
        cmocka_unit_test(test_torus),         cmocka_unit_test(test_drift),
        cmocka_unit_test(test_nothing_in_it), cmocka_unit_test(test_few_candidates),
        cmocka_unit_test(test_given_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
