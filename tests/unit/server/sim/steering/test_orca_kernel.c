/* The kernel of orca of every width against behavior_orca with an independent linear program, bit for bit, on random worlds: all edges, sparse
 * to crushed, lattices with exact ties, heaps in one place, several kinds and bodies, drifted orders of
 * slots, more candidates than keys have numbers for. */
#include <stdio.h>
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/math/rng.h"
#include "server/sim/steering/behavior.h"
#include "server/sim/steering/behavior_def.h"
#include "server/sim/steering/velocity_obstacles.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/grid_fixture.h"
#include "tests/unit/server/sim/steering/half_planes_reference.h"

enum { MOST = 1500, WORLDS = 240, WORDS = (MOST + 63) / 64, CROWDED = 8, DT_HZ = 60 };

static struct motion motion[MOST];
static uint32_t ids[MOST];
static uint8_t kinds[MOST];
static struct grid grid;
static const struct scenery no_scenery;

/* By slot. */
static vec2 preferred[MOST];
static float max_speed[MOST];
static struct expected {
    bool is_active;
    vec2 velocity;
} expected[MOST];

static struct sample {
    struct bounds bounds;
    int32_t count;
    bool has_heaps, is_lattice;
    struct orca_query query;
} sample;

/* Over all worlds. */
static struct tally { int64_t agents, active, alone, alone_at_random, at_random, references; } tally;

static bool flip(struct rng *rng, float chance) {
    return rng_unit(rng) < chance;
}

/* ---- worlds ---- */

static vec2 place_of(struct rng *rng, int32_t i, bool is_clumped) {
    const vec2 size = sample.bounds.size;
    if (sample.is_lattice) {
        const int32_t line = i / 30;
        return vec2_make((float)(i % 30) * 16.0f, (float)line * 16.0f);
    }
    vec2 at = {rng_between(rng, 0.0f, size.x), rng_between(rng, 0.0f, size.y)};
    if (is_clumped) {
        at = vec2_make(0.1f * at.x, 0.2f * at.y);
    }
    if (i > 0 && sample.has_heaps && flip(rng, 0.2f)) {
        at = vec2_make(motion[i - 1].x, motion[i - 1].y);
        at.x += flip(rng, 0.7f) ? 0.0f : 1.3e-6f;
    }
    if (flip(rng, 0.04f)) {
        at.x = flip(rng, 0.5f) ? 0.0f : -0.0f;
    }
    return sample.bounds.edge == EDGE_OPEN ? vec2_add(at, vec2_make(-0.5f * size.x, 3.0f * size.y)) : at;
}

static void place_agents(struct rng *rng) {
    const bool is_clumped = flip(rng, 0.3f);
    const float speed = flip(rng, 0.1f) ? 0.0f : 50.0f;
    const bool is_whole = sample.is_lattice && flip(rng, 0.5f);
    for (int32_t i = 0; i < sample.count; i++) {
        const vec2 at = bounds_settle(&sample.bounds, place_of(rng, i, is_clumped));
        vec2 velocity = {rng_between(rng, -speed, speed), rng_between(rng, -speed, speed)};
        if (is_whole) {
            velocity = vec2_make((float)(int)(velocity.x / 20.0f), (float)(int)(velocity.y / 20.0f));
        } else if (flip(rng, 0.05f)) {
            velocity = vec2_make(0.0f, -0.0f);
        }
        motion[i] = (struct motion){at.x, at.y, velocity.x, velocity.y};
    }
}

static int32_t pick_most(struct rng *rng) {
    static const int32_t some[] = {1, 5, 9, 10, 11, 16, 17, 32};
    return some[(int)rng_between(rng, 0.0f, 7.99f)];
}

/* The bodies and wishes of the agents, by slot. */
static void give_wishes(struct rng *rng, float reach) {
    const bool is_same_body = flip(rng, 0.5f), is_point = flip(rng, 0.1f);
    const float body = rng_between(rng, 0.02f, 0.2f) * reach;
    for (int32_t slot = 0; slot < sample.count; slot++) {
        const float other = flip(rng, 0.1f) ? 0.0f : rng_between(rng, 0.02f, 0.2f) * reach;
        grid.radius[slot] = is_point ? 0.0f : is_same_body ? body : other;
        max_speed[slot] = flip(rng, 0.02f) ? 0.0f : flip(rng, 0.7f) ? 60.0f : rng_between(rng, 0.0f, 90.0f);
        const vec2 wish = {rng_between(rng, -70.0f, 70.0f), rng_between(rng, -70.0f, 70.0f)};
        preferred[slot] = flip(rng, 0.05f) ? vec2_make(0.0f, 0.0f) : vec2_truncate(wish, max_speed[slot]);
    }
}

