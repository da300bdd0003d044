/* Agents that a command puts somewhere else, between ticks. */
#include <assert.h>

#include "server/sim/math/trig.h"
#include "server/sim/world/world_internal.h"

static bool is_empty(const struct world_placing *placing) {
    return placing->count == 0 || (placing->x == NULL && placing->vx == NULL && placing->heading == NULL &&
                                   placing->stamina == NULL);
}

/* Where the agent is now, as one that is spawned there. The solid that it was passing, and its place on a path, were
 * those of another place. */
static void move_to(struct world *world, int32_t row, vec2 to) {
    struct motion *motion = &world->grid.motion[grid_slot(&world->grid, row)];
    struct memory *memory = world_memory(world, row);
    const vec2 place = bounds_settle(&world->bounds, scenery_push_out(&world->scenery, &world->bounds,
                                                                      bounds_settle(&world->bounds, to),
                                                                      world_body(world, row)->radius));
    motion->x = place.x;
    motion->y = place.y;
    memory->solid = 0;
    memory->path = 0;
}

/* An agent that moves faces where it goes, unless its heading is given; one that stops faces where it did. */
static void set_velocity(struct world *world, int32_t row, vec2 velocity) {
    struct motion *motion = &world->grid.motion[grid_slot(&world->grid, row)];
    const vec2 reached = vec2_truncate(velocity, world_body(world, row)->max_speed);
    motion->vx = reached.x;
    motion->vy = reached.y;
    if (vec2_length_squared(velocity) > 0.0f) {
        world->heading[world_place(world, row)] = vec2_with_length(velocity, 1.0f);
    }
}

/* Between nothing and what the kind has at most; whether it is exhausted as after a tick. */
static void set_stamina(struct world *world, int32_t row, float stamina) {
    const float most = world->kinds[world->kind[row]].def.body.max_stamina;
    struct memory *memory = world_memory(world, row);
    memory->stamina = stamina > 0.0f ? stamina < most ? stamina : most : 0.0f;
    if (memory->stamina >= most) {
        memory->is_exhausted = false;
    } else if (memory->stamina <= 0.0f) {
        memory->is_exhausted = true;
    }
}

static void place_one(struct world *world, int32_t row, const struct world_placing *placing, int32_t i) {
    if (placing->x != NULL) {
        move_to(world, row, vec2_make(placing->x[i], placing->y[i]));
    }
    if (placing->vx != NULL) {
        set_velocity(world, row, vec2_make(placing->vx[i], placing->vy[i]));
    }
    if (placing->heading != NULL) {
        world->heading[world_place(world, row)] = trig_unit(placing->heading[i]);
    }
    if (placing->stamina != NULL) {
        set_stamina(world, row, placing->stamina[i]);
    }
}

enum world_result world_place_agents(struct world *world, const struct world_placing *placing) {
    assert(world_is_consistent(world) && placing->count >= 0);
    assert((placing->x == NULL) == (placing->y == NULL) && (placing->vx == NULL) == (placing->vy == NULL));
    for (int32_t i = 0; i < placing->count; i++) {
        if (world_find_agent(world, placing->ids[i]) < 0) {
            return WORLD_NO_AGENT;
        }
    }
    if (is_empty(placing)) {
        return WORLD_OK;
    }
    world_keep_headings(world);
    if (placing->stamina != NULL) {
        world_remember(world);
    }
    for (int32_t i = 0; i < placing->count; i++) {
        const int32_t row = world_find_agent(world, placing->ids[i]);
        if (world_owns(world, row)) {
            place_one(world, row, placing, i);
        }
    }
    world_sort(world);
    return WORLD_OK;
}
