/* The tick of agents in consecutive slots of the grid: the sums about their neighbors are formed for all of
 * them at once (neighbor_kernel.h), a batch of slots at a time so that the sums are used while they are in
 * the cache.
 *
 * Only sums that every agent needs are precomputed: those of behaviors without targets, of kinds with a
 * single state. Precomputing changes no bit of the result.
 */
#include <assert.h>

#include "server/sim/steering/flock_kernel.h"
#include "server/sim/world/world_internal.h"

enum {
    BATCH = 64,
    WORTHWHILE_SHARE = 4 /* the agents of a kind with fewer than one in so many of a batch go one by one */
};

/* Fills sums[i][slot - begin], and precomputed with the behaviors that they belong to. */
static void precompute_sums(const struct world *world, const struct kind *kind, int32_t begin, int32_t end,
                            struct neighbor_sums sums[PRECOMPUTED_MAX][BATCH],
                            struct precomputed_sums *precomputed) {
    const struct state_def *state = &kind->def.states[0];
    precomputed->count = 0;
    for (int b = 0; b < state->behavior_count && precomputed->count < PRECOMPUTED_MAX; b++) {
        if (world_sums_are_certain(kind, &state->behaviors[b])) {
            const struct neighbor_batch batch =
                world_neighbor_batch(world, kind, &kind->states[0].behaviors[b]);
            neighbor_kernel_sums(world->simd, &batch, begin, end, sums[precomputed->count]);
            precomputed->behavior[precomputed->count++] = &state->behaviors[b];
        }
    }
}

static int32_t count_kind(const uint8_t *kinds, int32_t count, int kind) {
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++) {
        found += kinds[i] == kind;
    }
    return found;
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
            world_age(world, row, 0, &world->memory[row]);
        }
    }
}

/* ---- all kinds ---- */

/* The agents of one kind; `found` of them are in the batch. */
static void step_kind(struct world *world, int kind, int32_t found, int32_t begin, int32_t end) {
    struct neighbor_sums sums[PRECOMPUTED_MAX][BATCH];
    struct precomputed_sums precomputed = {0};
    if (found * WORTHWHILE_SHARE >= end - begin || world->is_pure_flock) {
        if (world_can_use_flock_kernel(world, &world->kinds[kind])) {
            step_flock(world, kind, begin, end);
            return;
        }
        precompute_sums(world, &world->kinds[kind], begin, end, sums, &precomputed);
    }
    for (int32_t slot = begin; slot < end && !world_is_given_up(world); slot++) {
        if (world->grid.kind[slot] == kind) {
            for (int f = 0; f < precomputed.count; f++) {
                precomputed.sums[f] = &sums[f][slot - begin];
            }
            world_step_agent(world, slot, &precomputed);
        }
    }
}

static void step_batch(struct world *world, int32_t begin, int32_t end) {
    for (int32_t left = end - begin, kind = 0; left > 0; kind++) {
        const int32_t found = count_kind(world->grid.kind + begin, end - begin, kind);
        if (found > 0) {
            step_kind(world, kind, found, begin, end);
        }
        left -= found;
    }
}

void world_step_slots(struct world *world, int32_t begin, int32_t end) {
    assert(world->is_sorted && begin >= 0 && begin < end && end <= world->agent_count);
    const int only = world->grid.kind[begin];
    if (!world->grid.has_kinds && world_can_use_flock_kernel(world, &world->kinds[only])) {
        step_flock(world, only, begin, end);
        return;
    }
    for (int32_t first = begin; first < end && !world_is_given_up(world); first += BATCH) {
        step_batch(world, first, end - first < BATCH ? end : first + BATCH);
    }
}
