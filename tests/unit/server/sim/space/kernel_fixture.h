/* Random worlds for tests of the kernels: all edges, sparse to clumped, lattices, view cones, sharp and
 * smooth zones, one zone or several, several kinds, heaps in one place, bodies of several radii, slots that
 * keep an earlier order.
 */
#ifndef DROVER_TESTS_UNIT_SERVER_SIM_SPACE_KERNEL_FIXTURE_H
#define DROVER_TESTS_UNIT_SERVER_SIM_SPACE_KERNEL_FIXTURE_H

#include <math.h>
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/math/rng.h"
#include "tests/unit/server/cmocka_all.h"
#include "tests/unit/server/sim/grid_fixture.h"

enum { MOST = 1500 };

static struct motion motion[MOST];
static vec2 heading[MOST];
static uint32_t ids[MOST];
static uint8_t kinds[MOST];
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
    const bool is_clumped = flip(rng, 0.3f), has_heaps = flip(rng, 0.4f), is_lattice = flip(rng, 0.2f);
    for (int32_t i = 0; i < sample->count; i++) {
        vec2 at = {rng_between(rng, 0.0f, size.x), rng_between(rng, 0.0f, size.y)};
        if (is_clumped) {
            at = vec2_make(0.1f * at.x, 0.2f * at.y);
        }
        if (is_lattice) {
            at = vec2_make(8.0f * floorf(0.125f * at.x), 8.0f * floorf(0.125f * at.y));
        }
        if (sample->bounds.edge == EDGE_OPEN) {
            at = vec2_add(at, vec2_make(-0.5f * size.x, 3.0f * size.y));
        }
        if (i > 0 && has_heaps && flip(rng, 0.1f)) {
            at = vec2_make(motion[i - 1].x, motion[i - 1].y);
            at.x += flip(rng, 0.5f) ? 0.0f : 1.3e-6f;
        }
        if (flip(rng, 0.02f)) {
            at.x = 0.0f;
        }
        at = bounds_settle(&sample->bounds, at);
        motion[i] = (struct motion){at.x, at.y, rng_between(rng, -50, 50), rng_between(rng, -50, 50)};
        if (i > 0 && flip(rng, 0.1f)) {
            motion[i].vx = motion[i - 1].vx; /* in step, or standing */
            motion[i].vy = flip(rng, 0.5f) ? motion[i - 1].vy : motion[i].vy;
        } else if (flip(rng, 0.05f)) {
            motion[i].vx = motion[i].vy = 0.0f;
        }
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
    const int only = (int)rng_between(&rng, 0.0f, 2.0f * ZONE_COUNT); /* or several */
    for (int z = 0; z < ZONE_COUNT && only < ZONE_COUNT; z++) {
        sample->zones[z].radius = z == only ? rng_between(&rng, 0.05f, 1.0f) * reach : 0.0f;
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

/* The query of one agent of the batch. */
static inline struct neighbor_query query_of(const struct neighbor_batch *batch, int32_t slot) {
    return (struct neighbor_query){
        .bounds = batch->bounds,
        .ids = ids,
        .slot = slot,
        .heading = neighbor_batch_heading(batch, slot),
        .core = batch->core_radii * grid.radius[slot],
        .kinds = batch->kinds,
    };
}

/* Some agents of a batch: all, none, a few, or half of them. */
static inline uint64_t some_wanted(struct rng *rng) {
    const uint64_t a = rng_next(rng), b = rng_next(rng);
    const float dice = rng_unit(rng);
    return dice < 0.2f ? UINT64_MAX : dice < 0.25f ? 0 : dice < 0.6f ? a & b : a;
}

#endif
