/* The thread that looks at copies of the world: hashes, checkpoints, saved worlds. The simulation thread only copies.
 *
 * 1. One clone: keeper_take copies the world at a tick boundary when the keeper is idle, and refuses otherwise; the
 * caller asks again at a later boundary. Nothing waits.
 * 2. Copying allocates nothing when keeper_is_ready was asked first: the keeper takes the memory for a world that has
 * grown, or is another one. (The text of another scenario is copied once.)
 * 3. What the keeper makes of a clone goes to keeper_def.on_done, on the keeper's thread. Files are written there
 * too: it may wait for the disk.
 */
#ifndef DROVER_SERVER_SIMULATION_KEEPER_H
#define DROVER_SERVER_SIMULATION_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "server/commands/simulation_state.h"

struct keeper;

/** What is to be made of a clone; bits. */
enum keeper_task {
    KEEPER_HASH = 1,   /* its hash */
    KEEPER_LINE = 2,   /* a checkpoint line */
    KEEPER_MEMORY = 8, /* a checkpoint line, for another use */
    KEEPER_SAVE = 4,   /* a saved world (checkpoint.h) */
};

struct keeper_order {
    unsigned tasks;     /* enum keeper_task */
    uint32_t number;    /* the caller's; comes back in the result, as the next does */
    uint32_t recording; /* the one that a line is for */
};

/** A result. The texts are malloc'd; on_done takes those that it sets to NULL, the keeper frees the others. */
struct keeper_result {
    struct keeper_order order;
    uint32_t epoch; /* of the state whose world it was */
    uint64_t tick, seq;
    uint64_t hash; /* with each task */
    char *line;    /* KEEPER_LINE, KEEPER_MEMORY: with its newline; NULL without memory */
    size_t line_length;
    char *save; /* KEEPER_SAVE: a whole file; NULL without memory */
    size_t save_length;
    uint64_t spent_ns; /* on texts: how long the keeper was busy with them */
};

struct keeper_def {
    void *context;
    void (*on_done)(void *context, struct keeper_result *result);
};

/** Starts the thread; takes memory for clones of the state's world. NULL without memory or threads. */
NODISCARD struct keeper *keeper_create(const struct keeper_def *def, const struct simulation_state *state);
/** Lets the order in hand be done, ends the thread. NULL is fine. */
void keeper_destroy(struct keeper *keeper);
/** Whether keeper_take would be refused. Takes no lock. */
bool keeper_is_busy(const struct keeper *keeper);
/** Whether keeper_take would copy at once. When there is too little memory for the state's world, the keeper takes it
 * meanwhile, and is busy. One thread, between ticks. */
bool keeper_is_ready(struct keeper *keeper, const struct simulation_state *state);
/** Copies the state's world for an order, in memory that is taken now if need be. False when the keeper is busy or there
 * is no memory. One thread, between ticks. */
bool keeper_take(struct keeper *keeper, const struct simulation_state *state, struct keeper_order order);
/** Waits until the order in hand is done. */
void keeper_wait(struct keeper *keeper);

#endif
