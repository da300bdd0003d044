/* The rows of cells that consecutive slots are in. */
#ifndef DROVER_SERVER_SIM_SPACE_GRID_ROWS_H
#define DROVER_SERVER_SIM_SPACE_GRID_ROWS_H

#include "server/sim/space/grid.h"

/** A row of cells not beyond the one that a slot was sorted into: where its agent is now, mostly. */
static inline int32_t row_before(const struct grid *grid, int32_t slot) {
    int32_t row = grid_axis_cell(&grid->down, grid->motion[slot].y);
    while (grid->begin[row * grid->across.cells] > slot) {
        row--;
    }
    return row;
}

/** The row of cells that a slot is in, and the first slot behind it. *row: one not beyond it; moved on. */
static inline int32_t row_end(const struct grid *grid, int32_t slot, int32_t *row) {
    const int32_t columns = grid->across.cells;
    while (grid->begin[(*row + 1) * columns] <= slot) {
        (*row)++;
    }
    return grid->begin[(*row + 1) * columns];
}

#endif
