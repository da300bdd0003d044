/* See crowd.h: what is copied out of the world, and back. */
#include "server/sim/tick/crowd.h"

#include <string.h>

/* The same body for all agents. */
static void fill_bodies(struct steering_batch *batch, const struct kind *kind) {
    const struct body *body = &kind->body;
    crowd_fill(batch->max_speed, batch->count, body->max_speed);
    crowd_fill(batch->max_force, batch->count, body->max_force);
    crowd_fill(batch->mass, batch->count, body->mass);
    crowd_fill(batch->radius, batch->count, body->radius);
    crowd_fill(batch->turn_x, batch->count, kind->turn.x);
    crowd_fill(batch->turn_y, batch->count, kind->turn.y);
}

static void gather_body(struct steering_batch *batch, int32_t place, const struct kind *kind,
                        const struct body *body) {
    batch->max_speed[place] = body->max_speed;
    batch->max_force[place] = body->max_force;
    batch->mass[place] = body->mass;
    batch->radius[place] = body->radius;
    batch->turn_x[place] = kind->turn.x;
    batch->turn_y[place] = kind->turn.y;
}

/* Kinds and bodies that differ. */
static void gather_kinds(struct crowd *crowd) {
    const struct world *world = crowd->world;
    struct steering_batch *batch = &crowd->batch;
    memset(crowd->of_kind, 0, sizeof *crowd->of_kind * (size_t)world->kind_count);
    for (int32_t place = 0; place < batch->count; place++) {
        const int k = world->grid.kind[batch->begin + place];
        const struct kind *kind = &world->kinds[k];
        const struct body *body = world->has_own_bodies ? world_body(world, crowd->row[place]) : &kind->body;
        crowd->kinds |= UINT64_C(1) << k;
        crowd->of_kind[k] |= (place_set)1 << place;
        crowd->kind[place] = kind;
        crowd->body[place] = body;
        gather_body(batch, place, kind, body);
    }
}

/* One kind and one body. */
static void gather_kind(struct crowd *crowd) {
    const int only = (int)(crowd->only - crowd->world->kinds);
    crowd->kinds = UINT64_C(1) << only;
    crowd->of_kind[only] = places_until(crowd->batch.count);
    for (int32_t place = 0; place < crowd->batch.count; place++) {
        crowd->kind[place] = crowd->only;
        crowd->body[place] = &crowd->only->body;
    }
    fill_bodies(&crowd->batch, crowd->only);
}

/* Ids that follow rows need no lookup. */
static void gather_ids(struct steering_batch *batch, const struct world *world, const int32_t *row) {
    if (world_ids_are_dense(world)) {
        for (int32_t place = 0; place < batch->count; place++) {
            batch->id[place] = world->id[0] + (uint32_t)row[place];
        }
    } else {
        for (int32_t place = 0; place < batch->count; place++) {
            batch->id[place] = world->id[row[place]];
        }
    }
}

static void gather_agents(struct crowd *crowd) {
    struct steering_batch *batch = &crowd->batch;
    struct world *world = crowd->world;
    const int32_t *row = world->grid.row + batch->begin;
    const vec2 *heading = world->heading + batch->begin;
    batch->memory = world->memory + batch->begin;
    gather_ids(batch, world, row);
    for (int32_t place = 0; place < batch->count; place++) {
        crowd->row[place] = row[place];
        batch->heading_x[place] = heading[place].x;
        batch->heading_y[place] = heading[place].y;
    }
}

/* Where the quarry that an agent remembers is looked up, if it remembers one; ids follow rows. */
static const int32_t *quarry_lookup(const struct world *world, int32_t slot) {
    const uint32_t row = world->memory[slot].quarry - world->id[0];
    return &world->grid.lookup->slot[row < (uint32_t)world->agent_count ? row : 0];
}

