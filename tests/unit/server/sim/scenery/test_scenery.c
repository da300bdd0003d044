/* Obstacles, paths, flows. */

#define LANES_WIDTH 1

#include "tests/unit/server/cmocka_all.h"

#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/math/trig.h"
#include "server/sim/scenery/obstacles.h"
#include "server/sim/scenery/path_rules.inc.h"
#include "server/sim/scenery/scenery.h"
#include "tests/unit/server/sim/sim_fixture.h"

/* ==== server/sim/scenery/scenery.h ==== */

static const struct bounds flow_field_plain = {{800, 600}, EDGE_OPEN},
                           flow_field_torus = {{800, 600}, EDGE_WRAP};

static bool is_near(vec2 value, float x, float y) {
    return fabsf(value.x - x) < 1e-3f && fabsf(value.y - y) < 1e-3f;
}

static void test_formulas(void **state) {
    const struct flow_def uniform = {.type = FLOW_UNIFORM, .vector = {3, -4}};
    const struct flow_def vortex = {.type = FLOW_VORTEX, .at = {400, 300}, .strength = 50};
    const struct flow_def towards = {.type = FLOW_TOWARDS, .at = {400, 300}, .strength = 50};
    assert_true(is_near(flow_at(&uniform, &flow_field_plain, (vec2){1, 2}), 3, -4));
    /* Right of the middle downwards: clockwise on a screen. */
    assert_true(is_near(flow_at(&vortex, &flow_field_plain, (vec2){500, 300}), 0, 50));
    assert_true(is_near(flow_at(&towards, &flow_field_plain, (vec2){500, 300}), -50, 0));
    assert_true(is_near(flow_at(&vortex, &flow_field_plain, (vec2){400, 300}), 0, 0));
    assert_true(is_near(flow_at(&towards, &flow_field_plain, (vec2){410, 300}), -25, 0));
    /* Across the edge it is nearer the other way. */
    const struct flow_def left = {.type = FLOW_TOWARDS, .at = {10, 300}, .strength = 50};
    assert_true(is_near(flow_at(&left, &flow_field_torus, (vec2){790, 300}), 50, 0));
    assert_true(is_near(flow_at(&left, &flow_field_plain, (vec2){790, 300}), -50, 0));
}

static void test_grid_is_bilinear(void **state) {
    vec2 vectors[] = {{0, 0}, {10, 0}, {0, 20}, {10, 20}};
    const struct flow_def grid = {.type = FLOW_GRID, .columns = 2, .rows = 2, .vectors = vectors};
    assert_true(
        is_near(flow_at(&grid, &flow_field_plain, (vec2){200, 150}), 0, 0)); /* the first cell's center */
    assert_true(is_near(flow_at(&grid, &flow_field_plain, (vec2){400, 300}), 5, 10));
    assert_true(is_near(flow_at(&grid, &flow_field_plain, (vec2){300, 450}), 2.5f, 20));
    assert_true(
        is_near(flow_at(&grid, &flow_field_plain, (vec2){-9e5f, -9e5f}), 0, 0)); /* as at the border */
    assert_true(is_near(flow_at(&grid, &flow_field_plain, (vec2){9e5f, 9e5f}), 10, 20));
    assert_true(is_near(flow_at(&grid, &flow_field_torus, (vec2){0, 150}), 5,
                        0)); /* half of both sides of the edge */
}

static void test_noise(void **state) {
    const struct flow_def noise = {.type = FLOW_NOISE, .scale = 100, .strength = 60, .seed = 1};
    struct flow_def other = noise;
    other.seed = 2;
    double most = 0.0, difference = 0.0, divergence = 0.0, steepness = 0.0;
    for (int i = 0; i < 4000; i++) {
        const int column = i % 80, row = i / 80;
        const vec2 place = {(float)column * 10.0f + 3.0f, (float)row * 12.0f + 3.0f};
        const vec2 here = flow_at(&noise, &flow_field_plain, place);
        assert_true(vec2_length(here) <= 60.001f);
        most = fmax(most, (double)vec2_length(here));
        difference += (double)vec2_length(vec2_sub(here, flow_at(&other, &flow_field_plain, place)));
        /* It joins at the edge of the world. */
        const vec2 around = flow_at(&noise, &flow_field_torus, vec2_add(place, (vec2){800, -600}));
        assert_true(vec2_length(vec2_sub(here, around)) < 0.1f);
        /* Inflow equals outflow, except where the speed is cut off. */
        const vec2 right = flow_at(&noise, &flow_field_plain, vec2_add(place, (vec2){0.5f, 0}));
        const vec2 below = flow_at(&noise, &flow_field_plain, vec2_add(place, (vec2){0, 0.5f}));
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
        const vec2 flow = flow_at(&noise, &flow_field_plain, far[i]);
        assert_true(isfinite(flow.x) && isfinite(flow.y));
    }
}

/* ==== obstacles.h: against a slow reference that samples, and where nothing has a direction ==== */

static const struct obstacle_def circle = {.shape = OBSTACLE_CIRCLE, .at = {100.0f, 50.0f}, .radius = 30.0f};
static const struct obstacle_def box = {.shape = OBSTACLE_BOX, .at = {80.0f, 30.0f}, .size = {60.0f, 40.0f}};
/* Counter-clockwise on a screen; the other way round must not matter. */
static const struct obstacle_def kite = {.shape = OBSTACLE_POLYGON,
                                         .point_count = 5,
                                         .points = {{60, 20}, {70, 90}, {120, 110}, {150, 60}, {110, 10}}};
static const struct wall_def obstacles_wall = {{60.0f, 80.0f}, {140.0f, 20.0f}};

static struct rng obstacles_dice;

static float any_obstacles(float low, float high) {
    return rng_between(&obstacles_dice, low, high);
}

/* Of an obstacle that is not cut. */
static struct solid whole_solid(const struct obstacle_def *obstacle) {
    struct solid solids[SOLID_PIECES_MAX];
    assert_int_equal(solids_from_obstacle(obstacle, solids), 1);
    return solids[0];
}

static struct solid solid_of(int which) {
    switch (which) {
    case 0:
        return whole_solid(&circle);
    case 1:
        return whole_solid(&box);
    case 2:
        return whole_solid(&kite);
    default:
        return solid_from_wall(&obstacles_wall);
    }
}

