/* See kernel_plan.h. */
#include "server/sim/space/kernel_plan.h"

#include <assert.h>

#define ALL_ROUND -1.5f /* a cosine of a view no larger than this leaves nothing out */

static bool is_same_zone(const struct neighbor_zone *a, const struct neighbor_zone *b) {
    return a->radius == b->radius && a->cosine == b->cosine && a->is_sharp == b->is_sharp;
}

static enum kernel_layout find_layout(const struct neighbor_zone *zones) {
    if (!is_same_zone(&zones[ZONE_ALIGNMENT], &zones[ZONE_COHESION])) {
        return KERNEL_THREE;
    }
    return is_same_zone(&zones[ZONE_SEPARATION], &zones[ZONE_ALIGNMENT]) ? KERNEL_ONE : KERNEL_TWIN;
}

/* Cells that a walk from anywhere in a cell may reach on either side. */
static int32_t reach_cells(const struct grid_axis *axis, float radius) {
    const float cells = grid_reach(axis, radius) * axis->scale;
    return cells < (float)axis->cells ? (int32_t)cells + 1 : axis->cells;
}

struct kernel_plan kernel_make_plan(const struct neighbor_batch *batch) {
    const vec2 size = batch->bounds->size;
    const struct neighbor_zone *zones = batch->zones;
    struct kernel_plan plan = {
        .batch = batch,
        .is_picky = batch->kinds != UINT64_MAX,
        .layout = find_layout(zones),
        .size_x = size.x,
        .size_y = size.y,
        .half_x = 0.5f * size.x,
        .half_y = 0.5f * size.y,
    };
    float radius = 0.0f;
    plan.is_sharp = true;
    for (int z = 0; z < ZONE_COUNT; z++) {
        plan.is_sharp &= zones[z].is_sharp;
        plan.zones[z] = zone_make_plan(&zones[z]);
        radius = zones[z].radius > radius ? zones[z].radius : radius;
        plan.has_cones |= zones[z].radius > 0.0f && zones[z].cosine > ALL_ROUND;
    }
    plan.furthest = radius * radius;
    /* From the cell that oneself was in, to those that others were in. */
    const float reach = radius + 2.0f * batch->grid->drift;
    plan.reach_columns = reach_cells(&batch->grid->across, reach);
    plan.reach_rows = reach_cells(&batch->grid->down, reach);
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
