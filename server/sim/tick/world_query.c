/* Which kinds and zones a behavior queries, and the results of the query. */
#include <assert.h>

#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"

#define CORE_RADII 3.0f /* body radii within which everything is noticed (OpenSteer) */

static void query_ahead(const struct world *world, struct neighbor_query *query,
                        const struct behavior_def *behavior, const struct behavior_runtime *runtime,
                        struct steering_context *context) {
    query->heading = vec2_with_length(context->first.offset, 1.0f);
    query->core = 0.0f;
    context->ahead = neighbors_nearest(&world->grid, query, &runtime->zones[ZONE_SEPARATION]);
    const struct neighbor_zone elbows[ZONE_COUNT] = {
        [ZONE_SEPARATION] = {.radius = 2.0f * context->body->radius + behavior->clearance,
                             .cosine = WORLD_ALL_ROUND}};
    context->sums = neighbors_sum(&world->grid, query, elbows);
}

/* Takes precomputed sums of the behavior; false when there are none. */
static bool use_precomputed(const struct behavior_def *behavior, const struct precomputed_sums *precomputed,
                            struct neighbor_sums *sums) {
    if (precomputed == NULL || precomputed->behavior != behavior) {
        return false;
    }
    *sums = *precomputed->sums;
    return true;
}

struct neighbor_batch world_neighbor_batch(const struct world *world, const struct kind *kind,
                                           const struct behavior_runtime *runtime) {
    assert(world->is_sorted && runtime->kinds != 0);
    const uint64_t all = world->kind_count < 64 ? (UINT64_C(1) << world->kind_count) - 1 : UINT64_MAX;
    return (struct neighbor_batch){
        .grid = &world->grid,
        .bounds = &world->bounds,
        .ids = world->id,
        .heading = world->heading,
        .heading_place = world->is_pure_flock ? world->grid.row : NULL,
        .course_above = world->is_pure_flock ? locomotion_hold_squared(kind->body.max_speed) : COURSE_NEVER,
        .core_radii = CORE_RADII,
        .kinds = (runtime->kinds & all) == all ? UINT64_MAX : runtime->kinds,
        .zones = runtime->zones,
    };
}

void world_query_neighbors(const struct world *world, int32_t row, const struct behavior_def *behavior,
                           const struct behavior_runtime *runtime, struct steering_context *context) {
    assert(world->is_sorted);
    assert(row >= 0 && row < world->agent_count && behavior->max_neighbors <= NEIGHBORS_NEAREST_MAX);
    struct neighbor_query query = {
        .bounds = &world->bounds,
        .ids = world->id,
        .slot = grid_slot(&world->grid, row),
        .heading = context->heading,
        .core = CORE_RADII * context->body->radius,
        .kinds = runtime->kinds,
        .most = (int32_t)behavior->max_neighbors,
        .log = trace_neighbors(context->trace),
    };
    switch (behavior_neighbor_use((enum behavior_type)behavior->type)) {
    case NEIGHBORS_SUMS:
        /* Precomputed sums have no limit. */
        if (query.most > 0 || !use_precomputed(behavior, context->precomputed, &context->sums)) {
            context->sums = neighbors_sum(&world->grid, &query, runtime->zones);
        }
        break;
    case NEIGHBORS_THREATS:
        context->threats = neighbors_threats(
            &world->grid, &query, &runtime->zones[ZONE_SEPARATION],
            &(struct neighbor_space){context->body->radius, behavior->clearance, behavior->horizon});
        break;
    case NEIGHBORS_AHEAD:
        query_ahead(world, &query, behavior, runtime, context);
        break;
    case NEIGHBORS_NEAREST:
        context->nearest_count =
            neighbors_nearest_few(&world->grid, &query, &runtime->zones[ZONE_SEPARATION], context->nearest);
        break;
    case NEIGHBORS_UNUSED:
        break;
    }
}
