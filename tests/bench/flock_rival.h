/* The rival of drover-bench world: the same three rules as most programs implement them. Every agent is an
 * object of its own, cells are lists of pointers, neighbors are gathered into a list, and each rule walks
 * that list.
 */
#ifndef DROVER_TESTS_BENCH_FLOCK_RIVAL_H
#define DROVER_TESTS_BENCH_FLOCK_RIVAL_H

#include <stdint.h>

#include "server/sim/world/world.h"

struct rival;

/** Takes over the agents of a world of one kind with flock as its only behavior, on a torus. */
struct rival *rival_create(const struct world *world);
void rival_destroy(struct rival *rival);
void rival_step(struct rival *rival);
/** The mean distance between its agents and those of the world, px: small when both compute the same. */
double rival_distance(const struct rival *rival, const struct world *world);

#endif
