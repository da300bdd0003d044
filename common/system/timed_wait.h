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

#endif
