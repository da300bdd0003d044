/* See sight_index.h: a counting sort of the agents that are looked for. */
#include "server/sim/space/sight_index.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "server/sim/math/column.h"

#define A_DOZEN        12.0f
#define SMALLEST_EDGE  1.0f /* px */
#define AXIS_CELLS_MAX 16384
enum {
    CELLS_EACH = 8,
    CELLS_MORE = 16 /* the most cells of a kind: so many for each agent, and so many more */
};

/* ---- storage ---- */

/* What was there is of no use: each tick makes it again. */
static bool replace(void *column, size_t entry, int32_t count) {
    char *former;
    memcpy(&former, column, sizeof former);
    char *fresh = NULL;
    const bool is_there = column_grow_zero(&fresh, entry, 0, count);
    if (is_there) {
        memcpy(column, &fresh, sizeof fresh);
        free(former);
    }
    return is_there;
}

/* is_written: the system gives memory when it is written for the first time. */
static bool grow(void *column, size_t entry, int32_t count, bool is_written) {
    if (!is_written) {
        return replace(column, entry, count);
    }
    if (!column_grow(column, entry, count)) {
        return false;
    }
    char *start;
    memcpy(&start, column, sizeof start);
    memset(start, 0, entry * (size_t)count);
    return true;
}

static int32_t cells_max(int32_t count) {
    return CELLS_EACH * count + (CELLS_MORE + 1) * LIMIT_KINDS;
}

int sight_index_reserve(struct sight_index *index, int32_t count, bool is_written) {
    if (count <= index->capacity) {
        return 0;
    }
    bool grown = grow(&index->begin, sizeof *index->begin, cells_max(count), is_written);
#define GROW_COLUMN(type, name) grown = grown && grow(&index->name, sizeof *index->name, count, is_written);
    SIGHT_COLUMNS(GROW_COLUMN)
#undef GROW_COLUMN
    if (!grown) {
        return -1;
    }
    index->capacity = count;
    return 0;
}

uint64_t sight_index_bytes(int32_t count) {
#define ADD_COLUMN(type, name) +sizeof(type)
    return (uint64_t)count * (0 SIGHT_COLUMNS(ADD_COLUMN)) + (uint64_t)cells_max(count) * sizeof(int32_t);
#undef ADD_COLUMN
}

void sight_index_fini(struct sight_index *index) {
#define FREE_COLUMN(type, name) free(index->name);
    SIGHT_COLUMNS(FREE_COLUMN)
#undef FREE_COLUMN
    free(index->begin);
    *index = (struct sight_index){0};
}

/* ---- building ---- */

static int32_t cells_along(float size, float edge) {
    const float cells = size / edge;
    return !(cells >= 1.0f) ? 1 : cells < (float)AXIS_CELLS_MAX ? (int32_t)cells : AXIS_CELLS_MAX;
}

/* The same axis with other cells. */
static struct grid_axis divide(struct grid_axis axis, int32_t cells) {
    axis.cells = cells;
    axis.scale = cells > 1 ? (float)cells / axis.size : 0.0f;
    return axis;
}

static float near_of(const struct grid *grid, int32_t count) {
    const float each = grid->across.size * grid->down.size / (float)count;
    const float near = sqrtf(A_DOZEN / 3.0f * each);
    return near > SMALLEST_EDGE ? near : SMALLEST_EDGE;
}

/* Cells are as high as the reach and half as wide; larger where there would be too many. */
static void choose_cells(const struct grid *grid, float reach, struct sight_kind *kind) {
    float edge = reach > 0.0f && reach < kind->near ? reach : kind->near;
    edge = edge > SMALLEST_EDGE ? edge : SMALLEST_EDGE;
    int32_t columns, rows;
    for (;; edge *= 1.25f) {
        columns = cells_along(grid->across.size, 0.5f * edge);
        rows = cells_along(grid->down.size, edge);
        if ((int64_t)columns * rows <= (int64_t)CELLS_EACH * kind->count + CELLS_MORE) {
            break;
        }
    }
    kind->across = divide(grid->across, columns);
    kind->down = divide(grid->down, rows);
}

static int32_t cell_of(const struct sight_kind *kind, const struct motion *motion) {
    return kind->first_cell + grid_axis_cell(&kind->down, motion->y) * kind->across.cells +
           grid_axis_cell(&kind->across, motion->x);
}

static int32_t cells_of(const struct sight_kind *kind) {
    return kind->across.cells * kind->down.cells;
}

static void use_grid(const struct grid *grid, struct sight_kind *kind) {
    kind->is_in_grid = true;
    kind->across = grid->across;
    kind->down = grid->down;
    kind->begin = grid->begin;
}

static bool has_entries(const struct sight_kind *kind) {
    return kind->count > 0 && !kind->is_in_grid;
}

