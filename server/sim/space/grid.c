/* Where agents lie, and walks through them; their order. See grid.h. */
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

int32_t grid_walk_runs(const struct grid_walk *walk) {
    int32_t rows = 0;
    for (int band = 0; band < walk->band_count; band++) {
        rows += walk->bands[band].last - walk->bands[band].first + 1;
    }
    return rows * walk->piece_count;
}

/* ---- sort ---- */

/* The stable counting sort of grid.h, in parts that may run side by side.
 *
 * Agents are counted by new cell, each part of the slots for itself; cursors are sums over the counts of the
 * cells before and of the parts before; then each part moves its agents. Within a cell they arrive in their
 * old order, so where no agent came in from another cell they are in order of id already; the other cells
 * are noted on the way and put in order at the end.
 */

enum { PART_WORTH = 4096, /* agents for which a part pays */ FEW = 24 /* agents that insertion sorts */ };
#define IS_FIRST INT32_MIN /* of a cursor: no agent of this part is in the cell yet */

/* Cells [first, first + count). */
struct run {
    int32_t first, count;
};

struct sorting {
    struct grid *grid;
    int parts;
    int32_t cells; /* of all runs */
    int run_count;
    struct run runs
        [GRID_HELD_SPANS]; /* the cells that agents may be in, ascending: all of them, or those of held rows */
    struct grid_box box[GRID_PARTS];  /* of the part's agents */
    int32_t cell_count[GRID_PARTS];   /* agents in the part's range of cells */
    int32_t dirty_count[GRID_PARTS];  /* of key, from the part's first slot on */
    int32_t shared_count[GRID_PARTS]; /* of shared, from the part's first cell on */
};

static int32_t part_begin(int32_t count, int part, int parts) {
    return (int32_t)((int64_t)count * part / parts);
}

/* The cells of a part of all runs. Returns how many runs that are. */
static int runs_of(const struct sorting *sorting, int part, struct run runs[GRID_HELD_SPANS]) {
    int32_t begin = part_begin(sorting->cells, part, sorting->parts);
    int32_t end = part_begin(sorting->cells, part + 1, sorting->parts);
    int count = 0;
    for (int i = 0; i < sorting->run_count; i++) {
        const struct run *run = &sorting->runs[i];
        const int32_t first = begin > 0 ? begin : 0, last = end < run->count ? end : run->count;
        if (first < last) {
            runs[count++] = (struct run){run->first + first, last - first};
        }
        begin -= run->count;
        end -= run->count;
    }
    return count;
}

/* ---- cells ---- */

static int32_t cells_along(float size, float edge) {
    const float cells = size / edge;
    return !(cells >= 1.0f) ? 1 : cells < (float)GRID_AXIS_CELLS_MAX ? (int32_t)cells : GRID_AXIS_CELLS_MAX;
}

static struct grid_axis make_axis(float low, float high, int32_t cells, bool wraps) {
    const float size = high - low;
    return (struct grid_axis){low, cells > 1 ? (float)cells / size : 0.0f, size, cells, wraps};
}

static bool is_same_axis(const struct grid_axis *a, const struct grid_axis *b) {
    return a->origin == b->origin && a->scale == b->scale && a->cells == b->cells;
}

/* A little more than walks of `radius` may reach: then they touch three rows and five columns at most. */
static void choose_cells(struct grid *grid, struct grid_box box, bool wraps, float radius) {
    const float width = box.high.x - box.low.x, height = box.high.y - box.low.y;
    const struct grid_axis x = make_axis(box.low.x, box.high.x, 1, wraps);
    const struct grid_axis y = make_axis(box.low.y, box.high.y, 1, wraps);
    const float reach_x = grid_reach(&x, radius), reach_y = grid_reach(&y, radius);
    float edge = 1.0001f * (reach_x > reach_y ? reach_x : reach_y);
    int32_t columns = cells_along(width, 0.5f * edge), rows = cells_along(height, edge);
    while ((int64_t)columns * rows > grid_cells_max(grid->count + grid->absent)) {
        edge *= 1.25f;
        columns = cells_along(width, 0.5f * edge);
        rows = cells_along(height, edge);
    }
    grid->across = make_axis(box.low.x, box.high.x, columns, wraps);
    grid->down = make_axis(box.low.y, box.high.y, rows, wraps);
}

int32_t grid_cells_of(int32_t count, vec2 size, bool wraps, float radius) {
    struct grid grid = {.count = count};
    choose_cells(&grid, (struct grid_box){{0.0f, 0.0f}, size}, wraps, radius);
    return grid.across.cells * grid.down.cells;
}

static struct grid_box merge(struct grid_box a, struct grid_box b) {
    a.low.x = b.low.x < a.low.x ? b.low.x : a.low.x;
    a.low.y = b.low.y < a.low.y ? b.low.y : a.low.y;
    a.high.x = b.high.x > a.high.x ? b.high.x : a.high.x;
    a.high.y = b.high.y > a.high.y ? b.high.y : a.high.y;
    return a;
}

