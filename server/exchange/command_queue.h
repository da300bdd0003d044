/* What goes between the loop and the simulation thread: events (struct event_queue), and commands in the queue that carries them to
 * the simulation thread, in a lane for each session.
 *
 * Any number of threads may push commands and end steps; one thread takes commands and waits. A wait ends when a
 * command arrives, not because commands are held. The calls that let held commands go on (command_queue_end_step,
 * command_queue_wake) end it as well.
 *
 * The lanes decide which command is taken next and when a step has to end:
 *
 * 1. A lane is first in, first out. A command that must wait holds its own lane and no other.
 * 2. Commands that change the world (changes) are taken in order of arrival. Queries (get_params, list,
 * inspect) come after them in the same pass, in turns: a session with many queries gets one answer for each
 * answer of another session.
 * 3. A step that was taken is under way until command_queue_end_step. Until then the other commands of its
 * session wait, and so does every further step and pause.
 * 4. A pause ends all earlier steps, of all sessions; command_queue_end_steps ends those of one session. All
 * these steps together may go on for COMMAND_GRACE_NS, so that a script that sends short steps and a pause
 * right behind them has its steps whole. That time counts only the ticks of steps (ticking_ns, which the
 * caller measures).
 * 5. A `mouse` without an id replaces its session's last waiting command when that is a `mouse` without an id
 * as well, so a moving mouse never fills the queue. The same holds for `cursor`. A request with an id has an
 * answer of its own and stays.
 * 6. At most `capacity` commands wait, whose requests have at most COMMAND_EXTRA_BYTES of extras
 * (request_extra.h). A pass costs O(lanes), a command taken O(log lanes), a held command nothing.
 *
 * Seats (command_queue_seat) are sessions that take part in each tick. The thread that takes commands says when one of
 * them waits for ticks (command_queue_go): then nothing is taken out of its lane while ticks come, that is, while the queue
 * is shut (command_queue_shut); and nothing of a tick (command_is_of_tick), and no go, before. While it is shut, what
 * other sessions want to do to the world waits as well.
 *
 * A command that waits for a tick of the world (`at`) is taken as any other; the thread that took it hands it back
 * (command_queue_schedule), to take it again when its tick has come:
 *
 * 1. They are due in order of their ticks, and those of one tick in order of arrival.
 * 2. A command that is withdrawn, because its session or its world has gone, is due at once.
 * 3. At most COMMAND_SCHEDULE_CAPACITY wait, whose requests have at most COMMAND_SCHEDULE_EXTRA_BYTES of extras.
 */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_QUEUE_H
#define DROVER_SERVER_EXCHANGE_COMMAND_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/base/limits.h"
#include "common/base/nodiscard.h"
#include "common/protocol/message.h"
#include "common/protocol/request.h"
#include "common/protocol/request_extra.h"

/* The queue from the simulation thread to the loop: answers to commands, events for subscribers, scenario
 * lines.
 *
 * 1. Any thread may push; one thread takes all events at once.
 * 2. Events are taken in the order in which they were pushed.
 * 3. A struct sim_event is malloc'd memory (or the head of a larger malloc'd struct) and owns its text.
 */

enum sim_event_kind {
    SIM_EVENT_ANSWER,   /* the head of a struct command that is done; text: its reply or error, or NULL */
    SIM_EVENT_MESSAGE,  /* a message_event for every subscriber */
    SIM_EVENT_SCENARIO, /* a line for every subscriber, before the first frame of the new epoch */
};

struct sim_event {
    struct sim_event *next;
    enum sim_event_kind kind;
    uint32_t session; /* SIM_EVENT_ANSWER: the session of the command */
    /** The number of the change that it is about (struct simulation_state); when it is about none, of the last change
     * before it. 0: the thread that pushed it does not know. */
    uint64_t seq;
    /** SIM_EVENT_ANSWER: the text is an event, which the session gets once, instead of an answer. */
    bool is_notice;
    /** SIM_EVENT_ANSWER: it leaves when the journal is on disk up to there (simulation_is_safe); 0: at once. */
    uint64_t position;
    /** SIM_EVENT_MESSAGE: for the sessions that asked for `seq` alone. */
    bool is_detail;
    uint32_t revision; /* messages and scenarios: simulation_revision after the change */
    uint32_t epoch;    /* SIM_EVENT_SCENARIO: the epoch that begins, */
    double tick_hz;    /* and its rate */
    /** SIM_EVENT_MESSAGE: owned. The loop adds names and writes the line. */
    struct message_event *message;
    char *text; /* whole lines; owned */
    size_t length;
    /** SIM_EVENT_ANSWER: of the command's request until it is answered; one of its holders. NULL: none. */
    struct request_extra *extra;
};