static struct rng make_grid(uint64_t world) {
    struct rng rng = rng_begin(78, world, 0, RNG_WANDER);
    sample.is_lattice = world % 6 == 5;
    sample.has_heaps = !sample.is_lattice && flip(&rng, 0.3f);
    sample.bounds.edge = (enum edge)(world % 4);
    sample.bounds.size = sample.is_lattice
                             ? vec2_make(480.0f, 480.0f)
                             : vec2_make(rng_between(&rng, 50, 1000), rng_between(&rng, 50, 1000));
    const float at_most = flip(&rng, 0.3f) ? 18.0f : 600.0f;
    sample.count = world == CROWDED ? MOST : (int32_t)rng_between(&rng, 1.0f, at_most);
    const int kind_count = flip(&rng, 0.5f) ? 1 : 64;
    for (int32_t i = 0; i < sample.count; i++) {
        ids[i] = (uint32_t)i * 3 + 1;
        kinds[i] = (uint8_t)((float)kind_count * rng_unit(&rng));
    }
    place_agents(&rng);
    return rng;
}

static float pick_reach(struct rng *rng, uint64_t world) {
    if (world == CROWDED) {
        return 0.9f * sample.bounds.size.x;
    }
    if (sample.is_lattice) {
        return 16.0f * rng_between(rng, 0.9f, 4.0f);
    }
    return flip(rng, 0.05f) ? 0.0f : rng_between(rng, 0.01f, 0.2f) * sample.bounds.size.x;
}

static void make_sample(uint64_t world) {
    struct rng rng = make_grid(world);
    const float reach = pick_reach(&rng, world);
    assert_int_equal(grid_reserve(&grid, MOST), 0);
    grid_build(&grid, &sample.bounds, motion, kinds, sample.count,
               flip(&rng, 0.3f) ? 1.0f + 0.3f * reach : 1.0f + reach);
    for (int ticks = sample.is_lattice ? 0 : (int)rng_between(&rng, 0.0f, 3.0f); ticks > 0; ticks--) {
        grid_drift_apart(&grid, &sample.bounds, motion, rng_between(&rng, 0.0f, 0.2f) * reach, &rng);
    }
    give_wishes(&rng, reach);
    sample.query = (struct orca_query){
        .grid = &grid,
        .bounds = &sample.bounds,
        .ids = ids,
        .kinds = flip(&rng, 0.5f) ? UINT64_MAX : UINT64_C(0x8000123456789abd),
        .radius = reach,
        .clearance = flip(&rng, 0.5f) ? 0.0f : rng_between(&rng, 0.0f, 0.1f) * reach,
        .horizon = flip(&rng, 0.1f) ? 1.0f / (float)DT_HZ : rng_between(&rng, 0.1f, 10.0f),
        .settle = ORCA_SETTLE,
        .most = pick_most(&rng),
    };
}

/* ---- what is expected ---- */

/* What behavior_orca calls here instead of half_planes_nearest (--wrap). */
vec2 __wrap_half_planes_nearest(const struct half_plane *planes, int count, int hard, vec2 wanted,
                                float limit);
vec2 __wrap_half_planes_nearest(const struct half_plane *planes, int count, int hard, vec2 wanted,
                                float limit) {
    tally.references++;
    return reference_nearest(planes, count, hard, wanted, limit);
}

