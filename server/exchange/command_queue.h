/* Commands from the loop to the simulation thread: command_lanes.h, with a lock and a place to wait.
 *
 * 1. Any number of threads may push and end steps; one takes and waits.
 * 2. A wait ends for what came since the last pass, not for what is held: that would be no wait at all.
 * Whatever lets held commands go on (command_queue_end_step, command_queue_wake) ends it as well.
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

enum { COMMAND_QUEUE_CAPACITY = 4096 };

struct command_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct command_lanes lanes;
    unsigned news; /* enum command_sort: what a pass might take that none has looked at */
    bool is_woken;
    _Atomic uint64_t ticking_ns;  /* spent on the ticks of steps, ever */
    _Atomic uint64_t step_end_ns; /* command_lanes_step_end_ns, to be read without the lock */
};

/** 0, or -1 when memory is short. capacity >= 1. is_ready: NULL, or called under the lock, so it must not
 * call the queue. */
NODISCARD int command_queue_init(struct command_queue *queue, size_t capacity, command_is_ready *is_ready,
                                 void *context);
void command_queue_fini(struct command_queue *queue);
/** Copies the request. */
NODISCARD enum command_push command_queue_push(struct command_queue *queue, uint32_t session,
                                               uint64_t sequence, const struct request *request);
/** See the functions of these names in command_lanes.h. When a pass that began with COMMAND_QUESTION ends
 * with some left because they are not wanted any more, the next wait returns at once. */
void command_queue_begin(struct command_queue *queue, unsigned wanted);
struct command *command_queue_take(struct command_queue *queue, unsigned wanted);
/** After the last take of a pass, also of one that is broken off. */
void command_queue_end_pass(struct command_queue *queue);
struct command *command_queue_pop(struct command_queue *queue);
struct command *command_queue_take_first(struct command_queue *queue, uint32_t session);
void command_queue_settle(struct command_queue *queue);
void command_queue_end_step(struct command_queue *queue);
void command_queue_end_steps(struct command_queue *queue, uint32_t session);
/** Answers a command that is not ready and never will be, the first of its lane; any thread. Its answer is in
 * the event queue before anything that its session sent later is taken. */
void command_queue_answer(struct command_queue *queue, struct command *command, struct buffer *text,
                          struct event_queue *events);
/** Adds what a tick of the step under way took to ticking_ns; what that is now. */
void command_queue_spend(struct command_queue *queue, uint64_t ns);
uint64_t command_queue_ticking_ns(const struct command_queue *queue);
/** Whether the step under way has to end before it is done. Without the lock: before every tick. */
bool command_queue_must_end_step(const struct command_queue *queue);
/** How many wait now. */
size_t command_queue_count(struct command_queue *queue);
/** Ends the wait under way, or the next one. */
void command_queue_wake(struct command_queue *queue);
/** Waits until clock_now_ns() reaches *deadline_ns (NULL: no deadline), command_queue_wake, or until there is
 * news of what is wanted (enum command_sort; 0: of nothing). */
void command_queue_wait(struct command_queue *queue, const uint64_t *deadline_ns, unsigned wanted);

#endif
