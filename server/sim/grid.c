/* See grid.h. */
#include "server/sim/grid.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define AXIS_CELLS_MAX 16384 /* so that rounding moves a cell's border by far less than REACH_SLACK */
#define CELLS_SPARE    64
#define REACH_SLACK    1.001f /* a walk looks a little further than asked, to outdo rounding */
#define ROUNDING       1e-6f  /* px for each px of a coordinate; floats are ten times as exact */

/* column: the address of a column's pointer, whatever it points to. */
static bool grow(void *column, size_t entry, int32_t entries) {
    void *old;
    memcpy(&old, column, sizeof old);
    void *bigger = realloc(old, entry * (size_t)entries);
    if (!bigger) {
        return false;
    }
    memcpy(column, &bigger, sizeof bigger);
    return true;
}

int grid_reserve(struct grid *grid, int32_t count) {
    if (count <= grid->capacity) {
        return 0;
    }
    const int32_t cells = 2 * count + CELLS_SPARE;
    const bool grown =
        grow(&grid->motion, sizeof *grid->motion, count) && grow(&grid->row, sizeof *grid->row, count) &&
        grow(&grid->kind, sizeof *grid->kind, count) && grow(&grid->radius, sizeof *grid->radius, count) &&
        grow(&grid->slot, sizeof *grid->slot, count) && grow(&grid->cell, sizeof *grid->cell, count) &&
        grow(&grid->begin, sizeof *grid->begin, cells + 2);
    if (!grown) {
        return -1;
    }
    grid->capacity = count;
    grid->cell_capacity = cells;
    return 0;
}

void grid_fini(struct grid *grid) {
    free(grid->motion);
    free(grid->row);
    free(grid->kind);
    free(grid->radius);
    free(grid->slot);
    free(grid->cell);
    free(grid->begin);
    *grid = (struct grid){0};
}

/* ---- cells ---- */

static int32_t cells_along(float size, float edge) {
    const float cells = size / edge;
    return !(cells >= 1.0f) ? 1 : cells < (float)AXIS_CELLS_MAX ? (int32_t)cells : AXIS_CELLS_MAX;
}

static struct grid_axis make_axis(float low, float high, int32_t cells, bool wraps) {
    const float size = high - low;
    return (struct grid_axis){low, cells > 1 ? (float)cells / size : 0.0f, size, cells, wraps};
}

/* The cell of a coordinate; beyond a border the outermost. */
static int32_t cell_at(const struct grid_axis *axis, float coordinate) {
    const float cell = (coordinate - axis->origin) * axis->scale;
    if (!(cell > 0.0f)) {
        return 0;
    }
    /* At the upper border rounding gives `cells` itself. */
    return cell < (float)axis->cells ? (int32_t)cell : axis->cells - 1;
}

static void choose_cells(struct grid *grid, vec2 low, vec2 high, bool wraps, float edge) {
    int32_t columns = cells_along(high.x - low.x, 0.5f * edge), rows = cells_along(high.y - low.y, edge);
    while ((int64_t)columns * rows > grid->cell_capacity) {
        edge *= 1.25f;
        columns = cells_along(high.x - low.x, 0.5f * edge);
        rows = cells_along(high.y - low.y, edge);
    }
    grid->across = make_axis(low.x, high.x, columns, wraps);
    grid->down = make_axis(low.y, high.y, rows, wraps);
}

static void bounding_box(const struct motion *motion, int32_t count, vec2 *low, vec2 *high) {
    *low = *high = count > 0 ? (vec2){motion[0].x, motion[0].y} : (vec2){0.0f, 0.0f};
    for (int32_t i = 1; i < count; i++) {
        low->x = motion[i].x < low->x ? motion[i].x : low->x;
        low->y = motion[i].y < low->y ? motion[i].y : low->y;
        high->x = motion[i].x > high->x ? motion[i].x : high->x;
        high->y = motion[i].y > high->y ? motion[i].y : high->y;
    }
}

void grid_build(struct grid *grid, const struct bounds *bounds, const struct motion *motion,
                const uint8_t *kind, int32_t count, float edge) {
    assert(count <= grid->capacity && edge > 0.0f);
    const bool wraps = bounds->edge == EDGE_WRAP;
    vec2 low = {0.0f, 0.0f}, high = bounds->size;
    if (!wraps) {
        bounding_box(motion, count, &low, &high);
    }
    choose_cells(grid, low, high, wraps, edge);
    const int32_t columns = grid->across.cells, cells = columns * grid->down.cells;
    int32_t *begin = grid->begin;
    memset(begin, 0, ((size_t)cells + 2) * sizeof *begin);
    /* Counted two entries further on, summed, and handed out one entry further on: what is left is begin. */
    for (int32_t row = 0; row < count; row++) {
        const int32_t cell =
            cell_at(&grid->down, motion[row].y) * columns + cell_at(&grid->across, motion[row].x);
        grid->cell[row] = cell;
        begin[cell + 2]++;
    }
    for (int32_t cell = 2; cell < cells + 2; cell++) {
        begin[cell] += begin[cell - 1];
    }
    for (int32_t row = 0; row < count; row++) {
        const int32_t slot = begin[grid->cell[row] + 1]++;
        grid->motion[slot] = motion[row];
        grid->kind[slot] = kind[row];
        grid->row[slot] = row;
        grid->slot[row] = slot;
    }
    grid->count = count;
    assert(begin[cells] == count);
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

static int spans_of(const struct grid_axis *axis, float at, float radius, struct grid_span spans[2]) {
    const float reach =
        radius * REACH_SLACK + ROUNDING * (1.0f + (at < 0.0f ? -at : at) +
                                           (axis->origin < 0.0f ? -axis->origin : axis->origin) + axis->size);
    const float low = at - reach, high = at + reach;
    if (axis->wraps && !(2.0f * reach < axis->size)) {
        return all_of(axis, spans);
    }
    if (axis->wraps && low < 0.0f) {
        return two_ends(axis, cell_at(axis, high), cell_at(axis, low + axis->size), spans);
    }
    if (axis->wraps && high >= axis->size) {
        return two_ends(axis, cell_at(axis, high - axis->size), cell_at(axis, low), spans);
    }
    spans[0] = (struct grid_span){cell_at(axis, low), cell_at(axis, high)};
    return 1;
}

struct grid_walk grid_walk_begin(const struct grid *grid, vec2 at, float radius) {
    struct grid_walk walk = {.grid = grid};
    walk.band_count = spans_of(&grid->down, at.y, radius, walk.bands);
    walk.piece_count = spans_of(&grid->across, at.x, radius, walk.pieces);
    walk.row = walk.bands[0].first;
    return walk;
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
