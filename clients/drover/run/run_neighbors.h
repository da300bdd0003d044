/* Nearest neighbors and overlaps of discs, for measures: beside the world's own grid, whose cells are those of its
 * behaviors. Pure.
 *
 * Distances are doubles, and on a torus the short way round. The result depends on the points alone, not on the cells. */
#ifndef DROVER_CLIENTS_DROVER_RUN_RUN_NEIGHBORS_H
#define DROVER_CLIENTS_DROVER_RUN_RUN_NEIGHBORS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"

/** Discs in a box. Arrays of `count`; not owned. */
struct run_discs {
    const double *x, *y, *radius; /* px */
    int32_t count;
    bool wraps; /* a torus of width x height; places lie in it */
    double width, height;
};

/** Memory that stays from call to call. Zero is none. */
struct run_cells {
    int32_t *begin, *item; /* owned: by cell its first place in item; the discs by cell */
    int32_t begin_room, item_room;
};
void run_cells_fini(struct run_cells *cells);

struct run_neighbors {
    double
        nearest; /* px: mean distance from a center to the nearest other one; NAN for fewer than two discs */
    uint64_t overlaps; /* pairs of discs whose centers are nearer than the sum of their radii */
};

/** False without memory. */
NODISCARD bool run_neighbors_measure(const struct run_discs *discs, struct run_cells *cells,
                                     struct run_neighbors *out);

#endif
