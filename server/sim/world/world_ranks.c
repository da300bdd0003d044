/* What ranks that share a world say together, while a command is applied. */
#include "server/sim/world/world_internal.h"

bool world_all_ranks(const struct world *world, bool is_so) {
    return exchange_is_so_on_all(world->exchange, is_so);
}

int32_t world_sum_ranks(const struct world *world, int32_t count) {
    uint64_t sum = (uint64_t)count;
    if (world_is_partial(world)) {
        world->exchange->sum(world->exchange->context, &sum, 1);
    }
    return (int32_t)sum;
}
