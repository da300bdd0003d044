/* A uniform grid over the agents of one tick: who may be near a point.
 *
 * 1. Agents are copied into cell order by a stable counting sort: their motion (16 bytes each), kind and row
 * stand side by side, so a query walks memory that is contiguous. A copy's place is its slot. Slots are in
 * ascending order of (cell row, cell column, agent id), and every walk goes through slots in ascending order:
 * this order is part of the contract, since sums of floats depend on it.
 * 2. The grid covers the box of a torus, elsewhere the agents' bounding box, wherever they are. Indices are
 * clamped: nothing lies outside. The number of cells is bounded by the number of agents there is room for.
 * 3. A walk visits every agent within the radius, each once, and others: the caller tests distances.
 * 4. Memory is taken by grid_reserve and nowhere else.
 *
 * Owns its columns (grid_fini).
 */
#ifndef DROVER_SIM_GRID_H
#define DROVER_SIM_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "common/nodiscard.h"
#include "common/vec2.h"
#include "server/sim/edge.h"

/** One direction of the grid: cell = (coordinate - origin) * scale. */
struct grid_axis {
    float origin, scale, size; /* px, cells a px, px */
    int32_t cells;
    bool wraps;
};

struct grid {
    int32_t count, capacity; /* agents */
    int32_t cell_capacity;
    struct grid_axis across, down; /* columns, rows */
    struct motion *motion;         /* by slot */
    int32_t *row;                  /* by slot: the agent's row in the world */
    uint8_t *kind;                 /* by slot */
    float *radius;                 /* by slot: body radius, px; filled by whoever needs it */
    int32_t *slot;                 /* by row */
    int32_t *cell;                 /* by row */
    int32_t *begin;                /* by cell: its first slot; one more entry than cells, and a spare */
};

/** Room for `count` agents; 0 or -1 (nothing changes). */
NODISCARD int grid_reserve(struct grid *grid, int32_t count);
void grid_fini(struct grid *grid);

/** Sorts the agents of tick t in.
 *
 * motion, kind  `count` entries by row; rows in ascending order of id; count <= what was reserved
 * edge          px, > 0: height of a cell; cells are half as wide. Larger where there would be too many cells
 */
void grid_build(struct grid *grid, const struct bounds *bounds, const struct motion *motion,
                const uint8_t *kind, int32_t count, float edge);

struct grid_span {
    int32_t first, last; /* cells, both included */
};

/** A walk through the slots near a point. */
struct grid_walk {
    const struct grid *grid;
    int band_count, piece_count; /* spans of rows, spans of columns: two where a torus wraps */
    struct grid_span bands[2], pieces[2];
    int band, piece;
    int32_t row; /* cell row */
};

struct grid_walk grid_walk_begin(const struct grid *grid, vec2 at, float radius);

/** The next contiguous run of slots [*begin, *end); false when there is none. */
bool grid_walk_next(struct grid_walk *walk, int32_t *begin, int32_t *end);

/** How many runs a walk has at most: what it costs when all are empty. */
int32_t grid_walk_runs(const struct grid_walk *walk);

#endif
