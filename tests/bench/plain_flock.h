/* The rival: the same three rules as one writes them first, with objects, pointers and lists.
 *
 * An agent is an object on the heap with everything about it; a cell is a linked list of agents, filled anew
 * each tick; an agent collects its neighbours in a list of pointers and then applies each rule to it, in
 * double buffering as the world has it. Same radii, weights, falloff and force limits; neither states,
 * targets, parameters by name, random numbers nor headings that turn.
 */
#ifndef DROVER_TESTS_PLAIN_FLOCK_H
#define DROVER_TESTS_PLAIN_FLOCK_H

#include <stdint.h>

#include "server/sim/world.h"

struct plain_flock;

/** The agents of a world that has one kind with one flock behaviour; its size must not change. */
struct plain_flock *plain_flock_create(const struct world *world);
void plain_flock_destroy(struct plain_flock *flock);
void plain_flock_step(struct plain_flock *flock);
/** Sum of all neighbours within the largest radius in the last tick. */
int64_t plain_flock_neighbors(const struct plain_flock *flock);

#endif
