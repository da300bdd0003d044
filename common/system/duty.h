/* A duty: a thread that does one piece of work whenever it is ordered, and sleeps otherwise. It takes no signals, those
 * reach the threads that wait for them.
 *
 * 1. What the work uses is the thread's from duty_order on, and the caller's again once duty_is_busy says no.
 * 2. An order that comes while the thread works is done after it; several of them are one.
 * 3. duty_end lets what was ordered be done. Work that is to be left out then asks a flag of its own.
 */
#ifndef DROVER_COMMON_SYSTEM_DUTY_H
#define DROVER_COMMON_SYSTEM_DUTY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "common/base/nodiscard.h"

struct duty {
    void (*work)(void *context);
    void *context;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_ordered, is_ending; /* under the mutex */
    atomic_bool is_busy;        /* ordered, or being done */
};

/** Starts a thread that takes no signals. 0, or -1 when the system has no further one. */
NODISCARD int thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/** Starts the thread. duty: stays where it is until duty_end. 0, or -1 as thread_start; then there is nothing to end. */
NODISCARD int duty_start(struct duty *duty, void (*work)(void *context), void *context);
/** Has the work done, now or after the work in hand. Any thread. */
void duty_order(struct duty *duty);
/** Whether work is ordered or being done. Takes no lock. */
bool duty_is_busy(const struct duty *duty);
/** Waits until it is not. */
void duty_wait(struct duty *duty);
/** Lets the work be done that was ordered, and ends the thread. */
void duty_end(struct duty *duty);

#endif
