/* Applies one request to the stage and writes its answer: the only door through which clients reach the
 * world.
 *
 * 1. A request takes effect wholly or not at all: everything that can be refused is refused before anything
 * changes.
 * 2. Pure: no sockets, no files, no clock, no threads. The world of a `load` was ordered before and is in
 * stage->order, which the caller sets; lists of scenarios never come to the stage (command_answer_order).
 * 3. Ops that do not touch the world (subscribe, unsubscribe, ping, bye) are the loop's and never come here
 * (assert).
 * 4. A `step` is only accepted here: the caller does its ticks and then has command_finish_step answer.
 * 5. Whose request it is, is stage->session, which the caller sets; only cursors depend on it.
 */
#ifndef DROVER_SERVER_COMMANDS_COMMAND_APPLY_H
#define DROVER_SERVER_COMMANDS_COMMAND_APPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/request.h"
#include "server/commands/stage.h"

/** What the request did, for those who watch. */
struct command_effects {
    bool changed;   /* a snapshot would look different */
    bool described; /* stage_describe would say something else: agents, parameters, scenario */
    bool paused;    /* the world was running and is paused now */
    bool resumed;   /* and the other way round */
    bool loaded;    /* another world is on the stage */
    bool furnished; /* a target or an obstacle came, moved or went: those who were told before know less */
    uint32_t step_ticks; /* a step was accepted: these are to be done, and nothing is answered yet */
    bool unheeded; /* set_target made no difference: the answer says so (when none is due, it is an event for
                      its session, which needs to know it once) */
    struct message_event
        event; /* what watchers are told; event.event is "" when nothing. tick and by are left out */
};

/** Applies the request. Appends to `out` the reply (when one is due) or the error, one line; `line` is the
 * line number errors carry. */
struct command_effects command_apply(struct stage *stage, const struct request *request, uint64_t line,
                                     struct buffer *out);
/** Appends the reply to a step that was accepted, once its ticks are done. is_stopped: not all of them. The
 * hash of a world that is spoiled is not known. */
void command_finish_step(const struct stage *stage, const struct request *request, bool is_stopped,
                         struct buffer *out);
/** Appends the answer to a request that needs nothing of the world but its tick: a list of scenarios, or a
 * load that failed. */
void command_answer_order(const struct scenario_order *order, const struct request *request, uint64_t line,
                          uint64_t tick, struct buffer *out);

#endif
