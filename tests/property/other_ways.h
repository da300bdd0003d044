/* Other ways to compute the same ticks: other instructions, other shares of the work. */
#ifndef DROVER_TESTS_PROPERTY_OTHER_WAYS_H
#define DROVER_TESTS_PROPERTY_OTHER_WAYS_H

#include "server/sim/math/parallel.h"
#include "server/sim/math/simd.h"
#include "tests/property/random_world.h"

/* Small shares, the last first, on one thread. */
static inline void run_backwards(void *pool, int32_t count, int32_t grain, parallel_body body,
                                 void *context) {
    (void)pool;
    const int32_t share = grain > 3 ? grain / 3 : 1;
    for (int32_t end = count; end > 0;) {
        const int32_t begin = end > share ? (end - 1) / share * share : 0;
        body(context, begin, end);
        end = begin;
    }
}

/* Shares of any size, the last first, on one thread. */
static inline void run_in_pieces(void *pool, int32_t count, int32_t grain, parallel_body body,
                                 void *context) {
    (void)pool;
    (void)grain;
    const int most = below(2) ? 20 : 150;
    for (int32_t end = count; end > 0;) {
        const int32_t share = 1 + below(most), begin = end > share ? end - share : 0;
        body(context, begin, end);
        end = begin;
    }
}

static inline struct parallel backwards(void) {
    return (struct parallel){.threads = 5, .run = run_backwards};
}

static inline enum simd some_width(void) {
    const int first = below(SIMD_COUNT);
    for (int i = 0; i < SIMD_COUNT; i++) {
        const enum simd simd = (enum simd)((first + i) % SIMD_COUNT);
        if (simd_is_supported(simd)) {
            return simd;
        }
    }
    return SIMD_PLAIN;
}

#endif
