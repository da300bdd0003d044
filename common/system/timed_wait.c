/* See timed_wait.h. */
#include "common/system/timed_wait.h"

#include <time.h>

int timed_wait_init(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0) {
        return -1;
    }
    const bool is_made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                         pthread_cond_init(condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return is_made ? 0 : -1;
}

bool timed_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline_ns) {
    const struct timespec until = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
                                   .tv_nsec = (long)(deadline_ns % 1000000000u)};
    return pthread_cond_timedwait(condition, mutex, &until) == 0;
}

bool thread_sleep(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline_ns) {
    return deadline_ns == THREAD_SLEEP_ENDLESS ? pthread_cond_wait(condition, mutex) == 0
                                               : timed_wait_until(condition, mutex, deadline_ns);
}