static struct expected ask_behavior(int32_t slot) {
    const struct orca_query *query = &sample.query;
    const struct neighbor_query neighbors = {
        .bounds = &sample.bounds,
        .ids = ids,
        .slot = slot,
        .heading = {0.6f, 0.8f},
        .kinds = query->kinds,
        .most = query->most,
    };
    const struct neighbor_zone zone = {.radius = query->radius, .cosine = -2.0f};
    struct neighbor nearest[NEIGHBORS_NEAREST_MAX];
    const struct motion *self = &grid.motion[slot];
    const struct body body = {.radius = grid.radius[slot], .max_speed = max_speed[slot], .mass = 1.0f};
    struct behavior_def behavior = behavior_def_default(BEHAVIOR_ORCA);
    behavior.clearance = query->clearance;
    behavior.horizon = query->horizon;
    const struct steering_context context = {
        .position = {self->x, self->y},
        .velocity = {self->vx, self->vy},
        .scenery = &no_scenery,
        .body = &body,
        .bounds = &sample.bounds,
        .dt = 1.0f / (float)DT_HZ,
        .exact_rate = 1.0f,
        .id = ids[grid.row[slot]],
        .nearest = nearest,
        .nearest_count = neighbors_nearest_few(&grid, &neighbors, &zone, nearest),
        .preferred = preferred[slot],
    };
    const struct steering_output output = behavior_orca(&behavior, &context);
    return (struct expected){output.is_active, output.desired};
}

/* ---- comparison ---- */

static bool bit_of(const uint64_t *words, int32_t place) {
    return ((words[place / 64] >> (place % 64)) & 1) != 0;
}

static void compare_agent(uint64_t world, enum simd simd, int32_t slot, bool is_active, bool is_alone,
                          vec2 velocity) {
    const struct expected *wanted = &expected[slot];
    tally.agents++;
    tally.alone += is_alone;
    if (!sample.has_heaps && !sample.is_lattice) {
        tally.at_random++;
        tally.alone_at_random += is_alone;
    }
    if (is_alone) {
        assert_false(is_active);
        return;
    }
    tally.active += is_active;
    /* Distinguishes +0 from -0 as well. */
    if (is_active != wanted->is_active ||
        (is_active &&
         memcmp((const char *)&velocity, (const char *)&wanted->velocity, sizeof velocity) != 0)) {
        fail_msg("world %d, %s, slot %d of %d, most %d: %d (%a %a), expected %d (%a %a)", (int)world,
                 simd_names[simd], slot, sample.count, sample.query.most, is_active, (double)velocity.x,
                 (double)velocity.y, wanted->is_active, (double)wanted->velocity.x,
                 (double)wanted->velocity.y);
    }
}

static void compare(uint64_t world, enum simd simd, int32_t begin, int32_t end, struct rng *rng) {
    static float wish_x[MOST + ORCA_SPARE], wish_y[MOST + ORCA_SPARE], speed[MOST + ORCA_SPARE];
    static float x[MOST + ORCA_SPARE], y[MOST + ORCA_SPARE];
    uint64_t wanted[WORDS] = {0}, active[WORDS], alone[WORDS];
    const float untouched = -12345.0f, share = flip(rng, 0.5f) ? 1.0f : rng_unit(rng);
    for (int32_t slot = begin; slot < end; slot++) {
        const int32_t place = slot - begin;
        wish_x[place] = preferred[slot].x;
        wish_y[place] = preferred[slot].y;
        speed[place] = max_speed[slot];
        x[place] = y[place] = untouched;
        wanted[place / 64] |= (uint64_t)(rng_unit(rng) <= share) << (place % 64);
    }
    const struct orca_wishes wishes = {wish_x, wish_y, speed};
    const struct orca_answers answers = {active, alone, x, y};
    orca_kernel_solve(simd, &sample.query, &wishes, begin, end, wanted, &answers);
    for (int32_t place = 0; place < end - begin; place++) {
        if (bit_of(wanted, place)) {
            compare_agent(world, simd, begin + place, bit_of(active, place), bit_of(alone, place),
                          vec2_make(x[place], y[place]));
        } else {
            assert_false(bit_of(active, place) || bit_of(alone, place));
        }
        if (!bit_of(active, place)) {
            assert_true(x[place] == untouched && y[place] == untouched);
        }
    }
}

static void compare_widths(uint64_t world, struct rng *rng) {
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        if (!simd_is_supported((enum simd)simd)) {
            continue;
        }
        const int32_t count = sample.count;
        compare(world, (enum simd)simd, 0, count, rng);
        /* From and to anywhere. */
        compare(world, (enum simd)simd, count / 3, count - count / 4, rng);
        compare(world, (enum simd)simd, count / 2, count / 2, rng);
    }
}

