/* Copies: every rank has the whole world, steps a share of the slots, and sends the results to the others. */
#include <assert.h>
#include <stdlib.h>

#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"

/* A heading by row that a tick wrote: of an agent of a pure flock that is at rest. */
struct resting {
    int32_t row;
    vec2 heading;
};

static int32_t share_begin(const struct world *world, int rank) {
    return (int32_t)((int64_t)world->grid.count * rank / world->exchange->ranks);
}

struct world_slots world_copy_share(const struct world *world) {
    const int rank = world->exchange->rank;
    return (struct world_slots){share_begin(world, rank), share_begin(world, rank + 1)};
}

static bool is_at_rest(const struct world *world, int32_t slot) {
    const struct motion *motion = &world->grid.next[slot];
    const float fastest = world_body(world, world->grid.row[slot])->max_speed;
    return !(motion->vx * motion->vx + motion->vy * motion->vy > locomotion_hold_squared(fastest));
}

/* Those of the share; `list` may be NULL. Returns how many. */
static int32_t list_resting(const struct world *world, struct resting *list) {
    const struct world_slots share = world_copy_share(world);
    int32_t count = 0;
    for (int32_t slot = share.begin; slot < share.end; slot++) {
        if (!is_at_rest(world, slot)) {
            continue;
        }
        if (list != NULL) {
            const int32_t row = world->grid.row[slot];
            list[count] = (struct resting){row, world->heading[row]};
        }
        count++;
    }
    return count;
}

static void tell_resting(struct world *world) {
    const struct exchange *exchange = world->exchange;
    struct exchange_part out[EXCHANGE_RANKS_MAX], in[EXCHANGE_RANKS_MAX];
    const int32_t count = list_resting(world, NULL);
    struct resting *list = count > 0 ? malloc(sizeof *list * (size_t)count) : NULL;
    if (count > 0 && list == NULL) {
        abort(); /* as a lost rank does */
    }
    (void)list_resting(world, list);
    for (int r = 0; r < exchange->ranks; r++) {
        const size_t size = r == exchange->rank ? 0 : sizeof *list * (size_t)count;
        out[r] = (struct exchange_part){list, size};
    }
    exchange->hand_over(exchange->context, out, in);
    for (int r = 0; r < exchange->ranks; r++) {
        const struct resting *heard = in[r].bytes;
        for (size_t i = 0; i < in[r].size / sizeof *heard; i++) {
            world->heading[heard[i].row] = heard[i].heading;
        }
    }
    free(list);
}

void world_copy_tell(struct world *world) {
    const struct exchange *exchange = world->exchange;
    int32_t first[EXCHANGE_RANKS_MAX + 1];
    for (int r = 0; r <= exchange->ranks; r++) {
        first[r] = share_begin(world, r);
    }
    exchange->share(exchange->context, world->grid.next, sizeof *world->grid.next, first);
    if (world->is_pure_flock) { /* its state and memory do not change */
        tell_resting(world);
        return;
    }
    exchange->share(exchange->context, world->next_heading, sizeof *world->next_heading, first);
    exchange->share(exchange->context, world->state, sizeof *world->state, first);
    exchange->share(exchange->context, world->memory, sizeof *world->memory, first);
}
