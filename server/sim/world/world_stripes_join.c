/* A whole world becomes one that ranks share. */
#include <assert.h>
#include <stdlib.h>

#include "server/sim/world/world_stripes_inside.h"

struct world_stripes *stripes_new(const struct exchange *exchange) {
    const size_t ranks = (size_t)exchange->ranks;
    struct world_stripes *stripes = calloc(1, sizeof *stripes);
    if (stripes == NULL) {
        return NULL;
    }
    stripes->to = calloc(ranks, sizeof *stripes->to);
    stripes->from = calloc(ranks, sizeof *stripes->from);
    stripes->out = calloc(ranks, sizeof *stripes->out);
    stripes->in = calloc(ranks, sizeof *stripes->in);
    stripes->agents = calloc(GRID_AXIS_CELLS_MAX, sizeof *stripes->agents);
    if (stripes->to == NULL || stripes->from == NULL || stripes->out == NULL || stripes->in == NULL ||
        stripes->agents == NULL) {
        stripes_free(stripes);
        return NULL;
    }
    return stripes;
}

/* The cells that agents were sorted into, and the slots of the window. */
static void choose_window(struct world *world) {
    struct world_stripes *stripes = world->stripes;
    struct grid *grid = &world->grid;
    const struct exchange *exchange = world->exchange;
    const int32_t columns = grid->across.cells;
    stripes->rows = grid->down.cells;
    for (int32_t row = 0; row < stripes->rows; row++) {
        stripes->agents[row] = (uint64_t)(grid->begin[(row + 1) * columns] - grid->begin[row * columns]);
    }
    exchange->cut(exchange->context, 1, stripes->rows, stripes->agents, stripes->cut);
    const struct world_slots own = stripes_rows_of(stripes, exchange->rank);
    world->own_begin = grid->begin[own.begin * columns];
    world->own_end = grid->begin[own.end * columns];
    for (int32_t cell = own.begin * columns; cell < own.end * columns; cell++) {
        for (int32_t slot = grid->begin[cell]; slot < grid->begin[cell + 1]; slot++) {
            grid->key[slot] = cell;
        }
    }
}

/* The order stays as old as it is. */
static void keep_window(struct world *world) {
    const struct parallel alone = parallel_alone();
    const float drift = world->grid.drift;
    choose_window(world);
    world->stripes->halo = stripes_halo_rows(world, world_drift_limit(world));
    grid_look_up(&world->grid, &alone);
    grid_advance(&world->grid, 0.0f);
    world->grid.has_cells = true;
    stripes_regroup(world, &alone);
    world->grid.drift = drift;
    world->stripes->columns = world->grid.across.cells;
    world_fill_radii(world);
    world->stripes->sorts = 1; /* cuts are new */
}

/* Agents that are not sorted stay with the rank that has them now. */
static void keep_share(struct world *world) {
    const struct exchange *exchange = world->exchange;
    world->own_begin = (int32_t)((int64_t)world->agent_count * exchange->rank / exchange->ranks);
    world->own_end = (int32_t)((int64_t)world->agent_count * (exchange->rank + 1) / exchange->ranks);
    world_stripes_stay(world);
}

int world_join(struct world *world, const struct exchange *exchange) {
    assert(world_is_consistent(world) && world->stripes == NULL);
    struct world_stripes *stripes = NULL;
    if (exchange != NULL && exchange->mode == EXCHANGE_STRIPES) {
        uint64_t without = 0;
        stripes = stripes_new(exchange);
        without += stripes == NULL;
        exchange->sum(exchange->context, &without, 1);
        if (without > 0) {
            stripes_free(stripes);
            return -1;
        }
    }
    world->exchange = exchange;
    world->stripes = stripes;
    if (stripes != NULL) {
        world_find_needs(world);
        if (world->is_sorted) {
            keep_window(world);
        } else {
            keep_share(world);
        }
    }
    return 0;
}
