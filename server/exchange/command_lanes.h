/* The commands that wait for the world, in a lane for each session. The lanes decide which command is taken
 * next and when a step has to end. Pure.
 *
 * 1. A lane is first in, first out. A command that must wait holds its own lane and no other.
 * 2. Commands that change the world (changes) are taken in order of arrival. Queries (get_params, list,
 * inspect) come after them in the same pass, in turns: a session with many queries gets one answer for each
 * answer of another session.
 * 3. A step that was taken is under way until command_lanes_end_step. Until then the other commands of its
 * session wait, and so does every further step and pause.
 * 4. A pause ends all earlier steps, of all sessions; command_lanes_end_steps ends those of one session. All
 * these steps together may go on for COMMAND_GRACE_NS, so that a script that sends short steps and a pause
 * right behind them has its steps whole. That time counts only the ticks of steps (ticking_ns, which the
 * caller measures).
 * 5. A `mouse` without an id replaces its session's last waiting command when that is a `mouse` without an id
 * as well, so a moving mouse never fills the queue. The same holds for `cursor`. A request with an id has an
 * answer of its own and stays.
 * 6. At most `capacity` commands wait, whose requests have at most COMMAND_EXTRA_BYTES of extras (request_extra.h). A pass costs O(lanes), a command taken O(log lanes), a held command
 * nothing.
 */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_LANES_H
#define DROVER_SERVER_EXCHANGE_COMMAND_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/exchange/command.h"

/** The time that the ticks of ending steps may still take. */
#define COMMAND_GRACE_NS UINT64_C(100000000)

/** The extras of the requests that wait. */
#define COMMAND_EXTRA_BYTES ((size_t)64 * 1024 * 1024)

enum command_push {
    COMMAND_QUEUED,   /* the command waits; its answer comes through the event queue */
    COMMAND_REPLACED, /* the request replaced an older mouse or cursor; one answer serves both */
    COMMAND_REFUSED,  /* too many commands wait, or memory is short */
};

/** The sorts of commands; a pass takes one of them or both. COMMAND_QUERY: a query. */
enum command_sort {
    COMMAND_CHANGE = 1,
    COMMAND_QUERY = 2,
    COMMAND_ANY = COMMAND_CHANGE | COMMAND_QUERY,
};

/** Whether a command has what it needs. Called when the command has become the first of its lane, the commands
 * before it are done and its session has no step under way, and again whenever the command could be taken. A
 * command that is not ready waits. */
typedef bool command_is_ready(void *context, struct command *command);

struct command_lane {
    uint32_t session;
    struct command *first, *last;
    uint64_t turn;   /* of the session's last query */
    uint64_t end_ns; /* ticking_ns at which its steps have to end; UINT64_MAX: when they are done */
    struct command_lane *next_in_bucket, *next, *previous; /* lanes in use; next: unused lanes, too */
};

struct command_candidate {
    uint64_t turn, number; /* of the lane's first command: what the heap is ordered by */
    struct command_lane *lane;
};

struct command_lanes {
    size_t count, capacity; /* commands */
    size_t extra_bytes;     /* of the requests of those */
    struct command_lane *lanes, *unused, *used, **buckets;
    uint64_t arrivals, turn;    /* commands so far; the last turn that was taken */
    command_is_ready *is_ready; /* NULL: always */
    void *context;

    struct command_candidate *heap; /* lanes of the pass, the one whose command is next first */
    size_t heap_count;
    uint64_t pass_end;    /* number of the last command before the pass began */
    bool is_dealing;      /* the command taken last may not be done yet */
    unsigned pass_wanted; /* the sorts that the pass wanted then */
    unsigned passed_over; /* unwanted sorts that came to the front of a lane */

    struct command *step;         /* under way; NULL: none. Not owned */
    uint64_t step_end_ns;         /* ticking_ns at which the step has to end for its session */
    uint64_t steps, paused_steps; /* steps that wait or are under way; those before the last pause */
    uint64_t pause, pause_end_ns; /* number of the last pause; ticking_ns at which these steps end */
};

/** 0, or -1 when memory is short. capacity >= 1. */
NODISCARD int command_lanes_init(struct command_lanes *lanes, size_t capacity, command_is_ready *is_ready,
                                 void *context);
/** Frees the waiting commands. */
void command_lanes_fini(struct command_lanes *lanes);
/** Appends a command to its session's lane. Copies the request, whose extra it shares. */
NODISCARD enum command_push command_lanes_push(struct command_lanes *lanes,
                                               const struct command_origin *origin,
                                               const struct request *request, uint64_t ticking_ns);
/** Begins a pass over the commands that wait now. wanted: enum command_sort. */
void command_lanes_begin(struct command_lanes *lanes, unsigned wanted);
/** The next command of the pass, the caller's to free (sim_event_free of its event); NULL at the pass's end.
 * wanted: as in command_lanes_begin; during a pass sorts may be dropped, never added. */
struct command *command_lanes_take(struct command_lanes *lanes, unsigned wanted);
/** The first command of a session, ready or not; NULL when the session has none. A pass under way goes on
 * without that session, and another pass has to follow. */
struct command *command_lanes_take_first(struct command_lanes *lanes, uint32_t session);
/** The commands that were taken are done, but for the step under way. The end of a pass implies it. */
void command_lanes_settle(struct command_lanes *lanes);
/** Removes an answered command, the first of its lane. The pass goes on without its session. */
void command_lanes_drop(struct command_lanes *lanes, const struct command *command);
/** The sorts (enum command_sort) of commands that the pass left although they may be ready: the pass ended or
 * did not want them. */
unsigned command_lanes_left(const struct command_lanes *lanes);
/** Takes out any command, in order within its session, ready or not, to empty the lanes. NULL: no command is
 * left. */
struct command *command_lanes_pop(struct command_lanes *lanes);
/** The step under way was done, ended early or was refused. */
void command_lanes_end_step(struct command_lanes *lanes);
/** Ends the steps of a session that is gone or said bye. */
void command_lanes_end_steps(struct command_lanes *lanes, uint32_t session, uint64_t ticking_ns);
/** The ticking_ns at which the step under way has to end; UINT64_MAX: when it is done. */
uint64_t command_lanes_step_end_ns(const struct command_lanes *lanes);
/** Whether a request is a change or a query. */
enum command_sort command_sort_of(const struct request *request);

#endif
