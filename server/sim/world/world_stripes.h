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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/sim/math/exchange.h"
#include "server/sim/world/world.h"

/** Makes a whole world, the same on all ranks, or one of which each has restored a share, one that they share. Collective.
 *
 * exchange  must live as long as the world; NULL: the world is one process's again, for copies alone
 * returns   0, or -1 without memory: nothing changed on this rank */
NODISCARD int world_join(struct world *world, const struct exchange *exchange);

/** world_join, then brings the agents of a world that is deferred: each rank has a share of them from the first on, and never all.
 * Collective. 0, or -1 without memory: what is left is world_destroy. */
NODISCARD int world_populate(struct world *world, const struct exchange *exchange);

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

/* What a world needs of the ranks that share it in stripes, and which worlds stripes cannot run.
 *
 * An agent sees others in two ways: its zones, and the looks of its behaviors and conditions for the nearest agent of
 * a kind. A rank answers both from the agents it holds: its own, the ghosts in the rows of cells within the halo, and,
 * wherever they are, agents of known kinds and agents that a reference names by id. The nearest agent does not depend
 * on how it is found, so every rank finds the same one.
 *
 * 1. A zone makes the halo at least as wide as it is.
 * 2. A look that is bounded by the halo of the zones costs nothing more.
 * 3. A kind of at most STRIPES_KNOWN_MAX agents that is looked for further than that is known.
 * 4. A larger kind must be looked for within a distance, and the halo becomes as wide.
 * 5. A quarry that is kept may be anywhere: its kind must be known.
 *
 * All of it follows from parameters and populations, not from where agents are: only a command changes it.
 */

enum {
    STRIPES_KNOWN_MAX = 4096, /* agents of a known kind */
    STRIPES_NAMED_MAX = 1024, /* agents that references name by id */
    STRIPES_REFUSAL = 320     /* bytes that hold every sentence */
};

struct stripes_needs {
    float halo;     /* px: how far agents see others of kinds that are not known */
    uint64_t known; /* bit k: each rank holds all agents of kind k */
    int32_t named_count;
    uint32_t named[STRIPES_NAMED_MAX]; /* ids that references name, ascending; the agents need not be there */
};

/** What a world needs as it is; after each command. Of a world that stripes refuse it is less than that. O(agents)
 * where some have own bodies. */
void world_stripes_needs(const struct world *world, struct stripes_needs *needs);

/** Why so many ranks cannot run the world in stripes, and what is allowed: "kind hunter looks for prey at any distance,
 * and there are 200000 of them; allowed: ...". NULL when they can.
 *
 * text, size  receive the sentence, cut where there is less room than STRIPES_REFUSAL
 * returns     text, or NULL */
const char *world_stripes_refusal(const struct world *world, int ranks, char *text, size_t size);
/** The same of the world that there would be after a spawn, or with a parameter of that value. without_memory: what
 * they return when there is no memory to find out. */
const char *world_stripes_refusal_of_spawn(const struct world *world, int ranks, int kind, uint32_t count,
                                           char *text, size_t size);
const char *world_stripes_refusal_of_param(const struct world *world, int ranks, const struct param_ref *ref,
                                           double value, char *text, size_t size);

/* Whether the ranks that share a world have the same bits of what they have several times over.
 *
 * Compared are, in turns, so that all of it was compared once in WORLD_CHECK_TICKS:
 *   - what every rank has: columns by row, targets, kinds and geometry; in copies all of the agents;
 *   - ghosts: of each row of cells in a halo what its owner says of it;
 *   - arithmetic: all ranks do ticks with the same few agents of one of them, apart from the world.
 *
 * A rank with another processor, compiler flag or library, with bad memory, or that received other bytes than were
 * sent, is found; a bit that flipped in an agent of a rank in stripes before the agent was sent belongs to the world,
 * and is not.
 */

/* All is compared once in so many ticks; a share of it every WORLD_CHECK_EVERY ticks. */
enum { WORLD_CHECK_TICKS = 256, WORLD_CHECK_EVERY = 16 };

/** What a check found: the same on all ranks. */
struct rank_difference {
    int rank; /* whose bits are other ones; -1: no rank's */
    int other; /* of two ranks that differ, where nothing says which of them is right: the other one; else -1 */
    const char *what; /* "the ghosts": what differs; static */
};

struct world_check;

/** For a world that ranks share (world_join), and for no other. NULL without memory. */
NODISCARD struct world_check *world_check_new(const struct world *world);
/** NULL is fine. */
void world_check_destroy(struct world_check *check);
/** Compares what is due at this tick, if anything is. Between ticks; collective. Changes nothing in the world. */
struct rank_difference world_check_tick(struct world_check *check, const struct world *world);

#endif