static bool is_in(int which, vec2 p) {
    if (which == 0) {
        return hypotf(p.x - 100.0f, p.y - 50.0f) < 30.0f;
    }
    if (which == 1) {
        return p.x > 80.0f && p.x < 140.0f && p.y > 30.0f && p.y < 70.0f;
    }
    bool inside = false; /* even-odd rule */
    for (int i = 0, j = kite.point_count - 1; which == 2 && i < kite.point_count; j = i++) {
        const vec2 a = kite.points[i], b = kite.points[j];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) {
            inside = !inside;
        }
    }
    return inside;
}

/* Point i of n on the outline. */
static vec2 outline(int which, int i, int n) {
    const double t = (double)i / n;
    if (which == 0) {
        return (vec2){(float)(100.0 + 30.0 * cos(6.283185307179586 * t)),
                      (float)(50.0 + 30.0 * sin(6.283185307179586 * t))};
    }
    const vec2 corners[] = {{80, 30}, {140, 30}, {140, 70}, {80, 70}};
    const vec2 *points = which == 1 ? corners : kite.points;
    const int count = which == 1 ? 4 : which == 2 ? kite.point_count : 1;
    const int side = (int)(t * count);
    const float share = (float)(t * count - side);
    const vec2 a = which == 3 ? obstacles_wall.from : points[side],
               b = which == 3 ? obstacles_wall.to : points[(side + 1) % count];
    return vec2_add(a, vec2_scale(vec2_sub(b, a), share));
}

static void test_distance_against_samples(void **state) {
    enum { SAMPLES = 4000 };
    for (int which = 0; which < 4; which++) {
        const struct solid solid = solid_of(which);
        for (int round = 0; round < 300; round++) {
            const vec2 place = {any_obstacles(0.0f, 200.0f), any_obstacles(-40.0f, 140.0f)};
            float nearest = 1e9f;
            for (int i = 0; i < SAMPLES; i++) {
                nearest = fminf(nearest, vec2_length(vec2_sub(place, outline(which, i, SAMPLES))));
            }
            const struct touch touch = solid_touch(&solid, vec2_sub(place, solid.center));
            const float expected = is_in(which, place) ? -nearest : nearest;
            assert_true(fabsf(touch.distance - expected) < 0.15f);
            assert_true(fabsf(vec2_length(touch.normal) - 1.0f) < 1e-4f);
            /* One step along the normal leads to the outline, or as much further away. */
            const vec2 on = vec2_sub(place, vec2_scale(touch.normal, touch.distance));
            assert_true(fabsf(solid_touch(&solid, vec2_sub(on, solid.center)).distance) < 0.02f);
        }
    }
}

/* Marches in small steps until the disc overlaps. */
static float march(const struct solid *solid, vec2 place, vec2 way, float length, float radius) {
    for (float at = 0.0f; at <= length; at += 0.05f) {
        if (solid_touch(solid, vec2_add(place, vec2_scale(way, at))).distance < radius) {
            return at;
        }
    }
    return -1.0f;
}

static void test_sweep_against_marching(void **state) {
    int hits = 0;
    for (int round = 0; round < 4000; round++) {
        const struct solid solid = solid_of(round % 4);
        const vec2 place = {any_obstacles(-120.0f, 120.0f), any_obstacles(-120.0f, 120.0f)};
        const vec2 way =
            vec2_with_length((vec2){any_obstacles(-1.0f, 1.0f), any_obstacles(-1.0f, 1.0f)}, 1.0f);
        const float radius = any_obstacles(0.0f, 12.0f), length = any_obstacles(10.0f, 150.0f);
        if (solid_touch(&solid, place).distance < radius + 0.1f || vec2_length(way) < 0.5f) {
            continue;
        }
        const struct contact contact = solid_sweep(&solid, place, way, length, radius);
        const float reference = march(&solid, place, way, length, radius);
        if (reference >= 0.0f && !contact.is_hit) {
            /* A graze that overlaps by less than a step of the march is no miss worth the name. */
            const vec2 at = vec2_add(place, vec2_scale(way, reference));
            assert_true(solid_touch(&solid, at).distance > radius - 0.01f || reference > length - 0.1f);
        }
        if (contact.is_hit) {
            hits++;
            const vec2 at = vec2_add(place, vec2_scale(way, contact.distance));
            assert_true(fabsf(solid_touch(&solid, at).distance - radius) < 0.01f);
            /* The march may be late where the disc barely grazes, never early. */
            assert_true(reference < 0.0f || reference > contact.distance - 0.01f);
            assert_true(vec2_dot(contact.normal, way) <= 1e-3f);
            assert_true(fabsf(vec2_length(contact.normal) - 1.0f) < 1e-3f);
        }
    }
    assert_true(hits > 250);
}

static void test_overlap_at_the_start(void **state) {
    const struct solid solid = solid_of(0);
    const struct contact in = solid_sweep(&solid, (vec2){32, 0}, (vec2){-1, 0}, 10.0f, 5.0f);
    const struct contact out = solid_sweep(&solid, (vec2){32, 0}, (vec2){1, 0}, 10.0f, 5.0f);
    assert_true(in.is_hit && in.distance == 0.0f && in.normal.x == 1.0f);
    assert_false(out.is_hit);
}

static void check_unit(struct touch touch) {
    assert_true(isfinite(touch.distance) && fabsf(vec2_length(touch.normal) - 1.0f) < 1e-4f);
}

