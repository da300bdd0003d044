/* Threads for the loops of a tick: the caller lends them; the core starts no thread itself. */
#ifndef DROVER_SERVER_SIM_MATH_PARALLEL_H
#define DROVER_SERVER_SIM_MATH_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/** A loop's body: handles [begin, end). */
typedef void (*parallel_body)(void *context, int32_t begin, int32_t end);

/** A pool of threads that share loops: run calls body for disjoint ranges of about `grain` that together are
 * [0, count), in any order, on any threads, and returns when all are done. */
struct parallel {
    void *pool;
    int threads; /* how many may work at once, >= 1 */
    void (*run)(void *pool, int32_t count, int32_t grain, parallel_body body, void *context);
};

static inline void parallel_run_alone(void *pool, int32_t count, int32_t grain, parallel_body body,
                                      void *context) {
    (void)pool;
    (void)grain;
    body(context, 0, count);
}

/** A pool of the calling thread alone. */
static inline struct parallel parallel_alone(void) {
    return (struct parallel){NULL, 1, parallel_run_alone};
}

#endif
