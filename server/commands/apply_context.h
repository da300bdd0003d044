/* The context in which a request is applied: the state, the request, the open reply, the effects. The
 * handlers of command_handlers.h and command_apply.c share it.
 */
#ifndef DROVER_SERVER_COMMANDS_APPLY_CONTEXT_H
#define DROVER_SERVER_COMMANDS_APPLY_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/failure.h"
#include "common/json/json_writer.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/protocol/request_extra.h"
#include "server/commands/simulation_state.h"

/** The changes that a request made. */
struct command_effects {
    bool changed;         /* a snapshot would look different */
    bool described;       /* simulation_state_describe gives another text: agents, parameters, scenario */
    bool paused;          /* the world was running and is paused now */
    bool resumed;         /* the world was paused and is running now */
    bool loaded;          /* another world replaced the running one */
    bool scenery_changed; /* a target or an obstacle was added, moved or removed: sent descriptions are old */
    uint32_t step_ticks;  /* a step was accepted: its ticks, after which it gets its answer */
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
struct message_event *apply_tell(struct apply *apply, const char *name, unsigned has);
/** The same with a place, as the request had it or as the world keeps it; px. */
struct message_event *apply_tell_place(struct apply *apply, const char *name, unsigned has, vec2 place);
/** The same with a target's name and place. */
void apply_tell_target(struct apply *apply, const char *name, int target);
/** Ends a request that added, moved or removed a target or an obstacle: effects and "tick". */
void apply_finish_geometry(struct apply *apply);

/** 0 when all agents of the columns exist; otherwise -1 and apply->failure, whose field names the first that does
 * not. */
int apply_find_columns_agents(struct apply *apply, const struct request_columns *columns);

/* Each function sets apply->failure and returns -1. */
int apply_fail_memory(struct apply *apply);
int apply_fail_agent(struct apply *apply, uint32_t id);
int apply_fail_world(struct apply *apply, enum world_result result);

#endif
