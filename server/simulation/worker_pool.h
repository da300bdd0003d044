/* Threads that share out the loops of a tick (struct parallel of server/sim/world/world.h).
 *
 * 1. One owner: the simulation thread calls run, and works along; between two calls the workers look out for
 * the next one for some microseconds, then sleep.
 * 2. A loop is cut into chunks that are taken from a shared counter, so threads that are held up do less.
 * Loops that are too short to be worth waking a worker run on the caller alone.
 */
#ifndef DROVER_SERVER_SIMULATION_WORKER_POOL_H
#define DROVER_SERVER_SIMULATION_WORKER_POOL_H

#include "common/base/nodiscard.h"
#include "server/sim/world/world.h"

enum { WORKER_POOL_THREADS_MAX = 64 };

struct worker_pool;

/** threads: all that work, the caller included; 1 to WORKER_POOL_THREADS_MAX. NULL when memory or threads are
 * short. */
NODISCARD struct worker_pool *worker_pool_create(int threads);
/** Ends and joins the workers. NULL is fine. */
void worker_pool_destroy(struct worker_pool *pool);
/** To hand to world_step_parallel; valid as long as the pool. */
struct parallel worker_pool_parallel(struct worker_pool *pool);

#endif
