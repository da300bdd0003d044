/* The state of a simulation: its world, the scenario's texts, pause, cursors. Commands are applied to it
 * (command_apply.h). One thread.
 *
 * `epoch` counts the worlds that were put in, from 1: a snapshot of an earlier epoch is a snapshot of another
 * world.
 */
#ifndef DROVER_SERVER_COMMANDS_SIMULATION_STATE_H
#define DROVER_SERVER_COMMANDS_SIMULATION_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/snapshot/snapshot.h"
#include "server/frames/snapshot_gather.h"
#include "server/scenario/scenario.h"
#include "server/sim/math/exchange.h"
#include "server/sim/math/parallel.h"
#include "server/sim/world/world.h"

/* The events of ticks, for subscribers: targets that were reached, quarries that were caught, once a second how many agents
 * came by each source and left by each sink; gates that were crossed. At most EVENT_LOG_RATE of gates, and of all the others, in a
 * second of simulated time and EVENT_LOG_MAX of each at once; the next event of the sort says how many were left out. Pure.
 */

enum { EVENT_LOG_RATE = 20, EVENT_LOG_MAX = 20, EVENT_LOG_SORTS = 2 };

struct event_log {
    uint64_t second_ticks, second; /* ticks in a second; which second of the world it is */
    int taken;                     /* events in this second, but those of gates */
    uint32_t entered[LIMIT_SOURCES], left[LIMIT_SINKS]; /* of the world at the last event that said so */
    int count;
    uint32_t left_out;   /* since the last event that said so */
    int crossings_taken; /* the same of gates; not in checkpoints */
    uint32_t crossings_left_out;
    struct message_event events[EVENT_LOG_SORTS * EVENT_LOG_MAX];
};

/** Empty, for the world as it is now. */
void event_log_init(struct event_log *log, const struct world *world);

/* The other ranks of a simulation whose world they share (server/sim/math/exchange.h). Rank 0 has the sessions; its
 * state sends *orders* to the others, which do the same with a state of their own.
 *
 * 1. An order is given before rank 0 does the thing itself: what both then do may be collective.
 * 2. All that changes the world goes by four of them: a world is put in (simulation_state_change), a request is applied
 * (command_apply), cursors get other owners (simulation_state_give_cursors), a tick is done (simulation_state_step).
 * 3. simulation_state.ranks is NULL in one process, and on all ranks but rank 0.
 */

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
    RANK_ORDER_GATHER,  /* all give rank 0 what it asks for */
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

struct request_mark;
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
    /* The world of the request rewind that is being applied is in the state now: adds members to the event as well. */
    void (*rewound)(void *context, struct message_event *event, struct json_writer *json);
    int (*mark)(void *context, const struct request_mark *mark, struct failure *failure);
    void (*list_branches)(void *context, struct json_writer *json);
    void (*list_changes)(void *context, struct json_writer *json);
    /* The seats, all of them or none: one is taken; what go is about may be done; one is left (simulation_internal.h). */
    int (*seat)(void *context, const struct request_seat *seat, struct json_writer *json,
                struct failure *failure);
    int (*go)(void *context, const struct request_go *go, struct failure *failure);
    void (*leave)(void *context, struct json_writer *json);
    void (*list_seats)(void *context, struct json_writer *json);
    /* compare; the event is about the beginning or the end of a comparison, or stays empty. */
    int (*compare)(void *context, const struct request *request, struct message_event *event,
                   struct json_writer *json, struct failure *failure);
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
    char *first_text; /* owned: the text before the first edit, NUL-terminated; NULL: there was none */
    uint32_t epoch;
    uint64_t seq; /* requests that changed the world or its time so far (REQUEST_TRAIT_CHANGES) */
    bool is_paused;
    uint32_t seats;   /* that are taken */
    uint32_t session; /* whose request is being applied */
    struct state_cursors cursors;
    struct event_log log; /* events of ticks, not sent yet */
    struct state_services services;
    struct state_batch *batch;   /* owned; NULL until the first batch */
    struct built_world *arrival; /* the world that the load being applied puts in; NULL: none; not owned */
    struct parallel
        parallel; /* shares out the loops of a tick; the caller alone after simulation_state_init */
    const atomic_bool *is_urgent;       /* NULL, or says that the world is not wanted any more; not owned */
    const struct exchange *exchange;    /* NULL, or the ranks that share the world; not owned; as parallel */
    const struct state_ranks *ranks;    /* NULL, or the way to the other ranks; not owned */
    struct world_check *check;          /* owned; with an exchange: whether the ranks have the same bits */
    struct snapshot_gatherer *gatherer; /* owned; NULL without an exchange */
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
/** The flow at the centers of about square cells, few enough to draw. */
void simulation_state_sample_flow(const struct world *world, const struct flow_def *flow,
                                  struct message_flow *out);
/** Describes the scenario as it is now, for clients. */
void simulation_state_describe(const struct simulation_state *state, struct message_scenario *out);

/* What a state keeps to apply batches: the world as it was before, and the events of the members. */

struct state_batch {
    struct world *before;         /* owned; NULL: no memory is kept for it */
    const char *text;             /* of the state then, while a batch is applied; not owned */
    struct message_event *events; /* owned; of the members of the batch applied last */
    uint32_t event_count, event_room;
};

/* What rank 0 asks of all ranks about the agents of a world that they share in stripes: frames, and answers to queries.
 *
 * Each function gives the order for it (RANK_ORDER_GATHER) and does rank 0's part; the others do theirs in
 * state_gather_follow. Only for a world that is partial (world_is_partial), between ticks.
 */

/** The agents of views, as snapshot_gather. 0, or -1 when memory is short. */
NODISCARD int state_gather_views(const struct simulation_state *state, const struct snapshot_demand *demand,
                                 struct snapshot *out, struct snapshot_extract *extract);
/** The agents of one view, as snapshot_gather_view. */
NODISCARD int state_gather_view(const struct simulation_state *state, const struct snapshot_view *view,
                                uint64_t most, struct snapshot *out, uint64_t *shown);
/** Those of these ids that are there. */
NODISCARD int state_gather_ids(const struct simulation_state *state, unsigned fields, const uint32_t *ids,
                               uint32_t count, struct snapshot *out);
/** What command_inspect_write says of these agents; texts[i] is the caller's, and stays empty for an id that is not
 * there. */
NODISCARD int state_gather_texts(const struct simulation_state *state, const uint32_t *ids, int count,
                                 struct buffer *texts);
/** How many agents of a kind are in this state, as world_count_in_state; also of a world that one process has. */
uint64_t state_count_in_state(const struct simulation_state *state, int kind, int agent_state, uint64_t most);
/** world_count_areas, also of a world that one process has. */
void state_count_areas(const struct simulation_state *state, struct area_count counts[LIMIT_AREAS]);
/** The world as one process would have it, as world_gather. */
NODISCARD int state_gather_world(const struct simulation_state *state, struct world *whole);

/** The part of another rank. bytes: those of the order. 0; or -1 when it has no memory to take part, and the other ranks
 * wait for it. */
NODISCARD int state_gather_follow(const struct simulation_state *state, const void *bytes, size_t size);

#endif