struct event_queue {
    pthread_mutex_t mutex;
    struct sim_event *first, **last;
};

/** 0, or -1 when the system has no mutex left. */
NODISCARD int event_queue_init(struct event_queue *queue);
/** Frees the events that were not taken. */
void event_queue_fini(struct event_queue *queue);
/** Appends an event and takes ownership of it. */
void event_queue_push(struct event_queue *queue, struct sim_event *event);
/** All events so far, oldest first, as a list (NULL when empty); the caller frees each with
 * sim_event_free. */
struct sim_event *event_queue_take(struct event_queue *queue);

/** An event with the bytes of the buffer, which is empty afterwards. NULL: out of memory. */
NODISCARD struct sim_event *sim_event_create(enum sim_event_kind kind, struct buffer *text);
/** An event with a copy of the message. NULL: out of memory. */
NODISCARD struct sim_event *sim_event_create_message(const struct message_event *message);
void sim_event_free(struct sim_event *event);

/* A request on its way from the loop to the simulation thread. The same memory carries the answer back
 * (struct sim_event), so an answer never fails for want of memory. */

struct scenario_order;

/** Where a request came from. */
struct command_origin {
    uint32_t session;
    uint64_t line;                     /* the number of the request's line */
    char name[LIMIT_PERSON_BYTES + 1]; /* of the session then; "" for none */
};

struct command {
    struct sim_event event; /* first: the answer frees the whole command */
    struct command_origin origin;
    /* While it waits (command_queue.h): */
    uint64_t number;      /* in order of arrival, from 1 */
    uint64_t turn;        /* of a query; 0 for a change */
    bool is_withdrawn;    /* its session has left, or its world: it is not to be applied at its tick */
    struct command *next; /* of the same session */
    struct scenario_order *order; /* the files or world that the command needs; NULL: none yet */
    struct request request;       /* its extra is held by the event */
};

/** Appends the answer to a command, which becomes the queue's: the bytes of text, which is empty afterwards. The request is read no
 * more: its extra goes before the answer does. */
void event_queue_answer(struct event_queue *queue, struct command *command, struct buffer *text);

enum { COMMAND_QUEUE_CAPACITY = 4096 };

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

/** Whether a request is a change or a query. */
enum command_sort command_sort_of(const struct request *request);

/** Whether a request belongs to a tick: it does something to what is in the world, not to its time. */
bool command_is_of_tick(const struct request *request);

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

/** The sessions that have seats. */
struct command_seats {
    uint32_t count;
    bool is_shut;
    struct {
        uint32_t session;
        bool is_going, has_left;
    } rows[LIMIT_SEATS];
};

struct command_candidate {
    uint64_t turn, number; /* of the lane's first command: what the heap is ordered by */
    struct command_lane *lane;
};

/** Guarded by the lock of the queue. */
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

    struct command_seats seats;
    struct command *step;         /* under way; NULL: none. Not owned */
    uint64_t step_end_ns;         /* ticking_ns at which the step has to end for its session */
    uint64_t steps, paused_steps; /* steps that wait or are under way; those before the last pause */
    uint64_t pause, pause_end_ns; /* number of the last pause; ticking_ns at which these steps end */
};

enum { COMMAND_SCHEDULE_CAPACITY = 4096 };
#define COMMAND_SCHEDULE_EXTRA_BYTES ((size_t)64 * 1024 * 1024)

/** Requests that wait for a go: of a seat at most; of all seats together, but for the first ones of each seat. */
enum { COMMAND_SEAT_MOST = 1024, COMMAND_SEATS_MOST = 4096, COMMAND_SEAT_SURE = 128 };

/** No command waits for a tick. */
#define COMMAND_NEVER_DUE UINT64_MAX

/** Guarded by the lock of the queue. */
struct command_schedule {
    struct command *waiting;   /* owned; in the order in which they are due */
    struct command *withdrawn; /* owned; the same */
    size_t count, extra_bytes; /* of both */
};

struct command_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct command_lanes lanes;
    struct command_schedule schedule;
    uint32_t taken_from;  /* the session of the command taken last, */
    bool has_taken_left;  /* which has left since */
    _Atomic uint64_t due; /* the tick from which on one is due, to be read without the lock */
    unsigned news;        /* enum command_sort: sorts that arrived since the last pass */
    bool is_woken;
    _Atomic uint64_t ticking_ns; /* spent on the ticks of steps so far */
    /* The ticking_ns at which the step under way has to end, to be read without the lock; UINT64_MAX: when it is done. */
    _Atomic uint64_t step_end_ns;
};