/* Shares out entries and cells, none of which has an agent yet. Returns how many entries there will be. */
static int32_t begin_kinds(struct sight_index *index, const struct grid *grid, const float reach[LIMIT_KINDS],
                           const int32_t population[LIMIT_KINDS], uint64_t known) {
    int32_t entries = 0, cells = 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        struct sight_kind *kind = &index->kinds[k];
        *kind = (struct sight_kind){.first_entry = entries, .first_cell = cells};
        if (reach[k] < 0.0f || population[k] == 0) {
            continue;
        }
        kind->count = population[k];
        kind->near = near_of(grid, kind->count);
        kind->reach = reach[k] > 0.0f ? reach[k] : kind->near;
        if (kind->count >= grid->count / 2 && ((known >> k) & 1) == 0) {
            use_grid(grid, kind);
            continue;
        }
        choose_cells(grid, reach[k], kind);
        kind->begin = index->begin + kind->first_cell;
        entries += kind->count;
        cells += cells_of(kind) + 1;
    }
    assert(entries <= index->capacity && cells <= cells_max(index->capacity));
    if (cells > 0) {
        memset(index->begin, 0, sizeof *index->begin * (size_t)cells);
    }
    return entries;
}

/* The slots of all agents that have an entry, ascending. Returns how many. No branches: they would be
 * mispredicted. */
static int32_t list_agents(const struct sight_index *index, const struct grid *grid) {
    int32_t is_listed[LIMIT_KINDS], listed = 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        is_listed[k] = has_entries(&index->kinds[k]);
    }
    for (int32_t slot = 0; slot < grid->count; slot++) {
        index->listed[listed] = slot;
        listed += is_listed[grid->kind[slot]];
    }
    return listed;
}

static void count_agents(struct sight_index *index, const struct grid *grid, int32_t listed) {
    for (int32_t i = 0; i < listed; i++) {
        const int32_t slot = index->listed[i];
        index->begin[cell_of(&index->kinds[grid->kind[slot]], &grid->motion[slot])]++;
    }
}

/* Counts become the ends of cells. */
static void add_up(struct sight_index *index) {
    for (int k = 0; k < LIMIT_KINDS; k++) {
        const struct sight_kind *kind = &index->kinds[k];
        if (!has_entries(kind)) {
            continue;
        }
        int32_t *begin = index->begin + kind->first_cell, end = kind->first_entry;
        const int32_t cells = cells_of(kind);
        for (int32_t cell = 0; cell < cells; cell++) {
            end += begin[cell];
            begin[cell] = end;
        }
        begin[cells] = end;
        assert(end == kind->first_entry + kind->count);
    }
}

/* Backwards, so that ends become beginnings and slots ascend within a cell. */
static void enter_agents(struct sight_index *index, const struct grid *grid, int32_t listed) {
    for (int32_t i = listed - 1; i >= 0; i--) {
        const int32_t slot = index->listed[i];
        const struct motion *motion = &grid->motion[slot];
        const int32_t entry = --index->begin[cell_of(&index->kinds[grid->kind[slot]], motion)];
        index->x[entry] = motion->x;
        index->y[entry] = motion->y;
        index->row[entry] = (float)grid->row[slot];
        index->slot[entry] = slot;
    }
}

void sight_index_build(struct sight_index *index, const struct grid *grid, const float reach[LIMIT_KINDS],
                       const int32_t population[LIMIT_KINDS], uint64_t known) {
    assert(grid->count <= index->capacity && grid->count <= SIGHT_ROWS);
    if (grid_is_given_up(grid)) {
        return;
    }
    if (begin_kinds(index, grid, reach, population, known) > 0) {
        const int32_t listed = list_agents(index, grid);
        count_agents(index, grid, listed);
        add_up(index);
        enter_agents(index, grid, listed);
    }
}

/* ---- areas ---- */

struct sight_area sight_area_of(const struct sight_kind *kind, vec2 low, vec2 high, float radius) {
    struct sight_area area;
    const float across = grid_reach(&kind->across, radius), down = grid_reach(&kind->down, radius);
    area.piece_count = grid_axis_spans(&kind->across, low.x - across, high.x + across, area.pieces);
    area.band_count = grid_axis_spans(&kind->down, low.y - down, high.y + down, area.bands);
    area.wraps = kind->across.wraps && (low.x - across < 0.0f || high.x + across >= kind->across.size ||
                                        low.y - down < 0.0f || high.y + down >= kind->down.size ||
                                        2.0f * across >= kind->across.size || 2.0f * down >= kind->down.size);
    return area;
}

int32_t sight_area_entries(const struct sight_kind *kind, const struct sight_area *area) {
    int32_t entries = 0;
    for (int band = 0; band < area->band_count; band++) {
        for (int32_t row = area->bands[band].first; row <= area->bands[band].last; row++) {
            const int32_t *cells = kind->begin + (ptrdiff_t)row * kind->across.cells;
            for (int piece = 0; piece < area->piece_count; piece++) {
                entries += cells[area->pieces[piece].last + 1] - cells[area->pieces[piece].first];
            }
        }
    }
    return entries;
}
