/* See worker_pool.h. */
#include "server/worker_pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* A loop that is being shared out. */
struct job {
    parallel_body body;
    void *context;
    int32_t count, grain;
};

/* Looks at what others are about to do before sleeping: the loops of a tick follow each other within
 * microseconds, and waking a thread takes longer than that. */
enum { GLANCES = 2000 };

struct worker_pool {
    pthread_mutex_t mutex; /* for those who sleep */
    pthread_cond_t work, done;
    struct job job;          /* written while no worker works */
    _Atomic uint64_t number; /* of the job, so that a worker does each once */
    _Atomic int working;     /* workers that have not finished it */
    _Atomic int sleeping;    /* workers that must be woken */
    _Atomic bool stop;
    _Atomic int32_t next; /* the first row that nobody has taken */
    int worker_count;
    pthread_t workers[WORKER_POOL_THREADS_MAX];
};

static void glance(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void work_off(struct worker_pool *pool, const struct job *job) {
    for (;;) {
        const int32_t begin = atomic_fetch_add(&pool->next, job->grain);
        if (begin >= job->count) {
            return;
        }
        const int32_t left = job->count - begin;
        job->body(job->context, begin, begin + (left < job->grain ? left : job->grain));
    }
}

static bool is_called(struct worker_pool *pool, uint64_t seen) {
    return atomic_load(&pool->number) != seen || atomic_load(&pool->stop);
}

static void wait_for_work(struct worker_pool *pool, uint64_t seen) {
    for (int i = 0; i < GLANCES; i++) {
        if (is_called(pool, seen)) {
            return;
        }
        glance();
    }
    pthread_mutex_lock(&pool->mutex);
    /* Said before the last look at the number: whoever raises it afterwards sees that somebody sleeps. */
    atomic_fetch_add(&pool->sleeping, 1);
    while (!is_called(pool, seen)) {
        pthread_cond_wait(&pool->work, &pool->mutex);
    }
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *run_worker(void *argument) {
    struct worker_pool *pool = argument;
    uint64_t seen = 0;
    for (;;) {
        wait_for_work(pool, seen);
        if (atomic_load(&pool->stop)) {
            return NULL;
        }
        seen = atomic_load(&pool->number);
        work_off(pool, &pool->job);
        if (atomic_fetch_sub(&pool->working, 1) == 1) {
            pthread_mutex_lock(&pool->mutex);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
}

static void wake_workers(struct worker_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

static void wait_for_workers(struct worker_pool *pool) {
    for (int i = 0; i < GLANCES; i++) {
        if (atomic_load(&pool->working) == 0) {
            return;
        }
        glance();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load(&pool->working) > 0) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
}

static void run(void *argument, int32_t count, int32_t grain, parallel_body body, void *context) {
    struct worker_pool *pool = argument;
    if (pool->worker_count == 0 || count < 2 * grain) {
        body(context, 0, count);
        return;
    }
    pool->job = (struct job){body, context, count, grain};
    atomic_store(&pool->next, 0);
    atomic_store(&pool->working, pool->worker_count);
    atomic_fetch_add(&pool->number, 1);
    if (atomic_load(&pool->sleeping) > 0) {
        wake_workers(pool);
    }
    const struct job job = pool->job;
    work_off(pool, &job);
    wait_for_workers(pool);
}

struct worker_pool *worker_pool_create(int threads) {
    assert(threads >= 1 && threads <= WORKER_POOL_THREADS_MAX);
    struct worker_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL) {
        return NULL;
    }
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        goto no_mutex;
    }
    if (pthread_cond_init(&pool->work, NULL) != 0) {
        goto no_work;
    }
    if (pthread_cond_init(&pool->done, NULL) != 0) {
        goto no_done;
    }
    while (pool->worker_count < threads - 1) {
        if (pthread_create(&pool->workers[pool->worker_count], NULL, run_worker, pool) != 0) {
            worker_pool_destroy(pool);
            return NULL;
        }
        pool->worker_count++;
    }
    return pool;
no_done:
    pthread_cond_destroy(&pool->work);
no_work:
    pthread_mutex_destroy(&pool->mutex);
no_mutex:
    free(pool);
    return NULL;
}

void worker_pool_destroy(struct worker_pool *pool) {
    if (pool == NULL) {
        return;
    }
    atomic_store(&pool->stop, true);
    wake_workers(pool);
    for (int i = 0; i < pool->worker_count; i++) {
        pthread_join(pool->workers[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

struct parallel worker_pool_parallel(struct worker_pool *pool) {
    return (struct parallel){pool, pool->worker_count + 1, run};
}
