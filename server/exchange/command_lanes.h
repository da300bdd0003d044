/* Commands that wait for the world, a lane for each session: which may be taken next, and when a step has to
 * end. Pure.
 *
 * 1. A lane is first in, first out. A command that must wait holds its own lane and no other.
 * 2. What changes the world is taken in order of arrival. Questions (get_params, list, inspect) come after it
 * in the same pass, in turns: a session that asks a lot is answered once for each answer of the others.
 * 3. A step that was taken is under way until command_lanes_end_step. Until then everything else of its
 * session waits, and so does every further step and pause.
 * 4. A pause ends all steps that came before it, of all sessions; command_lanes_end_steps ends those of a
 * session. They may go on for COMMAND_GRACE_NS, all together, so that a script that sends short steps and
 * something that ends them right behind has its steps whole. That time is measured by the caller's clock of
 * what it spent on the ticks of steps (ticking_ns): what else the world was busy with does not count.
 * 5. A `mouse` without an id takes the place of its session's last waiting command when that is such a mouse
 * too (and so does a `cursor`), so a hand on a mouse never fills the queue. (With an id each one has an
 * answer of its own and stays.)
 * 6. At most `capacity` commands wait. A pass costs O(lanes), a command taken O(log lanes): what is held
 * costs nothing.
 */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_LANES_H
#define DROVER_SERVER_EXCHANGE_COMMAND_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/exchange/command.h"

/** How long ticks of steps may still take once they are to end. */
#define COMMAND_GRACE_NS UINT64_C(100000000)

enum command_push {
    COMMAND_QUEUED,   /* its answer will come */
    COMMAND_REPLACED, /* it took the place of an older mouse, whose answer will stand for both */
    COMMAND_REFUSED,  /* too many wait, or memory is short */
};

/** What a pass takes: one of these or both. */
enum command_sort {
    COMMAND_CHANGE = 1,
    COMMAND_QUESTION = 2,
    COMMAND_ANY = COMMAND_CHANGE | COMMAND_QUESTION,
};

/** Asked of a command as soon as it is the first of its lane, what was taken from there before has been dealt
 * with and its session has no step under way, and again whenever it could be taken: whether what it needs is
 * there. One that is not ready waits. */
typedef bool command_is_ready(void *context, struct command *command);

struct command_lane {
    uint32_t session;
    struct command *first, *last;
    uint64_t turn;   /* of its last question */
    uint64_t end_ns; /* ticking_ns at which its steps have to end; UINT64_MAX: when they are done */
    struct command_lane *next_in_bucket, *next, *previous; /* of those in use; next: of the unused */
};

struct command_candidate {
    uint64_t turn, number; /* of the lane's first command: what the heap is ordered by */
    struct command_lane *lane;
};

struct command_lanes {
    size_t count, capacity; /* commands */
    struct command_lane *lanes, *unused, *used, **buckets;
    uint64_t arrivals, turn;    /* commands that ever came; the furthest turn that was taken */
    command_is_ready *is_ready; /* NULL: always */
    void *context;

    struct command_candidate *heap; /* of the pass: whose command may be next, the next one first */
    size_t heap_count;
    uint64_t pass_end;    /* number of the last command that had come when the pass began */
    bool is_dealing;      /* what was taken last may not be dealt with yet */
    unsigned pass_wanted; /* what it was to take then */
    unsigned passed_over; /* sorts that came to the front of a lane and were not what it was to take */

    struct command *step;         /* under way; NULL: none. Not owned */
    uint64_t step_end_ns;         /* ticking_ns at which its session has it end */
    uint64_t steps, paused_steps; /* that wait or are under way; those that came before the last pause */
    uint64_t pause, pause_end_ns; /* number of the last pause; ticking_ns at which those have to end */
};

/** 0, or -1 when memory is short. capacity >= 1. */
NODISCARD int command_lanes_init(struct command_lanes *lanes, size_t capacity, command_is_ready *is_ready,
                                 void *context);
/** Frees what waits. */
void command_lanes_fini(struct command_lanes *lanes);
/** Copies the request. */
NODISCARD enum command_push command_lanes_push(struct command_lanes *lanes, uint32_t session,
                                               uint64_t sequence, const struct request *request,
                                               uint64_t ticking_ns);
/** Begins a pass over what waits now. wanted: enum command_sort. */
void command_lanes_begin(struct command_lanes *lanes, unsigned wanted);
/** The next command of the pass, the caller's to free (sim_event_free of its event); NULL at its end. wanted:
 * the argument of command_lanes_begin, or, from some point on, less. */
struct command *command_lanes_take(struct command_lanes *lanes, unsigned wanted);
/** The first command of a session, ready or not, also in the middle of a pass, which goes on without that
 * session; NULL when it has none. Another pass has to follow. */
struct command *command_lanes_take_first(struct command_lanes *lanes, uint32_t session);
/** What was taken is dealt with, but for the step under way. So it is at the end of a pass, too. */
void command_lanes_settle(struct command_lanes *lanes);
/** Takes this command, the first of its lane, out: it was answered. The pass goes on without its session. */
void command_lanes_drop(struct command_lanes *lanes, const struct command *command);
/** Which sorts the pass left, though they may be ready, because it ended or did not want them: enum
 * command_sort. */
unsigned command_lanes_left(const struct command_lanes *lanes);
/** Any command, in order within its session, ready or not: to get rid of all. NULL when there is none. */
struct command *command_lanes_pop(struct command_lanes *lanes);
/** The step that is under way was done, or ended early, or refused. */
void command_lanes_end_step(struct command_lanes *lanes);
/** The session is gone, or said bye. */
void command_lanes_end_steps(struct command_lanes *lanes, uint32_t session, uint64_t ticking_ns);
/** The ticking_ns at which the step under way has to end; UINT64_MAX: when it is done. */
uint64_t command_lanes_step_end_ns(const struct command_lanes *lanes);
/** What the request is to the world. */
enum command_sort command_sort_of(const struct request *request);

#endif
