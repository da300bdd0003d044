/* A lookup for solids: which of them can matter at a place, or on a way, so that no query visits all of them.
 *
 * 1. Static: built once from the solids, owns its arrays, no query allocates.
 * 2. The lookup only names candidates, by ascending index and never one too few; computing with these gives
 * the same bits as computing with all solids.
 * 3. Cells fill the world (on a torus), or a box around the world and all solids (otherwise).
 *
 * A cell knows three things: `room`, a distance that every solid has at least from every place in it; the
 * solids that can be the nearest to some place in it; the solids that reach into it.
 */
#ifndef DROVER_SERVER_SIM_SCENERY_SOLID_GRID_H
#define DROVER_SERVER_SIM_SCENERY_SOLID_GRID_H

#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/sim/scenery/obstacles.h"

enum { SOLIDS_MAX = LIMIT_OBSTACLES + LIMIT_WALLS, SOLID_WORDS = (SOLIDS_MAX + 63) / 64 };

/** For every cell a list of solids, ascending: members[begin[cell] .. begin[cell + 1]). */
struct solid_lists {
    int32_t *begin;    /* owned; cells + 1 */
    uint16_t *members; /* owned */
    int32_t capacity;
};

struct solid_grid {
    int32_t columns, rows; /* 0, 0: no solids */
    vec2 origin, cell;     /* px: the upper left corner of all, the size of a cell */
    bool wraps;
    float slack;                       /* px, what rounding may amount to */
    float *room;                       /* owned; px, for every cell */
    struct solid_lists nearest, reach; /* may be nearest; reaches into the cell */
};

/** 0, or -1 without memory (the grid is empty then). count <= SOLIDS_MAX. */
NODISCARD int solid_grid_init(struct solid_grid *grid, const struct solid *solids, int count,
                              const struct bounds *bounds);
void solid_grid_fini(struct solid_grid *grid);

/** The cell of a place, or -1 when it is outside (never on a torus). */
int32_t solid_grid_cell(const struct solid_grid *grid, const struct bounds *bounds, vec2 place);

/** Solids by bit: solid i is bit i % 64 of word i / 64. */
struct solid_set {
    uint64_t words[SOLID_WORDS];
};

/** The solids that a disc may meet on its way (as solid_sweep). False when the way is so long that all
 * solids may as well be compared; the set is empty then. */
bool solid_grid_sweep(const struct solid_grid *grid, const struct bounds *bounds, vec2 place, vec2 way,
                      float length, float radius, struct solid_set *set);

#endif
