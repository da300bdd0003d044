/* Choosing a kernel, and cutting a crowd into the blocks it takes. See neighbor_kernel.h. */
#include "server/sim/neighbor_kernel.h"

#include <assert.h>
#include <string.h>

#include "server/sim/neighbor_kernel_internal.h"

#define ALL_ROUND -1.5f /* a cosine of a view no larger than this leaves nothing out */

struct kernel kernel_of(enum simd simd) {
    switch (simd) {
#if defined(__x86_64__)
    case SIMD_SSE2:
        return (struct kernel){4, neighbor_kernel_sse2, flock_kernel_sse2};
    case SIMD_AVX2:
        return (struct kernel){8, neighbor_kernel_avx2, flock_kernel_avx2};
    case SIMD_AVX512:
        return (struct kernel){16, neighbor_kernel_avx512, flock_kernel_avx512};
#endif
    default:
        return (struct kernel){1, neighbor_kernel_plain, flock_kernel_plain};
    }
}

/* ---- the question as numbers ---- */

static bool is_same_zone(const struct neighbor_zone *a, const struct neighbor_zone *b) {
    return a->radius == b->radius && a->cosine == b->cosine && a->is_sharp == b->is_sharp;
}

struct kernel_plan kernel_make_plan(const struct neighbor_crowd *crowd) {
    const vec2 size = crowd->bounds->size;
    const struct neighbor_zone *zones = crowd->zones, *apart = &zones[ZONE_SEPARATION];
    struct kernel_plan plan = {
        .motion = crowd->grid->motion,
        .kind = crowd->grid->kind,
        .kinds = crowd->kinds,
        .is_picky = crowd->kinds != UINT64_MAX,
        .is_twin = is_same_zone(&zones[ZONE_ALIGNMENT], &zones[ZONE_COHESION]),
        .size_x = size.x,
        .size_y = size.y,
        .half_x = 0.5f * size.x,
        .half_y = 0.5f * size.y,
        .strength = apart->radius,
        .strongest = neighbors_closest_inverse(apart->radius),
        .less = apart->is_sharp ? 0.0f : 1.0f,
    };
    for (int z = 0; z < ZONE_COUNT; z++) {
        plan.squared[z] = zones[z].radius * zones[z].radius;
        plan.cosine[z] = zones[z].cosine;
        plan.fade[z] = zones[z].is_sharp ? 0.0f : neighbors_inverse(zones[z].radius);
        plan.furthest = plan.squared[z] > plan.furthest ? plan.squared[z] : plan.furthest;
        plan.has_cones |= zones[z].radius > 0.0f && zones[z].cosine > ALL_ROUND;
    }
    return plan;
}

/* ---- blocks ---- */

struct range {
    float low, high;
};

static struct range range_of(const float *values, int32_t count) {
    struct range range = {values[0], values[0]};
    for (int32_t i = 1; i < count; i++) {
        range.low = values[i] < range.low ? values[i] : range.low;
        range.high = values[i] > range.high ? values[i] : range.high;
    }
    return range;
}

/* A walk around everybody in a box: columns from a walk as wide as the box, rows from one as high. */
static struct grid_walk walk_around(const struct grid *grid, struct range x, struct range y, float radius) {
    const vec2 middle = {0.5f * x.low + 0.5f * x.high, 0.5f * y.low + 0.5f * y.high};
    const struct grid_walk across = grid_walk_begin(grid, middle, radius + 0.5f * (x.high - x.low));
    struct grid_walk walk = grid_walk_begin(grid, middle, radius + 0.5f * (y.high - y.low));
    walk.piece_count = across.piece_count;
    walk.pieces[0] = across.pieces[0];
    walk.pieces[1] = across.pieces[1];
    return walk;
}

/* Whether a difference between the range and a candidate of the cells can be more than half the axis. A cell
 * on either side is given to rounding. */
static bool may_wrap(const struct grid_axis *axis, struct range range, const struct grid_span *spans,
                     int count) {
    if (count != 1 || axis->cells < 4) {
        return true;
    }
    const float cell = axis->size / (float)axis->cells, half = 0.49f * axis->size;
    const float low = axis->origin + cell * (float)(spans[0].first - 1);
    const float high = axis->origin + cell * (float)(spans[0].last + 2);
    return high - range.low > half || range.high - low > half;
}

/* Agents in slots first .. first + count - 1, spread over `width` lanes. */
static void fill_block(const struct neighbor_crowd *crowd, const struct kernel_plan *plan, float radius,
                       bool needs_all, int32_t first, int32_t count, int32_t width,
                       struct kernel_block *block) {
    const struct grid *grid = crowd->grid;
    for (int32_t lane = 0; lane < width; lane++) {
        const int32_t slot = first + (lane < count ? lane : count - 1);
        block->x[lane] = grid->motion[slot].x;
        block->y[lane] = grid->motion[slot].y;
        block->vx[lane] = grid->motion[slot].vx;
        block->vy[lane] = grid->motion[slot].vy;
    }
    for (int32_t lane = 0; (needs_all || plan->has_cones) && lane < width; lane++) {
        const int32_t slot = first + (lane < count ? lane : count - 1);
        const float core = crowd->core_radii * grid->radius[slot];
        const vec2 heading = crowd->heading[grid->row[slot]];
        block->heading_x[lane] = heading.x;
        block->heading_y[lane] = heading.y;
        block->core_squared[lane] = core * core;
    }
    const struct range x = range_of(block->x, count), y = range_of(block->y, count);
    block->walk = walk_around(grid, x, y, radius);
    block->wraps = crowd->bounds->edge == EDGE_WRAP &&
                   (may_wrap(&grid->across, x, block->walk.pieces, block->walk.piece_count) ||
                    may_wrap(&grid->down, y, block->walk.bands, block->walk.band_count));
}

