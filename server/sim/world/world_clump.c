/* Where agents are crowded, and how many candidates their queries visit. */
#include <assert.h>

#include "server/sim/world/world_internal.h"

enum { CANDIDATE_SAMPLES = 1024 };

/* How many candidates the queries of an agent visit. */
static int64_t candidates_of(const struct world *world, int32_t slot) {
    const int32_t row = world->grid.row[slot];
    const struct motion motion = world->grid.motion[slot];
    const struct kind *kind = &world->kinds[world->kind[row]];
    const int state = world_state(world, row);
    const struct state_runtime *runtime = &kind->states[state];
    int64_t candidates = 0;
    for (int b = 0; b < kind->def.states[state].behavior_count; b++) {
        const float radius = world_widest_zone(&runtime->behaviors[b]);
        if (!(radius > 0.0f)) {
            continue;
        }
        struct grid_walk walk;
        grid_walk_begin(&walk, &world->grid, vec2_make(motion.x, motion.y), radius);
        for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
            candidates += end - begin;
        }
    }
    return candidates;
}

double world_candidates(const struct world *world) {
    const struct world_slots own = world_own_slots(world);
    const int32_t stride = (own.end - own.begin) / CANDIDATE_SAMPLES + 1;
    int64_t candidates = 0, samples = 0;
    for (int32_t slot = own.begin; world->is_sorted && slot < own.end; slot += stride) {
        candidates += candidates_of(world, slot);
        samples++;
    }
    return samples > 0 ? (double)candidates / (double)samples : 0.0;
}

static int most_frequent_kind(const struct grid *grid, int32_t begin, int32_t end) {
    int32_t count[LIMIT_KINDS] = {0};
    int most = 0;
    for (int32_t slot = begin; slot < end; slot++) {
        count[grid->kind[slot]]++;
    }
    for (int kind = 1; kind < LIMIT_KINDS; kind++) {
        most = count[kind] > count[most] ? kind : most;
    }
    return most;
}

/* The middle of the agents of a kind among some that stand close; `first` is one of them. */
static vec2 middle_of(const struct world *world, int32_t first, int32_t end) {
    const struct grid *grid = &world->grid;
    const vec2 origin = {grid->motion[first].x, grid->motion[first].y};
    double x = 0.0, y = 0.0;
    int32_t count = 0;
    for (int32_t slot = first; slot < end; slot++) {
        if (grid->kind[slot] == grid->kind[first]) {
            const vec2 there = {grid->motion[slot].x, grid->motion[slot].y};
            const vec2 offset = bounds_difference(&world->bounds, origin, there);
            x += (double)offset.x;
            y += (double)offset.y;
            count++;
        }
    }
    const vec2 middle = {origin.x + (float)(x / count), origin.y + (float)(y / count)};
    return bounds_settle(&world->bounds, middle);
}

bool world_find_clump(const struct world *world, struct world_clump *out) {
    assert(world_is_consistent(world));
    const struct grid *grid = &world->grid;
    const struct world_slots own = world_own_slots(world);
    if (!world->is_sorted || own.begin == own.end) {
        return false;
    }
    const struct world_window window = world_window(world);
    const int32_t first = window.first_row * grid->across.cells;
    int32_t fullest = first;
    for (int32_t cell = first; cell < window.end_row * grid->across.cells; cell++) {
        const int32_t count = grid->begin[cell + 1] - grid->begin[cell];
        fullest = count > grid->begin[fullest + 1] - grid->begin[fullest] ? cell : fullest;
    }
    const int32_t begin = grid->begin[fullest], end = grid->begin[fullest + 1];
    const int kind = most_frequent_kind(grid, begin, end);
    assert(end > begin && kind < world->kind_count);
    int32_t slot = begin;
    while (grid->kind[slot] != kind) {
        slot++;
    }
    const int64_t visited = candidates_of(world, slot);
    const int64_t candidates = visited > end - begin ? visited : end - begin;
    *out = (struct world_clump){
        .kind = kind,
        .at = middle_of(world, slot, end),
        .candidates = candidates < INT32_MAX ? (int32_t)candidates : INT32_MAX,
    };
    return true;
}
