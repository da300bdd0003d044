/* server/sim/steering/velocity_obstacles.h: half-planes by hand, and the linear program against an
 * independent search and, bit for bit, an independent program. */
#include <math.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/steering/velocity_obstacles.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/steering/half_planes_reference.h"

static struct rng dice;

static float any(float low, float high) {
    return rng_between(&dice, low, high);
}

static vec2 any_direction(void) {
    const float angle = any(0.0f, 6.2831853f);
    return (vec2){cosf(angle), sinf(angle)};
}

/* ---- half-planes ---- */

static struct encounter meeting(vec2 offset, vec2 own, vec2 other) {
    return (struct encounter){.offset = offset,
                              .own = own,
                              .other = other,
                              .room = 20.0f,
                              .split = {1.0f, 0.0f},
                              .horizon = 2.0f,
                              .settle = 0.25f};
}

/* px: how near the two come within the horizon, in doubles. */
static double nearest_approach(vec2 offset, vec2 own, vec2 other, double horizon) {
    const double px = (double)offset.x, py = (double)offset.y;
    const double vx = (double)other.x - (double)own.x, vy = (double)other.y - (double)own.y;
    const double speed = vx * vx + vy * vy;
    double time = speed > 0.0 ? -(px * vx + py * vy) / speed : 0.0;
    time = fmin(fmax(time, 0.0), horizon);
    return hypot(px + vx * time, py + vy * time);
}

/* Two agents that both go to the border of the permitted half-plane just touch within the horizon; inside
 * they miss. */
static void test_both_shares_are_enough(void **state) {
    dice = rng_begin(5, 0, 0, RNG_SPAWN_PLACE);
    int tight = 0;
    for (int i = 0; i < 20000; i++) {
        const struct encounter a = meeting(vec2_scale(any_direction(), any(20.1f, 300.0f)),
                                           vec2_scale(any_direction(), any(0.0f, 150.0f)),
                                           vec2_scale(any_direction(), any(0.0f, 150.0f)));
        struct encounter b = a;
        b.offset = vec2_scale(a.offset, -1.0f);
        b.own = a.other;
        b.other = a.own;
        b.split = vec2_scale(a.split, -1.0f);
        const struct half_plane mine = half_plane_of(&a), theirs = half_plane_of(&b);
        assert_float_equal(vec2_length(mine.normal), 1.0f, 1e-4);
        /* Opposite normals; the shares of the two add up to the whole. */
        assert_float_equal(vec2_length(vec2_add(mine.normal, theirs.normal)), 0.0f, 1e-3);
        const vec2 along = {-mine.normal.y, mine.normal.x};
        const float needed = mine.least - vec2_dot(a.own, mine.normal);
        const float rest = theirs.least - vec2_dot(a.other, theirs.normal);
        assert_true(needed * rest >= -1e-2f);
        /* Both move to the border, along the normal, and slide along it as they like. */
        const vec2 me = vec2_add(a.own, vec2_scale(mine.normal, needed));
        const vec2 you = vec2_add(a.other, vec2_scale(theirs.normal, rest));
        const double near = nearest_approach(a.offset, me, you, (double)a.horizon);
        assert_true(near > (double)a.room - 0.05);
        tight += near < (double)a.room + 0.05;
        const float extra = any(0.0f, 50.0f);
        const vec2 further =
            vec2_add(vec2_add(me, vec2_scale(mine.normal, extra)), vec2_scale(along, any(-200.0f, 200.0f)));
        const vec2 slid = vec2_add(you, vec2_scale(along, any(-200.0f, 200.0f)));
        assert_true(nearest_approach(a.offset, further, slid, (double)a.horizon) > (double)a.room - 0.1);
    }
    assert_true(tight > 15000); /* and no more than necessary */
}

/* No smaller change of the relative velocity, in any direction, avoids the collision. */
static void test_no_more_than_needed(void **state) {
    dice = rng_begin(9, 0, 0, RNG_SPAWN_PLACE);
    int threatened = 0;
    for (int i = 0; i < 8000; i++) {
        const struct encounter mine = meeting(vec2_scale(any_direction(), any(25.0f, 200.0f)),
                                              vec2_scale(any_direction(), any(10.0f, 150.0f)),
                                              vec2_scale(any_direction(), any(0.0f, 100.0f)));
        const struct encounter theirs = meeting(vec2_scale(mine.offset, -1.0f), mine.other, mine.own);
        if (nearest_approach(mine.offset, mine.own, mine.other, (double)mine.horizon) > 19.0) {
            continue;
        }
        threatened++;
        const struct half_plane one = half_plane_of(&mine), other = half_plane_of(&theirs);
        const float change =
            one.least - vec2_dot(mine.own, one.normal) + other.least - vec2_dot(theirs.own, other.normal);
        assert_true(change > 0.0f);
        for (int d = 0; d < 32; d++) {
            const vec2 less = vec2_add(mine.own, vec2_scale(any_direction(), 0.97f * change));
            assert_true(nearest_approach(mine.offset, less, mine.other, (double)mine.horizon) < 20.05);
        }
    }
    assert_true(threatened > 300);
}

