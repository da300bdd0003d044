/* What the behaviors of a batch ask about neighbors: each different query once, for all agents that have it,
 * whatever their kind and state. */
#include <string.h>

#include "server/sim/kernels/kernels.h"
#include "server/sim/tick/crowd.h"

bool crowd_is_same_query(const struct crowd_query *a, const struct crowd_query *b) {
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