static void test_nothing_divides_by_zero(void **state) {
    const struct obstacle_def point = {.shape = OBSTACLE_CIRCLE},
                              flat = {.shape = OBSTACLE_BOX, .size = {9, 0}};
    const struct wall_def dot = {{3, 3}, {3, 3}};
    const struct solid solids[] = {solid_of(0),         solid_of(1),        solid_of(2),          solid_of(3),
                                   whole_solid(&point), whole_solid(&flat), solid_from_wall(&dot)};
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
        check_unit(solid_touch(&solids[i], (vec2){0, 0}));
        for (int c = 0; c < solids[i].count; c++) {
            check_unit(solid_touch(&solids[i], solids[i].corners[c]));
        }
        const struct contact contact = solid_sweep(&solids[i], (vec2){-500, 0}, (vec2){1, 0}, 1000.0f, 0.0f);
        assert_true(isfinite(contact.distance) && isfinite(contact.normal.x));
    }
    /* In the middle of a circle every way out is as long: one is taken, and it is as long as the radius. */
    assert_true(solid_touch(&solids[0], (vec2){0, 0}).distance == -30.0f);
    const struct contact thin = solid_sweep(&solids[6], (vec2){-50, 0}, (vec2){1, 0}, 100.0f, 4.0f);
    assert_true(thin.is_hit && fabsf(thin.distance - 46.0f) < 1e-3f);
}

/* A box without width has two sides without length: no disc meets those far away from the box. */
static void test_a_line_of_a_box_is_short(void **state) {
    const struct obstacle_def line = {.shape = OBSTACLE_BOX, .at = {0, 0}, .size = {0, 200}};
    const struct solid solid = whole_solid(&line);
    const struct contact far = solid_sweep(&solid, (vec2){90, -150}, (vec2){0, 1}, 200.0f, 5.0f);
    const struct contact near = solid_sweep(&solid, (vec2){3, -150}, (vec2){0, 1}, 200.0f, 5.0f);
    assert_false(far.is_hit);
    assert_true(near.is_hit && near.distance > 44.0f && near.distance < 50.0f);
}

static void test_short_way_round(void **state) {
    const struct bounds torus = {{800, 600}, EDGE_WRAP}, open = {{800, 600}, EDGE_OPEN};
    const struct obstacle_def at_border = {.shape = OBSTACLE_CIRCLE, .at = {790, 300}, .radius = 20};
    const struct solid solid = whole_solid(&at_border);
    const struct touch inside = solid_touch(&solid, solid_offset(&solid, &torus, (vec2){5, 300}));
    const struct touch outside = solid_touch(&solid, solid_offset(&solid, &open, (vec2){5, 300}));
    assert_true(fabsf(inside.distance + 5.0f) < 1e-3f && inside.normal.x == 1.0f);
    assert_true(fabsf(outside.distance - 765.0f) < 1e-3f && outside.normal.x == -1.0f);
}

static void test_reach(void **state) {
    const struct solid solid = solid_of(1);
    assert_true(solid_reach(&solid, (vec2){1, 0}) == 30.0f && solid_reach(&solid, (vec2){0, -1}) == 20.0f);
}

/* ==== The paths of server/sim/scenery/scenery.h, and path_rules.inc.h with one lane ==== */

static const struct bounds paths_open = {{800, 600}, EDGE_OPEN}, paths_torus = {{800, 600}, EDGE_WRAP};
static const struct path_def bent = {
    .radius = 10, .point_count = 3, .points = {{100, 100}, {300, 100}, {300, 250}}};

static struct path prepare(bool is_loop) {
    struct path_def def = bent;
    def.is_loop = is_loop;
    return path_prepare(&def, &paths_open);
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
        const struct path_spot spot = path_nearest(&loop, &paths_open, place);
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
    const struct path thin = path_prepare(&twice, &paths_open), point = path_prepare(&dot, &paths_open);
    assert_true(thin.count == 2 && thin.length == 8.0f);
    assert_true(point.count == 1 && point.length == 0.0f);
    const struct path_spot spot = path_nearest(&point, &paths_open, (vec2){5, 5});
    assert_true(spot.distance == 0.0f && spot.s == 0.0f && spot.direction.x == 1.0f);
    const vec2 at = path_point(&point, path_held(&point, 100.0f));
    assert_true(at.x == 5.0f && at.y == 5.0f);
}

static void test_over_the_wrapping_edge(void **state) {
    const struct path_def seam = {.point_count = 2, .points = {{780, 300}, {40, 300}}};
    const struct path path = path_prepare(&seam, &paths_torus);
    assert_true(fabsf(path.length - 60.0f) < 1e-3f);
    const struct path_spot spot = path_nearest(&path, &paths_torus, (vec2){10, 310});
    assert_true(fabsf(spot.distance - 10.0f) < 1e-3f && fabsf(spot.s - 30.0f) < 1e-3f);
    assert_true(spot.direction.x == 1.0f);
}

/* A curve goes through all points, on a torus the short way, and stays near the line: no loops, however uneven the points. */
static void test_smooth_paths(void **state) {
    struct rng dice = rng_begin(5, 0, 0, RNG_SPAWN_PLACE);
    for (int round = 0; round < 200; round++) {
        struct path_def def = {.radius = 40.0f, .point_count = 2 + round % 9, .is_loop = round % 2 == 0};
        const struct bounds *bounds = round % 3 == 0 ? &paths_torus : &paths_open;
        def.radius_count = round % 5 == 0 ? def.point_count : 0;
        for (int i = 0; i < def.point_count; i++) {
            def.points[i] = (vec2){rng_between(&dice, 0, 800), rng_between(&dice, 0, 600)};
            def.radii[i] = rng_between(&dice, 0, 40);
        }
        struct path_def smooth = def;
        const int each = 1 + round % 17, sides = def.is_loop ? def.point_count : def.point_count - 1;
        const int points = path_def_smooth(&smooth, (uint32_t)each - 1, bounds);
        assert_int_equal(points, smooth.point_count);
        assert_int_equal(smooth.point_count, sides * each + (def.is_loop ? 0 : 1));
        assert_int_equal(smooth.radius_count, def.radius_count > 0 ? smooth.point_count : 0);
        for (int i = 0; i < smooth.point_count; i++) {
            const int from = i / each, to = (from + 1) % def.point_count;
            if (i % each == 0) {
                assert_memory_equal(&smooth.points[i], &def.points[from], sizeof(vec2));
            }
            const float share = (float)(i % each) / (float)each;
            const float wanted = def.radii[from] + share * (def.radii[to] - def.radii[from]);
            assert_true(def.radius_count == 0 || fabsf(smooth.radii[i] - wanted) < 1e-3f);
            if (i + 1 < smooth.point_count) { /* no jump: a step is a part of the side */
                const float side = vec2_length(bounds_difference(bounds, def.points[from], def.points[to]));
                const float step =
                    vec2_length(bounds_difference(bounds, smooth.points[i], smooth.points[i + 1]));
                assert_true(step < 1.5f * side && (each < 4 || step < 0.75f * side));
            }
        }
    }
}

