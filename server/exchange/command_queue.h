/* The queue that carries commands from the loop to the simulation thread: command_lanes.h with a lock and a
 * condition to wait for.
 *
 * 1. Any number of threads may push commands and end steps; one thread takes commands and waits.
 * 2. A wait ends when a command arrives, not because commands are held. The calls that let held commands go
 * on (command_queue_end_step, command_queue_wake) end it as well.
 * 3. A command with a tick is taken as any other; the thread that took it hands it back (command_queue_schedule), to
 * take it again when its tick has come.
 */
#ifndef DROVER_SERVER_EXCHANGE_COMMAND_QUEUE_H
#define DROVER_SERVER_EXCHANGE_COMMAND_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/nodiscard.h"
#include "server/exchange/command_lanes.h"
#include "server/exchange/command_schedule.h"

enum { COMMAND_QUEUE_CAPACITY = 4096 };

struct command_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct command_lanes lanes;
    struct command_schedule schedule;
    uint32_t taken_from;  /* the session of the command taken last, */
    bool has_taken_left;  /* which has left since */
    _Atomic uint64_t due; /* command_schedule_due, to be read without the lock */
    unsigned news;        /* enum command_sort: sorts that arrived since the last pass */
    bool is_woken;
    _Atomic uint64_t ticking_ns;  /* spent on the ticks of steps so far */
    _Atomic uint64_t step_end_ns; /* command_lanes_step_end_ns, to be read without the lock */
};

/** 0, or -1 when memory is short. capacity >= 1. is_ready: NULL, or called under the lock, so it must not
 * call the queue. */
NODISCARD int command_queue_init(struct command_queue *queue, size_t capacity, command_is_ready *is_ready,
                                 void *context);
void command_queue_fini(struct command_queue *queue);
/** Appends a command to its session's lane. Copies the request, whose extra it shares. */
NODISCARD enum command_push command_queue_push(struct command_queue *queue,
                                               const struct command_origin *origin,
                                               const struct request *request);
/** The functions below work as those of command_lanes.h with the same names. When a pass leaves queries
 * because it stopped wanting them, the next wait returns at once. */
void command_queue_begin(struct command_queue *queue, unsigned wanted);
struct command *command_queue_take(struct command_queue *queue, unsigned wanted);
/** Ends a pass, whether or not all commands were taken. */
void command_queue_end_pass(struct command_queue *queue);
struct command *command_queue_pop(struct command_queue *queue);
/** Hands back the command taken last, which waits for its tick. False: there is no room; it is the caller's still. */
NODISCARD bool command_queue_schedule(struct command_queue *queue, struct command *command);
/** Takes one of these commands, when its tick has come or when it was withdrawn (is_withdrawn); NULL: there is none. */
struct command *command_queue_take_due(struct command_queue *queue, uint64_t tick);
/** Withdraws all of them: their world has gone. command_queue_end_steps withdraws those of a session. */
void command_queue_withdraw(struct command_queue *queue);
struct command *command_queue_take_first(struct command_queue *queue, uint32_t session);
void command_queue_settle(struct command_queue *queue);
void command_queue_end_step(struct command_queue *queue);
void command_queue_end_steps(struct command_queue *queue, uint32_t session);
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
