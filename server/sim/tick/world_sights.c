/* See world_sights.h. */
#include "server/sim/tick/world_sights.h"

#include <assert.h>
#include <float.h>
#include <string.h>

/* How far the agents of each kind are looked for, as sight_index_build wants it. */
static void find_reaches(const struct world *world, float reach[LIMIT_KINDS]) {
    for (int k = 0; k < LIMIT_KINDS; k++) {
        reach[k] = -1.0f;
    }
    for (int k = 0; k < world->kind_count; k++) {
        const struct kind *kind = &world->kinds[k];
        for (int i = 0; world_kind_population(world, k) > 0 && i < kind->look_count; i++) {
            const struct look *look = &kind->looks[i];
            reach[look->kind] = look->within > reach[look->kind] ? look->within : reach[look->kind];
        }
    }
}

/* How many agents of each kind are here. */
static void count_agents(const struct world *world, int32_t population[LIMIT_KINDS]) {
    memset(population, 0, sizeof *population * LIMIT_KINDS);
    for (int32_t slot = 0; world_is_partial(world) && slot < world->grid.count; slot++) {
        population[world->grid.kind[slot]]++;
    }
    for (int k = 0; !world_is_partial(world) && k < world->kind_count; k++) {
        population[k] = world_kind_population(world, k);
    }
}

void world_sights_begin(struct world *world) {
    world->has_sights = false;
    if (!world->has_kind_targets || !world->is_sorted) {
        return;
    }
    float reach[LIMIT_KINDS];
    int32_t population[LIMIT_KINDS];
    find_reaches(world, reach);
    count_agents(world, population);
    for (int k = 0; k < world->kind_count; k++) {
        world->has_sights = world->has_sights || (reach[k] >= 0.0f && population[k] > 0);
    }
    if (world->has_sights) {
        /* Since the last sort agents may have gone around a border, and a box of them reaches across all rows. */
        const bool is_split = world_is_partial(world) && world->grid.drift > 0.0f;
        sight_index_build(&world->sights, &world->grid, reach, population,
                          is_split ? UINT64_MAX : world->known);
    }
}

void world_sights_of(struct world_sights *sights, int32_t begin) {
    sights->begin = begin;
    sights->count = 0;
}

/* Where what a batch knows of a kind is; -1 where there is no room for more kinds. */
static int find_asked(const struct world *world, struct world_sights *sights, int kind) {
    int i = 0;
    while (i < sights->count && sights->asked[i].kind != kind) {
        i++;
    }
    if (i == LOOKS_MAX) {
        return -1;
    }
    if (i == sights->count) {
        sights->count++;
        sights->asked[i].kind = kind;
        sights->asked[i].within = world->sights.kinds[kind].reach;
        sights->asked[i].places = 0;
    }
    return i;
}

void world_sights_look(const struct world *world, struct world_sights *sights, int kind, uint64_t places) {
    if (!world->has_sights || world->sights.kinds[kind].count == 0) {
        return;
    }
    const int i = find_asked(world, sights, kind);
    const uint64_t wanted = i < 0 ? 0 : places & ~sights->asked[i].places;
    if (wanted == 0) {
        return;
    }
    const struct sight_query query = {&world->grid, &world->sights, kind, sights->asked[i].within};
    const int32_t end = sights->begin + SIGHT_PLACES - __builtin_clzll(wanted);
    assert(end <= world->grid.count);
    sights->asked[i].places |= wanted;
    sight_kernel_find(world->simd, &query, sights->begin, end, wanted, &sights->asked[i].seen);
}

bool world_sights_find(const struct world_sights *sights, int place, int kind, float within, int32_t *slot) {
    assert(place >= 0 && place < SIGHT_PLACES);
    for (int i = 0; i < sights->count; i++) {
        if (sights->asked[i].kind != kind || ((sights->asked[i].places >> place) & 1) == 0) {
            continue;
        }
        const bool is_bounded = within > 0.0f;
        const int32_t nearest = sights->asked[i].seen.slot[place];
        if (nearest < 0 && !(is_bounded && within <= sights->asked[i].within)) {
            return false; /* there may be one further away */
        }
        const bool is_near =
            nearest >= 0 && (!is_bounded || sights->asked[i].seen.squared[place] <= within * within);
        *slot = is_near ? nearest : -1;
        return true;
    }
    return false;
}

struct sight_answer world_sights_near(const struct world_sights *sights, const struct steering_kernel *kernel,
                                      const struct steering_batch *batch, int kind, float within,
                                      uint64_t places) {
    assert(batch->begin == sights->begin);
    int i = 0;
    while (i < sights->count && sights->asked[i].kind != kind) {
        i++;
    }
    if (i == sights->count) {
        return (struct sight_answer){NULL, 0, 0};
    }
    const bool is_bounded = within > 0.0f;
    const float *squared = sights->asked[i].seen.squared;
    struct sight_answer answer = {.seen = &sights->asked[i].seen, .known = places & sights->asked[i].places};
    if (!is_bounded || within > sights->asked[i].within) { /* there may be one further away */
        answer.known = kernel->within(batch, squared, FLT_MAX, answer.known);
    }
    answer.near = kernel->within(batch, squared, is_bounded ? within * within : FLT_MAX, answer.known);
    return answer;
}
