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

struct worker_pool {
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    struct job job;
    uint64_t number; /* of the job, so that a worker does each once */
    int working;     /* workers that have not finished it */
    bool stop;
    _Atomic int32_t next; /* the first row that nobody has taken */
    int worker_count;
    pthread_t workers[WORKER_POOL_THREADS_MAX];
};

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

static void *run_worker(void *argument) {
    struct worker_pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->stop && pool->number == seen) {
            pthread_cond_wait(&pool->work, &pool->mutex);
        }
        if (pool->stop) {
            break;
        }
        seen = pool->number;
        const struct job job = pool->job;
        pthread_mutex_unlock(&pool->mutex);
        work_off(pool, &job);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->working == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void run(void *argument, int32_t count, int32_t grain, parallel_body body, void *context) {
    struct worker_pool *pool = argument;
    if (pool->worker_count == 0 || count < 2 * grain) {
        body(context, 0, count);
        return;
    }
    const struct job job = {body, context, count, grain};
    pthread_mutex_lock(&pool->mutex);
    pool->job = job;
    pool->number++;
    pool->working = pool->worker_count;
    atomic_store(&pool->next, 0);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    work_off(pool, &job);
    pthread_mutex_lock(&pool->mutex);
    while (pool->working > 0) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
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
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
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
