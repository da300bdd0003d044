/* See nearest_rows.h: candidates by cell, and rings of cells around each asker until nothing nearer can follow. */
#include "server/frames/nearest_rows.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Outdoes the rounding of a cell's border. */
#define BORDER_SLACK (1.0 - 1e-9)
#define NO_BOUND     ((double)INFINITY)

enum { CELL_CANDIDATES = 2 /* in the average cell */ };

struct axis {
    double origin, size, cell; /* as places; cell > 0 */
    int32_t cells;
    bool wraps;
};

struct index {
    const struct nearest_rows *query;
    struct axis across, down;
    int32_t *begin; /* by cell: its first entry; one more than there are cells */
    int32_t *rows;  /* entries */
    double *x, *y;  /* their places */
};

/* The candidates found so far, the nearest first. */
struct found {
    int32_t count;
    double square[NEAREST_ROWS_MOST];
    int32_t row[NEAREST_ROWS_MOST];
};

/* ---- cells ---- */

static struct axis measure(const double *places, const struct nearest_rows *query, double wrap) {
    if (wrap > 0.0) {
        return (struct axis){.size = wrap, .wraps = true};
    }
    double low = 0.0, high = 0.0;
    for (int32_t i = 0; i < query->candidate_count; i++) {
        const double place = places[query->candidates[i]];
        low = i == 0 || place < low ? place : low;
        high = i == 0 || place > high ? place : high;
    }
    return (struct axis){.origin = low, .size = high - low};
}

/* There are no more than about count + 1 cells: the edge is at least 2/count of the longer side. */
static void choose_cells(struct index *index) {
    struct axis *across = &index->across, *down = &index->down;
    const double share = (double)CELL_CANDIDATES / (double)index->query->candidate_count;
    const double longer = across->size > down->size ? across->size : down->size;
    double edge = sqrt(across->size * down->size * share);
    edge = edge > longer * share ? edge : longer * share;
    edge = edge > 0.0 ? edge : 1.0;
    struct axis *axes[] = {across, down};
    for (int i = 0; i < 2; i++) {
        axes[i]->cells = (int32_t)(axes[i]->size / edge);
        axes[i]->cells = axes[i]->cells > 0 ? axes[i]->cells : 1;
        axes[i]->cell = axes[i]->size > 0.0 ? axes[i]->size / (double)axes[i]->cells : 1.0;
    }
}

static int32_t cell_on(const struct axis *axis, double place) {
    const double cell = (place - axis->origin) / axis->cell, last = (double)(axis->cells - 1);
    return cell > 0.0 ? (int32_t)(cell < last ? cell : last) : 0;
}

static int32_t cell_of(const struct index *index, int32_t row) {
    return cell_on(&index->down, index->query->y[row]) * index->across.cells +
           cell_on(&index->across, index->query->x[row]);
}

/* A counting sort, which keeps the rows of a cell ascending. */
static int build(struct index *index) {
    const struct nearest_rows *query = index->query;
    index->across = measure(query->x, query, query->wrap_x);
    index->down = measure(query->y, query, query->wrap_y);
    choose_cells(index);
    const size_t cells = (size_t)index->across.cells * (size_t)index->down.cells;
    index->begin = calloc(cells + 2, sizeof *index->begin);
    index->rows = malloc(((size_t)query->candidate_count + 1) * sizeof *index->rows);
    index->x = malloc(((size_t)query->candidate_count + 1) * sizeof *index->x);
    index->y = malloc(((size_t)query->candidate_count + 1) * sizeof *index->y);
    if (index->begin == NULL || index->rows == NULL || index->x == NULL || index->y == NULL) {
        return -1;
    }
    int32_t *next = index->begin + 1; /* becomes `begin` of each cell's end */
    for (int32_t i = 0; i < query->candidate_count; i++) {
        next[cell_of(index, query->candidates[i]) + 1]++;
    }
    for (size_t cell = 0; cell < cells; cell++) {
        next[cell + 1] += next[cell];
    }
    for (int32_t i = 0; i < query->candidate_count; i++) {
        const int32_t row = query->candidates[i], entry = next[cell_of(index, row)]++;
        index->rows[entry] = row;
        index->x[entry] = query->x[row];
        index->y[entry] = query->y[row];
    }
    return 0;
}

/* ---- rings ---- */

static bool is_before(double square, int32_t row, const struct found *found, int32_t place) {
    return square < found->square[place] || (square == found->square[place] && row < found->row[place]);
}

static void take(struct found *found, int32_t most, double square, int32_t row) {
    int32_t place = found->count;
    if (place == most) {
        if (!is_before(square, row, found, most - 1)) {
            return;
        }
        place--;
    } else {
        found->count++;
    }
    for (; place > 0 && is_before(square, row, found, place - 1); place--) {
        found->square[place] = found->square[place - 1];
        found->row[place] = found->row[place - 1];
    }
    found->square[place] = square;
    found->row[place] = row;
}