/* On a straight line the curve is the line, and round a circle nearly the circle; too many points are refused. */
static void test_curves_known_before(void **state) {
    struct path_def line = {.point_count = 3, .points = {{0, 10}, {100, 10}, {110, 10}}},
                    ring = {.is_loop = true};
    assert_int_equal(path_def_smooth(&line, 7, &paths_open), 17);
    for (int i = 0; i < 17; i++) {
        assert_true(line.points[i].y == 10.0f && (i == 0 || line.points[i].x > line.points[i - 1].x));
    }
    ring.point_count = 8;
    for (int i = 0; i < 8; i++) {
        ring.points[i] = vec2_scale(trig_unit((float)i * 0.785398f), 100.0f);
    }
    const struct path_def before = ring;
    assert_int_equal(path_def_smooth(&ring, 64, &paths_open), 520);
    assert_memory_equal(&ring, &before, sizeof ring);
    assert_int_equal(path_def_smooth(&ring, 9, &paths_open), 80);
    for (int i = 0; i < 80; i++) {
        assert_true(fabsf(vec2_length(ring.points[i]) - 100.0f) < 1.0f);
    }
}

/* Where points have radii of their own, the path is between two as wide as its share of the way. */
static void test_radii(void **state) {
    const struct path_def def = {.radius = 30,
                                 .point_count = 3,
                                 .points = {{0, 0}, {100, 0}, {100, 200}},
                                 .radius_count = 3,
                                 .radii = {10, 30, 0}};
    const struct path path = path_prepare(&def, &paths_open), even = prepare(false);
    assert_true(path_radius(&path, 0) == 10.0f && path_radius(&path, 50) == 20.0f);
    assert_true(path_radius(&path, 100) == 30.0f && path_radius(&path, 200) == 15.0f);
    assert_true(path_radius(&path, 300) == 0.0f && path_radius(&even, 123) == 10.0f);
}

/* ==== scenery.h: bodies neither enter nor pass solids, at any speed ==== */

static const struct bounds scenery_plain = {{800, 600}, EDGE_OPEN};
static struct rng scenery_dice;

static float any_scenery(float low, float high) {
    return rng_between(&scenery_dice, low, high);
}

/* A square room of walls around 400, 300, 200 px wide, with a pillar in its middle. */
static struct geometry_def room(void) {
    const struct wall_def sides[] = {{{300, 200}, {500, 200}},
                                     {{500, 200}, {500, 400}},
                                     {{500, 400}, {300, 400}},
                                     {{300, 400}, {300, 200}}};
    struct geometry_def def = {0};
    for (int i = 0; i < 4; i++) {
        struct wall_def *wall = geometry_def_add_wall(&def);
        assert_non_null(wall);
        *wall = sides[i];
    }
    struct obstacle_def *pillar = geometry_def_add_obstacle(&def);
    assert_non_null(pillar);
    *pillar = (struct obstacle_def){.shape = OBSTACLE_CIRCLE, .at = {400, 300}, .radius = 30};
    return def;
}

static struct scenery scenery_of(struct geometry_def def, const struct bounds *bounds) {
    struct scenery scenery;
    assert_int_equal(scenery_init(&scenery, &def, bounds), 0);
    geometry_def_fini(&def);
    return scenery;
}

static void test_nothing_leaves_a_room(void **state) {
    struct scenery scenery = scenery_of(room(), &scenery_plain);
    for (int body = 0; body < 200; body++) {
        const float radius = body % 2 ? any_scenery(0.0f, 12.0f) : 0.0f;
        struct motion at = {any_scenery(320, 360), any_scenery(220, 380), 0, 0};
        for (int tick = 0; tick < 300; tick++) {
            /* up to 20000 px/s: 333 px a tick, more than the room is wide */
            const float speed = tick % 3 ? any_scenery(0.0f, 400.0f) : any_scenery(0.0f, 20000.0f);
            const vec2 velocity = vec2_with_length((vec2){any_scenery(-1, 1), any_scenery(-1, 1)}, speed);
            const struct motion to = {at.x + velocity.x / 60.0f, at.y + velocity.y / 60.0f, velocity.x,
                                      velocity.y};
            at = scenery_constrain(&scenery, &scenery_plain, at, to, radius);
            assert_true(at.x > 300.0f && at.x < 500.0f && at.y > 200.0f && at.y < 400.0f);
            const struct scenery_touch nearest =
                scenery_nearest(&scenery, &scenery_plain, (vec2){at.x, at.y});
            assert_true(nearest.touch.distance > radius - 0.05f);
            assert_true(vec2_length((vec2){at.vx, at.vy}) <= speed * 1.0001f + 1e-3f);
        }
    }
    scenery_fini(&scenery);
}

/* A thin wall on rails, much faster than a body is wide: whoever stands in its way is in front of it, still or not. */
static void test_nothing_is_passed_over(void **state) {
    struct geometry_def def = {0};
    struct path_def *rails = geometry_def_add_path(&def);
    struct obstacle_def *plate = geometry_def_add_obstacle(&def);
    assert_true(rails != NULL && plate != NULL);
    *rails = (struct path_def){.name = "r", .point_count = 2, .points = {{0, 0}, {700, 0}}};
    *plate = (struct obstacle_def){
        .shape = OBSTACLE_BOX, .at = {20, 100}, .size = {1, 400}, .move = {.path = "r", .speed = 1800}};
    struct scenery scenery = scenery_of(def, &scenery_plain);
    struct motion at = {120, 300, 0, 0};
    for (uint64_t tick = 0; tick < 20; tick++) { /* 30 px each */
        scenery_place_movers(&scenery, &scenery_plain, 60.0, tick);
        at = scenery_yield(&scenery, &scenery_plain, at, at, 2.0f);
        const float front = scenery.movers[0].next.x + 0.5f;
        assert_true(at.x > front + 1.9f && (front > 118.0f || at.x == 120.0f));
        assert_true(at.vx == 0.0f && at.vy == 0.0f);
    }
    scenery_fini(&scenery);
}

