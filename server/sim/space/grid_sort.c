/* The stable counting sort of grid.h, in parts that may run side by side.
 *
 * Agents are counted by new cell, each part of the slots for itself; cursors are sums over the counts of the
 * cells before and of the parts before; then each part moves its agents. Within a cell they arrive in their
 * old order, so where no agent came in from another cell they are in order of id already; the other cells
 * are noted on the way and put in order at the end.
 */
#include <assert.h>
#include <string.h>

#include "server/sim/space/grid.h"

#define AXIS_CELLS_MAX 16384 /* so that rounding moves a cell's border by far less than a walk's slack */
enum { PART_WORTH = 4096, /* agents for which a part pays */ FEW = 24 /* agents that insertion sorts */ };
#define IS_FIRST INT32_MIN /* of a cursor: no agent of this part is in the cell yet */

struct box {
    vec2 low, high;
};

struct sorting {
    struct grid *grid;
    int parts;
    int32_t cells;
    struct box box[GRID_PARTS];       /* of the part's agents */
    int32_t cell_count[GRID_PARTS];   /* agents in the part's range of cells */
    int32_t dirty_count[GRID_PARTS];  /* of key, from the part's first slot on */
    int32_t shared_count[GRID_PARTS]; /* of shared, from the part's first cell on */
};

