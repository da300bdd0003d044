/* See crowd.h: what is copied out of the world, and back. */
#include "server/sim/tick/crowd.h"

#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/steering/velocity_obstacles.h"

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

/* The bodies of those who stand in slow areas. */
static void slow_down(struct crowd *crowd) {
    struct steering_batch *batch = &crowd->batch;
    for (int32_t place = 0; place < batch->count; place++) {
        const vec2 at = vec2_make(batch->x[place], batch->y[place]);
        crowd->body[place] = world_body_at(crowd->world, crowd->body[place], at, &crowd->slowed[place]);
        batch->max_speed[place] = crowd->body[place]->max_speed;
    }
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
    if (world->has_slow_areas) {
        slow_down(crowd);
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

/* ---- neighbors ---- */

/* What the behaviors of a batch ask about neighbors: each different query once, for all agents that have it,
 * whatever their kind and state. */

/* Whether two queries find the same neighbors. */
static bool crowd_is_same_query(const struct crowd_query *a, const struct crowd_query *b) {
    bool same = a->runtime->kinds == b->runtime->kinds && a->behavior->clearance == b->behavior->clearance &&
                a->behavior->horizon == b->behavior->horizon;
    for (int zone = 0; same && zone < ZONE_COUNT; zone++) {
        same = zone_is_same(&a->runtime->zones[zone], &b->runtime->zones[zone]);
    }
    return same;
}

static int find_query(const struct crowd_query *queries, int count, const struct crowd_query *query) {
    int index = 0;
    while (index < count && !crowd_is_same_query(&queries[index], query)) {
        index++;
    }
    return index;
}

/* Adds the query of a behavior, or the agents that have it too. There may be no room: then it is asked agent by
 * agent. */
static void add_query(struct crowd_query *queries, int *count, int room, const struct crowd_query *query) {
    const int index = find_query(queries, *count, query);
    if (index < *count) {
        queries[index].places |= query->places;
    } else if (index < room) {
        queries[(*count)++] = *query;
    }
}

static void collect(struct crowd *crowd, const struct crowd_program *program) {
    const struct kind *kind = &crowd->world->kinds[program->state.kind];
    const struct state_def *state = &kind->def.states[program->state.state];
    for (int b = 0; b < state->behavior_count; b++) {
        const struct crowd_query query = {kind, &state->behaviors[b],
                                          &kind->states[program->state.state].behaviors[b], program->places};
        const enum behavior_type type = (enum behavior_type)query.behavior->type;
        if (world_behavior_has_sums(query.behavior)) {
            add_query(crowd->sums_queries, &crowd->sums_count, CROWD_SUMS_MAX, &query);
        } else if (behavior_neighbor_use(type) == NEIGHBORS_THREATS) {
            add_query(crowd->threats_queries, &crowd->threats_count, CROWD_THREATS_MAX, &query);
        }
    }
}

void crowd_find_neighbors(struct crowd *crowd) {
    const struct world *world = crowd->world;
    const int32_t begin = crowd->batch.begin, end = begin + crowd->batch.count;
    crowd->sums_count = crowd->threats_count = 0;
    for (int i = 0; i < crowd->program_count; i++) {
        collect(crowd, &crowd->programs[i]);
    }
    for (int i = 0; i < crowd->sums_count; i++) {
        const struct crowd_query *query = &crowd->sums_queries[i];
        const struct neighbor_batch batch = world_neighbor_batch(world, query->kind, query->runtime);
        neighbor_kernel_columns(world->simd, &batch, begin, end, query->places, &crowd->sums[i]);
    }
    for (int i = 0; i < crowd->threats_count; i++) {
        const struct crowd_query *query = &crowd->threats_queries[i];
        const struct neighbor_batch batch = world_neighbor_batch(world, query->kind, query->runtime);
        const struct threat_batch threats = {&batch, query->behavior->clearance, query->behavior->horizon};
        threat_kernel_sums(world->simd, &threats, begin, end, query->places, &crowd->threats[i]);
    }
}

/* The query of a program's behavior. */
static struct crowd_query query_of(const struct crowd *crowd, struct state_ref program, int index) {
    const struct kind *kind = &crowd->world->kinds[program.kind];
    return (struct crowd_query){.kind = kind,
                                .behavior = &kind->def.states[program.state].behaviors[index],
                                .runtime = &kind->states[program.state].behaviors[index]};
}

const struct sums_columns *crowd_sums_of(const struct crowd *crowd, struct state_ref program, int index) {
    const struct crowd_query query = query_of(crowd, program, index);
    if (!world_behavior_has_sums(query.behavior)) {
        return NULL;
    }
    const int found = find_query(crowd->sums_queries, crowd->sums_count, &query);
    return found < crowd->sums_count ? &crowd->sums[found] : NULL;
}

const struct threat_columns *crowd_threats_of(const struct crowd *crowd, struct state_ref program,
                                              int index) {
    const struct crowd_query query = query_of(crowd, program, index);
    if (behavior_neighbor_use((enum behavior_type)query.behavior->type) != NEIGHBORS_THREATS) {
        return NULL;
    }
    const int found = find_query(crowd->threats_queries, crowd->threats_count, &query);
    return found < crowd->threats_count ? &crowd->threats[found] : NULL;
}

/* ---- filter ---- */

/* The velocity filters of a batch: orca in lanes (kernels.h), other filters and agents with a solid in reach
 * agent by agent. */

static struct orca_query orca_query_of(const struct world *world, const struct behavior_def *behavior,
                                       const struct behavior_runtime *runtime) {
    return (struct orca_query){
        .grid = &world->grid,
        .bounds = &world->bounds,
        .ids = world->id,
        .kinds = runtime->kinds,
        .radius = runtime->zones[ZONE_SEPARATION].radius,
        .clearance = behavior->clearance,
        .horizon = behavior->horizon > world->dt ? behavior->horizon : world->dt,
        .settle = ORCA_SETTLE > world->dt ? ORCA_SETTLE : world->dt,
        .most = (int32_t)behavior->max_neighbors,
    };
}

/* The places from which some solid may be within the reach of the behavior. */
static place_set near_solids(const struct crowd *crowd, const struct behavior_def *behavior,
                             place_set places) {
    const struct world *world = crowd->world;
    const struct steering_batch *batch = &crowd->batch;
    place_set near = 0;
    if (world->scenery.solid_count == 0 || !(behavior->obstacle_horizon > 0.0f)) {
        return near;
    }
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        if (world_filter_meets_solids(behavior, batch->radius[place],
                                      batch->max_speed[place] + world->scenery.fastest, batch->room[place])) {
            near |= UINT64_C(1) << place;
        }
    }
    return near;
}

/* Returns the places that are left to behavior_orca. */
static place_set filter_in_lanes(struct crowd *crowd, const struct behavior_def *behavior,
                                 const struct behavior_runtime *runtime, place_set places) {
    struct steering_batch *batch = &crowd->batch;
    const struct world *world = crowd->world;
    const place_set near = near_solids(crowd, behavior, places), wanted = places & ~near;
    const struct orca_query query = orca_query_of(world, behavior, runtime);
    crowd->kernel->prefer(batch, wanted);
    const struct orca_wishes wishes = {batch->preferred_x, batch->preferred_y, batch->max_speed};
    place_set active = 0, alone = 0;
    const struct orca_answers answers = {&active, &alone, batch->permitted_x, batch->permitted_y};
    orca_kernel_solve(world->simd, &query, &wishes, batch->begin, batch->begin + batch->count, &wanted,
                      &answers);
    crowd->kernel->filter(batch, behavior->weight, active);
    return near | alone;
}

/* The index of the next velocity filter of a state, from `index` on; behavior_count: there is none. */
static int next_filter(const struct state_def *state, int index) {
    while (index < state->behavior_count &&
           !behavior_is_velocity_filter((enum behavior_type)state->behaviors[index].type)) {
        index++;
    }
    return index;
}

static void count_alone(const struct crowd *crowd, const struct crowd_program *program, place_set places) {
    const struct kind *kind = &crowd->world->kinds[program->state.kind];
    const struct state_def *state = &kind->def.states[program->state.state];
    for (int b = next_filter(state, 0); places != 0 && b < state->behavior_count;
         b = next_filter(state, b + 1)) {
        world_count_alone(crowd->world, &kind->states[program->state.state], b, places);
    }
}

static void filter_alone(struct crowd *crowd, place_set places) {
    place_set left = places;
    for (int32_t place; places_next(&left, &place);) {
        struct intent intent = crowd_intent(crowd, place);
        world_filter_velocity(crowd->world, crowd->row[place],
                              &crowd->kind[place]->def.states[crowd->state[place]],
                              crowd_runtime(crowd, place), crowd_context(crowd, place), &intent, NULL);
        crowd_set_intent(crowd, place, &intent);
    }
}

/* The only velocity filter of a program, if it has a kernel: false when its agents are filtered one by one. */
static bool find_filter(const struct crowd *crowd, const struct crowd_program *program,
                        struct crowd_query *filter) {
    const struct kind *kind = &crowd->world->kinds[program->state.kind];
    const struct state_def *state = &kind->def.states[program->state.state];
    const struct behavior_runtime *behaviors = kind->states[program->state.state].behaviors;
    const int first = next_filter(state, 0);
    if (first == state->behavior_count || behaviors[first].way != WAY_LANES) {
        return false;
    }
    *filter = (struct crowd_query){kind, &state->behaviors[first], &behaviors[first], program->places};
    return true;
}

static bool is_same_filter(const struct crowd_query *a, const struct crowd_query *b) {
    return crowd_is_same_query(a, b) && a->behavior->type == b->behavior->type &&
           a->behavior->weight == b->behavior->weight &&
           a->behavior->max_neighbors == b->behavior->max_neighbors &&
           a->behavior->obstacle_horizon == b->behavior->obstacle_horizon;
}

/* Adds the agents of the programs from `first` on that have the same filter. */
static void add_programs(const struct crowd *crowd, int first, struct crowd_query *filter) {
    for (int i = first; i < crowd->program_count; i++) {
        struct crowd_query other;
        if (find_filter(crowd, &crowd->programs[i], &other) && is_same_filter(filter, &other)) {
            filter->places |= other.places;
        }
    }
}

void crowd_filter_velocities(struct crowd *crowd) {
    place_set alone = 0, done = 0;
    for (int i = 0; i < crowd->program_count; i++) {
        const struct crowd_program *program = &crowd->programs[i];
        const struct kind *kind = &crowd->world->kinds[program->state.kind];
        struct crowd_query filter;
        if ((program->places & done) != 0 || !kind->states[program->state.state].has_velocity_filter) {
            continue;
        }
        if (find_filter(crowd, program, &filter)) {
            add_programs(crowd, i + 1, &filter);
            alone |= filter_in_lanes(crowd, filter.behavior, filter.runtime, filter.places);
            done |= filter.places;
        } else {
            alone |= program->places;
        }
    }
    for (int i = 0; alone != 0 && i < crowd->program_count; i++) {
        count_alone(crowd, &crowd->programs[i], crowd->programs[i].places & alone);
    }
    filter_alone(crowd, alone);
}
