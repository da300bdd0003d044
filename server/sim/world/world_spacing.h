/* Where the agents of a new world start when a placement has a spacing: at random, at a place where no body that was placed
 * before is nearer than that. A place that is refused is drawn again from the agent's own random numbers, a bounded number
 * of times; then the first one stays.
 *
 * Every rank computes the places of all agents, so they are the same however many share the world. */
#ifndef DROVER_SERVER_SIM_WORLD_WORLD_SPACING_H
#define DROVER_SERVER_SIM_WORLD_WORLD_SPACING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/sim/world/world.h"

/** Discs in a grid of cells. Zero: nothing has a spacing. */
struct world_spacing {
    vec2 *places;    /* owned, by agent: ids less 1; px */
    float *radii;    /* owned, by agent; px */
    int32_t *behind; /* owned, by agent: the next one in its cell; -1: none */
    int32_t *cells;  /* owned: the first agent of each; -1: none */
    int32_t columns, rows;
    vec2 cell_size;
    int32_t count;       /* of agents placed */
    int32_t unspaced;    /* of these, so many found no place that keeps their spacing */
    int64_t checks_left; /* pairs that are compared at most: then places stay as they are drawn */
};

/** Room for the placements of a definition, when one has a spacing. False without memory; world_spacing_fini is due in
 * both cases. */
NODISCARD bool world_spacing_init(struct world_spacing *spacing, const struct world *world,
                                  const struct world_def *def);
void world_spacing_fini(struct world_spacing *spacing);
/** Places the agents of the next placement, which `spawn` will add, and has spawn->places say where. Nothing happens when
 * nothing has a spacing. */
void world_spacing_place(struct world_spacing *spacing, const struct world *world,
                         const struct placement_def *placement, struct spawn_def *spawn);

#endif
