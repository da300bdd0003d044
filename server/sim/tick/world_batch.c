/* The tick of agents in consecutive slots of the grid, a batch at a time so that what is found for all of them
 * at once is used while it is in the cache. Kinds that merely flock go through kernels.h, all others
 * through world_crowd.c. */
#include <assert.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/world/world_internal.h"

enum { WORTHWHILE_SHARE = 4 /* a flock of fewer than one in so many of a batch is not worth its kernel */ };

static place_set places_of_kind(const uint8_t *kinds, int32_t count, int kind) {
    place_set places = 0;
    for (int32_t i = 0; i < count; i++) {
        places |= (place_set)(kinds[i] == kind) << i;
    }
    return places;
}

/* ---- a flock and nothing else ---- */

static struct flock_rules make_rules(const struct world *world, const struct kind *kind) {
    const struct behavior_def *behavior = &kind->def.states[0].behaviors[0];
    const struct body *body = &kind->body;
    struct steering_context context = {.body = body, .dt = world->dt};
    behavior_rates(&context, kind->states[0].weight_sum);
    return (struct flock_rules){
        .rule_weight = {behavior->zones[0].weight, behavior->zones[1].weight, behavior->zones[2].weight},
        .weight = behavior->weight,
        .cohesion_radius = behavior->zones[ZONE_COHESION].radius,
        .max_speed = body->max_speed,
        .max_force = body->max_force,
        .radius = body->radius,
        .mass = body->mass,
        .exact_rate = context.exact_rate,
        .dt = world->dt,
        .turn = kind->turn,
    };
}

static void step_flock(struct world *world, int kind_index, int32_t begin, int32_t end) {
    const struct kind *kind = &world->kinds[kind_index];
    const struct neighbor_batch batch = world_neighbor_batch(world, kind, &kind->states[0].behaviors[0]);
    const struct flock_rules rules = make_rules(world, kind);
    const struct flock_out out = {
        .kind = kind_index,
        .next = world->grid.next,
        .cell = world->grid.has_cells ? world->grid.key : NULL,
        .heading = world->is_pure_flock ? world->heading : world->next_heading,
        .only_of_resting = world->is_pure_flock,
    };
    flock_kernel_step(world->simd, &batch, &rules, begin, end, &out);
    for (int32_t slot = begin; !kind->is_tireless && slot < end; slot++) {
        if (world->grid.kind[slot] == kind_index) {
            const int32_t row = world->grid.row[slot];
            world_age(world, row, 0, world_memory(world, row));
        }
    }
}

/* ---- all kinds ---- */

/* The kinds whose agents a kernel for flocks can move, a bit each. */
static uint64_t flocking_kinds(const struct world *world) {
    uint64_t kinds = 0;
    for (int k = 0; k < world->kind_count; k++) {
        kinds |= (uint64_t)world_can_use_flock_kernel(world, &world->kinds[k]) << k;
    }
    return kinds;
}

/* Kinds that merely flock, each by itself; all other agents together. */
static void step_batch(struct world *world, uint64_t flocking, int32_t begin, int32_t end) {
    place_set crowd = places_until(end - begin);
    for (; flocking != 0; flocking &= flocking - 1) {
        const int kind = __builtin_ctzll(flocking);
        const place_set places = places_of_kind(world->grid.kind + begin, end - begin, kind);
        const int32_t found = places_count(places);
        const bool is_worthwhile = found * WORTHWHILE_SHARE >= end - begin || world->is_pure_flock;
        if (found > 0 && is_worthwhile) {
            step_flock(world, kind, begin, end);
            crowd &= ~places;
        }
    }
    if (crowd != 0) {
        world_step_crowd(world, begin, end, crowd);
    }
}

void world_step_slots(struct world *world, int32_t begin, int32_t end) {
    assert(begin >= 0 && begin < end && end <= world->grid.count);
    const int only = world->grid.kind[begin];
    if (!world->grid.has_kinds && world_can_use_flock_kernel(world, &world->kinds[only])) {
        step_flock(world, only, begin, end);
        return;
    }
    const uint64_t flocking = flocking_kinds(world);
    for (int32_t first = begin; first < end && !world_is_given_up(world); first += BATCH_MAX) {
        step_batch(world, flocking, first, end - first < BATCH_MAX ? end : first + BATCH_MAX);
    }
}