/* Between a piston and the wall that it comes to there is no room: out at its side, not through the wall. */
static void test_squeezed_out(void **state) {
    struct geometry_def def = room();
    struct path_def *rails = geometry_def_add_path(&def);
    struct obstacle_def *piston = geometry_def_add_obstacle(&def);
    assert_true(rails != NULL && piston != NULL);
    *rails = (struct path_def){.name = "r", .point_count = 2, .points = {{0, 0}, {120, 0}}};
    *piston = (struct obstacle_def){
        .shape = OBSTACLE_BOX, .at = {340, 210}, .size = {40, 40}, .move = {.path = "r", .speed = 120}};
    struct scenery scenery = scenery_of(def, &scenery_plain);
    struct motion at = {490, 230, 0, 0};
    for (uint64_t tick = 0; tick < 60; tick++) {
        scenery_place_movers(&scenery, &scenery_plain, 60.0, tick);
        at = scenery_yield(&scenery, &scenery_plain, at, at, 5.0f);
        assert_true(scenery_touch_next(&scenery, &scenery_plain, 0, (vec2){at.x, at.y}).distance > 4.9f);
        assert_true(at.x > 300.0f && at.x < 500.0f && at.y > 200.0f && at.y < 400.0f);
    }
    assert_true(at.y > 250.0f); /* the piston is at the wall now */
    scenery_fini(&scenery);
}

/* The place of a door goes on from where it is, whenever it is asked to turn. */
static void test_doors(void **state) {
    struct geometry_def def = {0};
    struct obstacle_def *door = geometry_def_add_obstacle(&def);
    assert_non_null(door);
    *door = (struct obstacle_def){
        .shape = OBSTACLE_BOX, .at = {100, 100}, .size = {8, 60}, .door = {{0, 60}, 1.0f, true, 0}};
    struct scenery scenery = scenery_of(def, &scenery_plain);
    const struct mover *mover = &scenery.movers[0];
    float expected = 130.0f; /* its middle */
    bool closed = true;
    for (uint64_t tick = 0; tick < 400; tick++) {
        scenery_place_movers(&scenery, &scenery_plain, 60.0, tick);
        if (tick == 10 || tick == 40 || tick == 55 || tick == 200) {
            closed = !closed;
            assert_true(scenery_set_door(&scenery, &scenery_plain, 60.0, tick, 0, closed));
            assert_false(scenery_set_door(&scenery, &scenery_plain, 60.0, tick, 0, closed));
            scenery_place_movers(&scenery, &scenery_plain, 60.0, tick);
        }
        assert_true(fabsf(mover->at.y - expected) < 1e-3f);
        expected = closed ? fmaxf(expected - 1.0f, 130.0f) : fminf(expected + 1.0f, 190.0f);
        assert_true(fabsf(mover->next.y - expected) < 1e-3f && scenery.solids[0].center.y == mover->at.y);
    }
    scenery_fini(&scenery);
}

static void test_slides_along_a_wall(void **state) {
    struct scenery scenery = scenery_of(room(), &scenery_plain);
    const struct motion before = {350, 215, 60, -600}, moved = {360, 115, 60, -600};
    const struct motion after = scenery_constrain(&scenery, &scenery_plain, before, moved, 5.0f);
    assert_true(fabsf(after.y - 205.0f) < 0.1f && fabsf(after.x - 360.0f) < 0.2f);
    assert_true(fabsf(after.vx - 60.0f) < 0.01f && fabsf(after.vy) < 0.01f);
    /* Far from all solids no bit changes. */
    const struct motion there = {340, 350, 1, 2}, on = {341, 352, 1, 2};
    const struct motion same = scenery_constrain(&scenery, &scenery_plain, there, on, 5.0f);
    assert_true(same.x == on.x && same.y == on.y && same.vx == on.vx && same.vy == on.vy);
    scenery_fini(&scenery);
}

static void test_pushed_out_the_shortest_way(void **state) {
    struct scenery scenery = scenery_of(room(), &scenery_plain);
    const vec2 out = scenery_push_out(&scenery, &scenery_plain, (vec2){410, 300}, 5.0f);
    assert_true(fabsf(out.x - 435.0f) < 0.1f && out.y == 300.0f);
    const vec2 middle = scenery_push_out(&scenery, &scenery_plain, (vec2){400, 300}, 5.0f);
    assert_true(fabsf(hypotf(middle.x - 400.0f, middle.y - 300.0f) - 35.0f) < 0.1f);
    scenery_fini(&scenery);
}

static void test_nearest_and_sweep(void **state) {
    struct scenery scenery = scenery_of(room(), &scenery_plain);
    const struct scenery_touch pillar = scenery_nearest(&scenery, &scenery_plain, (vec2){440, 300});
    assert_true(pillar.index == 0 && fabsf(pillar.touch.distance - 10.0f) < 1e-3f);
    const struct scenery_contact wall =
        scenery_sweep(&scenery, &scenery_plain, (vec2){440, 300}, (vec2){1, 0}, 1000.0f, 5.0f);
    assert_true(wall.index == 2 && fabsf(wall.contact.distance - 55.0f) < 1e-3f);
    const struct scenery_contact none =
        scenery_sweep(&scenery, &scenery_plain, (vec2){440, 300}, (vec2){1, 0}, 50.0f, 5.0f);
    assert_true(none.index == -1 && none.contact.distance == 50.0f);
    struct scenery empty = scenery_of((struct geometry_def){0}, &scenery_plain);
    assert_true(scenery_nearest(&empty, &scenery_plain, (vec2){0, 0}).index == -1);
    scenery_fini(&empty);
    scenery_fini(&scenery);
}

/* Fast agents that seek a target in another room, in a world with every kind of edge. */
static struct geometry_def many_pillars(void) {
    struct geometry_def def = {0};
    for (int i = 0; i < 150; i++) {
        struct obstacle_def *pillar = geometry_def_add_obstacle(&def);
        assert_non_null(pillar);
        *pillar = (struct obstacle_def){.shape = OBSTACLE_CIRCLE,
                                        .at = {any_scenery(0, 800), any_scenery(0, 600)},
                                        .radius = any_scenery(1, 30)};
    }
    return def;
}

