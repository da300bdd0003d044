/* See run_neighbors.h. Cells of about one disc each, over the box that holds all discs; the torus is divided whole. */
#include "clients/drover/run/run_neighbors.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { SIDE_MOST = 2048 };

struct axis {
    double origin, cell; /* px */
    int count;
};

struct column_layout {
    const struct run_discs *discs;
    const struct run_cells *cells;
    struct axis across, down;
};

void run_cells_fini(struct run_cells *cells) {
    free(cells->begin);
    free(cells->item);
    *cells = (struct run_cells){0};
}

/* ---- cells ---- */

/* About `cell` px wide. Those of a torus divide it; otherwise the last one reaches over the end. */
static struct axis choose_axis(double low, double size, double cell, bool wraps) {
    const double whole = floor(size / cell), count = wraps ? fmax(whole, 1.0) : whole + 1.0;
    if (count > SIDE_MOST) {
        return (struct axis){.origin = low, .cell = size / SIDE_MOST, .count = SIDE_MOST};
    }
    return (struct axis){.origin = low, .cell = wraps ? size / count : cell, .count = (int)count};
}

static void choose_layout(struct column_layout *layout) {
    const struct run_discs *discs = layout->discs;
    double low_x = 0.0, low_y = 0.0, high_x = discs->width, high_y = discs->height;
    if (!discs->wraps) {
        low_x = high_x = discs->x[0];
        low_y = high_y = discs->y[0];
        for (int32_t i = 1; i < discs->count; i++) {
            low_x = fmin(low_x, discs->x[i]);
            high_x = fmax(high_x, discs->x[i]);
            low_y = fmin(low_y, discs->y[i]);
            high_y = fmax(high_y, discs->y[i]);
        }
    }
    const double width = high_x - low_x, height = high_y - low_y;
    const double longer = fmax(width, height);
    const double cell = fmax(sqrt(width * height / discs->count), longer / discs->count);
    layout->across = choose_axis(low_x, width, cell > 0.0 ? cell : 1.0, discs->wraps);
    layout->down = choose_axis(low_y, height, cell > 0.0 ? cell : 1.0, discs->wraps);
}

static int cell_on(const struct axis *axis, double place) {
    const double cell = floor((place - axis->origin) / axis->cell);
    return cell < 0.0 ? 0 : cell >= axis->count ? axis->count - 1 : (int)cell;
}

static int cell_of(const struct column_layout *layout, int32_t disc) {
    return cell_on(&layout->down, layout->discs->y[disc]) * layout->across.count +
           cell_on(&layout->across, layout->discs->x[disc]);
}

static bool make_neighbor_room(int32_t **array, int32_t *room, int32_t count) {
    if (count > *room) {
        int32_t *bigger = realloc(*array, (size_t)count * sizeof *bigger);
        if (bigger == NULL) {
            return false;
        }
        *array = bigger;
        *room = count;
    }
    return true;
}

/* A counting sort of the discs by cell. */
static bool sort_discs(struct column_layout *layout, struct run_cells *cells) {
    const int count = layout->across.count * layout->down.count;
    if (!make_neighbor_room(&cells->begin, &cells->begin_room, count + 1) ||
        !make_neighbor_room(&cells->item, &cells->item_room, layout->discs->count)) {
        return false;
    }
    for (int cell = 0; cell <= count; cell++) {
        cells->begin[cell] = 0;
    }
    for (int32_t i = 0; i < layout->discs->count; i++) {
        cells->begin[cell_of(layout, i)]++;
    }
    for (int cell = 1; cell <= count; cell++) {
        cells->begin[cell] += cells->begin[cell - 1];
    }
    for (int32_t i = layout->discs->count; i-- > 0;) {
        cells->item[--cells->begin[cell_of(layout, i)]] = i;
    }
    return true;
}

/* ---- what is around a disc ---- */

static double short_way(double difference, double size) {
    return difference > size / 2.0    ? difference - size
           : difference < -size / 2.0 ? difference + size
                                      : difference;
}

