/* Where agents lie, and walks through them. See grid.h; grid_sort.c puts them in order. */
#include "server/sim/space/grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "server/sim/math/column.h"

#define LOOKUP_GRAIN 4096

/* ---- storage ---- */

/* Only as much of these is ever touched as there are cells and parts. */
static bool grow_cells(struct grid *grid, int32_t cells) {
    bool grown = column_grow(&grid->shared, sizeof *grid->shared, cells) &&
                 column_grow(&grid->begin, sizeof *grid->begin, cells + 1);
    for (int part = 0; grown && part < GRID_PARTS; part++) {
        grown = column_grow(&grid->cursor[part], sizeof *grid->cursor[part], cells);
    }
    return grown;
}

int grid_reserve(struct grid *grid, int32_t count) {
    if (count <= grid->capacity) {
        return 0;
    }
    if (grid->lookup == NULL) {
        grid->lookup = calloc(1, sizeof *grid->lookup);
        if (grid->lookup == NULL) {
            return -1;
        }
    }
    const int32_t old = grid->capacity > 0 ? grid->capacity + GRID_SPARE : 0, slots = count + GRID_SPARE;
    /* Slots behind the last one are read. */
    bool grown = column_grow_zero(&grid->lookup->slot, sizeof *grid->lookup->slot, old, slots) &&
                 grow_cells(grid, grid_cells_max(count));
#define GROW_COLUMN(type, name, copied)                                                                      \
    grown = grown && column_grow_zero(&grid->name, sizeof *grid->name, old, slots);
    GRID_COLUMNS(GROW_COLUMN)
#undef GROW_COLUMN
    if (!grown) {
        return -1;
    }
    grid->capacity = count;
    return 0;
}

void grid_fini(struct grid *grid) {
#define FREE_COLUMN(type, name, copied) free(grid->name);
    GRID_COLUMNS(FREE_COLUMN)
#undef FREE_COLUMN
    free(grid->begin);
    free(grid->shared);
    for (int part = 0; part < GRID_PARTS; part++) {
        free(grid->cursor[part]);
    }
    if (grid->lookup != NULL) {
        free(grid->lookup->slot);
    }
    free(grid->lookup);
    *grid = (struct grid){0};
}

void grid_clone(struct grid *to, const struct grid *from) {
    assert(to != from && from->count <= to->capacity);
    const struct grid own = *to;
    *to = *from;
    to->capacity = own.capacity;
    to->lookup = own.lookup;
    to->given_up = own.given_up;
    to->begin = own.begin;
    to->shared = own.shared;
    memcpy(to->cursor, own.cursor, sizeof to->cursor);
#define CLONE_COLUMN(type, name, copied)                                                                     \
    to->name = own.name;                                                                                     \
    if ((copied) && from->count > 0) {                                                                       \
        memcpy(to->name, from->name, sizeof *to->name *(size_t)from->count);                                 \
    }
    GRID_COLUMNS(CLONE_COLUMN)
#undef CLONE_COLUMN
    /* In a world that is not sorted, cells may be left over from agents that are gone. */
    const int32_t cells = from->across.cells * from->down.cells;
    const int32_t agents = from->count + from->absent;
    if (agents > 0 && cells > 0 && cells <= grid_cells_max(agents)) {
        memcpy(to->begin, from->begin, sizeof *to->begin * ((size_t)cells + 1));
    }
    if (to->lookup != NULL) {
        to->lookup->is_fresh = false;
    }
}

void grid_append(struct grid *grid, struct motion motion, uint8_t kind) {
    assert(grid->count < grid->capacity);
    const int32_t slot = grid->count++;
    grid->motion[slot] = motion;
    grid->kind[slot] = kind;
    grid->row[slot] = slot + grid->absent;
    grid->has_kinds = grid->has_kinds || kind != grid->kind[0];
    grid->lookup->is_fresh = false;
}

void grid_compact(struct grid *grid, const int32_t *new_row) {
    int32_t kept = 0;
    grid->has_kinds = false;
    for (int32_t slot = 0; slot < grid->count; slot++) {
        const int32_t row = new_row[grid->row[slot]];
        if (row < 0) {
            continue;
        }
        grid->motion[kept] = grid->motion[slot];
        grid->kind[kept] = grid->kind[slot];
        grid->row[kept] = row;
        grid->has_kinds = grid->has_kinds || grid->kind[kept] != grid->kind[0];
        kept++;
    }
    grid->count = kept;
    grid->lookup->is_fresh = false;
}

void grid_advance(struct grid *grid, float step) {
    grid->drift += step;
    struct motion *motion = grid->next;
    grid->next = grid->motion;
    grid->motion = motion;
}