/* What is within reach is named, wherever the place is. */
static void check_within(const struct bounds *bounds) {
    struct scenery scenery = scenery_of(many_pillars(), bounds);
    for (int round = 0; round < 2000; round++) {
        const vec2 place = bounds_settle(bounds, vec2_make(any_scenery(-200, 1000), any_scenery(-200, 800)));
        const float reach = any_scenery(0, round % 10 ? 60 : 500);
        struct solid_set set;
        const bool is_sifted = scenery_within(&scenery, bounds, place, reach, &set);
        for (int i = 0; i < scenery.solid_count; i++) {
            const struct solid *solid = &scenery.solids[i];
            const bool is_near = solid_touch(solid, solid_offset(solid, bounds, place)).distance <= reach;
            assert_true(!is_sifted || !is_near || (set.words[i / 64] >> (i % 64) & 1) != 0);
        }
    }
    scenery_fini(&scenery);
}

static void test_within(void **state) {
    const struct bounds torus = {scenery_plain.size, EDGE_WRAP};
    check_within(&scenery_plain);
    check_within(&torus);
}

static void test_agents_of_a_world(void **state) {
    for (int edge = 0; edge < 4; edge++) {
        struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){400, 350});
        def.edge = edge;
        def.geometry = room();
        def.kinds[0].body.max_speed = (struct field_range){100, 15000};
        def.kinds[0].body.max_force = (struct field_range){100, 900000};
        def.kinds[0].body.radius = (struct field_range){0, 10};
        struct placement_def *placement = world_def_add_placement(&def, "agent");
        assert_non_null(placement);
        placement->count = 40;
        placement->shape = PLACE_RECT;
        placement->size = (vec2){800, 600};
        struct world *world = build(&def);
        bool was_in[40];
        for (int tick = 0; tick <= 300; tick++) {
            for (int32_t row = 0; row < 40; row++) {
                const struct agent_view agent = world_agent(world, row);
                const vec2 at = agent.position;
                const bool is_in = at.x > 300 && at.x < 500 && at.y > 200 && at.y < 400;
                was_in[row] = tick == 0 ? is_in : was_in[row];
                assert_true(is_in == was_in[row]);
                const struct bounds bounds = world_bounds(world);
                assert_true(scenery_nearest(world_scenery(world), &bounds, at).touch.distance >
                            agent.radius - 0.05f);
            }
            world_step(world);
        }
        world_destroy(world);
    }
}

static void test_definitions_are_checked(void **state) {
    const vec2 size = {800, 600};
    struct obstacle_def shape = {
        .shape = OBSTACLE_POLYGON, .point_count = 4, .points = {{0, 0}, {100, 0}, {100, 100}, {0, 100}}};
    assert_null(obstacle_def_fault(&shape, true, size));
    shape.points[2] = (vec2){20, 20}; /* a dent */
    assert_null(obstacle_def_fault(&shape, false, size));
    shape.points[2] = shape.points[1];
    assert_non_null(obstacle_def_fault(&shape, false, size));
    const struct obstacle_def star = {.shape = OBSTACLE_POLYGON,
                                      .point_count = 5,
                                      .points = {{0, -100}, {59, 81}, {-95, -31}, {95, -31}, {-59, 81}}};
    assert_non_null(obstacle_def_fault(&star, false, size));
    const struct obstacle_def wide = {.shape = OBSTACLE_BOX, .size = {500, 10}};
    assert_null(obstacle_def_fault(&wide, false, size));
    assert_non_null(obstacle_def_fault(&wide, true, size));
    struct world_def def = world_def_default();
    struct obstacle_def *bad = geometry_def_add_obstacle(&def.geometry);
    assert_non_null(bad);
    *bad = star;
    struct world *world = NULL;
    const char *what = "";
    assert_int_equal(world_create(&def, &world, &what), WORLD_BAD_DEF);
    assert_non_null(strstr(what, "must meet at its corners alone"));
    world_def_fini(&def);
}

/* ---- pieces ---- */

/* An obstacle around {400, 300} whose corners are up to `reach` px away, in order of their angle: seldom convex. */
static struct obstacle_def random_star(float reach) {
    struct obstacle_def star = {.shape = OBSTACLE_POLYGON,
                                .point_count = 4 + (int)any_obstacles(0.0f, LIMIT_OBSTACLE_POINTS - 3)};
    for (int i = 0; i < star.point_count; i++) {
        const float turn = ((float)i + any_obstacles(0.0f, 0.8f)) * 6.2831853f / (float)star.point_count;
        const float far = any_obstacles(0.1f, 1.0f) * reach;
        star.points[i] = (vec2){400.0f + far * cosf(turn), 300.0f + far * sinf(turn)};
    }
    return star;
}

/* A square spiral whose arms are 10 px wide, 10 px apart. */
static const struct obstacle_def spiral = {.shape = OBSTACLE_POLYGON,
                                           .point_count = 12,
                                           .points = {{0, 0},
                                                      {100, 0},
                                                      {100, 100},
                                                      {20, 100},
                                                      {20, 40},
                                                      {60, 40},
                                                      {60, 50},
                                                      {30, 50},
                                                      {30, 90},
                                                      {90, 90},
                                                      {90, 10},
                                                      {0, 10}}};

static int64_t area_of(const struct polygon_cut *cut, const uint8_t *corners, int count) {
    int64_t area = 0;
    for (int i = 0; i < count; i++) {
        const int a = corners != NULL ? corners[i] : i, next = (i + 1) % count,
                  b = corners != NULL ? corners[next] : next;
        area += cut->x[a] * cut->y[b] - cut->y[a] * cut->x[b];
    }
    return area;
}

