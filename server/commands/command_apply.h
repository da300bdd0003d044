/* Applies one request to the simulation state and writes its answer: the only way in which clients reach the
 * world.
 *
 * 1. A request takes effect wholly or not at all: all checks come before the first change.
 * 2. Pure: no sockets, no files, no clock, no threads. The world of a `load` was built before and is
 * state->arrival, which the caller sets; lists of scenarios are answered elsewhere (scenario_builder.h).
 * 3. Ops that do not touch the world (subscribe, unsubscribe, ping, bye) are the loop's and never come here
 * (assert).
 * 4. A `step` is only accepted here: the caller does its ticks and then calls command_finish_step.
 * 5. state->session, which the caller sets, is the session of the request; only cursors depend on it.
 */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_APPLY_H
#define DROVER_SERVER_COMMANDS_COMMAND_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/failure.h"
#include "common/base/nodiscard.h"
#include "common/json/json_writer.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/protocol/request_extra.h"
#include "server/commands/simulation_state.h"

/* The context in which a request is applied: the state, the request, the open reply, the effects. The
 * handlers of command_internal.h and command_apply.c share it.
 */

/** The changes that a request made. */
struct command_effects {
    bool changed;         /* a snapshot would look different */
    bool described;       /* simulation_state_describe gives another text: agents, parameters, scenario */
    bool paused;          /* the world was running and is paused now */
    bool resumed;         /* the world was paused and is running now */
    bool loaded;          /* another world replaced the running one */
    bool edited;          /* the world goes by another document: kinds have other indices, perhaps */
    bool scenery_changed; /* a target or an obstacle was added, moved or removed: sent descriptions are old */
    uint32_t step_ticks;  /* a step or a go was accepted: its ticks, after which it gets its answer */
    bool unheeded; /* set_target made no difference: the answer says so (when none is due, it is an event for
                      its session, which needs to know it once) */
    uint64_t seq;  /* the number of the change; 0: the request was refused, or is about something else */
    const struct message_event *events; /* of the members of a batch; the state's, until its next request */
    uint32_t event_count;
    struct message_event event; /* for subscribers; event.event is "" for none. Without tick and by */
};

/** The argument of every handler. */
struct apply {
    struct simulation_state *state;
    const struct request *request;
    struct json_writer *json; /* the open reply */
    struct command_effects effects;
    struct failure failure;
    bool is_told; /* the session got this failure before: no error unless the request has an id */
};

/** Writes the number of ticks done, the reply's "tick", when the request has taken effect. */
void apply_write_tick(struct apply *apply);
/** Writes the reply's "x" and "y", px. */
void apply_write_point(struct apply *apply, vec2 point);
/** The event that subscribers get about this request. has: enum message_event_has. */
struct message_event *apply_send(struct apply *apply, const char *name, unsigned has);
/** The same with a place, as the request had it or as the world keeps it; px. */
struct message_event *apply_send_place(struct apply *apply, const char *name, unsigned has, vec2 place);
/** The same with a target's name and place. */
void apply_send_target(struct apply *apply, const char *name, int target);
/** Ends a request that added, moved or removed a target or an obstacle: effects and "tick". */
void apply_finish_geometry(struct apply *apply);

/** 0 when all agents of the columns exist; otherwise -1 and apply->failure, whose field names the first that does
 * not. */
int apply_find_columns_agents(struct apply *apply, const struct request_columns *columns);

/* Each function sets apply->failure and returns -1. */
int apply_fail_memory(struct apply *apply);
int apply_fail_agent(struct apply *apply, uint32_t id);
int apply_fail_world(struct apply *apply, enum world_result result);

/* The handlers of ops, for the world. */

typedef int command_handler(struct apply *apply);

/** Whether exactly the ops with REQUEST_TRAIT_WORLD have a handler; *wrong is an op for which this does not
 * hold, otherwise untouched. */
bool command_table_is_whole(enum request_op *wrong);

/* The condition that ends a step before its count. Pure. */

/** What has been seen of a step so far; zero at its begin. */
struct command_until {
    uint32_t caught;
};

/** After each tick of the step: the name of the condition, "caught", when it is true now; NULL otherwise. Of a state that
 * another request took away it is never true. */
const char *command_until_met(struct command_until *until, const struct request_step *step,
                              const struct simulation_state *state);

/** Adds to the open reply of `export` what it says of a world that is called so. document: its scenario's text, the white space of which
 * is taken out; lost: NULL, or an array of what it does not say (scenario_write_now). */
void command_export_write(const struct world *world, const char *name, char *document, size_t length,
                          const char *lost, struct json_writer *json);

/** Applies the request. Appends to `out` the reply (when one is due) or the error, one line; `line` is the
 * line number errors carry. */
struct command_effects command_apply(struct simulation_state *state, const struct request *request,
                                     uint64_t line, struct buffer *out);
/** The same without an answer; 0, or -1 with *failure. */
NODISCARD int command_apply_quietly(struct simulation_state *state, const struct request *request,
                                    struct failure *failure);
/** Whether requests of this op add, move or remove obstacles: of several that follow each other, way fields are rebuilt once
 * (world_hold_ways). */
bool command_moves_obstacles(enum request_op op);
/** Appends the reply to an accepted step after its ticks. is_stopped: not all of them were done. met: the condition that
 * ended it (command_until_met), or NULL. The reply has no hash when the world is spoiled, and `frame` is null then. */
void command_finish_step(const struct simulation_state *state, const struct request *request, bool is_stopped,
                         const char *met, struct buffer *out);
/** The same to an accepted go. waited_ms: for how long its ticks waited. */
void command_finish_go(const struct simulation_state *state, const struct request *request, bool is_stopped,
                       double waited_ms, struct buffer *out);

#endif
