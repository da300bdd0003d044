/* Which kinds only flock: their agents are moved by kernels.h, or their sums formed for many at once. */
#include <assert.h>

#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"

bool world_behavior_has_sums(const struct behavior_def *behavior) {
    const enum behavior_type type = (enum behavior_type)behavior->type;
    return behavior_neighbor_use(type) == NEIGHBORS_SUMS && behavior_target_count(type) == 0 &&
           behavior->max_neighbors == 0;
}

bool world_sums_are_certain(const struct kind *kind, const struct behavior_def *behavior) {
    return kind->def.state_count == 1 && kind->def.states[0].combine == COMBINE_SUM &&
           world_behavior_has_sums(behavior);
}

bool world_can_use_flock_kernel(const struct world *world, const struct kind *kind) {
    assert(kind->def.state_count >= 1);
    const struct state_def *state = &kind->def.states[0];
    return state->behavior_count == 1 && behavior_has_trait(state->behaviors[0].type, TRAIT_FLOCK_KERNEL) &&
           world_sums_are_certain(kind, &state->behaviors[0]) &&
           kind->def.body.locomotion == LOCOMOTION_STEERED && world->bounds.edge != EDGE_CONTAIN &&
           world->scenery.solid_count == 0 && !world->has_own_bodies;
}

bool world_flocks(const struct world *world) {
    bool flocks = !world->has_own_bodies;
    for (int k = 0; flocks && k < world->kind_count; k++) {
        const struct kind *kind = &world->kinds[k];
        flocks = world_kind_population(world, k) == 0 || (world_can_use_flock_kernel(world, kind) &&
                                                          kind->is_tireless && kind->turn.x <= NO_TURN_LIMIT);
    }
    return flocks;
}

bool world_is_pure_flock(const struct world *world) {
    return world->is_sorted && world_flocks(world);
}
