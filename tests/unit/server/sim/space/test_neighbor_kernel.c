/* The kernel of every width against neighbors_sum, bit for bit, on random worlds: all edges, sparse to
 * clumped, view cones, sharp and smooth zones, several kinds, heaps in one place. */
#include <stdio.h>
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/space/neighbor_kernel.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/grid_fixture.h"

enum { MOST = 1500, WORLDS = 300 };

static struct motion motion[MOST];
static vec2 heading[MOST];
static uint32_t ids[MOST];
static uint8_t kinds[MOST];
static struct neighbor_sums sums[MOST];
static struct grid grid;

struct sample {
    struct bounds bounds;
    int32_t count;
    struct neighbor_zone zones[ZONE_COUNT];
    struct neighbor_batch batch;
};

static struct rng dice(uint64_t world) {
    return rng_begin(77, world, 0, RNG_WANDER);
}

static bool flip(struct rng *rng, float chance) {
    return rng_unit(rng) < chance;
}

/* Places from loose to clumped; some exactly on a border, in another agent's place, or nearly in it. */
static void place(struct rng *rng, const struct sample *sample) {
    const vec2 size = sample->bounds.size;
    const bool is_clumped = flip(rng, 0.3f), has_heaps = flip(rng, 0.4f);
    for (int32_t i = 0; i < sample->count; i++) {
        vec2 at = {rng_between(rng, 0.0f, size.x), rng_between(rng, 0.0f, size.y)};
        if (is_clumped) {
            at = (vec2){0.1f * at.x, 0.2f * at.y};
        }
        if (sample->bounds.edge == EDGE_OPEN) {
            at = vec2_add(at, (vec2){-0.5f * size.x, 3.0f * size.y});
        }
        if (i > 0 && has_heaps && flip(rng, 0.1f)) {
            at = (vec2){motion[i - 1].x, motion[i - 1].y};
            at.x += flip(rng, 0.5f) ? 0.0f : 1.3e-6f;
        }
        if (flip(rng, 0.02f)) {
            at.x = 0.0f;
        }
        at = bounds_settle(&sample->bounds, at);
        motion[i] = (struct motion){at.x, at.y, rng_between(rng, -50, 50), rng_between(rng, -50, 50)};
    }
}

static struct neighbor_zone make_zone(struct rng *rng, float reach, bool has_view, bool is_sharp) {
    return (struct neighbor_zone){
        .radius = flip(rng, 0.1f) ? 0.0f : rng_between(rng, 0.05f, 1.0f) * reach,
        .cosine = has_view && flip(rng, 0.7f) ? rng_between(rng, -1.1f, 1.0f) : -2.0f,
        .is_sharp = is_sharp,
    };
}

static void make_sample(uint64_t world, struct sample *sample) {
    struct rng rng = dice(world);
    const bool is_small = flip(&rng, 0.2f);
    sample->bounds =
        (struct bounds){{rng_between(&rng, 50, 1000), rng_between(&rng, 50, 1000)}, (enum edge)(world % 4)};
    sample->count = (int32_t)rng_between(&rng, 1.0f, is_small ? 40.0f : (float)MOST);
    place(&rng, sample);
    const int kind_count = flip(&rng, 0.5f) ? 1 : 64;
    const bool has_view = flip(&rng, 0.5f), is_twin = flip(&rng, 0.5f), is_sharp = flip(&rng, 0.3f);
    const float reach = rng_between(&rng, 0.01f, flip(&rng, 0.1f) ? 0.8f : 0.1f) * sample->bounds.size.x;
    for (int32_t i = 0; i < sample->count; i++) {
        ids[i] = (uint32_t)i * 3 + 1;
        kinds[i] = (uint8_t)((float)kind_count * rng_unit(&rng));
        heading[i] = vec2_with_length((vec2){rng_between(&rng, -1, 1), rng_between(&rng, -1, 1)}, 1.0f);
    }
    for (int z = 0; z < ZONE_COUNT; z++) {
        sample->zones[z] = is_twin && z == ZONE_COHESION ? sample->zones[ZONE_ALIGNMENT]
                                                         : make_zone(&rng, reach, has_view, is_sharp);
    }
    sample->batch = (struct neighbor_batch){
        .grid = &grid,
        .bounds = &sample->bounds,
        .ids = ids,
        .heading = heading,
        .course_above = flip(&rng, 0.5f) ? COURSE_NEVER : 900.0f,
        .core_radii = flip(&rng, 0.5f) ? 0.0f : 3.0f,
        .kinds = flip(&rng, 0.5f) ? UINT64_MAX : UINT64_C(0x8000123456789abd),
        .zones = sample->zones,
    };
    assert_int_equal(grid_reserve(&grid, MOST), 0);
    grid_build(&grid, &sample->bounds, motion, kinds, sample->count, flip(&rng, 0.2f) ? 0.3f * reach : reach);
    for (int ticks = (int)rng_between(&rng, 0.0f, 3.0f); ticks > 0; ticks--) {
        grid_drift_apart(&grid, &sample->bounds, motion, rng_between(&rng, 0.0f, 0.2f) * reach, &rng);
    }
    for (int32_t slot = 0; slot < sample->count; slot++) {
        grid.radius[slot] = 0.02f * reach * (float)(grid.row[slot] % 5);
    }
}

