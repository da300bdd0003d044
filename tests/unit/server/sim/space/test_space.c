/* Places in the world: edges, containment, the grid, neighbors. */

#include "tests/unit/server/cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "server/sim/math/rng.h"
#include "server/sim/space/edge.h"
#include "server/sim/space/grid.h"
#include "server/sim/space/neighbors.h"
#include "tests/unit/server/sim/grid_fixture.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== containment ====
 * Containment as a behavior and as an edge (edge.h): no agent leaves, agents outside come back, and the two
 * share their code. */

static struct rng containment_dice;

static float any(float low, float high) {
    return rng_between(&containment_dice, low, high);
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
    containment_dice = rng_begin(3, 0, 0, RNG_SPAWN_PLACE);
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
    containment_dice = rng_begin(4, 0, 0, RNG_SPAWN_PLACE);
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
    containment_dice = rng_begin(5, 0, 0, RNG_SPAWN_PLACE);
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

/* ==== server/sim/space/edge.h ==== */

static struct bounds box(enum edge edge) {
    return (struct bounds){{800.0f, 600.0f}, edge};
}

static void test_difference_goes_the_short_way(void **state) {
    const struct bounds torus = box(EDGE_WRAP), plain = box(EDGE_OPEN);
    const vec2 from = {790.0f, 10.0f}, to = {10.0f, 590.0f};
    const vec2 around = bounds_difference(&torus, from, to), straight = bounds_difference(&plain, from, to);
    assert_true(around.x == 20.0f && around.y == -20.0f);
    assert_true(straight.x == -780.0f && straight.y == 580.0f);
    /* Points far outside count as where they wrap to. */
    const vec2 far = bounds_difference(&torus, (vec2){0.0f, 0.0f}, (vec2){8010.0f, -5990.0f});
    assert_true(fabsf(far.x - 10.0f) < 0.01f && fabsf(far.y - 10.0f) < 0.01f);
}

/* Rounding must never leave a wrapped coordinate on the upper border: x - W * floor(x / W) can be W for x =
 * -tiny. */
static void test_wrap_stays_inside(void **state) {
    const struct bounds torus = box(EDGE_WRAP);
    const float tricky[] = {-1e-9f, -1e-7f, 800.0f, 799.99997f, 1600.0f, -800.0f, -799.99997f, 1e6f, -1e6f,
                            2e9f,   -2e9f,  600.0f, 599.99997f, -0.0f,   1e-30f,  -1e-30f,     3e8f, -3e8f};
    for (size_t i = 0; i < sizeof tricky / sizeof *tricky; i++) {
        const vec2 point = bounds_settle(&torus, (vec2){tricky[i], tricky[i]});
        assert_true(point.x >= 0.0f && point.x < 800.0f);
        assert_true(point.y >= 0.0f && point.y < 600.0f);
    }
}

static void test_settle(void **state) {
    const struct bounds bounce = box(EDGE_BOUNCE), open = box(EDGE_OPEN);
    const vec2 inside = bounds_settle(&bounce, (vec2){-5.0f, 700.0f});
    assert_true(inside.x == 0.0f && inside.y == 600.0f);
    const vec2 free = bounds_settle(&open, (vec2){-5.0f, 3e7f});
    assert_true(free.x == -5.0f && free.y == (float)LIMIT_COORDINATE);
}

static void test_bounce_mirrors(void **state) {
    const struct bounds bounce = box(EDGE_BOUNCE);
    const struct motion low = bounds_apply(&bounce, (struct motion){6.0f, 300.0f, -50.0f, 20.0f}, 10.0f);
    assert_true(low.x == 14.0f && low.vx == 50.0f && low.y == 300.0f && low.vy == 20.0f);
    const struct motion high = bounds_apply(&bounce, (struct motion){400.0f, 595.0f, 1.0f, 70.0f}, 10.0f);
    assert_true(high.y == 585.0f && high.vy == -70.0f);
    /* Further out than the box is wide: clamped, not mirrored through the other side. */
    const struct motion wild =
        bounds_apply(&bounce, (struct motion){-5000.0f, 300.0f, -9000.0f, 0.0f}, 10.0f);
    assert_true(wild.x == 790.0f && wild.vx == 9000.0f);
    /* A body wider than the box. */
    const struct motion fat = bounds_apply(&bounce, (struct motion){100.0f, 100.0f, -1.0f, -1.0f}, 5000.0f);
    assert_true(fat.x == 400.0f && fat.y == 300.0f);
}

static void test_open_holds_at_the_limit(void **state) {
    const struct bounds open = box(EDGE_OPEN);
    const struct motion held = bounds_apply(&open, (struct motion){1.5e6f, 0.0f, 100.0f, 5.0f}, 1.0f);
    assert_true(held.x == (float)LIMIT_COORDINATE && held.vx == 0.0f && held.vy == 5.0f);
}

static void test_contain_turns_inward_in_time(void **state) {
    const struct bounds contain = box(EDGE_CONTAIN);
    vec2 desired = {0.0f, 0.0f};
    const struct motion middle = {400.0f, 300.0f, 100.0f, 0.0f};
    assert_false(bounds_contain(&contain, middle, 10.0f, 100.0f, 200.0f, 0.03f, &desired));
    const struct motion near = {780.0f, 300.0f, 100.0f, 30.0f}; /* stops after 25 px, 10 are left */
    assert_true(bounds_contain(&contain, near, 10.0f, 100.0f, 200.0f, 0.03f, &desired));
    assert_true(desired.x < 0.0f && desired.y > 0.0f);
    const struct motion outside = {-50.0f, 700.0f, 0.0f, 0.0f};
    assert_true(bounds_contain(&contain, outside, 10.0f, 100.0f, 200.0f, 0.03f, &desired));
    assert_true(desired.x > 0.0f && desired.y < 0.0f && vec2_length(desired) <= 100.001f);
    /* No force, no speed: nothing divides by zero. */
    assert_false(
        bounds_contain(&contain, (struct motion){400, 300, 0, 0}, 0.0f, 0.0f, 0.0f, 0.03f, &desired));
    assert_true(bounds_contain(&contain, (struct motion){-1, 300, 0, 0}, 0.0f, 0.0f, 0.0f, 0.03f, &desired));
    assert_true(isfinite(desired.x) && isfinite(desired.y));
}

/* ==== The grid: every agent is in it, in order, and no slot lies outside, wherever agents are ==== */

enum { MANY = 500 };

static struct motion grid_motion[MANY];
static uint8_t kind[MANY];
static struct rng grid_dice;

static struct grid make_grid(void) {
    struct grid grid = {0};
    assert_int_equal(grid_reserve(&grid, MANY), 0);
    return grid;
}

static void scatter(int32_t count, vec2 low, vec2 high) {
    for (int32_t i = 0; i < count; i++) {
        grid_motion[i] = (struct motion){rng_between(&grid_dice, low.x, high.x),
                                         rng_between(&grid_dice, low.y, high.y), (float)i, 0.0f};
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
            grid_motion[0] = (struct motion){0.0f, 0.0f, 0.0f, 0.0f};
            grid_motion[1] = (struct motion){below, below, 1.0f, 0.0f};
            grid_motion[2] = (struct motion){0.0f, below, 2.0f, 0.0f};
            kind[0] = kind[1] = kind[2] = 0;
            grid_build(&grid, &bounds, grid_motion, kind, 3, 7.0f);
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
        grid_build(&grid, &bounds, grid_motion, kind, MANY, 0.01f);
        check_sorted(&grid, MANY);
        for (int32_t i = 0; i < MANY; i += 50) {
            const vec2 at = {grid_motion[i].x, grid_motion[i].y};
            (void)check_walk(&grid, &bounds, at, 0.01f);
            (void)check_walk(&grid, &bounds, at, 3e4f);
            assert_int_equal(check_walk(&grid, &bounds, at, 3e6f), MANY);
        }
        /* A distant agent costs the others nothing: one lost agent leaves them their cells. */
        scatter(MANY, (vec2){0.0f, 0.0f}, (vec2){1000.0f, 1000.0f});
        grid_motion[7].x = 3000.0f;
        grid_build(&grid, &bounds, grid_motion, kind, MANY, 50.0f);
        assert_true(check_walk(&grid, &bounds, (vec2){grid_motion[0].x, grid_motion[0].y}, 50.0f) < MANY / 4);
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
            grid_motion[3].x = grid_motion[3].y = 0.0f;
            grid_motion[4].x = nextafterf(sizes[s].x, 0.0f);
            grid_motion[4].y = nextafterf(sizes[s].y, 0.0f);
            grid_build(&grid, &bounds, grid_motion, kind, MANY, radii[r] > 1.0f ? radii[r] : 1.0f);
            check_sorted(&grid, MANY);
            for (int32_t i = 0; i < 40; i++) {
                (void)check_walk(&grid, &bounds, (vec2){grid_motion[i].x, grid_motion[i].y}, radii[r]);
            }
        }
    }
    grid_fini(&grid);
}

