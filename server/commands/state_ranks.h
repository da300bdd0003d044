/* The other ranks of a simulation whose world they share (server/sim/math/exchange.h). Rank 0 has the sessions; its
 * state sends *orders* to the others, which do the same with a state of their own.
 *
 * 1. An order is given before rank 0 does the thing itself: what both then do may be collective.
 * 2. All that changes the world goes by four of them: a world is put in (simulation_state_change), a request is applied
 * (command_apply), cursors get other owners (simulation_state_give_cursors), a tick is done (simulation_state_step).
 * 3. simulation_state.ranks is NULL in one process, and on all ranks but rank 0.
 */
#ifndef DROVER_SERVER_COMMANDS_STATE_RANKS_H
#define DROVER_SERVER_COMMANDS_STATE_RANKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/request.h"

struct simulation_state;
struct built_world;
struct rank_difference;
struct command_effects;
struct rank_report;

/** The table of what the others do is in server/cluster/orders.c. */
enum rank_order {
    RANK_ORDER_WORLD,   /* a world is put in; then all join theirs */
    RANK_ORDER_REQUEST, /* a request is applied */
    RANK_ORDER_CURSORS, /* cursors get other owners */
    RANK_ORDER_TICK,    /* a tick is done */
    RANK_ORDER_HASH,    /* world_hash, where it is collective */
    RANK_ORDER_FOLDER,  /* checkpoint_round_check of a path */
    RANK_ORDER_PARTS,   /* checkpoint_round_begin with the path of the head */
    RANK_ORDER_LOOK,    /* checkpoint_round_look */
    RANK_ORDER_GATHER,  /* all give rank 0 what it asks for (state_gather.h) */
    RANK_ORDER_TIMES,   /* all send rank 0 how long their ticks took */
    RANK_ORDER_END,     /* the program ends */
    RANK_ORDER_COUNT
};

/** What goes before the text of a request. */
struct rank_request {
    uint64_t seq, line;
    uint32_t session;
    bool is_paused;
};

/** Rank 0's way to the others. Its functions do not fail: a rank that is lost ends the program. */
struct state_ranks {
    void *context;
    /** The others do this next; the bytes say what more they need. */
    void (*order)(void *context, enum rank_order order, const void *bytes, size_t size);
    /** RANK_ORDER_WORLD for the world that the state got. built: how it was built; its world is the former one. */
    void (*put)(void *context, const struct simulation_state *state, const struct built_world *built);
    /** What came of the last order, a hash or state_ranks_digest: theirs must be the same. */
    void (*check)(void *context, uint64_t digest);
    /** The tick that was ordered last is done here. */
    void (*ticked)(void *context);
    /** RANK_ORDER_TIMES: the reports of all ranks on their ticks (server/simulation/rank_report.h), one a rank; valid
     * until the next call. */
    const struct rank_report *(*tell)(void *context, const struct simulation_state *state);
    /** Ends the program on all ranks, because one of them has other bits than the others (world_stripes.h) at this
     * tick. Does not return. */
    void (*differ)(void *context, const struct rank_difference *difference, uint64_t tick);
    /** Ends the program on all ranks, because of what this one cannot do. Does not return. */
    void (*fail)(void *context, const char *reason);
    /** The program is to end: a rank that hangs is given up after half a second, by way of is_lost. Any thread. */
    void (*hurry)(void *context);
    /** The same, and the tick or order under way takes too long: the ranks end within it, by way of is_lost. Any thread. */
    void (*give_up)(void *context);
    const atomic_bool *is_lost; /* a rank is lost: nothing that is collective returns any more */
};

/** Whether all ranks apply such a request: it changes the world itself, and not only whether and how fast it runs. */
bool state_ranks_share(enum request_op op);
/** The order for a request that the state is about to apply. */
void state_ranks_order_request(const struct simulation_state *state, const struct request *request,
                               uint64_t line);
/** A number for what came of a request, which is the same on all ranks. */
uint64_t state_ranks_digest(const struct simulation_state *state, const struct command_effects *effects);

#endif
