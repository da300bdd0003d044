/* See neighbor_count.h. */
#include "viewer/explain/neighbor_count.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MOST = 256 };

struct grid {
    int columns, rows;
    float per_x, per_y; /* cells per px */
    bool wraps;
    vec2 size;
};

void neighbor_count_init(struct neighbor_count *count) {
    memset(count, 0, sizeof *count);
}

void neighbor_count_fini(struct neighbor_count *count) {
    free(count->order);
    free(count->begin);
    free(count->counts);
    neighbor_count_init(count);
}

static int reserve_counts(struct neighbor_count *count, int32_t agents) {
    if (agents <= count->capacity && count->begin != NULL) {
        return 0;
    }
    neighbor_count_fini(count);
    const size_t room = (size_t)agents + (size_t)agents / 4 + 16;
    count->order = malloc(room * sizeof *count->order);
    count->counts = malloc(room * sizeof *count->counts);
    count->begin = malloc(((size_t)SIDE_MOST * SIDE_MOST + 1) * sizeof *count->begin);
    if (count->order == NULL || count->counts == NULL || count->begin == NULL) {
        neighbor_count_fini(count);
        return -1;
    }
    count->capacity = (int32_t)room;
    return 0;
}

static int cells_along(float length, float radius) {
    const float cells = radius > 0.0f ? floorf(length / radius) : 1.0f;
    return cells < 1.0f ? 1 : cells > (float)SIDE_MOST ? SIDE_MOST : (int)cells;
}

static int clamp_cell(float at, int count) {
    return !(at > 0.0f) ? 0 : at >= (float)count ? count - 1 : (int)at;
}

static int cell_of(const struct grid *grid, float x, float y) {
    return clamp_cell(y * grid->per_y, grid->rows) * grid->columns +
           clamp_cell(x * grid->per_x, grid->columns);
}

static struct grid make_grid(const struct frame *frame, const struct neighbor_rules *rules) {
    float largest = 0.0f;
    for (int k = 0; k < frame->names->kind_names.count; k++) {
        largest = fmaxf(largest, rules->radius[k]);
    }
    struct grid grid = {.columns = cells_along(rules->size.x, largest),
                        .rows = cells_along(rules->size.y, largest),
                        .wraps = rules->wraps,
                        .size = rules->size};
    grid.per_x = (float)grid.columns / fmaxf(rules->size.x, 1.0f);
    grid.per_y = (float)grid.rows / fmaxf(rules->size.y, 1.0f);
    return grid;
}

static void sort_agents(struct neighbor_count *count, const struct frame *frame, const struct grid *grid) {
    const int cells = grid->columns * grid->rows;
    memset(count->begin, 0, ((size_t)cells + 1) * sizeof *count->begin);
    for (int32_t i = 0; i < frame->count; i++) {
        count->begin[cell_of(grid, frame->x[i], frame->y[i]) + 1]++;
    }
    for (int c = 0; c < cells; c++) {
        count->begin[c + 1] += count->begin[c];
    }
    for (int32_t i = frame->count; i > 0; i--) { /* from the back: begin ends up one cell on, see below */
        count->order[--count->begin[cell_of(grid, frame->x[i - 1], frame->y[i - 1]) + 1]] = i - 1;
    }
    /* begin[c + 1] is now where cell c begins */
    for (int c = 0; c < cells; c++) {
        count->begin[c] = count->begin[c + 1];
    }
    count->begin[cells] = frame->count;
}

/* The columns (or rows) beside `at`, each once. Returns how many. */
static int beside(int at, int count, bool wraps, int out[3]) {
    int used = 0;
    for (int step = -1; step <= 1; step++) {
        const int cell = wraps ? (at + step + count) % count : at + step;
        bool is_new = cell >= 0 && cell < count;
        for (int i = 0; i < used; i++) {
            is_new = is_new && out[i] != cell;
        }
        if (is_new) {
            out[used++] = cell;
        }
    }
    return used;
}

static float short_way(float difference, float size, bool wraps) {
    return wraps && size > 0.0f ? difference - size * rintf(difference / size) : difference;
}

static int count_in(const struct neighbor_count *count, const struct frame *frame, const struct grid *grid,
                    int cell, int32_t agent, float radius) {
    int found = 0;
    for (int32_t k = count->begin[cell]; k < count->begin[cell + 1]; k++) {
        const int32_t other = count->order[k];
        const float dx = short_way(frame->x[other] - frame->x[agent], grid->size.x, grid->wraps);
        const float dy = short_way(frame->y[other] - frame->y[agent], grid->size.y, grid->wraps);
        found += other != agent && dx * dx + dy * dy < radius * radius ? 1 : 0;
    }
    return found;
}

static int neighbors_of(const struct neighbor_count *count, const struct frame *frame,
                        const struct grid *grid, int32_t agent, float radius) {
    int columns[3], rows[3], found = 0;
    const int wide =
        beside(clamp_cell(frame->x[agent] * grid->per_x, grid->columns), grid->columns, grid->wraps, columns);
    const int high =
        beside(clamp_cell(frame->y[agent] * grid->per_y, grid->rows), grid->rows, grid->wraps, rows);
    for (int r = 0; r < high; r++) {
        for (int c = 0; c < wide && found < NEIGHBOR_COUNT_MOST; c++) {
            found += count_in(count, frame, grid, rows[r] * grid->columns + columns[c], agent, radius);
        }
    }
    return found < NEIGHBOR_COUNT_MOST ? found : NEIGHBOR_COUNT_MOST;
}

int neighbor_count_update(struct neighbor_count *count, const struct frame *frame,
                          const struct neighbor_rules *rules) {
    assert(frame->names != NULL);
    if (reserve_counts(count, frame->count) != 0) {
        return -1;
    }
    const struct grid grid = make_grid(frame, rules);
    sort_agents(count, frame, &grid);
    for (int32_t i = 0; i < frame->count; i++) {
        count->counts[i] = (uint16_t)neighbors_of(count, frame, &grid, i, rules->radius[frame->kind[i]]);
    }
    return 0;
}