static void test_overlap_parts(void **state) {
    /* 10 px of 20 overlap and both stand: each moves away so that 10 px are made in 0.25 s, half each. */
    const struct encounter e = meeting((vec2){10.0f, 0.0f}, (vec2){0.0f, 0.0f}, (vec2){0.0f, 0.0f});
    const struct half_plane plane = half_plane_of(&e);
    assert_float_equal(plane.normal.x, -1.0f, 1e-5);
    assert_float_equal(plane.least, 20.0f, 1e-3);
    /* In the very same place each goes its own way. */
    struct encounter same = meeting((vec2){0.0f, 0.0f}, (vec2){5.0f, 0.0f}, (vec2){5.0f, 0.0f});
    const struct half_plane left = half_plane_of(&same);
    same.split = (vec2){-1.0f, 0.0f};
    const struct half_plane right = half_plane_of(&same);
    assert_float_equal(left.normal.x, -1.0f, 1e-5);
    assert_float_equal(right.normal.x, 1.0f, 1e-5);
    assert_float_equal(left.least, 35.0f, 1e-3); /* 40 apart from where both are going */
}

static void test_solids(void **state) {
    const vec2 away = {0.0f, -1.0f};
    const struct half_plane near = half_plane_of_solid(away, 30.0f, 0.5f, 0.25f, 100.0f);
    assert_float_equal(near.least, -60.0f, 1e-3); /* towards it at 60 px/s at most */
    const struct half_plane inside = half_plane_of_solid(away, -10.0f, 0.5f, 0.25f, 100.0f);
    assert_float_equal(inside.least, 40.0f, 1e-3);
    const struct half_plane deep = half_plane_of_solid(away, -1000.0f, 0.5f, 0.25f, 100.0f);
    assert_float_equal(deep.least, 100.0f, 1e-3); /* no more than it can do */
}

/* ---- the linear program ---- */

enum { PLANES = 12 };

static double violation(const struct half_plane *planes, int begin, int count, double x, double y) {
    double worst = -1e30;
    for (int i = begin; i < count; i++) {
        const double missing =
            (double)planes[i].least - (double)planes[i].normal.x * x - (double)planes[i].normal.y * y;
        worst = fmax(worst, missing);
    }
    return worst;
}

/* The least of a convex function over the disc of max_speed, by a grid of angles and speeds that is drawn
 * together again and again around the best so far. */
struct search {
    const struct half_plane *planes;
    int hard, count;
    vec2 preferred;
    bool is_feasible; /* look for the nearest permitted; otherwise for the least violation */
};

static double cost(const struct search *search, double x, double y) {
    const double hard = violation(search->planes, 0, search->hard, x, y);
    const double soft = violation(search->planes, search->hard, search->count, x, y);
    const double away = hypot(x - (double)search->preferred.x, y - (double)search->preferred.y);
    /* An exact penalty: convex, with the same least as the constraint when steep enough. */
    const double penalty = 1e3 * fmax(hard, 0.0);
    return search->is_feasible ? away + penalty + 1e3 * fmax(soft, 0.0) : soft + penalty;
}

static double least_cost(const struct search *search, double max_speed, double *best_x, double *best_y) {
    double reach = max_speed, best = 1e30, x = 0.0, y = 0.0;
    for (int round = 0; round < 60; round++) {
        const double from_x = x, from_y = y;
        for (int i = -10; i <= 10; i++) {
            for (int j = -10; j <= 10; j++) {
                double tx = from_x + reach * i / 10.0, ty = from_y + reach * j / 10.0;
                const double speed = hypot(tx, ty);
                if (speed > max_speed) {
                    tx *= max_speed / speed;
                    ty *= max_speed / speed;
                }
                const double c = cost(search, tx, ty);
                if (c < best) {
                    best = c;
                    x = tx;
                    y = ty;
                }
            }
        }
        reach *= 0.75;
    }
    *best_x = x;
    *best_y = y;
    return best;
}

/* half_planes_nearest, which has the bits of the reference. */
static vec2 nearest(const struct half_plane *planes, int count, int hard, vec2 preferred, float max_speed) {
    const vec2 found = half_planes_nearest(planes, count, hard, preferred, max_speed);
    const vec2 reference = reference_nearest(planes, count, hard, preferred, max_speed);
    assert_memory_equal(&found, &reference, sizeof found);
    return found;
}

