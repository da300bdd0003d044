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
#include "server/commands/state_ranks.h"
#include "server/scenario/built_world.h"
#include "server/sim/math/exchange.h"
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

struct request_record;
struct request_seek;
struct request_speed;
struct json_writer;

/** What requests want of the server, not of the world. The caller of command_apply sets it; a function that is NULL
 * is something that this server does not do. Each one adds its members to the open reply. 0, or -1 with *failure. */
struct state_services {
    void *context;
    int (*record)(void *context, const struct request_record *record, struct json_writer *json,
                  struct failure *failure);
    int (*seek)(void *context, const struct request_seek *seek, struct json_writer *json,
                struct failure *failure);
    /* Never fails. Whether the speed is another one than before. */
    bool (*speed)(void *context, const struct request_speed *speed, struct json_writer *json);
    double (*clock_ms)(void *context);      /* the server's clock; frames in replies have it, or 0 */
    uint64_t (*memory_free)(int processes); /* bytes that the machine can still give each of so many */
    int ranks_beside;                       /* struct world_overrides */
    int (*go_live)(void *context, struct failure *failure); /* resume with live, before the world runs */
};

struct state_batch;
struct snapshot_gatherer;

struct simulation_state {
    struct world *world; /* owned; NULL until the first simulation_state_change */
    char name[LIMIT_NAME_CHARS + 1], title[128], description[512];
    struct message_view view;
    struct message_about about;
    double warmup_s; /* of the scenario */
    char *text;      /* owned: the scenario's, NUL-terminated */
    size_t text_length;
    uint32_t epoch;
    uint64_t seq; /* requests that changed the world or its time so far (REQUEST_TRAIT_CHANGES) */
    bool is_paused;
    uint32_t session; /* whose request is being applied */
    struct state_cursors cursors;
    struct event_log log; /* events of ticks, not sent yet */
    struct state_services services;
    struct state_batch *batch;   /* owned (state_batch.h); NULL until the first batch */
    struct built_world *arrival; /* the world that the load being applied puts in; NULL: none; not owned */
    struct parallel
        parallel; /* shares out the loops of a tick; the caller alone after simulation_state_init */
    const atomic_bool *is_urgent;       /* NULL, or says that the world is not wanted any more; not owned */
    const struct exchange *exchange;    /* NULL, or the ranks that share the world; not owned; as parallel */
    const struct state_ranks *ranks;    /* NULL, or the way to the other ranks (state_ranks.h); not owned */
    struct world_check *check;          /* owned; with an exchange: whether the ranks have the same bits */
    struct snapshot_gatherer *gatherer; /* owned (state_gather.h); NULL without an exchange */
    bool is_spoiled; /* a tick was given up half done: only what worlds keep from tick to tick holds */
};

void simulation_state_init(struct simulation_state *state);
void simulation_state_fini(struct simulation_state *state);
/** One tick of the world, shared out by state->parallel, unless it is given up (*is_urgent). */
void simulation_state_step(struct simulation_state *state);
/** Puts in a built world; the former one (NULL at first) is in *built afterwards. */
void simulation_state_change(struct simulation_state *state, struct built_world *built);
/** Whether the ranks that share the state's worlds can share this one. 0, or -1 with *failure (unsupported, field). */
NODISCARD int simulation_state_check(const struct simulation_state *state, const struct built_world *built,
                                     const char *field, struct failure *failure);
/** Shares the state's world with the other ranks, if there are any: after a world was put in, or a clone took its
 * place. */
void simulation_state_join(struct simulation_state *state);
/** Gives the cursors of the world to these sessions. */
void simulation_state_give_cursors(struct simulation_state *state, const uint32_t owners[LIMIT_TARGETS]);
/** world_hash of the state's world, also where it takes all ranks. */
uint64_t simulation_state_hash(const struct simulation_state *state);
/** Describes the scenario as it is now, for clients. */
void simulation_state_describe(const struct simulation_state *state, struct message_scenario *out);

#endif
