/* Commands from the loop to the simulation thread: bounded, first in first out.
 *
 * 1. Any number of threads may push, one pops and waits.
 * 2. A `mouse` without an id takes the place of its session's last queued command when that is such a mouse
 * too (and so does a `cursor`), so a hand on a mouse never fills the queue. (With an id each one is owed an
 * answer and stays.)
 * 3. At most `capacity` commands wait; a further push is refused and changes nothing.
 */
#ifndef DROVER_SERVER_COMMAND_QUEUE_H
#define DROVER_SERVER_COMMAND_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/nodiscard.h"
#include "server/command.h"

enum { COMMAND_QUEUE_CAPACITY = 4096 };

enum command_push {
    COMMAND_QUEUED,   /* its answer will come */
    COMMAND_REPLACED, /* it took the place of an older mouse, whose answer will stand for both */
    COMMAND_REFUSED,  /* the queue is full or memory short */
};

struct command_queue_entry {
    uint32_t session;
    bool is_pointer; /* a mouse or a cursor without an id */
    struct command *command;
};

struct command_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct command_queue_entry *entries; /* a ring */
    size_t head, count, capacity;
    bool is_woken;
};

/** 0, or -1 when memory is short. capacity >= 1. */
NODISCARD int command_queue_init(struct command_queue *queue, size_t capacity);
void command_queue_fini(struct command_queue *queue);
/** Copies the request. */
NODISCARD enum command_push command_queue_push(struct command_queue *queue, uint32_t session,
                                               uint64_t sequence, const struct request *request);
/** The oldest command, the caller's to free (outcome_free of its outcome), or NULL. */
struct command *command_queue_pop(struct command_queue *queue);
/** How many wait now. */
size_t command_queue_count(struct command_queue *queue);
/** Ends the wait under way, or the next one. */
void command_queue_wake(struct command_queue *queue);
/** Waits until clock_now_ns() reaches *deadline_ns (NULL: for ever), command_queue_wake, or, when
 * for_commands, until a command waits. */
void command_queue_wait(struct command_queue *queue, const uint64_t *deadline_ns, bool for_commands);

#endif