struct grid_box grid_box_of(const struct grid *grid, int32_t begin, int32_t end) {
    const struct motion *motion = grid->next;
    const vec2 at = {motion[begin].x, motion[begin].y};
    struct grid_box box = {at, at};
    for (int32_t slot = begin; slot < end; slot++) {
        const vec2 here = {motion[slot].x, motion[slot].y};
        box = merge(box, (struct grid_box){here, here});
    }
    return box;
}

static void find_boxes(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    for (int32_t part = begin; part < end; part++) {
        const int32_t first = part_begin(sorting->grid->count, part, sorting->parts);
        const int32_t last = part_begin(sorting->grid->count, part + 1, sorting->parts);
        sorting->box[part] = grid_box_of(sorting->grid, first, last);
    }
}

/* ---- counting ---- */

static void count_parts(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    const struct grid *grid = sorting->grid;
    for (int32_t part = begin; part < end; part++) {
        int32_t *counts = grid->cursor[part], *key = grid->key;
        for (int i = 0; i < sorting->run_count; i++) {
            memset(counts + sorting->runs[i].first, 0, (size_t)sorting->runs[i].count * sizeof *counts);
        }
        const int32_t last = part_begin(grid->count, part + 1, sorting->parts);
        for (int32_t slot = part_begin(grid->count, part, sorting->parts); slot < last; slot++) {
            if (!grid->has_cells) {
                key[slot] = grid_cell(grid, &grid->next[slot]);
            }
            counts[key[slot]]++;
        }
    }
}

/* Agents in a run of cells. */
static int32_t count_run(const struct sorting *sorting, struct run run) {
    int32_t sum = 0;
    for (int p = 0; p < sorting->parts; p++) {
        const int32_t *counts = sorting->grid->cursor[p] + run.first;
        for (int32_t cell = 0; cell < run.count; cell++) {
            sum += counts[cell];
        }
    }
    return sum;
}

static void add_up_parts(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    for (int32_t part = begin; part < end; part++) {
        struct run runs[GRID_HELD_SPANS];
        const int run_count = runs_of(sorting, part, runs);
        sorting->cell_count[part] = 0;
        for (int i = 0; i < run_count; i++) {
            sorting->cell_count[part] += count_run(sorting, runs[i]);
        }
    }
}

/* Counts become cursors, for a run of cells, from slot `next` on; cells of several parts go to `shared`. Returns how
 * many these are. */
static int32_t place_run(const struct sorting *sorting, struct run run, int32_t next, int32_t *shared) {
    const struct grid *grid = sorting->grid;
    int32_t shared_count = 0;
    for (int32_t cell = run.first; cell < run.first + run.count; cell++) {
        int sharers = 0;
        grid->begin[cell] = next;
        for (int p = 0; p < sorting->parts; p++) {
            const int32_t count = grid->cursor[p][cell];
            grid->cursor[p][cell] = next | IS_FIRST;
            sharers += count > 0;
            next += count;
        }
        if (sharers > 1) {
            shared[shared_count++] = cell;
        }
    }
    return shared_count;
}