static int32_t part_begin(int32_t count, int part, int parts) {
    return (int32_t)((int64_t)count * part / parts);
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

static bool is_same_axis(const struct grid_axis *a, const struct grid_axis *b) {
    return a->origin == b->origin && a->scale == b->scale && a->cells == b->cells;
}

/* A little more than walks of `radius` may reach: then they touch three rows and five columns at most. */
static void choose_cells(struct grid *grid, struct box box, bool wraps, float radius) {
    const float width = box.high.x - box.low.x, height = box.high.y - box.low.y;
    const struct grid_axis x = make_axis(box.low.x, box.high.x, 1, wraps);
    const struct grid_axis y = make_axis(box.low.y, box.high.y, 1, wraps);
    const float reach_x = grid_reach(&x, radius), reach_y = grid_reach(&y, radius);
    float edge = 1.0001f * (reach_x > reach_y ? reach_x : reach_y);
    int32_t columns = cells_along(width, 0.5f * edge), rows = cells_along(height, edge);
    while ((int64_t)columns * rows > grid_cells_max(grid->count)) {
        edge *= 1.25f;
        columns = cells_along(width, 0.5f * edge);
        rows = cells_along(height, edge);
    }
    grid->across = make_axis(box.low.x, box.high.x, columns, wraps);
    grid->down = make_axis(box.low.y, box.high.y, rows, wraps);
}

static struct box merge(struct box a, struct box b) {
    a.low.x = b.low.x < a.low.x ? b.low.x : a.low.x;
    a.low.y = b.low.y < a.low.y ? b.low.y : a.low.y;
    a.high.x = b.high.x > a.high.x ? b.high.x : a.high.x;
    a.high.y = b.high.y > a.high.y ? b.high.y : a.high.y;
    return a;
}

static void find_boxes(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    const struct motion *motion = sorting->grid->next;
    for (int32_t part = begin; part < end; part++) {
        const int32_t first = part_begin(sorting->grid->count, part, sorting->parts);
        const int32_t last = part_begin(sorting->grid->count, part + 1, sorting->parts);
        const vec2 at = {motion[first].x, motion[first].y};
        struct box box = {at, at};
        for (int32_t slot = first; slot < last; slot++) {
            const vec2 here = {motion[slot].x, motion[slot].y};
            box = merge(box, (struct box){here, here});
        }
        sorting->box[part] = box;
    }
}

/* ---- counting ---- */

static void count_parts(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    const struct grid *grid = sorting->grid;
    for (int32_t part = begin; part < end; part++) {
        int32_t *counts = grid->cursor[part], *key = grid->key;
        memset(counts, 0, (size_t)sorting->cells * sizeof *counts);
        const int32_t last = part_begin(grid->count, part + 1, sorting->parts);
        for (int32_t slot = part_begin(grid->count, part, sorting->parts); slot < last; slot++) {
            if (!grid->has_cells) {
                key[slot] = grid_cell(grid, &grid->next[slot]);
            }
            counts[key[slot]]++;
        }
    }
}

static void add_up_parts(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    for (int32_t part = begin; part < end; part++) {
        const int32_t last = part_begin(sorting->cells, part + 1, sorting->parts);
        int32_t sum = 0;
        for (int p = 0; p < sorting->parts; p++) {
            const int32_t *counts = sorting->grid->cursor[p];
            for (int32_t cell = part_begin(sorting->cells, part, sorting->parts); cell < last; cell++) {
                sum += counts[cell];
            }
        }
        sorting->cell_count[part] = sum;
    }
}

/* Counts become cursors, for a range of cells. */
static void place_cursors(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    const struct grid *grid = sorting->grid;
    for (int32_t part = begin; part < end; part++) {
        int32_t next = 0, shared = part_begin(sorting->cells, part, sorting->parts);
        for (int before = 0; before < part; before++) {
            next += sorting->cell_count[before];
        }
        const int32_t first = shared, last = part_begin(sorting->cells, part + 1, sorting->parts);
        for (int32_t cell = first; cell < last; cell++) {
            int sharers = 0;
            grid->begin[cell] = next;
            for (int p = 0; p < sorting->parts; p++) {
                const int32_t count = grid->cursor[p][cell];
                grid->cursor[p][cell] = next | IS_FIRST;
                sharers += count > 0;
                next += count;
            }
            if (sharers > 1) {
                grid->shared[shared++] = cell;
            }
        }
        sorting->shared_count[part] = shared - first;
    }
}

/* ---- moving ---- */

static void move_parts(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    const struct grid *grid = sorting->grid;
    for (int32_t part = begin; part < end; part++) {
        const int32_t first = part_begin(grid->count, part, sorting->parts);
        const int32_t last = part_begin(grid->count, part + 1, sorting->parts);
        int32_t *cursor = grid->cursor[part], *key = grid->key, *out = grid->spare_row, dirty = first;
        for (int32_t slot = first; slot < last; slot++) {
            const int32_t cell = key[slot], place = cursor[cell], to = place & INT32_MAX;
            const int32_t row = grid->row[slot];
            cursor[cell] = to + 1;
            grid->motion[to] = grid->next[slot];
            if (grid->has_kinds) {
                grid->spare_kind[to] = grid->kind[slot];
            }
            /* Only agents of this part that came before it may be read: others are moving still. No branches:
             * they would be mispredicted. */
            const int32_t has_before = place >= 0, is_late = has_before & (out[to - has_before] > row);
            out[to] = row;
            key[dirty] = cell; /* key up to here is done with */
            dirty += is_late;
        }
        sorting->dirty_count[part] = dirty - first;
    }
}

/* ---- order within cells ---- */

static void swap_slots(const struct grid *grid, int32_t a, int32_t b) {
    const struct motion motion = grid->motion[a];
    const int32_t row = grid->row[a];
    const uint8_t kind = grid->kind[a];
    grid->motion[a] = grid->motion[b];
    grid->row[a] = grid->row[b];
    grid->kind[a] = grid->kind[b];
    grid->motion[b] = motion;
    grid->row[b] = row;
    grid->kind[b] = kind;
}

static void insertion_sort(const struct grid *grid, int32_t begin, int32_t end) {
    for (int32_t i = begin + 1; i < end; i++) {
        for (int32_t at = i; at > begin && grid->row[at] < grid->row[at - 1]; at--) {
            swap_slots(grid, at, at - 1);
        }
    }
}

static void sift_down(const struct grid *grid, int32_t begin, int32_t root, int32_t count) {
    for (;;) {
        int32_t child = 2 * root + 1;
        if (child >= count) {
            return;
        }
        if (child + 1 < count && grid->row[begin + child] < grid->row[begin + child + 1]) {
            child++;
        }
        if (grid->row[begin + root] >= grid->row[begin + child]) {
            return;
        }
        swap_slots(grid, begin + root, begin + child);
        root = child;
    }
}

static bool is_ordered(const struct grid *grid, int32_t begin, int32_t end) {
    for (int32_t i = begin + 1; i < end; i++) {
        if (grid->row[i] < grid->row[i - 1]) {
            return false;
        }
    }
    return true;
}

static void order_cell(const struct grid *grid, int32_t cell) {
    const int32_t begin = grid->begin[cell], end = grid->begin[cell + 1], count = end - begin;
    if (count <= FEW) {
        insertion_sort(grid, begin, end);
        return;
    }
    if (grid_is_given_up(grid) ||
        is_ordered(grid, begin, end)) { /* noted twice, or a heap where no agent moves */
        return;
    }
    for (int32_t root = count / 2 - 1; root >= 0; root--) {
        sift_down(grid, begin, root, count);
    }
    for (int32_t last = count - 1; last > 0 && !grid_is_given_up(grid); last--) {
        swap_slots(grid, begin, begin + last);
        sift_down(grid, begin, 0, last);
    }
}

/* The cells of a range that were noted, by whichever part. */
static void order_cells(void *context, int32_t begin, int32_t end) {
    const struct sorting *sorting = context;
    const struct grid *grid = sorting->grid;
    for (int32_t part = begin; part < end; part++) {
        const int32_t first = part_begin(sorting->cells, part, sorting->parts);
        const int32_t last = part_begin(sorting->cells, part + 1, sorting->parts);
        for (int32_t i = 0; i < sorting->shared_count[part]; i++) {
            order_cell(grid, grid->shared[first + i]);
        }
        for (int p = 0; p < sorting->parts; p++) {
            const int32_t *noted = grid->key + part_begin(grid->count, p, sorting->parts);
            for (int32_t i = 0; i < sorting->dirty_count[p]; i++) {
                if (noted[i] >= first && noted[i] < last) {
                    order_cell(grid, noted[i]);
                }
            }
        }
    }
}

/* ---- all of it ---- */

static void take_moved(struct grid *grid) {
    int32_t *row = grid->spare_row;
    grid->spare_row = grid->row;
    grid->row = row;
    if (grid->has_kinds) {
        uint8_t *kind = grid->spare_kind;
        grid->spare_kind = grid->kind;
        grid->kind = kind;
    }
    grid->lookup->is_fresh = false;
    grid->has_cells = false;
    grid->drift = 0.0f;
}

static struct box box_of(struct sorting *sorting, const struct bounds *bounds,
                         const struct parallel *parallel) {
    if (bounds->edge == EDGE_WRAP || sorting->grid->count == 0) {
        return (struct box){{0.0f, 0.0f}, bounds->size};
    }
    parallel->run(parallel->pool, sorting->parts, 1, find_boxes, sorting);
    struct box box = sorting->box[0];
    for (int part = 1; part < sorting->parts; part++) {
        box = merge(box, sorting->box[part]);
    }
    return box;
}

void grid_sort(struct grid *grid, const struct bounds *bounds, float radius,
               const struct parallel *parallel) {
    assert(radius > 0.0f);
    int parts = parallel->threads < GRID_PARTS ? parallel->threads : GRID_PARTS;
    parts = grid->count / PART_WORTH < parts ? grid->count / PART_WORTH : parts;
    struct sorting sorting = {.grid = grid, .parts = parts > 1 ? parts : 1};
    const struct grid_axis across = grid->across, down = grid->down;
    choose_cells(grid, box_of(&sorting, bounds, parallel), bounds->edge == EDGE_WRAP, radius);
    grid->has_cells =
        grid->has_cells && is_same_axis(&across, &grid->across) && is_same_axis(&down, &grid->down);
    sorting.cells = grid->across.cells * grid->down.cells;
    static const parallel_body passes[] = {count_parts, add_up_parts, place_cursors, move_parts};
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
        if (grid_is_given_up(grid)) {
            return;
        }
        if (sorting.parts > 1 || passes[pass] != add_up_parts) {
            parallel->run(parallel->pool, sorting.parts, 1, passes[pass], &sorting);
        }
    }
    grid->begin[sorting.cells] = grid->count;
    take_moved(grid);
    parallel->run(parallel->pool, sorting.parts, 1, order_cells, &sorting);
}

void grid_resort(struct grid *grid, const struct bounds *bounds, float radius) {
    const struct parallel alone = parallel_alone();
    grid_advance(grid, 0.0f);
    grid_sort(grid, bounds, radius, &alone);
}