/* Convex pieces, which together have the area of the whole. */
static void check_cut(const struct obstacle_def *obstacle) {
    struct polygon_cut cut;
    assert_true(polygon_cut(obstacle->points, obstacle->point_count, &cut));
    assert_true(cut.piece_count >= 1 && cut.piece_count <= POLYGON_PIECES_MAX);
    int64_t sum = 0;
    for (int p = 0; p < cut.piece_count; p++) {
        const struct polygon_piece *piece = &cut.pieces[p];
        assert_true(piece->count >= 3 && piece->count <= LIMIT_PIECE_POINTS);
        for (int i = 0; i < piece->count; i++) {
            const int a = piece->corners[i], b = piece->corners[(i + 1) % piece->count],
                      c = piece->corners[(i + 2) % piece->count];
            assert_true((cut.x[b] - cut.x[a]) * (cut.y[c] - cut.y[a]) >=
                        (cut.y[b] - cut.y[a]) * (cut.x[c] - cut.x[a]));
        }
        assert_true(area_of(&cut, piece->corners, piece->count) > 0);
        sum += area_of(&cut, piece->corners, piece->count);
    }
    assert_true(sum == area_of(&cut, NULL, cut.point_count));
}

static void test_polygons_are_cut(void **state) {
    check_cut(&spiral);
    struct polygon_cut cut;
    assert_true(polygon_cut(spiral.points, spiral.point_count, &cut));
    assert_true(cut.piece_count <= 6); /* an arm each, or little more */
    for (int round = 0; round < 2000; round++) {
        struct obstacle_def star = random_star(round % 2 ? 250.0f : 2.0f);
        int sides[2];
        if (polygon_crossing(star.points, star.point_count, sides)) { /* corners in one hundredth of a px */
            assert_true(round % 2 == 0);
            continue;
        }
        check_cut(&star);
        const vec2 kept = star.points[0];
        star.points[0] = star.points[star.point_count / 2]; /* a corner twice */
        assert_true(polygon_crossing(star.points, star.point_count, sides));
        assert_true(sides[0] >= 1 && sides[0] <= sides[1] && sides[1] <= star.point_count);
        star.points[0] = kept;
    }
}

/* As many spirals as have room; one more is refused. */
static void test_pieces_are_limited(void **state) {
    struct solid pieces[SOLID_PIECES_MAX];
    const int each = solids_from_obstacle(&spiral, pieces), most = LIMIT_PIECES / each;
    assert_true(each > LIMIT_PIECES / LIMIT_OBSTACLES);
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){1, 1});
    for (int i = 0; i < most; i++) {
        struct obstacle_def *obstacle = geometry_def_add_obstacle(&def.geometry);
        assert_non_null(obstacle);
        *obstacle = spiral;
    }
    struct world *world = build(&def);
    uint32_t id = 0;
    int32_t pushed = 0;
    assert_int_equal(world_add_obstacle(world, &spiral, &id, &pushed), WORLD_FULL);
    assert_int_equal(world_remove_obstacle(world, 2), WORLD_OK);
    assert_int_equal(world_add_obstacle(world, &spiral, &id, &pushed), WORLD_OK);
    assert_int_equal(id, most + 1);
    assert_int_equal(world_move_obstacle(world, id, (vec2){300.5f, 77.25f}, &pushed), WORLD_OK);
    world_destroy(world);
    struct obstacle_def many[LIMIT_OBSTACLES];
    for (int i = 0; i < LIMIT_OBSTACLES; i++) {
        many[i] = spiral;
    }
    const struct geometry_def whole = {.obstacle_count = most + 1, .obstacles = many};
    assert_non_null(strstr(geometry_def_fault(&whole, false, (vec2){800, 600}), "1024"));
}

/* Even-odd, and the nearest of all sides: what the pieces must amount to. < 0: inside. */
static float plain_distance(const struct obstacle_def *obstacle, vec2 at) {
    float best = 3e38f;
    bool is_inside = false;
    for (int i = 0; i < obstacle->point_count; i++) {
        const vec2 a = obstacle->points[i], b = obstacle->points[(i + 1) % obstacle->point_count];
        const vec2 side = vec2_sub(b, a), way = vec2_sub(at, a);
        const float part = fminf(fmaxf(vec2_dot(way, side) / vec2_length_squared(side), 0.0f), 1.0f);
        best = fminf(best, vec2_length(vec2_sub(way, vec2_scale(side, part))));
        if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + side.x * (at.y - a.y) / side.y) {
            is_inside = !is_inside;
        }
    }
    return is_inside ? -best : best;
}

static void test_pieces_have_one_surface(void **state) {
    const struct bounds bounds = {{800, 600}, EDGE_OPEN};
    int inside = 0, hits = 0;
    for (int round = 0; round < 300; round++) {
        const struct obstacle_def obstacle =
            round % 10 == 0 ? obstacle_moved(&spiral, (vec2){300, 200}) : random_star(200.0f);
        struct obstacle_def both[] = {{.radius = 1.0f, .at = {5, 5}}, obstacle};
        const struct geometry_def def = {.obstacle_count = 2, .obstacles = both};
        struct scenery scenery;
        assert_int_equal(scenery_init(&scenery, &def, &bounds), 0);
        for (int question = 0; question < 200; question++) {
            vec2 at = {any_obstacles(200.0f, 600.0f), any_obstacles(100.0f, 500.0f)};
            if (question % 4 == 0) { /* on a diagonal, where a seam may be */
                const int a = question % obstacle.point_count, b = (question / 4) % obstacle.point_count;
                at = vec2_add(obstacle.points[a], vec2_scale(vec2_sub(obstacle.points[b], obstacle.points[a]),
                                                             any_obstacles(0.0f, 1.0f)));
            }
            const float distance = plain_distance(&obstacle, at);
            const struct touch touch = scenery_touch_of(&scenery, &bounds, 1, at);
            assert_true(fabsf(touch.distance - distance) < 0.02f); /* corners are in whole hundredths */
            assert_true(fabsf(vec2_length(touch.normal) - 1.0f) < 1e-3f);
            inside += distance < -1.0f;
            /* Along the normal by the distance lies the surface. */
            const vec2 surface = vec2_sub(at, vec2_scale(touch.normal, touch.distance));
            assert_true(fabsf(plain_distance(&obstacle, surface)) < 0.05f);
            const vec2 way = vec2_with_length((vec2){any_obstacles(-1, 1), any_obstacles(-1, 1)}, 1.0f);
            const float radius = any_obstacles(0.0f, 9.0f);
            if (distance < radius + 0.1f || !(vec2_length(way) > 0.5f)) {
                continue;
            }
            const struct scenery_contact first = scenery_sweep(&scenery, &bounds, at, way, 150.0f, radius);
            for (float s = 0.0f; s < first.contact.distance - 0.05f; s += 0.5f) {
                assert_true(plain_distance(&obstacle, vec2_add(at, vec2_scale(way, s))) > radius - 0.03f);
            }
            if (first.index == 1) {
                hits++;
                const vec2 there = vec2_add(at, vec2_scale(way, first.contact.distance));
                assert_true(fabsf(plain_distance(&obstacle, there) - radius) < 0.03f);
            }
        }
        scenery_fini(&scenery);
    }
    assert_true(inside > 1000 && hits > 1000);
}