static void test_every_width(void **state) {
    for (uint64_t world = 0; world < WORLDS; world++) {
        struct rng rng = rng_begin(79, world, 0, RNG_WANDER);
        make_sample(world);
        for (int32_t slot = 0; slot < sample.count; slot++) {
            expected[slot] = ask_behavior(slot);
        }
        compare_widths(world, &rng);
    }
    print_message("%lld agents, %lld active, %lld alone\n", (long long)tally.agents, (long long)tally.active,
                  (long long)tally.alone);
    assert_true(tally.references > 10000);
    /* A kernel that leaves the work to behavior_orca is no kernel. */
    assert_true(tally.active * 4 > tally.agents && tally.agents > 50000);
    assert_true(tally.alone_at_random * 1000 < tally.at_random && tally.alone * 20 < tally.agents);
}

/* As many agents as count around one in the middle, each further away than the one before, and a last one as
 * far away as the one before it but for `more` px: the lower id counts if that is 0, whichever slot it has.
 */
static void make_ring(int32_t most, bool is_swapped, float more) {
    static const vec2 ways[] = {{1.0f, 0.0f}, {-1.0f, 0.0f}, {0.0f, 1.0f}, {0.0f, -1.0f}};
    const vec2 middle = {512.0f, 512.0f};
    sample.count = most + 2;
    sample.bounds = (struct bounds){{1024.0f, 1024.0f}, EDGE_OPEN};
    motion[0] = (struct motion){middle.x, middle.y, 0.0f, 20.0f};
    for (int32_t i = 1; i <= most + 1; i++) {
        const bool is_last = i > most;
        /* The last two are below and above the middle. */
        const vec2 way = ways[i < most ? i % 3 : is_last != is_swapped ? 3 : 2];
        const float distance = 8.0f + 2.0f * (float)(is_last ? most : i) + (is_last ? more : 0.0f);
        const vec2 at = vec2_add(middle, vec2_scale(way, distance));
        motion[i] = (struct motion){at.x, at.y, 0.0f, i < most ? 20.0f : -40.0f * way.y};
    }
    for (int32_t i = 0; i < sample.count; i++) {
        ids[i] = (uint32_t)i + 1;
        kinds[i] = 0;
    }
    assert_int_equal(grid_reserve(&grid, MOST), 0);
    grid_build(&grid, &sample.bounds, motion, kinds, sample.count, 40.0f);
    sample.query = (struct orca_query){
        .grid = &grid,
        .bounds = &sample.bounds,
        .ids = ids,
        .kinds = UINT64_MAX,
        .radius = 100.0f,
        .horizon = 4.0f,
        .settle = ORCA_SETTLE,
        .most = most,
    };
    for (int32_t slot = 0; slot < sample.count; slot++) {
        grid.radius[slot] = 1.0f;
        max_speed[slot] = 60.0f;
        preferred[slot] = vec2_make(0.0f, 20.0f);
    }
}

static void test_ties_at_the_end(void **state) {
    static const int32_t mosts[] = {1, 9, 10, 15, 16, 31, 32};
    static const float mores[] = {0.0f, 1.3e-4f, -1.3e-4f};
    for (int i = 0; i < 7 * 3 * 2; i++) {
        struct rng rng = rng_begin(80, (uint64_t)i, 0, RNG_WANDER);
        make_ring(mosts[i % 7], (i / 7) % 2 != 0, mores[i / 14]);
        for (int32_t slot = 0; slot < sample.count; slot++) {
            expected[slot] = ask_behavior(slot);
        }
        compare_widths((uint64_t)i, &rng);
    }
}

/* All agents are of one kind, which is not among those that count. */
static void test_a_kind_that_does_not_count(void **state) {
    struct rng rng = rng_begin(81, 0, 0, RNG_WANDER);
    make_ring(10, false, 0.0f);
    sample.query.kinds = UINT64_C(2);
    for (int32_t slot = 0; slot < sample.count; slot++) {
        expected[slot] = ask_behavior(slot);
        assert_false(expected[slot].is_active);
    }
    compare_widths(0, &rng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_ties_at_the_end),
        cmocka_unit_test(test_a_kind_that_does_not_count),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&grid);
    return failed;
}
