/* server/sim/scenery/obstacles.h: against a slow reference that samples, and where nothing has a direction. */
#include <math.h>

#include "server/sim/math/rng.h"
#include "server/sim/scenery/obstacles.h"
#include "tests/unit/server/cmocka_all.h"

static const struct obstacle_def circle = {.shape = OBSTACLE_CIRCLE, .at = {100.0f, 50.0f}, .radius = 30.0f};
static const struct obstacle_def box = {.shape = OBSTACLE_BOX, .at = {80.0f, 30.0f}, .size = {60.0f, 40.0f}};
/* Counter-clockwise on a screen; the other way round must not matter. */
static const struct obstacle_def kite = {.shape = OBSTACLE_POLYGON,
                                         .point_count = 5,
                                         .points = {{60, 20}, {70, 90}, {120, 110}, {150, 60}, {110, 10}}};
static const struct wall_def wall = {{60.0f, 80.0f}, {140.0f, 20.0f}};

static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}

static struct solid solid_of(int which) {
    switch (which) {
    case 0:
        return solid_from_obstacle(&circle);
    case 1:
        return solid_from_obstacle(&box);
    case 2:
        return solid_from_obstacle(&kite);
    default:
        return solid_from_wall(&wall);
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
    const vec2 a = which == 3 ? wall.from : points[side],
               b = which == 3 ? wall.to : points[(side + 1) % count];
    return vec2_add(a, vec2_scale(vec2_sub(b, a), share));
}

static void test_distance_against_samples(void **state) {
    enum { SAMPLES = 4000 };
    for (int which = 0; which < 4; which++) {
        const struct solid solid = solid_of(which);
        for (int round = 0; round < 300; round++) {
            const vec2 place = {any(0.0f, 200.0f), any(-40.0f, 140.0f)};
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
        const vec2 place = {any(-120.0f, 120.0f), any(-120.0f, 120.0f)};
        const vec2 way = vec2_with_length((vec2){any(-1.0f, 1.0f), any(-1.0f, 1.0f)}, 1.0f);
        const float radius = any(0.0f, 12.0f), length = any(10.0f, 150.0f);
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
    const struct solid solids[] = {solid_of(0),
                                   solid_of(1),
                                   solid_of(2),
                                   solid_of(3),
                                   solid_from_obstacle(&point),
                                   solid_from_obstacle(&flat),
                                   solid_from_wall(&dot)};
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
    const struct solid solid = solid_from_obstacle(&line);
    const struct contact far = solid_sweep(&solid, (vec2){90, -150}, (vec2){0, 1}, 200.0f, 5.0f);
    const struct contact near = solid_sweep(&solid, (vec2){3, -150}, (vec2){0, 1}, 200.0f, 5.0f);
    assert_false(far.is_hit);
    assert_true(near.is_hit && near.distance > 44.0f && near.distance < 50.0f);
}

static void test_short_way_round(void **state) {
    const struct bounds torus = {{800, 600}, EDGE_WRAP}, open = {{800, 600}, EDGE_OPEN};
    const struct obstacle_def at_border = {.shape = OBSTACLE_CIRCLE, .at = {790, 300}, .radius = 20};
    const struct solid solid = solid_from_obstacle(&at_border);
    const struct touch inside = solid_touch(&solid, solid_offset(&solid, &torus, (vec2){5, 300}));
    const struct touch outside = solid_touch(&solid, solid_offset(&solid, &open, (vec2){5, 300}));
    assert_true(fabsf(inside.distance + 5.0f) < 1e-3f && inside.normal.x == 1.0f);
    assert_true(fabsf(outside.distance - 765.0f) < 1e-3f && outside.normal.x == -1.0f);
}

static void test_reach(void **state) {
    const struct solid solid = solid_of(1);
    assert_true(solid_reach(&solid, (vec2){1, 0}) == 30.0f && solid_reach(&solid, (vec2){0, -1}) == 20.0f);
}

int main(void) {
    dice = rng_begin(7, 0, 0, RNG_SPAWN_PLACE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_against_samples),
        cmocka_unit_test(test_a_line_of_a_box_is_short),
        cmocka_unit_test(test_sweep_against_marching),
        cmocka_unit_test(test_overlap_at_the_start),
        cmocka_unit_test(test_nothing_divides_by_zero),
        cmocka_unit_test(test_short_way_round),
        cmocka_unit_test(test_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
