/* The agents of one tick as they lie in memory, and a uniform grid over them: which of them may be near a
 * point.
 *
 * 1. Agents lie in slots: motion (16 bytes each), kind and row stand side by side, so a query walks memory
 * that is contiguous. Sorting puts slots in ascending order of (cell row, cell column, agent id); every walk
 * goes through slots in ascending order: this order is part of the contract, since sums of floats depend on
 * it.
 * 2. The order is a function of the positions alone that agents had when they were sorted. They are moved
 * from slot to slot by a stable counting sort, so most of them hardly move; the few cells in which an agent
 * arrived are put in order of id afterwards. Between two sorts agents may move on in their slots: walks reach
 * further by as much as any agent may have drifted.
 * 3. The grid covers the box of a torus, elsewhere the agents' bounding box, wherever they are. Indices are
 * clamped: nothing lies outside. The number of cells is bounded by the number of agents, so that it does not
 * depend on how much room earlier agents have left.
 * 4. A walk visits every agent within the radius, each once, and others: the caller tests distances.
 * 5. Memory is taken by grid_reserve and nowhere else.
 * 6. Once *given_up is true no walk begins and sorting stops half done: what comes of it is thrown away.
 *
 * Owns its columns (grid_fini).
 */
#ifndef DROVER_SERVER_SIM_SPACE_GRID_H
#define DROVER_SERVER_SIM_SPACE_GRID_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "common/base/vec2.h"
#include "server/sim/math/parallel.h"
#include "server/sim/space/edge.h"

enum {
    GRID_AXIS_CELLS_MAX = 16384, /* so that rounding moves a cell's border by far less than a walk's slack */
    GRID_PARTS = 8,
    GRID_SPARE = 64 /* readable slots behind the last one */
};

struct grid_span {
    int32_t first, last; /* cells, both included */
};

/** One direction of the grid: cell = (coordinate - origin) * scale. */
struct grid_axis {
    float origin, scale, size; /* px, cells a px, px */
    int32_t cells;
    bool wraps;
};

/** Where each row is; behind a pointer, so that a reader may bring it up to date. */
struct grid_lookup {
    int32_t *slot; /* by row */
    bool is_fresh;
};

/* What there is one of a slot: the members of struct grid, their room, freeing and clones.
 * X(type, name, copied): copied into a clone, or of no use between ticks.
 *
 * motion  tick t
 * next    tick t+1 in the making
 * row     the agent's row in the world
 * radius  body radius, px; filled by the world
 * key     of the sort: the cell at t+1; then cells to put in order
 * spare_row, spare_kind: of the sort */
#define GRID_COLUMNS(X)                                                                                      \
    X(struct motion, motion, true)                                                                           \
    X(struct motion, next, false)                                                                            \
    X(int32_t, row, true)                                                                                    \
    X(uint8_t, kind, true)                                                                                   \
    X(float, radius, true)                                                                                   \
    X(int32_t, spare_row, false)                                                                             \
    X(uint8_t, spare_kind, false)                                                                            \
    X(int32_t, key, false)

struct grid {
    int32_t count, capacity; /* agents */
    int32_t absent;          /* agents of the world that are not here: others have them (world_stripes.h) */
    struct grid_axis across, down; /* columns, rows */
#define GRID_MEMBER(type, name, copied) type *name;
    GRID_COLUMNS(GRID_MEMBER)
#undef GRID_MEMBER
    int32_t *begin; /* by cell: its first slot; one more entry than cells */
    bool has_kinds; /* kinds differ */
    bool has_cells; /* key holds the cells of t+1 already, of a grid like that of tick t */
    float drift;    /* px: at most so far is an agent from where it was when it was sorted; 0:
                       the order of slots is a function of the positions */
    struct grid_lookup *lookup;
    const atomic_bool *given_up; /* NULL, or true once another thread gives the result up */

    /* Of the sort. */

    int32_t *cursor[GRID_PARTS]; /* by cell, for each part of the slots: where its next agent goes */
    int32_t *shared;             /* cells with agents of several parts */
};

/** The most cells for so many agents. */
static inline int32_t grid_cells_max(int32_t count) {
    return 2 * count + 64;
}

/** Room for `count` agents; 0 or -1 (nothing changes). */
NODISCARD int grid_reserve(struct grid *grid, int32_t count);
void grid_fini(struct grid *grid);

/** Copies all that matters between ticks into the memory of `to`, which must have room for from->count
 * agents. Allocates nothing. *given_up stays that of `to`. */
void grid_clone(struct grid *to, const struct grid *from);

/** One more agent, of the row behind those of all others, in slot `count`; unsorted. */
void grid_append(struct grid *grid, struct motion motion, uint8_t kind);

/** Takes rows out. new_row: by row, where it goes, -1 for those that leave. Slots keep their order. */
void grid_compact(struct grid *grid, const int32_t *new_row);

/** Tick t+1 becomes tick t, in the old order: no agent moved further than `step` px, on a torus the short
 * way. Walks remain right. */
void grid_advance(struct grid *grid, float step);

/** Tick t+1 becomes tick t, sorted.
 *
 * radius  px, > 0: of the widest walks there will usually be. Cells are a little higher, and half as wide;
 *         larger where there would be too many */
void grid_sort(struct grid *grid, const struct bounds *bounds, float radius, const struct parallel *parallel);

