/* See orca_plan.h. */
#include "server/sim/steering/orca_plan.h"

#include <assert.h>

#define MOST_QUANTA 1048575.0f /* 20 bits */
#define ALL_ROUND   -2.0f      /* no cosine is less */

struct orca_plan orca_make_plan(const struct orca_query *query) {
    assert(query->horizon > 0.0f && query->settle > 0.0f && query->radius >= 0.0f);
    assert(query->most >= 1 && query->most <= NEIGHBORS_NEAREST_MAX);
    const struct grid *grid = query->grid;
    const vec2 size = query->bounds->size;
    /* Where all agents are of one kind, a look at the first one tells. */
    const bool leaves_out = grid->has_kinds || ((query->kinds >> grid->kind[0]) & 1) == 0;
    /* From where an agent is now to the cell that another one was in. */
    const float reach = query->radius + 2.0f * grid->drift;
    return (struct orca_plan){
        .query = query,
        .is_picky = query->kinds != UINT64_MAX && leaves_out,
        .size_x = size.x,
        .size_y = size.y,
        .half_x = 0.5f * size.x,
        .half_y = 0.5f * size.y,
        .furthest = query->radius * query->radius,
        .quanta = MOST_QUANTA / (query->radius * query->radius),
        .reach_x = grid_reach(&grid->across, reach),
        .reach_y = grid_reach(&grid->down, reach),
        .horizon_inverse = 1.0f / query->horizon,
        .settle_inverse = 1.0f / query->settle,
    };
}

int32_t orca_rank_alone(const struct orca_plan *plan, int32_t slot, int32_t *out) {
    const struct orca_query *asked = plan->query;
    const struct neighbor_query query = {
        .bounds = asked->bounds,
        .ids = asked->ids,
        .slot = slot,
        .heading = {1.0f, 0.0f},
        .kinds = asked->kinds,
        .most = asked->most,
    };
    const struct neighbor_zone zone = {.radius = asked->radius, .cosine = ALL_ROUND};
    return neighbors_nearest_slots(asked->grid, &query, &zone, out);
}
