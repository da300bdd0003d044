/* One world that several ranks share (math/exchange.h).
 *
 * copy: every rank has the whole world; a tick steps a share of the slots on each rank, and the ranks exchange the
 * results.
 *
 * stripes: a rank has a *window*, the rows of cells [first_row, end_row) of the grid, and steps the agents in them, its
 * *own*. It also sees *ghosts*, agents of other ranks: those in the `halo` rows on either side of the window, around
 * the torus too, and the *known*: agents of kinds that others look for wherever they are.
 * 1. Columns by row are whole on every rank, since commands alone change them and every rank applies every command.
 *    What lies by slot is there for own agents and ghosts alone, in the order of the one array that one process has;
 *    the own ones are consecutive slots. grid_slot is -1 for all other rows.
 * 2. Every number that the grid's shape depends on is of the whole world: the same cells, the same order, the same
 *    sums, the same bits, wherever the borders are.
 * 3. A tick that keeps the order of agents moves border rows first, and sends them while the inner ones are moved. A
 *    tick that sorts hands agents over to the ranks whose rows they are in now, any to any.
 * 4. Memory that a rank cannot get ends the program, as a lost rank does.
 *
 * Functions that are *collective* are called by all ranks at once.
 */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_H
#define DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_H

#include "server/sim/math/exchange.h"
#include "server/sim/world/world.h"

/** Makes a whole world, the same on all ranks, one that they share. Collective.
 *
 * exchange  must live as long as the world; NULL: the world is one process's again, for copies alone
 * returns   0, or -1 without memory: nothing changed on this rank */
NODISCARD int world_join(struct world *world, const struct exchange *exchange);

/** NULL: one process. */
const struct exchange *world_exchange(const struct world *world);

/** Whether this rank does not have all agents. */
bool world_is_partial(const struct world *world);

/** Whether this rank steps the agent and answers for it; always in one process and in copies. */
bool world_owns(const struct world *world, int32_t row);

/** Whether there is motion and heading of the agent here: it is one's own or a ghost. */
bool world_holds(const struct world *world, int32_t row);

/** What a rank has. In one process, and in copies: everything. */
struct world_window {
    int32_t first_row, end_row; /* of cells */
    int32_t rows;               /* of the grid; 0: agents are not sorted, and stay with their ranks */
    int32_t halo;               /* rows on either side */
    int32_t own_begin, own_end; /* slots */
    int32_t ghosts, known;      /* agents of others; those of them that are not in the halo */
    uint64_t sorts, migrants;   /* since world_join; agents that came to this rank */
    uint64_t ghost_ticks;       /* ghosts that this rank received, summed over ticks */
};
struct world_window world_window(const struct world *world);

/** Gives `root` the whole world as one process would have it: the same hash, the same future, no exchange. Collective.
 *
 * whole    another world, of world_clone_new's kind, whose memory may grow; NULL on the other ranks
 * returns  0, or -1 on `root` alone: there is no memory */
NODISCARD int world_gather(const struct world *world, int root, struct world *whole);

/* ---- for the files of the core ---- */

/** Leaves own agents alone in the grid, [0, own). Before a command appends or takes out agents: world_sort then brings
 * the ghosts back. An agent that a command adds is appended to the grid on one rank, world_owner_of_new;
 * the others count it (grid.absent). Nothing in one process. */
void world_drop_ghosts(struct world *world);
/** The rank that appends the new agent of this row until the next sort. */
static inline int world_owner_of_new(const struct exchange *exchange, int32_t row) {
    return (int)(row % exchange->ranks);
}

#endif
