/* The kernel of every width against a search of all agents, on random worlds: all edges, sparse to clumped,
 * lattices with agents as far as each other, heaps in one place, agents that have drifted since they were
 * sorted, kinds of one agent and of all. */
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/math/rng.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/grid_fixture.h"

enum { MOST = 600, WORLDS = 160, KINDS = 4, LEFT_ALONE = -77 };

static struct motion motion[MOST];
static uint8_t kinds[MOST];
static struct grid grid;
static struct sight_index sight_index;
static struct sight_columns seen;

struct sample {
    struct bounds bounds;
    int32_t count;
    float reach[LIMIT_KINDS]; /* as sight_index_build has it */
    int32_t population[LIMIT_KINDS];
};

static bool flip(struct rng *rng, float chance) {
    return rng_unit(rng) < chance;
}

static vec2 random_place(struct rng *rng, const struct sample *sample, int32_t i, bool is_lattice) {
    const vec2 size = sample->bounds.size;
    vec2 at = {rng_between(rng, 0.0f, size.x), rng_between(rng, 0.0f, size.y)};
    if (is_lattice) { /* 16 px apart, with the same distance on the other side of the torus */
        return vec2_make(16.0f * (float)(int)(at.x / 16.0f), 16.0f * (float)(int)(at.y / 16.0f));
    }
    if (i > 0 && flip(rng, 0.1f)) {
        return vec2_make(motion[i - 1].x, motion[i - 1].y);
    }
    if (flip(rng, 0.05f)) {
        at.x = flip(rng, 0.5f) ? 0.0f : nextafterf(size.x, 0.0f);
    }
    return at;
}

static void place_agents(struct rng *rng, struct sample *sample) {
    const bool is_lattice = flip(rng, 0.3f), is_clumped = flip(rng, 0.3f), has_rare = flip(rng, 0.5f);
    for (int32_t i = 0; i < sample->count; i++) {
        vec2 at = random_place(rng, sample, i, is_lattice);
        at = is_clumped ? vec2_make(0.25f * at.x, 0.125f * at.y) : at;
        at = sample->bounds.edge == EDGE_OPEN ? vec2_make(at.x - 3.0f * sample->bounds.size.x, at.y) : at;
        at = bounds_settle(&sample->bounds, at);
        motion[i] = (struct motion){at.x, at.y, 0.0f, 0.0f};
        kinds[i] = has_rare ? (uint8_t)(flip(rng, 0.03f) ? 1 : 2) : (uint8_t)(rng_next(rng) % KINDS);
    }
}

static void make_sample(uint64_t world, struct sample *sample) {
    struct rng rng = rng_begin(78, world, 0, RNG_WANDER);
    *sample = (struct sample){
        .bounds = {{rng_between(&rng, 50, 1000), rng_between(&rng, 50, 1000)}, (enum edge)(world % 4)}};
    if (flip(&rng, 0.3f)) {
        sample->bounds.size = (vec2){512.0f, 256.0f};
    }
    sample->count = (int32_t)rng_between(&rng, 1.0f, flip(&rng, 0.2f) ? 20.0f : (float)MOST);
    place_agents(&rng, sample);
    const float widest = flip(&rng, 0.2f) ? 2.0f : 0.2f;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        sample->reach[k] = -1.0f;
        if (k < KINDS && !flip(&rng, 0.1f)) {
            sample->reach[k] =
                flip(&rng, 0.2f) ? 0.0f : rng_between(&rng, 0.01f, widest) * sample->bounds.size.x;
        }
    }
    const float radius = rng_between(&rng, 0.005f, 0.2f) * sample->bounds.size.x;
    grid_build(&grid, &sample->bounds, motion, kinds, sample->count, radius);
    for (int ticks = (int)rng_between(&rng, 0.0f, 3.0f); ticks > 0; ticks--) {
        grid_drift_apart(&grid, &sample->bounds, motion, 0.3f * radius, &rng);
    }
    for (int32_t i = 0; i < sample->count; i++) {
        sample->population[kinds[i]]++;
    }
    sight_index_build(&sight_index, &grid, sample->reach, sample->population, 0);
}

/* The slot of the nearest agent of a kind, or -1. */
static int32_t expected(const struct sample *sample, int32_t slot, int kind, float within, float *squared) {
    int32_t nearest = -1;
    *squared = within * within;
    const vec2 here = {grid.motion[slot].x, grid.motion[slot].y};
    for (int32_t row = 0; row < sample->count; row++) {
        const int32_t other = grid_slot(&grid, row);
        const vec2 there = {grid.motion[other].x, grid.motion[other].y};
        const float distance = vec2_length_squared(bounds_difference(&sample->bounds, here, there));
        if (other != slot && grid.kind[other] == kind &&
            (distance < *squared || (nearest < 0 && distance <= *squared))) {
            *squared = distance;
            nearest = other;
        }
    }
    return nearest;
}