static int random_planes(struct half_plane *planes, float tightness) {
    const int count = 1 + (int)(rng_next(&dice) % PLANES);
    for (int i = 0; i < count; i++) {
        planes[i] = (struct half_plane){any_direction(), any(-100.0f, tightness)};
        if (i > 0 && rng_next(&dice) % 5 == 0) { /* the same again, its opposite, or nearly either */
            const float sign = rng_next(&dice) % 2 ? 1.0f : -1.0f;
            planes[i].normal = vec2_scale(planes[i - 1].normal, sign);
            planes[i].least = rng_next(&dice) % 2 ? planes[i - 1].least : planes[i].least;
        }
    }
    return count;
}

/* If some velocity is permitted, the result is permitted and as near as a search finds. */
static void test_nearest_against_a_search(void **state) {
    dice = rng_begin(6, 0, 0, RNG_SPAWN_PLACE);
    int feasible = 0, bent = 0;
    for (int i = 0; i < 1200; i++) {
        struct half_plane planes[PLANES];
        const int count = random_planes(planes, 60.0f);
        const vec2 preferred = vec2_scale(any_direction(), any(0.0f, 150.0f));
        const struct search search = {planes, 0, count, preferred, true};
        double x, y;
        const double best = least_cost(&search, 100.0, &x, &y);
        if (violation(planes, 0, count, x, y) > 1e-3) {
            continue;
        }
        feasible++;
        const vec2 found = nearest(planes, count, 0, preferred, 100.0f);
        assert_true(vec2_length(found) <= 100.0f * 1.00001f);
        assert_true(violation(planes, 0, count, (double)found.x, (double)found.y) < 2e-2);
        const double away = hypot((double)(found.x - preferred.x), (double)(found.y - preferred.y));
        assert_true(away < best + 0.1);
        bent += away > 1.0 && vec2_length(preferred) < 100.0f;
        if (half_planes_permit(planes, count, preferred) && vec2_length(preferred) <= 100.0f) {
            assert_float_equal(away, 0.0, 1e-6);
        }
    }
    assert_true(feasible > 300 && bent > 80);
}

/* If none is, the violation is as small as a search finds; the hard ones hold if possible. */
static void test_least_violation_against_a_search(void **state) {
    dice = rng_begin(7, 0, 0, RNG_SPAWN_PLACE);
    int infeasible = 0;
    for (int i = 0; i < 1200; i++) {
        struct half_plane planes[PLANES];
        const int count = random_planes(planes, 150.0f), hard = count > 3 ? 2 : 0;
        const vec2 preferred = vec2_scale(any_direction(), any(0.0f, 150.0f));
        const struct search search = {planes, hard, count, preferred, false};
        double x, y;
        const double best = least_cost(&search, 100.0, &x, &y);
        if (violation(planes, hard, count, x, y) < 0.1 || violation(planes, 0, hard, x, y) > 1e-6) {
            continue;
        }
        infeasible++;
        const vec2 found = nearest(planes, count, hard, preferred, 100.0f);
        assert_true(vec2_length(found) <= 100.0f * 1.00001f);
        assert_true(violation(planes, 0, hard, (double)found.x, (double)found.y) < 5e-2);
        assert_true(violation(planes, hard, count, (double)found.x, (double)found.y) < best + 0.1);
    }
    assert_true(infeasible > 200);
}

/* For any input: a finite velocity, no faster than allowed, and that of the reference. */
static void test_never_more_than_finite(void **state) {
    dice = rng_begin(8, 0, 0, RNG_SPAWN_PLACE);
    const float sizes[] = {0.0f, 1e-20f, 1e-3f, 1.0f, 1e3f, 1e6f};
    for (int i = 0; i < 20000; i++) {
        struct half_plane planes[HALF_PLANES_MAX];
        const int count = (int)(rng_next(&dice) % (HALF_PLANES_MAX + 1));
        for (int p = 0; p < count; p++) {
            const struct encounter e = {
                .offset = vec2_scale(any_direction(), sizes[rng_next(&dice) % 6]),
                .own = vec2_scale(any_direction(), sizes[rng_next(&dice) % 5] * 20.0f),
                .other = vec2_scale(any_direction(), sizes[rng_next(&dice) % 5] * 20.0f),
                .room = sizes[2 + rng_next(&dice) % 4],
                .split = any_direction(),
                .horizon = any(0.002f, 60.0f),
                .settle = 0.25f};
            planes[p] = half_plane_of(&e);
            if (p > 0 && rng_next(&dice) % 4 == 0) {
                planes[p] = planes[p - 1];
            }
        }
        const float max_speed = sizes[rng_next(&dice) % 5] * 20.0f;
        const vec2 found = nearest(planes, count, count / 3, any_direction(), max_speed);
        assert_true(isfinite(found.x) && isfinite(found.y));
        assert_true(vec2_length(found) <= max_speed * 1.00001f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_shares_are_enough),
        cmocka_unit_test(test_no_more_than_needed),
        cmocka_unit_test(test_overlap_parts),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_nearest_against_a_search),
        cmocka_unit_test(test_least_violation_against_a_search),
        cmocka_unit_test(test_never_more_than_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
