/* See world_spacing.h. */
#include "server/sim/world/world_spacing.h"

#include <stdlib.h>

#include "server/sim/world/world_internal.h"

enum { TRIES = 64, CELLS_ACROSS = 1024, CHECKS_EACH = 4096 };

static float larger(float a, float b) {
    return a > b ? a : b;
}

/* A whole number of `most` at most, and `least` at least. */
static int32_t whole_within(float value, int32_t least, int32_t most) {
    return value <= (float)least ? least : value >= (float)most ? most : (int32_t)value;
}

/* Cells as wide as two bodies are apart that just keep the largest spacing. */
static void lay_out(struct world_spacing *spacing, const struct world *world, const struct world_def *def) {
    float radius = 0.0f, gap = 0.0f;
    for (int i = 0; i < def->placement_count; i++) {
        const int kind = world_find_kind(world, def->placements[i].kind);
        radius = kind < 0 ? radius : larger(radius, world->kinds[kind].def.body.radius.high);
        gap = larger(gap, def->placements[i].spacing);
    }
    const float wide = larger(2.0f * radius + gap, 1.0f);
    const vec2 size = world->bounds.size;
    spacing->columns = whole_within(size.x / wide, 1, CELLS_ACROSS);
    spacing->rows = whole_within(size.y / wide, 1, CELLS_ACROSS);
    spacing->cell_size = vec2_make(size.x / (float)spacing->columns, size.y / (float)spacing->rows);
}

bool world_spacing_init(struct world_spacing *spacing, const struct world *world,
                        const struct world_def *def) {
    size_t agents = 0;
    bool is_needed = false;
    *spacing = (struct world_spacing){0};
    for (int i = 0; i < def->placement_count; i++) {
        agents += def->placements[i].count;
        is_needed = is_needed || def->placements[i].has_spacing;
    }
    if (!is_needed) {
        return true;
    }
    lay_out(spacing, world, def);
    const int32_t cells = spacing->columns * spacing->rows;
    spacing->checks_left = (int64_t)agents * CHECKS_EACH;
    spacing->places = calloc(agents, sizeof *spacing->places);
    spacing->radii = calloc(agents, sizeof *spacing->radii);
    spacing->behind = calloc(agents, sizeof *spacing->behind);
    spacing->cells = malloc((size_t)cells * sizeof *spacing->cells);
    for (int32_t cell = 0; cell < cells && spacing->cells != NULL; cell++) {
        spacing->cells[cell] = -1;
    }
    return spacing->places != NULL && spacing->radii != NULL && spacing->behind != NULL &&
           spacing->cells != NULL;
}

void world_spacing_fini(struct world_spacing *spacing) {
    free(spacing->places);
    free(spacing->radii);
    free(spacing->behind);
    free(spacing->cells);
    *spacing = (struct world_spacing){0};
}

/* In an open world what lies outside counts to the cells at the border. */
static int32_t index_of(float at, float cell, int32_t count) {
    return whole_within(at / cell, 0, count - 1);
}

/* The neighbor of an index, around the world where that wraps; -1: there is none. */
static int32_t beside(int32_t index, int32_t step, int32_t count, bool wraps) {
    const int32_t other = index + step;
    return wraps ? (other + count) % count : other < count ? other : -1;
}

/* Whether no body of a cell is nearer than `gap`. */
static bool is_clear(struct world_spacing *spacing, const struct bounds *bounds, int32_t cell, vec2 place,
                     float radius, float gap) {
    for (int32_t other = spacing->cells[cell]; other >= 0; other = spacing->behind[other]) {
        const vec2 between = bounds_difference(bounds, place, spacing->places[other]);
        const float least = radius + spacing->radii[other] + gap;
        if (spacing->checks_left-- <= 0 || vec2_length_squared(between) < least * least) {
            return false;
        }
    }
    return true;
}

static bool is_free(struct world_spacing *spacing, const struct bounds *bounds, vec2 place, float radius,
                    float gap) {
    const int32_t column = index_of(place.x, spacing->cell_size.x, spacing->columns),
                  row = index_of(place.y, spacing->cell_size.y, spacing->rows);
    const bool wraps = bounds->edge == EDGE_WRAP;
    for (int32_t down = -1; down <= 1; down++) {
        for (int32_t across = -1; across <= 1; across++) {
            const int32_t x = beside(column, across, spacing->columns, wraps),
                          y = beside(row, down, spacing->rows, wraps);
            if (x >= 0 && y >= 0 &&
                !is_clear(spacing, bounds, y * spacing->columns + x, place, radius, gap)) {
                return false;
            }
        }
    }
    return true;
}

static void put(struct world_spacing *spacing, vec2 place, float radius) {
    const int32_t agent = spacing->count++;
    const int32_t cell = index_of(place.y, spacing->cell_size.y, spacing->rows) * spacing->columns +
                         index_of(place.x, spacing->cell_size.x, spacing->columns);
    spacing->places[agent] = place;
    spacing->radii[agent] = radius;
    spacing->behind[agent] = spacing->cells[cell];
    spacing->cells[cell] = agent;
}

static void place_one(struct world_spacing *spacing, const struct world *world, const struct spawn_def *spawn,
                      const struct placement_def *placement) {
    const uint32_t id = (uint32_t)spacing->count + 1;
    struct rng rng = rng_begin(world->seed, world->tick, id, RNG_SPAWN_PLACE);
    const float radius = world_new_radius(world, spawn->kind, id);
    const vec2 first = world_draw_place(world, spawn, radius, &rng);
    vec2 place = first;
    bool is_kept = !placement->has_spacing;
    for (int i = 0; i < TRIES && !is_kept; i++) {
        place = i == 0 ? first : world_draw_place(world, spawn, radius, &rng);
        is_kept = is_free(spacing, &world->bounds, place, radius, placement->spacing);
    }
    spacing->unspaced += !is_kept;
    put(spacing, is_kept ? place : first, radius);
}

void world_spacing_place(struct world_spacing *spacing, const struct world *world,
                         const struct placement_def *placement, struct spawn_def *spawn) {
    for (uint32_t i = 0; i < spawn->count && spacing->places != NULL && !world_is_given_up(world); i++) {
        place_one(spacing, world, spawn, placement);
    }
    spawn->places = spacing->places;
}
