/* The tick of a world: targets that jump, the agents, the events, then tick t+1. */
#include <assert.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world_internal.h"

/* Agents that one thread takes at a time: few enough to share out evenly, many enough to fill the lanes. */
static int32_t grain_of(int32_t count, int threads) {
    const int32_t share = count / (threads * 8);
    return share < 512 ? 512 : share > 4096 ? 4096 : share;
}

/* The agent of tick t that is within the target's jump_within, of several the one of the lowest id; or -1. */
static int32_t reaching_row(const struct world *world, const struct target_def *target) {
    const float limit = target->jump_within * target->jump_within;
    int32_t lowest = -1;
    for (int32_t slot = 0; slot < world->agent_count; slot++) {
        const struct motion *motion = &world->grid.motion[slot];
        const vec2 offset = bounds_difference(&world->bounds, vec2_make(motion->x, motion->y), target->at);
        if (vec2_length_squared(offset) < limit && (lowest < 0 || world->grid.row[slot] < lowest)) {
            lowest = world->grid.row[slot];
        }
    }
    return lowest;
}

static vec2 jump(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    const float margin = world->targets[target].jump_margin;
    const vec2 size = world->bounds.size;
    struct rng rng = rng_begin(world->seed, world->tick, (uint32_t)target, RNG_TARGET_JUMP);
    const float x = rng_between(&rng, margin, size.x - margin),
                y = rng_between(&rng, margin, size.y - margin);
    return bounds_settle(&world->bounds, vec2_make(x, y));
}

static void step_agents(void *context, int32_t begin, int32_t end) {
    struct world *world = context;
    if (world->is_sorted) { /* in the order of the grid, neighbors are near in memory */
        world_step_slots(world, begin, end);
        return;
    }
    for (int32_t slot = begin; slot < end && !world_is_given_up(world); slot++) {
        world_step_agent(world, slot, NULL);
    }
}

void world_act(struct world *world, const struct parallel *parallel) {
    if (world->agent_count > 0) {
        world->keeps_order = world_keeps_order(world);
        /* A torus has the same cells from tick to tick. */
        world->grid.has_cells =
            world->is_pure_flock && world->bounds.edge == EDGE_WRAP && !world->keeps_order;
        if (!world->is_pure_flock) { /* a pure flock needs no lookup */
            grid_look_up(&world->grid, parallel);
        }
        parallel->run(parallel->pool, world->agent_count, grain_of(world->agent_count, parallel->threads),
                      step_agents, world);
    }
}

void world_step(struct world *world) {
    const struct parallel alone = parallel_alone();
    world_step_parallel(world, &alone);
}

void world_step_parallel(struct world *world, const struct parallel *parallel) {
    assert(world_is_consistent(world) && parallel->threads >= 1);
    /* Where targets jump to is decided from tick t as well, but only takes their place once all agents have
     * acted. */
    vec2 next_targets[LIMIT_TARGETS];
    world->note_count = 0;
    world->notes_left_out = 0;
    for (int i = 0; i < world->target_count && !world_is_given_up(world); i++) {
        const struct target_def *target = &world->targets[i];
        const int32_t row = target->jump_within > 0.0f ? reaching_row(world, target) : -1;
        next_targets[i] = row >= 0 ? jump(world, i) : target->at;
        if (row >= 0) {
            world_note_reached(world, row, i);
        }
    }
    world_act(world, parallel);
    if (world_is_given_up(world)) {
        world->is_spoiled = true;
        return; /* parts of tick t+1 may be missing */
    }
    world_note_catches(world);
    for (int i = 0; i < world->target_count; i++) {
        world->targets[i].at = next_targets[i];
    }
    world->tick++;
    world_advance(world, parallel);
    world->is_spoiled = world_is_given_up(world); /* perhaps on the way */
    assert(world->is_spoiled || world_is_consistent(world));
}