static uint64_t hash_with_pillar_at(float x) {
    struct world_def def = one_kind_def(BEHAVIOR_SEEK, (vec2){1, 1});
    def.geometry = room();
    def.geometry.obstacles[0].at.x = x;
    struct world *world = build(&def);
    const uint64_t hash = world_hash(world);
    world_destroy(world);
    return hash;
}

static void test_geometry_is_in_the_hash(void **state) {
    assert_true(hash_with_pillar_at(400) == hash_with_pillar_at(400));
    assert_true(hash_with_pillar_at(400) != hash_with_pillar_at(401));
}

/* ==== scenery.h: areas ==== */

static void check_area(const struct area_def *area, const struct bounds *bounds, float x, float y,
                       bool holds) {
    if (area_holds(area, bounds, vec2_make(x, y)) != holds) {
        fail_msg("%g %g: expected %d", (double)x, (double)y, holds);
    }
}

/* The same rectangle as a rectangle and as a polygon, either way round: exactly its left and upper border belong. */
static void test_borders_of_areas(void **state) {
    const struct bounds torus = {{800, 600}, EDGE_WRAP};
    struct area_def areas[3] = {
        {.shape = {.shape = OBSTACLE_BOX, .at = {700, 500}, .size = {200, 200}}},
        {.shape = {.shape = OBSTACLE_POLYGON,
                   .point_count = 4,
                   .points = {{700, 500}, {900, 500}, {900, 700}, {700, 700}}}},
    };
    areas[2] = areas[1];
    areas[2].shape.points[1] = areas[1].shape.points[3];
    areas[2].shape.points[3] = areas[1].shape.points[1];
    for (int i = 0; i < 3; i++) {
        check_area(&areas[i], &scenery_plain, 700, 500, true);
        check_area(&areas[i], &scenery_plain, 899.9f, 699.9f, true);
        check_area(&areas[i], &scenery_plain, 900, 500, false);
        check_area(&areas[i], &scenery_plain, 700, 700, false);
        check_area(&areas[i], &scenery_plain, 699.9f, 600, false);
        check_area(&areas[i], &scenery_plain, 10, 10, false);
        check_area(&areas[i], &torus, 99.9f, 99.9f, true);
        check_area(&areas[i], &torus, 100, 10, false);
        check_area(&areas[i], &torus, 10, 100, false);
        check_area(&areas[i], &torus, 700, 99.9f, true);
    }
    const struct area_def disc = {.shape = {.shape = OBSTACLE_CIRCLE, .at = {10, 10}, .radius = 50}};
    check_area(&disc, &torus, 760, 10, true);
    check_area(&disc, &torus, 759, 10, false);
    check_area(&disc, &scenery_plain, 760, 10, false);
    const struct area_def whole = {.shape = {.shape = OBSTACLE_BOX, .size = {800, 600}}};
    check_area(&whole, &torus, 799.9f, 599.9f, true);
}

/* Triangles that share sides divide a square: every place of it is in exactly one of them. */
static void test_areas_that_adjoin(void **state) {
    const vec2 corners[] = {{100, 100}, {300, 100}, {300, 300}, {100, 300}}, middle = {170, 230};
    for (int turn = 0; turn < 4000; turn++) {
        const int row = turn / 64;
        const vec2 place = {100.0f + (float)(turn % 64) * 3.125f, 100.0f + (float)row * 3.125f};
        int holding = 0;
        for (int i = 0; i < 4; i++) {
            const struct area_def area = {.shape = {.shape = OBSTACLE_POLYGON,
                                                    .point_count = 3,
                                                    .points = {middle, corners[i], corners[(i + 1) % 4]}}};
            holding += area_holds(&area, &scenery_plain, turn % 7 == 0 ? middle : place);
        }
        assert_int_equal(holding, 1);
    }
}

int main(void) {
    obstacles_dice = rng_begin(7, 0, 0, RNG_SPAWN_PLACE);
    scenery_dice = rng_begin(11, 0, 0, RNG_SPAWN_PLACE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_grid_is_bilinear),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_never_more_than_finite),
        cmocka_unit_test(test_distance_against_samples),
        cmocka_unit_test(test_a_line_of_a_box_is_short),
        cmocka_unit_test(test_sweep_against_marching),
        cmocka_unit_test(test_overlap_at_the_start),
        cmocka_unit_test(test_nothing_divides_by_zero),
        cmocka_unit_test(test_short_way_round),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_nearest_against_samples),
        cmocka_unit_test(test_ends_and_rounds),
        cmocka_unit_test(test_smooth_paths),
        cmocka_unit_test(test_curves_known_before),
        cmocka_unit_test(test_radii),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_over_the_wrapping_edge),
        cmocka_unit_test(test_nothing_leaves_a_room),
        cmocka_unit_test(test_nothing_is_passed_over),
        cmocka_unit_test(test_squeezed_out),
        cmocka_unit_test(test_doors),
        cmocka_unit_test(test_slides_along_a_wall),
        cmocka_unit_test(test_pushed_out_the_shortest_way),
        cmocka_unit_test(test_nearest_and_sweep),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_agents_of_a_world),
        cmocka_unit_test(test_definitions_are_checked),
        cmocka_unit_test(test_geometry_is_in_the_hash),
        cmocka_unit_test(test_polygons_are_cut),
        cmocka_unit_test(test_pieces_have_one_surface),
        cmocka_unit_test(test_pieces_are_limited),
        cmocka_unit_test(test_borders_of_areas),
        cmocka_unit_test(test_areas_that_adjoin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
