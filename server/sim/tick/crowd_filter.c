/* The velocity filters of a batch: orca in lanes (kernels.h), other filters and agents with a solid in reach
 * agent by agent. */
#include "server/sim/kernels/kernels.h"
#include "server/sim/steering/orca_limits.h"
#include "server/sim/tick/crowd.h"

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
    FOR_PLACES(places, place) {
        if (world_filter_meets_solids(behavior, batch->radius[place], batch->max_speed[place],
                                      batch->room[place])) {
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
    FOR_PLACES(places, place) {
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