static void test_drift(void **state) {
    /* Walks find agents that have moved since the sort, over a torus' edge as well. */
    struct grid grid = make_grid();
    for (int round = 0; round < 200; round++) {
        const struct bounds bounds = {
            {rng_between(&grid_dice, 30.0f, 900.0f), rng_between(&grid_dice, 30.0f, 900.0f)},
            round % 2 ? EDGE_WRAP : (enum edge)(round / 2 % 4)};
        scatter(MANY, (vec2){0.0f, 0.0f}, vec2_scale(bounds.size, 0.999f));
        const float radius = rng_between(&grid_dice, 2.0f, 80.0f);
        grid_build(&grid, &bounds, grid_motion, kind, MANY, radius);
        for (int tick = 0; tick < 3; tick++) {
            grid_drift_apart(&grid, &bounds, grid_motion, rng_between(&grid_dice, 0.01f, 0.3f) * radius,
                             &grid_dice);
            for (int32_t i = 0; i < 40; i++) {
                (void)check_walk(&grid, &bounds, (vec2){grid_motion[i].x, grid_motion[i].y}, radius);
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
    grid_build(&grid, &bounds, grid_motion, kind, 0, 10.0f);
    assert_int_equal(check_walk(&grid, &bounds, (vec2){0.0f, 0.0f}, 1000.0f), 0);
    /* All in one place: a box without a size. */
    for (int32_t i = 0; i < MANY; i++) {
        grid_motion[i] = (struct motion){5.0f, 5.0f, (float)i, 0.0f};
        kind[i] = 0;
    }
    grid_build(&grid, &bounds, grid_motion, kind, MANY, 10.0f);
    check_sorted(&grid, MANY);
    assert_int_equal(check_walk(&grid, &bounds, (vec2){5.0f, 5.0f}, 1.0f), MANY);
    grid_fini(&grid);
}

static void test_few_candidates(void **state) {
    /* Three rows of height R and columns of R/2: at most 3R by 3R, whatever the world's size. */
    struct grid grid = make_grid();
    const struct bounds bounds = {{1000.0f, 1000.0f}, EDGE_WRAP};
    scatter(MANY, (vec2){0.0f, 0.0f}, (vec2){999.0f, 999.0f});
    grid_build(&grid, &bounds, grid_motion, kind, MANY, 50.0f);
    int32_t visited = 0;
    for (int32_t i = 0; i < MANY; i++) {
        visited += check_walk(&grid, &bounds, (vec2){grid_motion[i].x, grid_motion[i].y}, 50.0f);
    }
    const int32_t expected = MANY * (MANY * 9 * 50 * 50 / 1000000 + 1);
    assert_true(visited < expected);
    grid_fini(&grid);
}

static void test_given_up(void **state) {
    struct grid grid = make_grid();
    const struct bounds bounds = {{1000.0f, 1000.0f}, EDGE_WRAP};
    scatter(MANY, (vec2){0.0f, 0.0f}, (vec2){999.0f, 999.0f});
    grid_build(&grid, &bounds, grid_motion, kind, MANY, 50.0f);
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

/* ==== The neighbor sums of an agent, in small arrangements with results known by hand ==== */

enum { MOST = 8 };

static struct grid neighbors_grid;
static struct bounds neighbors_bounds;
static const uint32_t ids[MOST] = {11, 12, 13, 14, 15, 16, 17, 18};

/* Sorts `count` agents in, all of kind 0 and body radius 5. */
static void arrange(enum edge edge, const struct motion *motion, int32_t count) {
    static const uint8_t kinds[MOST];
    neighbors_bounds = (struct bounds){{800.0f, 600.0f}, edge};
    grid_fini(&neighbors_grid);
    assert_int_equal(grid_reserve(&neighbors_grid, MOST), 0);
    grid_build(&neighbors_grid, &neighbors_bounds, motion, kinds, count, 100.0f);
    for (int32_t slot = 0; slot < count; slot++) {
        neighbors_grid.radius[slot] = 5.0f;
    }
}

/* Agent `row` looks along +x. */
static struct neighbor_query asks(int32_t row) {
    return (struct neighbor_query){.bounds = &neighbors_bounds,
                                   .ids = ids,
                                   .slot = grid_slot(&neighbors_grid, row),
                                   .heading = {1.0f, 0.0f},
                                   .kinds = 1};
}

static struct neighbor_sums sums(const struct neighbor_query *query, float radius, float cosine,
                                 bool is_sharp) {
    const struct neighbor_zone zone = {radius, cosine, is_sharp};
    const struct neighbor_zone zones[ZONE_COUNT] = {zone, zone, zone};
    return neighbors_sum(&neighbors_grid, query, zones);
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
    neighbors_grid.kind[grid_slot(&neighbors_grid, 1)] = 3;
    neighbors_grid.kind[grid_slot(&neighbors_grid, 2)] = 63;
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
    struct neighbor nearest = neighbors_nearest(&neighbors_grid, &query, &zone);
    assert_true(nearest.is_there && nearest.id == 12 && nearest.distance == 30.0f && nearest.radius == 5.0f);
    struct neighbor_query back = query;
    back.heading = (vec2){-1.0f, 0.0f};
    zone.cosine = 0.5f;
    nearest = neighbors_nearest(&neighbors_grid, &back, &zone);
    assert_true(nearest.is_there && nearest.id == 14 && nearest.offset.x == -30.0f);
    zone.radius = 20.0f;
    assert_false(neighbors_nearest(&neighbors_grid, &query, &zone).is_there);
}

static struct neighbor_threats threats_of(int32_t row, float clearance, float horizon) {
    const struct neighbor_query query = asks(row);
    const struct neighbor_zone zone = {400.0f, -2.0f, false};
    const struct neighbor_space space = {5.0f, clearance, horizon};
    return neighbors_threats(&neighbors_grid, &query, &zone, &space);
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
    grid_dice = rng_begin(1, 2, 3, RNG_SPAWN_PLACE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_agent_leaves),
        cmocka_unit_test(test_who_is_outside_comes_back),
        cmocka_unit_test(test_what_it_wants),
        cmocka_unit_test(test_same_as_the_edge),
        cmocka_unit_test(test_difference_goes_the_short_way),
        cmocka_unit_test(test_wrap_stays_inside),
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_bounce_mirrors),
        cmocka_unit_test(test_open_holds_at_the_limit),
        cmocka_unit_test(test_contain_turns_inward_in_time),
        cmocka_unit_test(test_upper_edge),
        cmocka_unit_test(test_outside_the_world),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_nothing_in_it),
        cmocka_unit_test(test_few_candidates),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_fades_at_the_radius),
        cmocka_unit_test(test_field_of_view),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_across_the_edge),
        cmocka_unit_test(test_coincident),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_real_miss),
        cmocka_unit_test(test_soonest),
        cmocka_unit_test(test_head_on),
        cmocka_unit_test(test_faster_goes_first),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&neighbors_grid);
    return failed;
}