static void note_slots(void *context, int32_t begin, int32_t end) {
    const struct grid *grid = context;
    for (int32_t slot = begin; slot < end; slot++) {
        grid->lookup->slot[grid->row[slot]] = slot;
    }
}

void grid_look_up(const struct grid *grid, const struct parallel *parallel) {
    struct grid view = *grid;
    if (!grid->lookup->is_fresh) {
        parallel->run(parallel->pool, grid->count, LOOKUP_GRAIN, note_slots, &view);
        grid->lookup->is_fresh = true;
    }
}

void grid_follow(const struct grid *grid, int32_t begin, int32_t end, int32_t *from) {
    assert(begin >= 0 && end <= grid->count);
    for (int32_t slot = begin; slot < end; slot++) {
        int32_t *place = &grid->lookup->slot[grid->row[slot]];
        from[slot - begin] = *place;
        *place = slot;
    }
}

void grid_followed(const struct grid *grid) {
    grid->lookup->is_fresh = true;
}

int32_t grid_slot(const struct grid *grid, int32_t row) {
    assert(row >= 0 && row < grid->count + grid->absent);
    if (!grid->lookup->is_fresh) {
        const struct parallel alone = parallel_alone();
        grid_look_up(grid, &alone);
    }
    const int32_t slot = grid->lookup->slot[row];
    if (grid->absent > 0 && (slot >= grid->count || grid->row[slot] != row)) {
        return -1; /* entries of those that have gone stay */
    }
    return slot;
}

/* ---- walking ---- */

static int all_of(const struct grid_axis *axis, struct grid_span spans[2]) {
    spans[0] = (struct grid_span){0, axis->cells - 1};
    return 1;
}

/* Two spans, the lower first; one when they meet. */
static int two_ends(const struct grid_axis *axis, int32_t low_end, int32_t high_begin,
                    struct grid_span spans[2]) {
    if (high_begin <= low_end + 1) {
        return all_of(axis, spans);
    }
    spans[0] = (struct grid_span){0, low_end};
    spans[1] = (struct grid_span){high_begin, axis->cells - 1};
    return 2;
}

int grid_axis_spans(const struct grid_axis *axis, float low, float high, struct grid_span spans[2]) {
    if (axis->wraps && !(high - low < axis->size)) {
        return all_of(axis, spans);
    }
    if (axis->wraps && low < 0.0f) {
        return two_ends(axis, grid_axis_cell(axis, high), grid_axis_cell(axis, low + axis->size), spans);
    }
    if (axis->wraps && high >= axis->size) {
        return two_ends(axis, grid_axis_cell(axis, high - axis->size), grid_axis_cell(axis, low), spans);
    }
    spans[0] = (struct grid_span){grid_axis_cell(axis, low), grid_axis_cell(axis, high)};
    return 1;
}

static int spans_of(const struct grid_axis *axis, float at, float radius, struct grid_span spans[2]) {
    const float reach = grid_reach(axis, radius);
    return grid_axis_spans(axis, at - reach, at + reach, spans);
}

void grid_walk_begin(struct grid_walk *walk, const struct grid *grid, vec2 at, float radius) {
    walk->grid = grid;
    walk->band = walk->piece = 0;
    if (grid_is_given_up(grid)) {
        walk->bands[0] = (struct grid_span){1, 0}; /* it is over before it began */
        walk->band_count = walk->piece_count = 1;
    } else {
        walk->band_count = spans_of(&grid->down, at.y, radius + grid->drift, walk->bands);
        walk->piece_count = spans_of(&grid->across, at.x, radius + grid->drift, walk->pieces);
    }
    walk->row = walk->bands[0].first;
}

bool grid_walk_next(struct grid_walk *walk, int32_t *begin, int32_t *end) {
    if (walk->piece == walk->piece_count) {
        walk->piece = 0;
        walk->row++;
    }
    if (walk->row > walk->bands[walk->band].last) {
        if (++walk->band == walk->band_count) {
            return false;
        }
        walk->row = walk->bands[walk->band].first;
    }
    const struct grid_span piece = walk->pieces[walk->piece++];
    const int32_t *row = walk->grid->begin + (ptrdiff_t)walk->row * walk->grid->across.cells;
    *begin = row[piece.first];
    *end = row[piece.last + 1];
    return true;
}

int32_t grid_walk_runs(const struct grid_walk *walk) {
    int32_t rows = 0;
    for (int band = 0; band < walk->band_count; band++) {
        rows += walk->bands[band].last - walk->bands[band].first + 1;
    }
    return rows * walk->piece_count;
}
