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
void world_set_seed(struct world *world, uint64_t seed) {
    world->seed = seed;
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
int32_t world_max_agents(const struct world *world) {
    return world->max_agents;
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
    assert(row >= 0 && row < world->agent_count && world_owns(world, row));
    const int32_t place = world_place(world, row);
    const struct motion motion = world_motion(world, row);
    const struct body *body = world_body(world, row);
    return (struct agent_view){
        .id = world->id[row],
        .kind = world->kind[row],
        .state = world->state[place],
        .position = {motion.x, motion.y},
        .velocity = {motion.vx, motion.vy},
        .heading = world_heading(world, row),
        .stamina = world->memory[place].stamina,
        .mass = body->mass,
        .radius = body->radius,
        .max_speed = body->max_speed,
        .max_force = body->max_force,
    };
}

int world_agent_kind(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count);
    return world->kind[row];
}

uint32_t world_agent_id(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count);
    return world->id[row];
}

vec2 world_heading(const struct world *world, int32_t row) {
    assert(row >= 0 && row < world->agent_count && world_holds(world, row));
    if (world->is_pure_flock) {
        const struct motion motion = world_motion(world, row);
        const vec2 velocity = {motion.vx, motion.vy};
        if (vec2_length_squared(velocity) > locomotion_hold_squared(world_body(world, row)->max_speed)) {
            return vec2_with_length(velocity, 1.0f);
        }
    }
    return world->heading[world_place(world, row)];
}

int32_t world_find_agent(const struct world *world, uint32_t id) {
    const int32_t last = world->agent_count - 1;
    if (last < 0 || id < world->id[0] || id > world->id[last]) {
        return -1;
    }
    /* Ids ascend, so between two of them there are at most as many rows as ids: the row itself, where no id is
     * missing. */
    const uint32_t before = id - world->id[0], behind = world->id[last] - id;
    if (world_ids_are_dense(world)) {
        return (int32_t)before;
    }
    int32_t low = behind < (uint32_t)last ? last - (int32_t)behind : 0;
    int32_t high = before < (uint32_t)last ? (int32_t)before + 1 : last + 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (world->id[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low <= last && world->id[low] == id ? low : -1;
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
