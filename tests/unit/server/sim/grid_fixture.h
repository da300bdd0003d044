/* Agents for tests of the grid and of its queries. */
#ifndef DROVER_TESTS_UNIT_SERVER_SIM_GRID_FIXTURE_H
#define DROVER_TESTS_UNIT_SERVER_SIM_GRID_FIXTURE_H

#include "server/sim/math/rng.h"
#include "server/sim/space/grid.h"

/* Puts agents in, in order of row, and sorts them. motion, kind: by row; there is room for `count`. */
static inline void grid_build(struct grid *grid, const struct bounds *bounds, const struct motion *motion,
                              const uint8_t *kind, int32_t count, float radius) {
    grid->count = 0;
    grid->has_kinds = false;
    for (int32_t row = 0; row < count; row++) {
        grid_append(grid, motion[row], kind[row]);
    }
    grid_resort(grid, bounds, radius);
}

/* A walk around the place of a slot's agent finds the agent, though slots may keep the order of an earlier
 * tick. */
static inline bool grid_finds(const struct grid *grid, int32_t slot) {
    struct grid_walk walk;
    grid_walk_begin(&walk, grid, (vec2){grid->motion[slot].x, grid->motion[slot].y}, 0.0f);
    bool is_found = false;
    for (int32_t begin, end; grid_walk_next(&walk, &begin, &end);) {
        is_found |= begin <= slot && slot < end;
    }
    return is_found;
}

/* All agents move, about `step` px at most, and stay in their slots. motion: by row; moved as well. */
static inline void grid_drift_apart(struct grid *grid, const struct bounds *bounds, struct motion *motion,
                                    float step, struct rng *rng) {
    float furthest = 0.0f;
    for (int32_t slot = 0; slot < grid->count; slot++) {
        struct motion *moved = &motion[grid->row[slot]];
        const vec2 old = {moved->x, moved->y};
        const vec2 to = {old.x + rng_between(rng, -step, step), old.y + rng_between(rng, -step, step)};
        const vec2 now = bounds_settle(bounds, to);
        const float way = vec2_length(bounds_difference(bounds, old, now));
        furthest = way > furthest ? way : furthest;
        moved->x = now.x;
        moved->y = now.y;
        grid->next[slot] = *moved;
    }
    grid_advance(grid, GRID_SLACK * furthest + GRID_ROUNDING * (bounds->size.x + bounds->size.y));
}

#endif