/* Distinguishes +0 from -0 as well. */
static bool is_same(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

static struct neighbor_sums expected(const struct sample *sample, int32_t slot) {
    const struct neighbor_batch *batch = &sample->batch;
    const struct neighbor_query query = {
        .bounds = batch->bounds,
        .ids = ids,
        .slot = slot,
        .heading = neighbor_batch_heading(batch, slot),
        .core = batch->core_radii * grid.radius[slot],
        .kinds = batch->kinds,
    };
    return neighbors_sum(&grid, &query, sample->zones);
}

static void compare(const struct sample *sample, uint64_t world, enum simd simd, int32_t begin, int32_t end,
                    int64_t *neighbors) {
    memset(sums, 0x55, sizeof sums);
    neighbor_kernel_sums(simd, &sample->batch, begin, end, sums);
    for (int32_t slot = begin; slot < end; slot++) {
        const struct neighbor_sums wanted = expected(sample, slot), *got = &sums[slot - begin];
        *neighbors += wanted.separation_count + wanted.alignment_count + wanted.cohesion_count;
        if (!is_same(&wanted, got, sizeof wanted)) {
            fail_msg(
                "world %d, %s, slot %d of %d: separation %d (%a %a), alignment %d (%a), cohesion %d (%a), "
                "expected %d (%a %a), %d (%a), %d (%a)",
                (int)world, simd_names[simd], slot, sample->count, got->separation_count,
                (double)got->separation.x, (double)got->separation.y, got->alignment_count,
                (double)got->velocity_weight, got->cohesion_count, (double)got->offset.x,
                wanted.separation_count, (double)wanted.separation.x, (double)wanted.separation.y,
                wanted.alignment_count, (double)wanted.velocity_weight, wanted.cohesion_count,
                (double)wanted.offset.x);
        }
    }
}

static void test_every_width(void **state) {
    (void)state;
    _Static_assert(sizeof(struct neighbor_sums) == 11 * 4, "there is no padding to compare");
    int64_t neighbors = 0;
    int widths = 0;
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        if (!simd_is_supported((enum simd)simd)) {
            print_message("%s is not supported here\n", simd_names[simd]);
            continue;
        }
        widths++;
        for (uint64_t world = 0; world < WORLDS; world++) {
            struct sample sample;
            make_sample(world, &sample);
            const int32_t count = sample.count;
            compare(&sample, world, (enum simd)simd, 0, count, &neighbors);
            /* From and to anywhere. */
            compare(&sample, world, (enum simd)simd, count / 3, count - count / 4, &neighbors);
            compare(&sample, world, (enum simd)simd, count / 2, count / 2, &neighbors);
        }
    }
    print_message("%d widths, %lld neighbors\n", widths, (long long)neighbors);
    assert_true(widths >= 1 && neighbors > 1000000);
}

static void test_names(void **state) {
    (void)state;
    for (int simd = 0; simd < SIMD_COUNT; simd++) {
        assert_int_equal(simd_from_name(simd_names[simd]), simd);
    }
    assert_int_equal(simd_from_name("avx"), -1);
    assert_true(simd_is_supported(SIMD_PLAIN));
    assert_true(simd_is_supported(simd_best()));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_names),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    grid_fini(&grid);
    return failed;
}
