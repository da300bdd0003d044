/* See worker_pool.h. */
#include "server/simulation/worker_pool.h"

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
    pthread_mutex_t mutex; /* of the two below */
    pthread_cond_t work, done;
    struct job job;          /* written while no worker is at it */
    _Atomic uint64_t state;  /* number of the job, whether it is open, how many workers are at it */
    _Atomic int sleeping;    /* workers that must be woken */
    _Atomic bool is_awaited; /* the owner sleeps until the last worker is done */
    _Atomic bool stop;
    _Atomic int32_t next; /* the first row that is not taken */
    int worker_count;
    pthread_t workers[WORKER_POOL_THREADS_MAX];
};

static void glance(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* The state: a worker may join while the job is open, and the owner waits only for workers that have joined. So
 * a worker that the system does not let run in time delays no other. */
enum { ONE_WORKER = 1, IS_OPEN = 1 << 16, ONE_JOB = 1 << 17 };

static uint64_t job_number(uint64_t state) {
    return state / ONE_JOB;
}
static int job_workers(uint64_t state) {
    return (int)(state % IS_OPEN);
}

/* False when the job is closed already, or another. */
static bool join(struct worker_pool *pool, uint64_t number) {
    uint64_t state = atomic_load(&pool->state);
    while (job_number(state) == number && (state & IS_OPEN) != 0) {
        if (atomic_compare_exchange_weak(&pool->state, &state, state + ONE_WORKER)) {
            return true;
        }
    }
    return false;
}

static void leave(struct worker_pool *pool) {
    const uint64_t state = atomic_fetch_sub(&pool->state, ONE_WORKER) - ONE_WORKER;
    if (job_workers(state) == 0 && atomic_load(&pool->is_awaited)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
    }
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
    return job_number(atomic_load(&pool->state)) != seen || atomic_load(&pool->stop);
}

static void wait_for_work(struct worker_pool *pool, uint64_t seen) {
    for (int i = 0; i < GLANCES; i++) {
        if (is_called(pool, seen)) {
            return;
        }
        glance();
    }
    pthread_mutex_lock(&pool->mutex);
    /* Set before the last look at the number: a thread that raises it afterwards sees a sleeper. */
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
        seen = job_number(atomic_load(&pool->state));
        if (join(pool, seen)) {
            work_off(pool, &pool->job);
            leave(pool);
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
        if (job_workers(atomic_load(&pool->state)) == 0) {
            return;
        }
        glance();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->is_awaited,
                 true); /* set before the last look: a worker that leaves afterwards signals */
    while (job_workers(atomic_load(&pool->state)) > 0) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    atomic_store(&pool->is_awaited, false);
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
    atomic_fetch_add(&pool->state, ONE_JOB + IS_OPEN); /* it was closed, with no worker at it */
    if (atomic_load(&pool->sleeping) > 0) {
        wake_workers(pool);
    }
    const struct job job = pool->job;
    work_off(pool, &job);
    atomic_fetch_sub(&pool->state, IS_OPEN);
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
