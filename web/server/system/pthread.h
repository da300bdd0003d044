/* Threads of a program that has one: a page. web/server/one_thread.c says how they run. A lock is nothing, since a function is
 * interrupted by another thread's only where it waits. */
#ifndef DROVER_WEB_SERVER_SYSTEM_PTHREAD_H
#define DROVER_WEB_SERVER_SYSTEM_PTHREAD_H

#include <sched.h>
#include <time.h>
/* The C library has the types. */
#include <sys/types.h>

#define PTHREAD_MUTEX_INITIALIZER                                                                            \
    { 0 }

enum { SCHED_FIFO = 1 };
struct sched_param {
    int sched_priority;
};

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    (void)mutex;
    (void)attributes;
    return 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}
static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}
static inline int pthread_cond_init(pthread_cond_t *condition, const void *attributes) {
    (void)condition;
    (void)attributes;
    return 0;
}
static inline int pthread_cond_destroy(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}
static inline int pthread_cond_signal(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}
static inline int pthread_cond_broadcast(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}
/** Lets the other threads run for a turn each. */
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *context),
                   void *context);
/** Lets the thread run until it has ended. */
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);

static inline pthread_t pthread_self(void) {
    return 0;
}
static inline int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters) {
    (void)thread;
    (void)policy;
    (void)parameters;
    return 1;
}

#endif
