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
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_CHECK_H
#define DROVER_SERVER_SIM_WORLD_WORLD_STRIPES_CHECK_H

#include <stdbool.h>

#include "server/sim/world/world.h"

/* All is compared once in so many ticks; a share of it every WORLD_CHECK_EVERY ticks. */
enum { WORLD_CHECK_TICKS = 256, WORLD_CHECK_EVERY = 16 };

/** What a check found: the same on all ranks. */
struct world_difference {
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
struct world_difference world_check_tick(struct world_check *check, const struct world *world);

#endif
