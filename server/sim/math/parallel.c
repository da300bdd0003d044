/* See parallel.h. */
#include "server/sim/math/parallel.h"

#include <stddef.h>

static void run_alone(void *pool, int32_t count, int32_t grain, parallel_body body, void *context) {
    (void)pool;
    (void)grain;
    body(context, 0, count);
}

struct parallel parallel_alone(void) {
    return (struct parallel){NULL, 1, run_alone};
}