static double squared_distance(const struct run_discs *discs, int32_t a, int32_t b) {
    double dx = discs->x[b] - discs->x[a], dy = discs->y[b] - discs->y[a];
    if (discs->wraps) {
        dx = short_way(dx, discs->width);
        dy = short_way(dy, discs->height);
    }
    return dx * dx + dy * dy;
}

/* What a walk over the discs around one finds. */
struct found {
    double nearest; /* squared */
    uint64_t overlaps;
};

static void look_in(const struct column_layout *layout, int32_t disc, int cell, struct found *found) {
    const struct run_discs *discs = layout->discs;
    const struct run_cells *cells = layout->cells;
    for (int32_t k = cells->begin[cell]; k < cells->begin[cell + 1]; k++) {
        const int32_t other = cells->item[k];
        if (other == disc) {
            continue;
        }
        const double squared = squared_distance(discs, disc, other);
        const double reach = discs->radius[disc] + discs->radius[other];
        found->nearest = squared < found->nearest ? squared : found->nearest;
        found->overlaps += other > disc && squared < reach * reach ? 1 : 0;
    }
}

/* The cells of an axis that are at most `steps` from a cell: *first and how many follow, each once. */
static int span(const struct axis *axis, bool wraps, int cell, int steps, int *first) {
    if (wraps) {
        const bool is_all = 2 * steps + 1 >= axis->count;
        *first = is_all ? 0 : (cell - steps + axis->count) % axis->count;
        return is_all ? axis->count : 2 * steps + 1;
    }
    const int last = cell + steps < axis->count ? cell + steps : axis->count - 1;
    *first = cell > steps ? cell - steps : 0;
    return last - *first + 1;
}

/* Looks at all discs within `steps` cells. Returns whether that is all of them. */
static bool look_around(const struct column_layout *layout, int32_t disc, int steps, struct found *found) {
    const struct run_discs *discs = layout->discs;
    int first_x = 0, first_y = 0;
    const int columns =
        span(&layout->across, discs->wraps, cell_on(&layout->across, discs->x[disc]), steps, &first_x);
    const int rows =
        span(&layout->down, discs->wraps, cell_on(&layout->down, discs->y[disc]), steps, &first_y);
    *found = (struct found){.nearest = (double)INFINITY};
    for (int j = 0; j < rows; j++) {
        const int row = (first_y + j) % layout->down.count;
        for (int i = 0; i < columns; i++) {
            look_in(layout, disc, row * layout->across.count + (first_x + i) % layout->across.count, found);
        }
    }
    return columns == layout->across.count && rows == layout->down.count;
}

bool run_neighbors_measure(const struct run_discs *discs, struct run_cells *cells,
                           struct run_neighbors *out) {
    struct column_layout layout = {.discs = discs, .cells = cells};
    double sum = 0.0, largest = 0.0;
    *out = (struct run_neighbors){.nearest = (double)NAN};
    if (discs->count < 2) {
        return true;
    }
    choose_layout(&layout);
    if (!sort_discs(&layout, cells)) {
        return false;
    }
    for (int32_t i = 0; i < discs->count; i++) {
        largest = fmax(largest, discs->radius[i]);
    }
    const double side = fmin(layout.across.cell, layout.down.cell);
    for (int32_t i = 0; i < discs->count; i++) {
        const double reach = ceil((discs->radius[i] + largest) / side);
        int steps = reach > SIDE_MOST ? SIDE_MOST : reach < 1.0 ? 1 : (int)reach;
        struct found found;
        bool is_all = look_around(&layout, i, steps, &found);
        while (!is_all && found.nearest > (double)steps * side * ((double)steps * side)) {
            steps *= 2;
            is_all = look_around(&layout, i, steps, &found);
        }
        assert(isfinite(found.nearest));
        sum += sqrt(found.nearest);
        out->overlaps += found.overlaps;
    }
    out->nearest = sum / discs->count;
    return true;
}