static void place_cursors(void *context, int32_t begin, int32_t end) {
    struct sorting *sorting = context;
    for (int32_t part = begin; part < end; part++) {
        struct run runs[GRID_HELD_SPANS];
        const int run_count = runs_of(sorting, part, runs);
        int32_t *shared = sorting->grid->shared + part_begin(sorting->cells, part, sorting->parts);
        int32_t next = 0, shared_count = 0;
        for (int before = 0; before < part; before++) {
            next += sorting->cell_count[before];
        }
        for (int i = 0; i < run_count; i++) {
            /* A part has two runs where rows are missing between them: then counts are added up first. */
            const int32_t agents = i + 1 < run_count ? count_run(sorting, runs[i]) : 0;
            shared_count += place_run(sorting, runs[i], next, shared + shared_count);
            next += agents;
        }
        sorting->shared_count[part] = shared_count;
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
        struct run runs[GRID_HELD_SPANS];
        const int run_count = runs_of(sorting, part, runs);
        if (run_count == 0) {
            continue;
        }
        const int32_t shared = part_begin(sorting->cells, part, sorting->parts), first = runs[0].first;
        const int32_t last = runs[run_count - 1].first + runs[run_count - 1].count;
        for (int32_t i = 0; i < sorting->shared_count[part]; i++) {
            order_cell(grid, grid->shared[shared + i]);
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

static struct grid_box box_of(struct sorting *sorting, const struct bounds *bounds,
                              const struct parallel *parallel) {
    if (bounds->edge == EDGE_WRAP || sorting->grid->count == 0) {
        return (struct grid_box){{0.0f, 0.0f}, bounds->size};
    }
    parallel->run(parallel->pool, sorting->parts, 1, find_boxes, sorting);
    struct grid_box box = sorting->box[0];
    for (int part = 1; part < sorting->parts; part++) {
        box = merge(box, sorting->box[part]);
    }
    return box;
}

static struct sorting begin_sorting(struct grid *grid, const struct parallel *parallel) {
    int parts = parallel->threads < GRID_PARTS ? parallel->threads : GRID_PARTS;
    parts = grid->count / PART_WORTH < parts ? grid->count / PART_WORTH : parts;
    return (struct sorting){.grid = grid, .parts = parts > 1 ? parts : 1};
}

/* The first cells of rows [begin, end), which are empty. */
static void begin_rows(struct grid *grid, int32_t begin, int32_t end, int32_t slot) {
    for (int32_t row = begin; row < end; row++) {
        grid->begin[row * grid->across.cells] = slot;
    }
}

/* Every row that is in no run begins where the next run does; the last entry is the end. */
static void begin_other_rows(const struct sorting *sorting) {
    struct grid *grid = sorting->grid;
    const int32_t columns = grid->across.cells;
    int32_t row = 0;
    for (int i = 0; i < sorting->run_count; i++) {
        const struct run *run = &sorting->runs[i];
        begin_rows(grid, row, run->first / columns, grid->begin[run->first]);
        row = (run->first + run->count) / columns;
    }
    begin_rows(grid, row, grid->down.cells + 1, grid->count);
}

static void sort_runs(struct sorting *sorting, const struct parallel *parallel) {
    struct grid *grid = sorting->grid;
    static const parallel_body passes[] = {count_parts, add_up_parts, place_cursors, move_parts};
    for (int i = 0; i < sorting->run_count; i++) {
        sorting->cells += sorting->runs[i].count;
    }
    for (size_t pass = 0; pass < sizeof passes / sizeof *passes; pass++) {
        if (grid_is_given_up(grid)) {
            return;
        }
        if (sorting->parts > 1 || passes[pass] != add_up_parts) {
            parallel->run(parallel->pool, sorting->parts, 1, passes[pass], sorting);
        }
    }
    begin_other_rows(sorting);
    take_moved(grid);
    parallel->run(parallel->pool, sorting->parts, 1, order_cells, sorting);
}

void grid_sort(struct grid *grid, const struct bounds *bounds, float radius,
               const struct parallel *parallel) {
    struct sorting sorting = begin_sorting(grid, parallel);
    grid_choose(grid, bounds, box_of(&sorting, bounds, parallel), radius);
    sorting.run_count = 1;
    sorting.runs[0] = (struct run){0, grid->across.cells * grid->down.cells};
    sort_runs(&sorting, parallel);
}

/* ---- in steps ---- */

void grid_choose(struct grid *grid, const struct bounds *bounds, struct grid_box box, float radius) {
    assert(radius > 0.0f);
    const struct grid_axis across = grid->across, down = grid->down;
    const bool wraps = bounds->edge == EDGE_WRAP;
    choose_cells(grid, wraps ? (struct grid_box){{0.0f, 0.0f}, bounds->size} : box, wraps, radius);
    grid->has_cells =
        grid->has_cells && is_same_axis(&across, &grid->across) && is_same_axis(&down, &grid->down);
}

struct finding {
    struct grid *grid;
    int32_t begin; /* slot */
};

static void find_cells(void *context, int32_t begin, int32_t end) {
    const struct finding *finding = context;
    struct grid *grid = finding->grid;
    for (int32_t slot = finding->begin + begin; slot < finding->begin + end; slot++) {
        grid->key[slot] = grid_cell(grid, &grid->next[slot]);
    }
}

void grid_find_cells(struct grid *grid, int32_t begin, int32_t end, const struct parallel *parallel) {
    struct finding finding = {grid, begin};
    if (!grid->has_cells && begin < end) {
        parallel->run(parallel->pool, end - begin, PART_WORTH, find_cells, &finding);
    }
    grid->has_cells = true;
}

void grid_sort_rows(struct grid *grid, const struct grid_span *rows, int count,
                    const struct parallel *parallel) {
    assert(grid->has_cells && count >= 0 && count <= GRID_HELD_SPANS);
    const int32_t columns = grid->across.cells;
    struct sorting sorting = begin_sorting(grid, parallel);
    for (int i = 0; i < count; i++) {
        assert(i == 0 || rows[i].first > rows[i - 1].last + 1);
        sorting.runs[sorting.run_count++] =
            (struct run){rows[i].first * columns, (rows[i].last + 1 - rows[i].first) * columns};
    }
    sort_runs(&sorting, parallel);
}

void grid_resort(struct grid *grid, const struct bounds *bounds, float radius) {
    const struct parallel alone = parallel_alone();
    grid_advance(grid, 0.0f);
    grid_sort(grid, bounds, radius, &alone);
}