/** How many cells a grid of so many agents has that covers a box of this size. radius: as above. */
int32_t grid_cells_of(int32_t count, vec2 size, bool wraps, float radius);
/* grid_sort in steps, for agents that are here in part alone (absent): the shape is that of the grid of all, and
 * `begin` has the cells of the rows in which agents are here. */

struct grid_box {
    vec2 low, high; /* px */
};

/** The smallest box that has the agents in slots [begin, end) at t+1; begin < end. */
struct grid_box grid_box_of(const struct grid *grid, int32_t begin, int32_t end);

/** Chooses cells for so many agents, those that are absent counted. box: that of all agents; of no matter on a torus. */
void grid_choose(struct grid *grid, const struct bounds *bounds, struct grid_box box, float radius);

/** Fills key with the cells of t+1 of slots [begin, end), unless has_cells says that it has them. */
void grid_find_cells(struct grid *grid, int32_t begin, int32_t end, const struct parallel *parallel);

/** The rest of grid_sort: key has the cells of all agents, in rows of `rows`, ascending, at most GRID_HELD_SPANS. Of
 * all other rows begin has the first cell alone: as if they had no agents. */
enum { GRID_HELD_SPANS = 2 };
void grid_sort_rows(struct grid *grid, const struct grid_span *rows, int count,
                    const struct parallel *parallel);

/** Sorts tick t. */
void grid_resort(struct grid *grid, const struct bounds *bounds, float radius);

/** Whether another thread gave up the work under way. Loops that may take long check it. */
static inline bool grid_is_given_up(const struct grid *grid) {
    return grid->given_up != NULL && atomic_load_explicit(grid->given_up, memory_order_relaxed);
}

/** Brings the lookup up to date. */
void grid_look_up(const struct grid *grid, const struct parallel *parallel);

/** The slot of a row; -1: its agent is not here. Brings the lookup up to date if need be: several threads may call this
 * at once only after grid_look_up, or after one call. */
int32_t grid_slot(const struct grid *grid, int32_t row);

/** Where agents were that have been sorted since grid_look_up. from: of slots [begin, end), the slot that each
 * agent was in then. Looks these agents up where they are now: of each slot once, in parts that may run side
 * by side; then grid_followed. */
void grid_follow(const struct grid *grid, int32_t begin, int32_t end, int32_t *from);
void grid_followed(const struct grid *grid);

/** The cell of a coordinate; beyond a border the outermost. */
static inline int32_t grid_axis_cell(const struct grid_axis *axis, float coordinate) {
    const float cell = (coordinate - axis->origin) * axis->scale, last = (float)(axis->cells - 1);
    /* At the upper border rounding gives `cells` itself. */
    const float low = cell > 0.0f ? cell : 0.0f;
    return (int32_t)(low < last ? low : last);
}

#define GRID_SLACK    1.001f /* a walk reaches a little further than its radius, to outdo rounding */
#define GRID_ROUNDING 1e-6f  /* px for each px of a coordinate; floats are ten times as exact */

/** How far a walk reaches along an axis, px. Coordinates are not beyond the axis by more than its size. */
static inline float grid_reach(const struct grid_axis *axis, float radius) {
    const float origin = axis->origin < 0.0f ? -axis->origin : axis->origin;
    return radius * GRID_SLACK + GRID_ROUNDING * (1.0f + 2.0f * (origin + axis->size));
}

/** Cells that a walk from anywhere in a cell may reach on either side. */
static inline int32_t grid_reach_cells(const struct grid_axis *axis, float radius) {
    const float cells = grid_reach(axis, radius) * axis->scale;
    return cells < (float)axis->cells ? (int32_t)cells + 1 : axis->cells;
}

/** The cells from one coordinate to another, low <= high, on a torus at most its size beyond its borders: one
 * span, or two, the lower one first, where the torus wraps. */
int grid_axis_spans(const struct grid_axis *axis, float low, float high, struct grid_span spans[2]);

/** A walk through the slots near a point. */
struct grid_walk {
    const struct grid *grid;
    int band_count, piece_count; /* spans of rows, spans of columns: two where a torus wraps */
    struct grid_span bands[2], pieces[2];
    int band, piece;
    int32_t row; /* cell row */
};

/** The cell of an agent. */
static inline int32_t grid_cell(const struct grid *grid, const struct motion *motion) {
    return grid_axis_cell(&grid->down, motion->y) * grid->across.cells +
           grid_axis_cell(&grid->across, motion->x);
}

/** Begins a walk over the runs of slots near a place; it visits no agents once *given_up is true. */
void grid_walk_begin(struct grid_walk *walk, const struct grid *grid, vec2 at, float radius);

/** The next contiguous run of slots [*begin, *end); false when there is none. */
static inline bool grid_walk_next(struct grid_walk *walk, int32_t *begin, int32_t *end) {
    if (walk->piece == walk->piece_count) {
        walk->piece = 0;
        walk->row++;
    }
    if (walk->row > walk->bands[walk->band].last) {
        if (++walk->band == walk->band_count) {
            return false;
        }
        walk->row = walk->bands[walk->band].first;
    }
    const struct grid_span piece = walk->pieces[walk->piece++];
    const int32_t *row = walk->grid->begin + (ptrdiff_t)walk->row * walk->grid->across.cells;
    *begin = row[piece.first];
    *end = row[piece.last + 1];
    return true;
}

/** How many runs a walk has at most: what it costs when all are empty. */
int32_t grid_walk_runs(const struct grid_walk *walk);

/* The rows of cells that consecutive slots are in. */

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
