/* A lock between threads. WebAssembly in a page has one thread and no pthread.h: its lock is nothing. */
#ifndef DROVER_COMMON_SYSTEM_LOCK_H
#define DROVER_COMMON_SYSTEM_LOCK_H

#include "common/base/nodiscard.h"

#if defined(__wasm__)

struct lock {
    char unused;
};

/** -1 when the system has no further lock. */
NODISCARD static inline int lock_init(struct lock *lock) {
    lock->unused = 0;
    return 0;
}
static inline void lock_fini(struct lock *lock) {
    (void)lock;
}
static inline void lock_take(struct lock *lock) {
    (void)lock;
}
static inline void lock_release(struct lock *lock) {
    (void)lock;
}

#else

#include <pthread.h>

struct lock {
    pthread_mutex_t mutex;
};

NODISCARD static inline int lock_init(struct lock *lock) {
    return pthread_mutex_init(&lock->mutex, NULL) == 0 ? 0 : -1;
}
static inline void lock_fini(struct lock *lock) {
    pthread_mutex_destroy(&lock->mutex);
}
/** Waits until no thread holds the lock. */
static inline void lock_take(struct lock *lock) {
    pthread_mutex_lock(&lock->mutex);
}
static inline void lock_release(struct lock *lock) {
    pthread_mutex_unlock(&lock->mutex);
}

#endif

#endif
