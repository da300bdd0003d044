/* What a rank has of a world. See world_stripes.h. */
#include "server/sim/world/world_stripes.h"

#include "server/sim/world/world_stripes_inside.h"

const struct exchange *world_exchange(const struct world *world) {
    return world->exchange;
}

bool world_is_partial(const struct world *world) {
    return world->stripes != NULL;
}

bool world_holds(const struct world *world, int32_t row) {
    return world->stripes == NULL || grid_slot(&world->grid, row) >= 0;
}

bool world_owns(const struct world *world, int32_t row) {
    if (world->stripes == NULL) {
        return true;
    }
    const int32_t slot = grid_slot(&world->grid, row);
    return slot >= world->own_begin && slot < world->own_end;
}

struct world_window world_window(const struct world *world) {
    const struct world_stripes *stripes = world->stripes;
    if (stripes == NULL) {
        const int32_t rows = world->is_sorted ? world->grid.down.cells : 0;
        return (struct world_window){.end_row = rows, .rows = rows, .own_end = world->grid.count};
    }
    const int rank = world->exchange->rank;
    return (struct world_window){
        .first_row = stripes->rows > 0 ? stripes->cut[rank] : 0,
        .end_row = stripes->rows > 0 ? stripes->cut[rank + 1] : 0,
        .rows = stripes->rows,
        .halo = stripes->rows > 0 ? stripes->halo : 0,
        .own_begin = world->own_begin,
        .own_end = world->own_end,
        .ghosts = world->grid.count - (world->own_end - world->own_begin),
        .known = world->grid.count - stripes->sorted_end,
        .sorts = stripes->sorts,
        .migrants = stripes->migrants,
        .ghost_ticks = stripes->ghost_ticks,
    };
}
