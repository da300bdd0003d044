/* Waits for a condition until a time of clock_now_ns. That clock is monotonic: a change of the time of day
 * does not stop the world. */
#ifndef DROVER_COMMON_SYSTEM_TIMED_WAIT_H
#define DROVER_COMMON_SYSTEM_TIMED_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/nodiscard.h"

/** Makes a condition that timed_wait_until can wait for; pthread_cond_destroy ends it. 0, or -1. */
NODISCARD int timed_wait_init(pthread_cond_t *condition);
/** Waits, with the mutex, until the condition is signaled (true; sometimes spuriously) or the deadline has
 * passed (false). */
bool timed_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline_ns);

/* The loop of a thread. In a page, which has one thread, others are functions that are called again and again
 * (web/server/one_thread.c). So a thread's function sleeps by thread_sleep and nothing else when it has nothing to do, keeps in its
 * context what it has to remember, and returns as soon as thread_rests() says so. */

#define THREAD_SLEEP_ENDLESS UINT64_MAX

/** Waits as timed_wait_until, or without end; in a page it returns at once (false), and the thread rests. */
bool thread_sleep(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline_ns);
#if defined(__wasm__)
/** Whether the thread's function is to return now, to be called again. */
bool thread_rests(void);
#else
static inline bool thread_rests(void) {
    return false;
}
#endif

#endif
