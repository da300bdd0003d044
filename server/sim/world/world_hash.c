/* The state hash: a sum over agents of a mix of each one's bits, so storage order and threads do not matter,
 * chained with the hash of everything else that decides the future.
 */
#include <string.h>

#include "server/sim/math/rng.h"
#include "server/sim/world/world_internal.h"

static uint64_t absorb(uint64_t hash, uint64_t word) {
    return rng_mix((hash ^ word) + UINT64_C(0x9E3779B97F4A7C15));
}

static uint64_t absorb_floats(uint64_t hash, float a, float b) {
    uint32_t low, high;
    memcpy(&low, &a, sizeof low);
    memcpy(&high, &b, sizeof high);
    return absorb(hash, ((uint64_t)high << 32) | low);
}

static uint64_t absorb_aim(uint64_t hash, const struct aim *aim) {
    if (aim->mode == AIM_BEHAVIOR) {
        return absorb(hash, 0);
    }
    hash = absorb(hash, ((uint64_t)aim->mode << 32) | (uint32_t)aim->target);
    return absorb_floats(hash, aim->point.x, aim->point.y);
}

static uint64_t hash_agent(const struct world *world, int32_t row) {
    const struct motion motion = world_motion(world, row);
    uint64_t hash = absorb(world->id[row], ((uint64_t)world->kind[row] << 8) | world->state[row]);
    hash = absorb_floats(hash, motion.x, motion.y);
    hash = absorb_floats(hash, motion.vx, motion.vy);
    const vec2 heading = world_heading(world, row);
    const struct memory *memory = &world->memory[row];
    hash = absorb_floats(hash, heading.x, heading.y);
    hash = absorb_floats(hash, memory->wander.x, memory->wander.y);
    hash = absorb_floats(hash, memory->stamina, memory->is_exhausted ? 1.0f : 0.0f);
    hash = absorb(hash, ((uint64_t)world_state_ticks(world, row) << 32) | memory->quarry);
    if (memory->solid != 0) {
        hash = absorb(hash, ((uint64_t)memory->solid << 33) | ((uint64_t)(memory->side > 0) << 32) |
                                memory->solid_tick);
        hash = absorb_floats(hash, memory->pace, 0.0f);
    }
    if (memory->path != 0) {
        hash = absorb_floats(hash, (float)memory->path, memory->path_s);
    }
    hash = absorb_aim(hash, &world->aim[row]);
    if (world->flags[row] & AGENT_OWN_BODY) {
        const struct body *body = &world->own_body[row];
        hash = absorb_floats(hash, body->mass, body->radius);
        hash = absorb_floats(hash, body->max_speed, body->max_force);
    }
    return hash;
}

static uint64_t absorb_ref(uint64_t hash, const struct target_ref *ref, const struct ref_runtime *runtime) {
    hash = absorb(hash, ((uint64_t)runtime->mode << 32) | (uint32_t)runtime->index);
    hash = absorb(hash, ref->agent);
    return absorb_floats(hash, ref->within, 0.0f);
}

static uint64_t absorb_behavior(uint64_t hash, const struct behavior_def *behavior,
                                const struct behavior_runtime *runtime) {
    hash = absorb(hash, ((uint64_t)behavior->type << 40) | ((uint64_t)behavior->law << 32) | behavior->tier);
    hash = absorb_ref(hash, &behavior->target, &runtime->target);
    hash = absorb_ref(hash, &behavior->second, &runtime->second);
    hash = absorb_floats(hash, behavior->weight, behavior->probability);
    hash = absorb_floats(hash, behavior->slowing_distance, behavior->panic_distance);
    hash = absorb_floats(hash, behavior->max_prediction, behavior->keep ? 1.0f : 0.0f);
    hash = absorb_floats(hash, behavior->offset.x, behavior->offset.y);
    hash = absorb_floats(hash, behavior->wander_radius, behavior->wander_distance);
    hash = absorb_floats(hash, behavior->spacing, (float)behavior->shape);
    hash = absorb_floats(hash, behavior->wander_rate, 0.0f);
    if (behavior_has_trait(behavior->type, TRAIT_SCENERY)) {
        hash = absorb(hash, ((uint64_t)(uint32_t)runtime->path << 32) | (uint32_t)runtime->flow);
        hash = absorb_floats(hash, behavior->horizon, behavior->clearance);
        hash = absorb_floats(hash, behavior->distance, behavior->prediction);
        return absorb_floats(hash, behavior->direction, 0.0f);
    }
    if (behavior_neighbor_use((enum behavior_type)behavior->type) == NEIGHBORS_UNUSED) {
        return hash;
    }
    hash = absorb(hash, runtime->kinds);
    for (int zone = 0; zone < ZONE_COUNT; zone++) {
        hash = absorb_floats(hash, behavior->zones[zone].radius, behavior->zones[zone].field_of_view);
        hash = absorb_floats(hash, behavior->zones[zone].weight, (float)behavior->falloff);
    }
    hash = absorb_floats(hash, behavior->horizon, behavior->clearance);
    return absorb_floats(hash, behavior->distance, behavior->clear_ahead);
}

/* What only some behaviours have; nothing for those that do not. */
static uint64_t absorb_extras(uint64_t hash, const struct behavior_def *behavior) {
    if (behavior->max_neighbors > 0) {
        hash = absorb(hash, behavior->max_neighbors);
    }
    if (behavior->obstacle_horizon > 0.0f) {
        hash = absorb_floats(hash, behavior->obstacle_horizon, 0.0f);
    }
    if (behavior->window > 0.0f) {
        hash = absorb_floats(hash, behavior->window, 0.0f);
    }
    if (behavior_has_trait(behavior->type, TRAIT_REGION)) {
        const struct region_def *region = &behavior->region;
        hash = absorb_floats(hash, behavior->margin, behavior->prediction);
        hash = absorb_floats(hash, (float)region->shape, region->radius);
        hash = absorb_floats(hash, region->at.x, region->at.y);
        hash = absorb_floats(hash, region->size.x, region->size.y);
    }
    return hash;
}

