/* See kernel_plan.h. */
#include "server/sim/space/kernel_plan.h"

#include <assert.h>

#define ALL_ROUND -1.5f /* a cosine of a view no larger than this leaves nothing out */

enum { GAP_LEAST = 6 }; /* slots: what it takes to begin a block */

#define SPARSE 4.0f /* zones are sparse where a lane has room for so many squares of their radius */

static enum kernel_layout find_layout(const struct neighbor_zone *zones) {
    if (!zone_is_same(&zones[ZONE_ALIGNMENT], &zones[ZONE_COHESION])) {
        return KERNEL_THREE;
    }
    return zone_is_same(&zones[ZONE_SEPARATION], &zones[ZONE_ALIGNMENT]) ? KERNEL_ONE : KERNEL_TWIN;
}

static enum zone find_only(const struct neighbor_zone *zones) {
    enum zone only = ZONE_COUNT;
    for (int z = 0; z < ZONE_COUNT; z++) {
        if (zones[z].radius > 0.0f && only != ZONE_COUNT) {
            return ZONE_COUNT;
        }
        only = zones[z].radius > 0.0f ? (enum zone)z : only;
    }
    return only;
}

/* Whether most candidates are out of reach of all lanes, even where these share no part of their zones. */
static bool is_sparse(const struct kernel_plan *plan, const struct grid *grid) {
    const float width = (float)(2 * plan->reach_columns + 1) / grid->across.scale;
    const float height = (float)(2 * plan->reach_rows + 1) / grid->down.scale;
    return SPARSE * (float)KERNEL_WIDTH_MAX * plan->furthest < width * height;
}

/* A slot more adds a candidate to each row of cells; a block more has candidates of its own. */
static int32_t find_gap(const struct kernel_plan *plan, const struct grid *grid) {
    const int64_t columns = 2 * plan->reach_columns + 1;
    const int64_t gap =
        GAP_LEAST + columns * (grid->count + grid->absent) / (grid->across.cells * grid->down.cells);
    return gap < KERNEL_WIDTH_MAX ? (int32_t)gap : KERNEL_WIDTH_MAX;
}

struct kernel_plan kernel_make_plan(const struct neighbor_batch *batch) {
    const vec2 size = batch->bounds->size;
    const struct neighbor_zone *zones = batch->zones;
    struct kernel_plan plan = {
        .batch = batch,
        .is_picky = batch->kinds != UINT64_MAX,
        .layout = find_layout(zones),
        .only = find_only(zones),
        .size_x = size.x,
        .size_y = size.y,
        .half_x = 0.5f * size.x,
        .half_y = 0.5f * size.y,
    };
    float radius = 0.0f;
    plan.is_sharp = true;
    for (int z = 0; z < ZONE_COUNT; z++) {
        plan.is_sharp &= zones[z].is_sharp || zones[z].radius <= 0.0f;
        plan.zones[z] = zone_make_plan(&zones[z]);
        radius = zones[z].radius > radius ? zones[z].radius : radius;
        plan.has_cones |= zones[z].radius > 0.0f && zones[z].cosine > ALL_ROUND;
    }
    plan.furthest = radius * radius;
    /* From the cell that oneself was in, to those that others were in. */
    const float reach = radius + 2.0f * batch->grid->drift;
    plan.reach_columns = grid_reach_cells(&batch->grid->across, reach);
    plan.reach_rows = grid_reach_cells(&batch->grid->down, reach);
    plan.is_sparse = is_sparse(&plan, batch->grid);
    plan.gap = find_gap(&plan, batch->grid);
    return plan;
}

struct neighbor_sums kernel_sums_alone(const struct kernel_plan *plan, int32_t slot) {
    assert(slot >= 0 && slot < plan->batch->grid->count);
    const struct neighbor_batch *batch = plan->batch;
    const struct neighbor_query query = {
        .bounds = batch->bounds,
        .ids = batch->ids,
        .slot = slot,
        .heading = neighbor_batch_heading(batch, slot),
        .core = batch->core_radii * batch->grid->radius[slot],
        .kinds = batch->kinds,
    };
    return neighbors_sum(batch->grid, &query, batch->zones);
}