/* What the agents of this batch and of the next will look up, so that it is there in time. */
static void prefetch_agents(const struct world *world, int32_t begin, int32_t end) {
    const int32_t next_end = end + BATCH_MAX < world->grid.count ? end + BATCH_MAX : world->grid.count;
    if (!world_ids_are_dense(world)) {
        for (int32_t slot = end; slot < next_end; slot++) {
            __builtin_prefetch(&world->id[world->grid.row[slot]]);
        }
        return;
    }
    for (int32_t slot = begin; slot < next_end; slot++) {
        if (world->kinds[world->grid.kind[slot]].pursues) {
            const int32_t *lookup = quarry_lookup(world, slot);
            if (slot < end) { /* looked up since the batch before */
                __builtin_prefetch(&world->grid.motion[*lookup]);
                __builtin_prefetch(&world->heading[*lookup]);
            } else {
                __builtin_prefetch(lookup);
            }
        }
    }
}

/* The kind and the body that all agents of slots [begin, end) have; NULL when these differ. */
static const struct kind *only_kind(const struct world *world, int32_t begin, int32_t end) {
    const uint8_t *kinds = world->grid.kind, first = kinds[begin];
    uint8_t differs = 0;
    for (int32_t slot = begin; slot < end; slot++) {
        differs |= kinds[slot] ^ first;
    }
    return differs != 0 || world->has_own_bodies ? NULL : &world->kinds[first];
}

/* What all agents of a tick have in common. */
static void begin_world(struct crowd *crowd, struct world *world) {
    struct steering_batch *batch = &crowd->batch;
    const bool wraps = world->bounds.edge == EDGE_WRAP;
    crowd->world = world;
    crowd->kernel = steering_kernel_of(world->simd);
    batch->dt = world->dt;
    batch->dt_root = sqrtf(world->dt);
    batch->bounds = world->bounds;
    batch->scenery = &world->scenery;
    batch->tick = world->tick;
    batch->half = wraps ? vec2_scale(world->bounds.size, 0.5f) : vec2_make(3e38f, 3e38f);
    batch->noise_key = rng_tick_key(world->seed, world->tick);
    crowd->context = (struct steering_context){
        .bounds = &world->bounds,
        .scenery = &world->scenery,
        .dt = world->dt,
        .seed = world->seed,
        .tick = world->tick,
    };
}

void crowd_begin(struct crowd *crowd, struct world *world, int32_t begin, int32_t end) {
    struct steering_batch *batch = &crowd->batch;
    begin_world(crowd, world);
    batch->begin = begin;
    batch->count = end - begin;
    crowd->kernel->gather(batch, world->grid.motion + begin);
    gather_agents(crowd);
    prefetch_agents(world, begin, end);
    crowd->only = only_kind(world, begin, end);
    crowd->kinds = 0;
    if (crowd->only != NULL) {
        gather_kind(crowd);
    } else {
        gather_kinds(crowd);
    }
    crowd->kernel->find_room(batch);
}

struct steering_context *crowd_context(struct crowd *crowd, int32_t place) {
    const struct steering_batch *batch = &crowd->batch;
    struct steering_context *context = &crowd->context;
    context->position = vec2_make(batch->x[place], batch->y[place]);
    context->velocity = vec2_make(batch->vx[place], batch->vy[place]);
    context->heading = vec2_make(batch->heading_x[place], batch->heading_y[place]);
    context->body = crowd->body[place];
    context->rate = batch->rate[place];
    context->exact_rate = batch->exact_rate[place];
    context->id = batch->id[place];
    context->memory = &batch->memory[place];
    context->drive = &crowd->world->drive[crowd->row[place]];
    crowd->known.behavior = NULL;
    crowd->known.sight = crowd_sight(crowd, place);
    context->precomputed = &crowd->known;
    return context;
}

struct intent crowd_intent(const struct crowd *crowd, int32_t place) {
    const struct steering_batch *batch = &crowd->batch;
    return (struct intent){
        .desired = {batch->desired_x[place], batch->desired_y[place]},
        .force = {batch->force_x[place], batch->force_y[place]},
    };
}

void crowd_set_intent(struct crowd *crowd, int32_t place, const struct intent *intent) {
    struct steering_batch *batch = &crowd->batch;
    batch->desired_x[place] = intent->desired.x;
    batch->desired_y[place] = intent->desired.y;
    batch->force_x[place] = intent->force.x;
    batch->force_y[place] = intent->force.y;
}