/* Obstacles that came or went while the world ran: which is meant by an id, and which comes next. */
static uint64_t absorb_live(uint64_t hash, const struct world *world) {
    const struct geometry_def *def = &world->scenery.def;
    if (world->next_obstacle != (uint32_t)def->obstacle_count + 1) {
        hash = absorb(hash, world->next_obstacle);
        for (int i = 0; i < def->obstacle_count; i++) {
            hash = absorb(hash, def->obstacles[i].id);
        }
    }
    for (int i = 0; i < world->target_count; i++) {
        const char *name = world->targets[i].name;
        for (size_t c = 0; world->targets[i].is_live && name[c] != '\0'; c++) {
            hash = absorb(hash, ((uint64_t)(uint32_t)i << 8) | (unsigned char)name[c]);
        }
    }
    return hash;
}

/* What stands in the world: two worlds that differ in it have different futures. */
static uint64_t absorb_scenery(uint64_t hash, const struct scenery *scenery) {
    for (int i = 0; i < scenery->solid_count; i++) {
        const struct solid *solid = &scenery->solids[i];
        hash = absorb_floats(hash, solid->center.x, solid->center.y);
        hash = absorb_floats(hash, solid->radius, (float)solid->count);
        for (int c = 0; c < solid->count; c++) {
            hash = absorb_floats(hash, solid->corners[c].x, solid->corners[c].y);
        }
    }
    for (int i = 0; i < scenery->def.path_count; i++) {
        const struct path *path = &scenery->paths[i];
        hash = absorb_floats(hash, path->radius, path->is_loop ? 1.0f : 0.0f);
        for (int side = 0; side < path->count; side++) {
            hash = absorb_floats(hash, path->sides[side].from.x, path->sides[side].from.y);
            hash = absorb_floats(hash, path->sides[side].delta.x, path->sides[side].delta.y);
        }
    }
    for (int i = 0; i < scenery->def.flow_count; i++) {
        const struct flow_def *flow = &scenery->def.flows[i];
        hash = absorb(hash, ((uint64_t)flow->type << 32) | flow->seed);
        hash = absorb_floats(hash, flow->at.x, flow->at.y);
        hash = absorb_floats(hash, flow->vector.x, flow->vector.y);
        hash = absorb_floats(hash, flow->strength, flow->scale);
        for (int32_t cell = 0; cell < flow->columns * flow->rows; cell++) {
            hash = absorb_floats(hash, flow->vectors[cell].x, flow->vectors[cell].y);
        }
    }
    return hash;
}

static uint64_t absorb_state(uint64_t hash, const struct state_def *state,
                             const struct state_runtime *runtime) {
    hash = absorb_floats(hash, state->stamina_rate, (float)state->combine);
    for (int c = 0; c < state->condition_count; c++) {
        const struct condition_def *condition = &state->conditions[c];
        hash = absorb(hash, ((uint64_t)condition->type << 32) | (uint32_t)condition->count);
        hash = absorb_floats(hash, condition->value, 0.0f);
        hash = absorb_ref(hash, &condition->target, &runtime->conditions[c]);
    }
    for (int b = 0; b < state->behavior_count; b++) {
        hash = absorb_behavior(hash, &state->behaviors[b], &runtime->behaviors[b]);
        hash = absorb_extras(hash, &state->behaviors[b]);
    }
    return hash;
}

static uint64_t absorb_kind(uint64_t hash, const struct kind *kind) {
    const struct body_def *body = &kind->def.body;
    hash = absorb_floats(hash, body->mass.low, body->mass.high);
    hash = absorb_floats(hash, body->radius.low, body->radius.high);
    hash = absorb_floats(hash, body->max_speed.low, body->max_speed.high);
    hash = absorb_floats(hash, body->max_force.low, body->max_force.high);
    hash = absorb_floats(hash, body->max_turn_rate, (float)body->locomotion);
    hash = absorb_floats(hash, body->max_stamina, 0.0f);
    hash = absorb_aim(hash, &kind->aim);
    for (int s = 0; s < kind->def.state_count; s++) {
        hash = absorb_state(hash, &kind->def.states[s], &kind->states[s]);
    }
    return hash;
}

uint64_t world_hash(const struct world *world) {
    uint64_t agents = 0;
    for (int32_t row = 0; row < world->agent_count; row++) {
        agents += hash_agent(world, row);
    }
    uint64_t hash = absorb(world->seed, world->tick);
    hash = absorb(hash, agents);
    hash = absorb(hash, ((uint64_t)world->next_id << 32) | (uint32_t)world->agent_count);
    hash = absorb_floats(hash, world->bounds.size.x, world->bounds.size.y);
    hash = absorb_floats(hash, world->dt, (float)world->bounds.edge);
    for (int i = 0; i < world->target_count; i++) {
        hash = absorb_floats(hash, world->targets[i].at.x, world->targets[i].at.y);
        hash = absorb_floats(hash, world->targets[i].jump_within, world->targets[i].jump_margin);
    }
    for (int k = 0; k < world->kind_count; k++) {
        hash = absorb_kind(hash, &world->kinds[k]);
    }
    hash = absorb_live(hash, world);
    return absorb_scenery(hash, &world->scenery);
}