static struct neighbor_sums sums_of_lane(const struct kernel_sums *sums, int32_t lane) {
    return (struct neighbor_sums){
        .separation_count = sums->count[ZONE_SEPARATION][lane],
        .alignment_count = sums->count[ZONE_ALIGNMENT][lane],
        .cohesion_count = sums->count[ZONE_COHESION][lane],
        .separation = {sums->sum[KERNEL_SEPARATION_X][lane], sums->sum[KERNEL_SEPARATION_Y][lane]},
        .velocity = {sums->sum[KERNEL_VELOCITY_X][lane], sums->sum[KERNEL_VELOCITY_Y][lane]},
        .velocity_weight = sums->sum[KERNEL_VELOCITY_WEIGHT][lane],
        .offset = {sums->sum[KERNEL_OFFSET_X][lane], sums->sum[KERNEL_OFFSET_Y][lane]},
        .offset_weight = sums->sum[KERNEL_OFFSET_WEIGHT][lane],
    };
}

static void put_lane(const struct neighbor_sums *from, int32_t lane, struct kernel_sums *sums) {
    sums->count[ZONE_SEPARATION][lane] = from->separation_count;
    sums->count[ZONE_ALIGNMENT][lane] = from->alignment_count;
    sums->count[ZONE_COHESION][lane] = from->cohesion_count;
    sums->sum[KERNEL_SEPARATION_X][lane] = from->separation.x;
    sums->sum[KERNEL_SEPARATION_Y][lane] = from->separation.y;
    sums->sum[KERNEL_VELOCITY_X][lane] = from->velocity.x;
    sums->sum[KERNEL_VELOCITY_Y][lane] = from->velocity.y;
    sums->sum[KERNEL_VELOCITY_WEIGHT][lane] = from->velocity_weight;
    sums->sum[KERNEL_OFFSET_X][lane] = from->offset.x;
    sums->sum[KERNEL_OFFSET_Y][lane] = from->offset.y;
    sums->sum[KERNEL_OFFSET_WEIGHT][lane] = from->offset_weight;
}

/* One agent the plain way. */
static struct neighbor_sums sums_alone(const struct neighbor_crowd *crowd, int32_t slot) {
    const struct neighbor_query query = {
        .bounds = crowd->bounds,
        .ids = crowd->ids,
        .slot = slot,
        .heading = crowd->heading[crowd->grid->row[slot]],
        .core = crowd->core_radii * crowd->grid->radius[slot],
        .kinds = crowd->kinds,
    };
    return neighbors_sum(crowd->grid, &query, crowd->zones);
}

/* The first slot behind the row of cells `slot` is in. *row: a cell row not beyond it; moved on to it. */
static int32_t row_end(const struct grid *grid, int32_t slot, int32_t *row) {
    const int32_t columns = grid->across.cells;
    while (grid->begin[(*row + 1) * columns] <= slot) {
        (*row)++;
    }
    return grid->begin[(*row + 1) * columns];
}

struct kernel_cursor kernel_begin(const struct neighbor_crowd *crowd, int32_t begin, int32_t end) {
    const struct grid *grid = crowd->grid;
    assert(begin >= 0 && begin <= end && end <= grid->count);
    struct kernel_cursor cursor = {.first = begin, .end = end};
    cursor.row = begin < end ? grid_axis_cell(&grid->down, grid->motion[begin].y) : 0;
    for (int z = 0; z < ZONE_COUNT; z++) {
        cursor.radius = crowd->zones[z].radius > cursor.radius ? crowd->zones[z].radius : cursor.radius;
    }
    return cursor;
}

bool kernel_next(const struct kernel *kernel, const struct neighbor_crowd *crowd,
                 const struct kernel_plan *plan, bool needs_all, struct kernel_cursor *cursor,
                 struct kernel_block *block, struct kernel_sums *sums) {
    cursor->first += cursor->count;
    if (cursor->first >= cursor->end) {
        return false;
    }
    const int32_t row_stop = row_end(crowd->grid, cursor->first, &cursor->row);
    const int32_t stop = row_stop < cursor->end ? row_stop : cursor->end, left = stop - cursor->first;
    cursor->count = left < kernel->width ? left : kernel->width;
    fill_block(crowd, plan, cursor->radius, needs_all, cursor->first, cursor->count, kernel->width, block);
    kernel->sum(plan, block, sums);
    for (int32_t lane = 0; lane < cursor->count; lane++) {
        const int32_t slot = cursor->first + lane;
        /* Nobody but itself is in its place, and itself only if its kind counts. */
        if (sums->here[lane] != (int32_t)((plan->kinds >> plan->kind[slot]) & 1)) {
            const struct neighbor_sums alone = sums_alone(crowd, slot);
            put_lane(&alone, lane, sums);
        }
    }
    return true;
}

void neighbor_kernel_sums(enum simd simd, const struct neighbor_crowd *crowd, int32_t begin, int32_t end,
                          struct neighbor_sums *out) {
    assert(simd_is_supported(simd));
    const struct kernel kernel = kernel_of(simd);
    const struct kernel_plan plan = kernel_make_plan(crowd);
    struct kernel_cursor cursor = kernel_begin(crowd, begin, end);
    struct kernel_block block;
    struct kernel_sums sums;
    while (kernel_next(&kernel, crowd, &plan, false, &cursor, &block, &sums)) {
        for (int32_t lane = 0; lane < cursor.count; lane++) {
            out[cursor.first + lane - begin] = sums_of_lane(&sums, lane);
        }
    }
}