/* Looks at the entries of cells that follow each other. */
static void look_in_cells(const struct index *index, int32_t first, int32_t last, int32_t asker,
                          struct found *found) {
    const struct nearest_rows *query = index->query;
    const double own_x = query->x[asker], own_y = query->y[asker];
    double worst = found->count == query->most ? found->square[query->most - 1] : NO_BOUND;
    for (int32_t i = index->begin[first]; i < index->begin[last + 1]; i++) {
        double x = index->x[i] - own_x, y = index->y[i] - own_y;
        x = query->wrap_x > 0.0 ? nearest_rows_short_way(x, query->wrap_x) : x;
        y = query->wrap_y > 0.0 ? nearest_rows_short_way(y, query->wrap_y) : y;
        const double square = x * x + y * y;
        if (square <= worst && index->rows[i] != asker) {
            take(found, query->most, square, index->rows[i]);
            worst = found->count == query->most ? found->square[query->most - 1] : NO_BOUND;
        }
    }
}

/* How far the cells of an axis reach from a cell: on a torus each once, and those beyond the border are the other ones. */
struct reach {
    int32_t cell, low, high; /* low <= 0 <= high */
};

static struct reach reach_of(const struct axis *axis, double place) {
    const int32_t cell = cell_on(axis, place), last = axis->cells - 1;
    return axis->wraps ? (struct reach){cell, -(last / 2), last - last / 2}
                       : (struct reach){cell, -cell, last - cell};
}

static int32_t cell_at(const struct axis *axis, int32_t cell) {
    return cell < 0 ? cell + axis->cells : cell >= axis->cells ? cell - axis->cells : cell;
}

/* Columns from `first` to `last`, from the asker's: those that there are, which a torus may have in two parts. */
static void look_in_columns(const struct index *index, const struct reach *across, int32_t row, int32_t first,
                            int32_t last, int32_t asker, struct found *found) {
    const int32_t cells = index->across.cells, before = row * cells;
    int32_t begin = across->cell + (first > across->low ? first : across->low);
    const int32_t end = across->cell + (last < across->high ? last : across->high);
    while (begin <= end) {
        const int32_t round = begin < 0 ? -cells : begin >= cells ? cells : 0;
        const int32_t border = round + cells - 1 < end ? round + cells - 1 : end;
        look_in_cells(index, before + begin - round, before + border - round, asker, found);
        begin = border + 1;
    }
}

static void look_in_row(const struct index *index, const struct reach *across, int32_t row, int32_t ring,
                        bool is_whole, int32_t asker, struct found *found) {
    if (is_whole) {
        look_in_columns(index, across, row, -ring, ring, asker, found);
        return;
    }
    look_in_columns(index, across, row, -ring, -ring, asker, found);
    look_in_columns(index, across, row, ring, ring, asker, found);
}

/* No candidate that is in none of the rings so far is nearer; infinite when all cells were looked in. */
static double bound_on(const struct axis *axis, const struct reach *reach, double place, int32_t ring) {
    const double at = place - axis->origin, cell = axis->cell;
    const bool has_more = axis->wraps && (ring < reach->high || ring < -reach->low);
    double bound = NO_BOUND;
    if (has_more || ring < -reach->low) {
        bound = at - (double)(reach->cell - ring) * cell;
    }
    if (has_more || ring < reach->high) {
        const double above = (double)(reach->cell + ring + 1) * cell - at;
        bound = above < bound ? above : bound;
    }
    return bound > 0.0 ? bound * BORDER_SLACK : 0.0;
}

static void find_for(const struct index *index, int32_t asker, struct found *found) {
    const struct nearest_rows *query = index->query;
    const struct reach across = reach_of(&index->across, query->x[asker]);
    const struct reach down = reach_of(&index->down, query->y[asker]);
    found->count = 0;
    for (int32_t ring = 1;; ring++) { /* the first with what it is around */
        for (int32_t i = ring < -down.low ? -ring : down.low; i <= (ring < down.high ? ring : down.high);
             i++) {
            const bool is_whole = ring == 1 || i == ring || i == -ring;
            look_in_row(index, &across, cell_at(&index->down, down.cell + i), ring, is_whole, asker, found);
        }
        const double x = bound_on(&index->across, &across, query->x[asker], ring);
        const double y = bound_on(&index->down, &down, query->y[asker], ring);
        const double bound = x < y ? x : y;
        if (bound == NO_BOUND ||
            (found->count == query->most && found->square[found->count - 1] < bound * bound)) {
            return;
        }
    }
}

int nearest_rows_find(const struct nearest_rows *query, int32_t *out) {
    assert(query->most >= 1 && query->most <= NEAREST_ROWS_MOST);
    struct index index = {.query = query};
    struct found found = {0};
    const int result = query->candidate_count > 0 ? build(&index) : 0;
    for (int32_t i = 0; result == 0 && i < query->asker_count; i++) {
        found.count = 0;
        if (query->askers[i] >= 0 && query->candidate_count > 0) {
            find_for(&index, query->askers[i], &found);
        }
        for (int32_t place = 0; place < query->most; place++) {
            *out++ = place < found.count ? found.row[place] : -1;
        }
    }
    free(index.begin);
    free(index.rows);
    free(index.x);
    free(index.y);
    return result;
}
