/* Measuring instruments of a world: who goes through gates, and what areas have. Nothing here decides the future. */
#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "server/sim/world/world_internal.h"

enum { GRAIN = 4096 /* agents that one thread takes at a time */ };

/* ---- gates ---- */

/* The crossings of a tick while threads look for them. Sums are of whole numbers, so their order is all the same. */
struct crossing_search {
    struct world *world;
    int32_t begin; /* slot */
    atomic_uint forward[LIMIT_GATES], backward[LIMIT_GATES];
    atomic_int found;
};

static void find_crossings(void *context, int32_t begin, int32_t end) {
    struct crossing_search *search = context;
    struct world *world = search->world;
    const struct geometry_def *geometry = &world->scenery.def;
    for (int32_t slot = search->begin + begin; slot < search->begin + end; slot++) {
        const struct motion *was = &world->grid.motion[slot], *is = &world->grid.next[slot];
        for (int g = 0; g < geometry->gate_count; g++) {
            const int direction = gate_crossing(&geometry->gates[g], &world->bounds,
                                                vec2_make(was->x, was->y), vec2_make(is->x, is->y));
            if (direction == 0) {
                continue;
            }
            atomic_fetch_add_explicit(direction > 0 ? &search->forward[g] : &search->backward[g], 1,
                                      memory_order_relaxed);
            const int at = atomic_fetch_add_explicit(&search->found, 1, memory_order_relaxed);
            if (at < WORLD_CROSSINGS_MAX) {
                world->crossings[at] =
                    (struct world_crossing){world->id[world->grid.row[slot]], (int16_t)g, (int16_t)direction};
            }
        }
    }
}

/* Adds a crossing to those that are there, by gate and id. */
static void enter(struct world_crossing *crossings, int count, struct world_crossing added) {
    int at = count;
    while (at > 0 && (crossings[at - 1].gate > added.gate ||
                      (crossings[at - 1].gate == added.gate && crossings[at - 1].agent > added.agent))) {
        crossings[at] = crossings[at - 1];
        at--;
    }
    crossings[at] = added;
}

/* Every rank sends its crossings to all others; together they fit. */
static void gather_crossings(struct world *world, int own) {
    const struct exchange *exchange = world->exchange;
    struct exchange_part in[EXCHANGE_RANKS_MAX];
    exchange_send_to_all(exchange, world->crossings, sizeof world->crossings[0] * (size_t)own, in);
    for (int rank = 0; rank < exchange->ranks; rank++) {
        const int count = (int)(in[rank].size / sizeof world->crossings[0]);
        assert(own + count <= WORLD_CROSSINGS_MAX);
        if (count > 0) {
            memcpy(&world->crossings[own], in[rank].bytes, in[rank].size);
            own += count;
        }
    }
}

void world_count_crossings(struct world *world, const struct parallel *parallel) {
    const int gates = world->scenery.def.gate_count;
    const struct world_slots own = world_own_slots(world);
    struct crossing_search search = {.world = world, .begin = own.begin};
    world->crossing_count = 0;
    world->crossings_left_out = 0;
    if (gates == 0) {
        return;
    }
    if (own.end > own.begin) {
        parallel->run(parallel->pool, own.end - own.begin, GRAIN, find_crossings, &search);
    }
    uint64_t counts[2 * LIMIT_GATES], all = 0;
    for (int g = 0; g < gates; g++) {
        counts[2 * g] = atomic_load(&search.forward[g]);
        counts[2 * g + 1] = atomic_load(&search.backward[g]);
    }
    if (world_is_partial(world)) {
        world->exchange->sum(world->exchange->context, counts, 2 * gates);
    }
    for (int g = 0; g < gates; g++) {
        world->gate_counts[g].forward += counts[2 * g];
        world->gate_counts[g].backward += counts[2 * g + 1];
        all += counts[2 * g] + counts[2 * g + 1];
    }
    if (all > WORLD_CROSSINGS_MAX) {
        world->crossings_left_out = all;
        return;
    }
    if (world_is_partial(world) && all > 0) {
        gather_crossings(world, atomic_load(&search.found));
    }
    for (int i = 0; i < (int)all; i++) {
        enter(world->crossings, i, world->crossings[i]);
    }
    world->crossing_count = (int)all;
}

int world_crossings(const struct world *world, const struct world_crossing **crossings, uint64_t *left_out) {
    *crossings = world->crossings;
    *left_out = world->crossings_left_out;
    return world->crossing_count;
}

struct gate_count world_gate_count(const struct world *world, int gate) {
    assert(gate >= 0 && gate < world->scenery.def.gate_count);
    return world->gate_counts[gate];
}

uint64_t world_counted_since(const struct world *world) {
    return world->counted_since;
}

/* ---- areas ---- */

void world_count_areas(const struct world *world, struct area_count counts[LIMIT_AREAS]) {
    const struct geometry_def *geometry = &world->scenery.def;
    const struct world_slots own = world_own_slots(world);
    uint64_t sums[2 * LIMIT_AREAS] = {0}; /* agents, 1/1000 px/s */
    for (int32_t slot = own.begin; slot < own.end; slot++) {
        const struct motion *motion = &world->grid.motion[slot];
        const double squared =
            (double)motion->vx * (double)motion->vx + (double)motion->vy * (double)motion->vy;
        for (int a = 0; a < geometry->area_count; a++) {
            if (area_holds(&geometry->areas[a], &world->bounds, vec2_make(motion->x, motion->y))) {
                sums[2 * a]++;
                sums[2 * a + 1] += (uint64_t)(sqrt(squared) * 1000.0 + 0.5);
            }
        }
    }
    if (world_is_partial(world)) {
        world->exchange->sum(world->exchange->context, sums, 2 * geometry->area_count);
    }
    for (int a = 0; a < geometry->area_count; a++) {
        const uint64_t agents = sums[2 * a];
        counts[a].agents = agents;
        counts[a].mean_speed = agents > 0 ? (double)sums[2 * a + 1] / (1000.0 * (double)agents) : 0.0;
    }
}