/** 0, or -1 when memory is short. capacity >= 1: of the lanes. is_ready: NULL, or called under the lock, so it must not
 * call the queue. */
NODISCARD int command_queue_init(struct command_queue *queue, size_t capacity, command_is_ready *is_ready,
                                 void *context);
void command_queue_fini(struct command_queue *queue);
/** Appends a command to its session's lane. Copies the request, whose extra it shares. */
NODISCARD enum command_push command_queue_push(struct command_queue *queue,
                                               const struct command_origin *origin,
                                               const struct request *request);
/** Begins a pass over the commands that wait now. wanted: enum command_sort. */
void command_queue_begin(struct command_queue *queue, unsigned wanted);
/** The next command of the pass, the caller's to free (sim_event_free of its event); NULL at the pass's end, which
 * settles. wanted: as in command_queue_begin; during a pass sorts may be dropped, never added. */
struct command *command_queue_take(struct command_queue *queue, unsigned wanted);
/** Ends a pass, whether or not all commands were taken. When it leaves queries because it stopped wanting them, the
 * next wait returns at once. */
void command_queue_end_pass(struct command_queue *queue);
/** Takes out any command, in order within its session, ready or not, to empty the queue. NULL: no command is left. */
struct command *command_queue_pop(struct command_queue *queue);
/** Hands back the command taken last, which waits for its tick. False: there is no room; it is the caller's still. */
NODISCARD bool command_queue_schedule(struct command_queue *queue, struct command *command);
/** Takes one of these commands, when its tick has come or when it was withdrawn (is_withdrawn); NULL: there is none. */
struct command *command_queue_take_due(struct command_queue *queue, uint64_t tick);
/** Withdraws all of them: their world has gone. */
void command_queue_withdraw(struct command_queue *queue);
/** The first command of a session, ready or not; NULL when the session has none. A pass under way goes on without
 * that session, and another pass has to follow. */
struct command *command_queue_take_first(struct command_queue *queue, uint32_t session);
/** The commands that were taken are done, but for the step under way. */
void command_queue_settle(struct command_queue *queue);
/** The step under way was done, ended early or was refused. */
void command_queue_end_step(struct command_queue *queue);
/** Ends the steps of a session that is gone or said bye, and withdraws its commands that wait for a tick. */
void command_queue_end_steps(struct command_queue *queue, uint32_t session);
/** The session, whose command was taken last, has a seat, or has none any more. */
void command_queue_seat(struct command_queue *queue, uint32_t session, bool is_taken);
/** Whether the session of a seat waits for ticks. */
void command_queue_go(struct command_queue *queue, uint32_t session, bool is_going);
/** Whether what is of a tick waits, of sessions without a seat. */
void command_queue_shut(struct command_queue *queue, bool is_shut);
/** The session is to lose its seat, if it has one; when it can send nothing more (is_silent), only if no go of it is under
 * way or waits. Any thread. */
void command_queue_leave(struct command_queue *queue, uint32_t session, bool is_silent);
/** A session that is to lose its seat, as it left, said bye or asked for it; 0: none. */
uint32_t command_queue_find_left(struct command_queue *queue);
/** Of commands that wait for the same tick, this one comes behind all that came so far. */
void command_queue_renew(struct command_queue *queue, struct command *command);
/** Answers a command that is the first of its lane and will never be ready. Any thread may call it. The answer
 * is in the event queue before a later command of the session is taken. */
void command_queue_answer(struct command_queue *queue, struct command *command, struct buffer *text,
                          struct event_queue *events);
/** Adds the time of a tick of the step under way to ticking_ns; reads ticking_ns. */
void command_queue_spend(struct command_queue *queue, uint64_t ns);
uint64_t command_queue_ticking_ns(const struct command_queue *queue);
/** Whether the step under way has to end before it is done. Takes no lock: called before every tick. */
bool command_queue_must_end_step(const struct command_queue *queue);
/** The number of waiting commands. */
size_t command_queue_count(struct command_queue *queue);
/** Ends the wait under way, or the next one. */
void command_queue_wake(struct command_queue *queue);
/** Waits until clock_now_ns() reaches *deadline_ns (NULL: no deadline), command_queue_wake is called, or a
 * command of a wanted sort (enum command_sort; 0: none) arrives. */
void command_queue_wait(struct command_queue *queue, const uint64_t *deadline_ns, unsigned wanted);

#endif
