/* The agents of the kinds that others look for, each kind by where its agents are: what a search for the
 * nearest agent of a kind visits (kernels.h).
 *
 * 1. The index is of one tick: it is built from the positions of tick t when the tick begins, and is of no
 * use afterwards. It is neither saved nor hashed nor cloned.
 * 2. Each kind has cells of its own, about as high as its agents are looked for, and an entry for each of its
 * agents, in order of (cell row, cell column, slot). Only a kind that most agents are of, and that is not `known`,
 * is looked for in the cells of the grid, where its entries are slots, those of other kinds among them.
 * 3. Memory is taken by sight_index_reserve and nowhere else.
 *
 * Owns its columns (sight_index_fini).
 */
#ifndef DROVER_SERVER_SIM_SPACE_SIGHT_INDEX_H
#define DROVER_SERVER_SIM_SPACE_SIGHT_INDEX_H

#include "server/sim/space/grid.h"

/** The agents of one kind. Entries are those of the index from `first_entry` on. */
struct sight_kind {
    struct grid_axis across, down; /* columns, rows */
    float near;      /* px: a circle of this size holds a dozen agents, were they spread evenly */
    float reach;     /* px, > 0: how far its agents are looked for */
    int32_t count;   /* agents; 0: no agent of the kind is looked for */
    bool is_in_grid; /* entries are slots, and cells those of the grid */
    int32_t first_entry, first_cell;
    const int32_t *begin; /* by cell: its first entry; borrowed from the index or the grid */
};

/* One entry an agent that is looked for: the members of struct sight_index, their room and freeing.
 * row is a float so that lanes can compare it; it is exact, since there are no more than SIGHT_ROWS. */
#define SIGHT_COLUMNS(X)                                                                                     \
    X(float, x)                                                                                              \
    X(float, y)                                                                                              \
    X(float, row)                                                                                            \
    X(int32_t, slot)                                                                                         \
    X(int32_t, listed) /* of the building: the slots of all entries */

struct sight_index {
    int32_t capacity; /* agents */
    struct sight_kind kinds[LIMIT_KINDS];
#define SIGHT_MEMBER(type, name) type *name;
    SIGHT_COLUMNS(SIGHT_MEMBER)
#undef SIGHT_MEMBER
    int32_t *begin; /* by cell, of each kind one more than it has cells: its first entry */
};

enum { SIGHT_ROWS = 1 << 24 /* rows that floats hold exactly */ };

/** Room for `count` agents, at most SIGHT_ROWS; 0 or -1 (nothing changes). is_written: memory that the system has given already, so that no
 * tick waits for it; otherwise only what an index needs is ever taken. */
NODISCARD int sight_index_reserve(struct sight_index *index, int32_t count, bool is_written);
/** Bytes that room for so many agents takes. */
uint64_t sight_index_bytes(int32_t count);
void sight_index_fini(struct sight_index *index);

/** Builds the index of the agents in a grid.
 *
 * reach       px, by kind: how far its agents are looked for; 0: how far `near` is; < 0: they are not looked for
 * population  by kind: how many agents the grid has
 * known       kinds, a bit each, whose agents are looked for in cells that the grid may have no agents of */
void sight_index_build(struct sight_index *index, const struct grid *grid, const float reach[LIMIT_KINDS],
                       const int32_t population[LIMIT_KINDS], uint64_t known);

/** A rectangle of cells. */
struct sight_area {
    struct grid_span bands[2], pieces[2]; /* rows, columns: two where a torus wraps */
    int band_count, piece_count;
    bool wraps; /* a difference may be shorter the other way round */
};

/** The cells of a kind in which all its agents within `radius` px of the box [low, high] are. */
struct sight_area sight_area_of(const struct sight_kind *kind, vec2 low, vec2 high, float radius);

/** How many entries the cells of an area have. */
int32_t sight_area_entries(const struct sight_kind *kind, const struct sight_area *area);

#endif
