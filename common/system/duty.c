/* See duty.h. */
#include "common/system/duty.h"

#include <signal.h>

#include "common/system/timed_wait.h"

int thread_start(pthread_t *thread, void *(*run)(void *context), void *context) {
    sigset_t all, former;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &former);
    const int result = pthread_create(thread, NULL, run, context);
    (void)pthread_sigmask(SIG_SETMASK, &former, NULL);
    return result == 0 ? 0 : -1;
}

static void *run(void *argument) {
    struct duty *duty = argument;
    pthread_mutex_lock(&duty->mutex);
    while ((duty->is_ordered || !duty->is_ending) && !thread_rests()) {
        if (!duty->is_ordered) {
            (void)thread_sleep(&duty->changed, &duty->mutex, THREAD_SLEEP_ENDLESS);
            continue;
        }
        duty->is_ordered = false;
        pthread_mutex_unlock(&duty->mutex);
        duty->work(duty->context);
        pthread_mutex_lock(&duty->mutex);
        atomic_store(&duty->is_busy, duty->is_ordered);
        pthread_cond_broadcast(&duty->changed);
    }
    pthread_mutex_unlock(&duty->mutex);
    return NULL;
}

int duty_start(struct duty *duty, void (*work)(void *context), void *context) {
    *duty = (struct duty){.work = work, .context = context};
    (void)pthread_mutex_init(&duty->mutex, NULL); /* with default attributes neither can fail */
    (void)pthread_cond_init(&duty->changed, NULL);
    if (thread_start(&duty->thread, run, duty) != 0) {
        pthread_cond_destroy(&duty->changed);
        pthread_mutex_destroy(&duty->mutex);
        return -1;
    }
    return 0;
}

/* The thread is woken without the lock, which it would wait for at once. */
void duty_order(struct duty *duty) {
    pthread_mutex_lock(&duty->mutex);
    duty->is_ordered = true;
    atomic_store(&duty->is_busy, true);
    pthread_mutex_unlock(&duty->mutex);
    pthread_cond_broadcast(&duty->changed);
}

bool duty_is_busy(const struct duty *duty) {
    return atomic_load(&duty->is_busy);
}

void duty_wait(struct duty *duty) {
    pthread_mutex_lock(&duty->mutex);
    while (duty_is_busy(duty)) {
        pthread_cond_wait(&duty->changed, &duty->mutex);
    }
    pthread_mutex_unlock(&duty->mutex);
}

void duty_end(struct duty *duty) {
    pthread_mutex_lock(&duty->mutex);
    duty->is_ending = true;
    pthread_mutex_unlock(&duty->mutex);
    pthread_cond_broadcast(&duty->changed);
    pthread_join(duty->thread, NULL);
    pthread_cond_destroy(&duty->changed);
    pthread_mutex_destroy(&duty->mutex);
}
