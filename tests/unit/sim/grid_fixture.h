/* Agents for tests of the grid and of what looks through it. */
#ifndef DROVER_TESTS_GRID_FIXTURE_H
#define DROVER_TESTS_GRID_FIXTURE_H

#include "server/sim/grid.h"

/* Puts agents in, in order of row, and sorts them. motion, kind: by row; there is room for `count`. */
static inline void grid_build(struct grid *grid, const struct bounds *bounds, const struct motion *motion,
                              const uint8_t *kind, int32_t count, float radius) {
    grid->count = 0;
    grid->has_kinds = false;
    for (int32_t row = 0; row < count; row++) {
        grid_append(grid, motion[row], kind[row]);
    }
    grid_resort(grid, bounds, radius);
}

#endif
