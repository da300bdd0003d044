/* See one_thread.h, system/pthread.h and timed_wait.h. A thread is a function that is called at every turn, and by a thread that
 * waits for another one; it returns where it would sleep. A thread is inside its function once at most. */
#include "web/server/one_thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/system/clock.h"
#include "common/system/process.h"
#include "common/system/timed_wait.h"

/* A thread that has always something to do gives others their turn after so long. */
static const uint64_t slice_ns = 8000000;
/* What a page may take in all: browsers end a tab that takes much more. */
static const uint64_t most_bytes = (uint64_t)2 << 30;

struct one_thread {
    struct one_thread *next;
    void *(*run)(void *context);
    void *context;
    bool is_inside, has_rested, has_ended;
    uint64_t until_ns;        /* when it wants to be called next */
    uint64_t slice_end_ns;    /* of this call */
    struct one_thread *outer; /* that waits for it */
};

static struct one_thread *threads, *current;

static void call(struct one_thread *thread) {
    if (thread->is_inside || thread->has_ended) {
        return;
    }
    thread->outer = current;
    current = thread;
    thread->is_inside = true;
    thread->has_rested = false;
    thread->until_ns = 0;
    thread->slice_end_ns = clock_now_ns() + slice_ns;
    (void)thread->run(thread->context);
    thread->has_ended = !thread->has_rested;
    thread->is_inside = false;
    current = thread->outer;
}

static void call_all(void) {
    for (struct one_thread *thread = threads; thread != NULL; thread = thread->next) {
        call(thread);
    }
}

/* Of a thread that has ended, or was joined. */
static void free_thread(struct one_thread *thread) {
    struct one_thread **link = &threads;
    while (*link != thread) {
        link = &(*link)->next;
    }
    *link = thread->next;
    free(thread);
}

uint64_t one_thread_turn(void) {
    uint64_t next_ns = UINT64_MAX;
    call_all();
    for (const struct one_thread *thread = threads; thread != NULL; thread = thread->next) {
        if (!thread->has_ended && thread->until_ns < next_ns) {
            next_ns = thread->until_ns;
        }
    }
    return next_ns;
}

/* ---- pthread.h ---- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *context),
                   void *context) {
    struct one_thread *made = calloc(1, sizeof *made);
    (void)attributes;
    if (made == NULL) {
        return 1;
    }
    *made = (struct one_thread){.next = threads, .run = run, .context = context};
    threads = made;
    *thread = (pthread_t)(void *)made;
    return 0;
}

int pthread_join(pthread_t thread, void **result) {
    struct one_thread *ending = (struct one_thread *)(void *)thread;
    (void)result;
    while (!ending->has_ended) {
        call_all();
    }
    free_thread(ending);
    return 0;
}

int pthread_detach(pthread_t thread) {
    (void)thread;
    return 0;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    (void)condition;
    (void)mutex;
    call_all();
    return 0;
}

/* ---- timed_wait.h ---- */

int timed_wait_init(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}

bool timed_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline_ns) {
    (void)pthread_cond_wait(condition, mutex);
    return clock_now_ns() < deadline_ns;
}

bool thread_sleep(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline_ns) {
    (void)condition;
    (void)mutex;
    if (current != NULL) {
        current->has_rested = true;
        current->until_ns = deadline_ns;
    }
    return false;
}

bool thread_rests(void) {
    if (current != NULL && !current->has_rested && clock_now_ns() >= current->slice_end_ns) {
        current->has_rested = true;
        current->until_ns = 0;
    }
    return current != NULL && current->has_rested;
}

/* ---- process.h ---- */

struct process_usage process_usage_read(void) {
    return (struct process_usage){.resident_bytes = (uint64_t)__builtin_wasm_memory_size(0) << 16};
}

uint64_t memory_free(int processes) {
    const uint64_t taken = (uint64_t)__builtin_wasm_memory_size(0) << 16;
    return taken < most_bytes ? (most_bytes - taken) / (uint64_t)processes : 0;
}

int descriptors_fill_standard(void) {
    return 0;
}
