/* The state of a simulation: its world, the scenario's texts, pause, cursors. Commands are applied to it
 * (command_apply.h). One thread.
 *
 * `epoch` counts the worlds that were put in, from 1: a snapshot of an earlier epoch is a snapshot of another
 * world.
 */
#ifndef DROVER_SERVER_COMMANDS_SIMULATION_STATE_H
#define DROVER_SERVER_COMMANDS_SIMULATION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "server/commands/event_log.h"
#include "server/scenario/built_world.h"
#include "server/sim/math/parallel.h"
#include "server/sim/world/world.h"

/** The prefix of the names of targets that are cursors; a number follows, from 1. */
#define CURSOR_TARGET_PREFIX "cursor-"

/** The sessions that have a cursor in the world: cursor-N belongs to owners[N - 1], 0 for none. A session gets
 * the smallest number that is free when it points for the first time, so names depend on the requests alone,
 * not on the numbers of sessions. */
struct state_cursors {
    uint32_t owners[LIMIT_TARGETS];
    uint32_t refused[LIMIT_TARGETS]; /* the last sessions that got the error "full" */
    uint32_t refused_count;
};

struct simulation_state {
    struct world *world; /* owned; NULL until the first simulation_state_change */
    char name[LIMIT_NAME_CHARS + 1], title[128], description[512];
    uint32_t epoch;
    bool is_paused;
    uint32_t session; /* whose request is being applied */
    struct state_cursors cursors;
    struct event_log log;        /* events of ticks, not sent yet */
    struct built_world *arrival; /* the world that the load being applied puts in; NULL: none; not owned */
    struct parallel
        parallel; /* shares out the loops of a tick; the caller alone after simulation_state_init */
    const atomic_bool *is_urgent; /* NULL, or says that the world is not wanted any more; not owned */
    bool is_spoiled; /* a tick was given up half done: only what worlds keep from tick to tick holds */
};

void simulation_state_init(struct simulation_state *state);
void simulation_state_fini(struct simulation_state *state);
/** One tick of the world, shared out by state->parallel, unless it is given up (*is_urgent). */
void simulation_state_step(struct simulation_state *state);
/** Puts in a built world; the former one (NULL at first) is in *built afterwards. */
void simulation_state_change(struct simulation_state *state, struct built_world *built);
/** Describes the scenario as it is now, for clients. */
void simulation_state_describe(const struct simulation_state *state, struct message_scenario *out);

#endif
