/* What a world is at tick t: its rows and the functions that read them. See world.h. */
#include "server/sim/world/world.h"

#include <assert.h>
#include <string.h>

#include "server/sim/steering/locomotion.h"
#include "server/sim/world/world_internal.h"

uint64_t world_tick(const struct world *world) {
    return world->tick;
}
double world_tick_hz(const struct world *world) {
    return world->tick_hz;
}
uint64_t world_seed(const struct world *world) {
    return world->seed;
}
vec2 world_size(const struct world *world) {
    return world->bounds.size;
}
enum edge world_edge(const struct world *world) {
    return world->bounds.edge;
}
int32_t world_agent_count(const struct world *world) {
    return world->agent_count;
}
const struct scenery *world_scenery(const struct world *world) {
    return &world->scenery;
}
struct bounds world_bounds(const struct world *world) {
    return world->bounds;
}
int world_kind_count(const struct world *world) {
    return world->kind_count;
}
int world_target_count(const struct world *world) {
    return world->target_count;
}

struct agent_view world_agent(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count);
    const struct motion motion = world_motion(world, row);
    const struct body *body = world_body(world, row);
    return (struct agent_view){
        .id = world->id[row],
        .kind = world->kind[row],
        .state = world->state[row],
        .position = {motion.x, motion.y},
        .velocity = {motion.vx, motion.vy},
        .heading = world_heading(world, row),
        .stamina = world->memory[row].stamina,
        .mass = body->mass,
        .radius = body->radius,
        .max_speed = body->max_speed,
        .max_force = body->max_force,
    };
}

vec2 world_heading(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count);
    if (world->is_pure_flock) {
        const struct motion motion = world_motion(world, row);
        const vec2 velocity = {motion.vx, motion.vy};
        if (vec2_length_squared(velocity) > locomotion_hold_squared(world_body(world, row)->max_speed)) {
            return vec2_with_length(velocity, 1.0f);
        }
    }
    return world->heading[row];
}

int32_t world_find_agent(const struct world *world, uint32_t id) {
    int32_t low = 0, high = world->agent_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (world->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < world->agent_count && world->id[low] == id ? low : -1;
}

const struct kind_def *world_kind(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return &world->kinds[kind].def;
}

int world_find_kind(const struct world *world, const char *name) {
    for (int k = 0; k < world->kind_count; k++) {
        if (strcmp(world->kinds[k].def.name, name) == 0) {
            return k;
        }
    }
    return -1;
}

int32_t world_kind_population(const struct world *world, int kind) {
    assert(kind >= 0 && kind < world->kind_count);
    return world->kind_begin[kind + 1] - world->kind_begin[kind];
}

const char *world_target_name(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    return world->targets[target].name;
}

vec2 world_target_position(const struct world *world, int target) {
    assert(target >= 0 && target < world->target_count);
    return world->targets[target].at;
}

int world_find_target(const struct world *world, const char *name) {
    for (int i = 0; i < world->target_count; i++) {
        if (strcmp(world->targets[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

vec2 world_settle_point(const struct world *world, vec2 point) {
    assert(point.x - point.x == 0.0f && point.y - point.y == 0.0f); /* finite */
    return bounds_settle(&world->bounds, point);
}

void world_let_give_up(struct world *world, const atomic_bool *given_up) {
    world->grid.given_up = given_up;
}

bool world_is_given_up(const struct world *world) {
    return grid_is_given_up(&world->grid);
}

void world_set_simd(struct world *world, enum simd simd) {
    assert(simd_is_supported(simd));
    world->simd = simd;
}