static void compare(const struct sample *sample, uint64_t world, enum simd simd,
                    const struct sight_query *query, int32_t begin, int32_t end, uint64_t wanted,
                    int *found) {
    memset(&seen, 0x55, sizeof seen);
    for (int place = 0; place < SIGHT_PLACES + SIGHT_SPARE; place++) {
        seen.slot[place] = LEFT_ALONE;
    }
    sight_kernel_find(simd, query, begin, end, wanted, &seen);
    for (int32_t place = 0; place < SIGHT_PLACES; place++) {
        float squared = 0.0f;
        int32_t slot = LEFT_ALONE;
        if (place < end - begin && ((wanted >> place) & 1)) {
            slot = expected(sample, begin + place, query->kind, query->within, &squared);
        }
        *found += slot >= 0;
        if (seen.slot[place] != slot || (slot >= 0 && memcmp((const char *)&seen.squared[place],
                                                             (const char *)&squared, sizeof squared) != 0)) {
            fail_msg("world %d, %s, slot %d of %d, kind %d within %g: sees %d at %a, expected %d at %a",
                     (int)world, simd_names[simd], begin + place, sample->count, query->kind,
                     (double)query->within, seen.slot[place], (double)seen.squared[place], slot,
                     (double)squared);
        }
    }
}

/* The widest distance, less, more, that of a pair to the bit. */
static float make_within(struct rng *rng, const struct sample *sample, int kind) {
    const float reach = sample->reach[kind] > 0.0f ? sample->reach[kind] : sight_index.kinds[kind].near;
    switch (rng_next(rng) % 4) {
    case 0:
        return 0.5f * reach;
    case 1:
        return 3.0f * reach;
    case 2: {
        const vec2 one = {grid.motion[0].x, grid.motion[0].y};
        const vec2 two = {grid.motion[sample->count - 1].x, grid.motion[sample->count - 1].y};
        const float distance = vec2_length(bounds_difference(&sample->bounds, one, two));
        return distance > 0.0f ? distance : 16.0f;
    }
    default:
        return reach;
    }
}

static void compare_kinds(const struct sample *sample, uint64_t world, enum simd simd, int *found) {
    struct rng rng = rng_begin(79, world, 0, RNG_WANDER);
    for (int kind = 0; kind < KINDS; kind++) {
        if (sight_index.kinds[kind].count == 0) {
            assert_true(sample->reach[kind] < 0.0f || sample->population[kind] == 0);
            continue;
        }
        const struct sight_query query = {&grid, &sight_index, kind, make_within(&rng, sample, kind)};
        const uint64_t some = rng_next(&rng) & rng_next(&rng);
        for (int32_t begin = 0; begin < sample->count; begin += SIGHT_PLACES) {
            const int32_t end = begin + SIGHT_PLACES < sample->count ? begin + SIGHT_PLACES : sample->count;
            compare(sample, world, simd, &query, begin, end, UINT64_MAX, found);
            compare(sample, world, simd, &query, begin + (end - begin) / 3, end, some, found);
            compare(sample, world, simd, &query, begin, begin + (end - begin) / 2, 0, found);
        }
    }
}

static void test_every_width(void **state) {
    int found = 0, widths = 0;
    assert_int_equal(grid_reserve(&grid, MOST), 0);
    assert_int_equal(sight_index_reserve(&sight_index, MOST, true), 0);
    for (uint64_t world = 0; world < WORLDS; world++) {
        struct sample sample;
        make_sample(world, &sample);
        for (int simd = 0; simd < SIMD_COUNT; simd++) {
            if (simd_is_supported((enum simd)simd)) {
                widths += world == 0;
                compare_kinds(&sample, world, (enum simd)simd, &found);
            }
        }
    }
    print_message("%d widths, %d sights\n", widths, found);
    assert_true(found > 100000);
}

static void test_index(void **state) {
    struct sample sample;
    for (uint64_t world = 0; world < WORLDS; world++) {
        make_sample(world, &sample);
        uint8_t entered[MOST] = {0};
        for (int kind = 0; kind < LIMIT_KINDS; kind++) {
            const struct sight_kind *of = &sight_index.kinds[kind];
            const int32_t entries = of->is_in_grid ? 0 : of->count;
            for (int32_t entry = of->first_entry; entry < of->first_entry + entries; entry++) {
                const int32_t slot = sight_index.slot[entry];
                assert_int_equal(grid.kind[slot], kind);
                assert_true(sight_index.x[entry] == grid.motion[slot].x &&
                            sight_index.y[entry] == grid.motion[slot].y);
                assert_int_equal((int)sight_index.row[entry], grid.row[slot]);
                assert_int_equal(entered[slot]++, 0);
            }
        }
        for (int32_t slot = 0; slot < sample.count; slot++) {
            const int kind = grid.kind[slot];
            assert_int_equal(entered[slot],
                             sample.reach[kind] >= 0.0f && !sight_index.kinds[kind].is_in_grid);
        }
    }
}

static void test_tiny_reach(void **state) {
    struct sample sample;
    make_sample(3, &sample);
    for (int kind = 0; kind < KINDS; kind++) {
        sample.reach[kind] = 1e-45f;
    }
    sight_index_build(&sight_index, &grid, sample.reach, sample.population, 0);
    const struct sight_query query = {&grid, &sight_index, grid.kind[0], 1e-45f};
    sight_kernel_find(simd_best(), &query, 0, 1, 1, &seen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_tiny_reach),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&grid);
    sight_index_fini(&sight_index);
    return failed;
}
