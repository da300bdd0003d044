/* See snapshot_density.h: counting and writing. The reader is snapshot_density_decode.c. */
#include "common/snapshot/snapshot_density.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/snapshot/snapshot_internal.h"
#include "common/text/base64.h"

void density_init(struct density *density) {
    *density = (struct density){0};
}

void density_fini(struct density *density) {
    free(density->count);
    free(density->vx);
    free(density->vy);
    free(density->mean_speed);
    free(density->by_kind);
    density_init(density);
}

struct density *density_create(void) {
    return calloc(1, sizeof(struct density));
}

void density_destroy(struct density *density) {
    if (density != NULL) {
        density_fini(density);
        free(density);
    }
}

static int reserve_kinds(struct density *density, int32_t entries) {
    if (entries <= density->kind_capacity) {
        return 0;
    }
    uint32_t *by_kind = realloc(density->by_kind, (size_t)entries * sizeof *by_kind);
    if (by_kind == NULL) {
        return -1;
    }
    density->by_kind = by_kind;
    density->kind_capacity = entries;
    return 0;
}

int density_reserve(struct density *density, int32_t cells, int32_t kinds) {
    if (cells <= density->capacity) {
        return reserve_kinds(density, cells * kinds);
    }
    uint32_t *count = realloc(density->count, (size_t)cells * sizeof *count);
    density->count = count == NULL ? density->count : count;
    int32_t *vx = realloc(density->vx, (size_t)cells * sizeof *vx);
    density->vx = vx == NULL ? density->vx : vx;
    int32_t *vy = realloc(density->vy, (size_t)cells * sizeof *vy);
    density->vy = vy == NULL ? density->vy : vy;
    uint32_t *mean_speed = realloc(density->mean_speed, (size_t)cells * sizeof *mean_speed);
    density->mean_speed = mean_speed == NULL ? density->mean_speed : mean_speed;
    if (count == NULL || vx == NULL || vy == NULL || mean_speed == NULL) {
        return -1;
    }
    density->capacity = cells;
    return reserve_kinds(density, cells * kinds);
}

static int32_t cells_along(double length, double cell) {
    const double cells = ceil(length / cell - 1e-9);
    return cells < 1.0 ? 1 : cells > LIMIT_GRID_CELLS ? LIMIT_GRID_CELLS : (int32_t)cells;
}

void density_grid(const struct snapshot_view *view, double width, double height, int32_t *columns,
                  int32_t *rows) {
    if (view->cell <= 0.0f) {
        *columns = (int32_t)view->grid[0];
        *rows = (int32_t)view->grid[1];
        return;
    }
    for (double cell = (double)view->cell;; cell *= 1.25) {
        *columns = cells_along(width, cell);
        *rows = cells_along(height, cell);
        if ((int64_t)*columns * *rows <= LIMIT_GRID_CELLS) {
            return;
        }
    }
}

/* ---- counting ---- */

enum { OF_CELL = 3 }; /* in any case: agents, and the sums of vx and vy */

/* floor(offset * cells / length), exact: below 2^53 a correctly rounded quotient never reaches the next whole
 * number. -1 outside. */
static inline int32_t cell_along(int64_t offset, int32_t cells, int64_t length) {
    if (offset < 0 || offset > length) {
        return -1;
    }
    const int32_t cell = (int32_t)((double)(offset * cells) / (double)length);
    return cell < cells ? cell : cells - 1;
}

/* To the nearest, halves away from zero. */
static int32_t mean(int64_t sum, int64_t count) {
    const int64_t twice = 2 * (sum < 0 ? -sum : sum) + count;
    const int64_t size = count == 0 ? 0 : twice / (2 * count);
    return (int32_t)(sum < 0 ? -size : size);
}

/* Which values a cell has. */
static void place_values(const struct snapshot_view *view, const struct snapshot *snapshot,
                         struct density_sums *sums) {
    assert(snapshot->kind_names.count <= LIMIT_KINDS);
    sums->of_cell = OF_CELL;
    sums->speed_at = view->mean_speed ? sums->of_cell++ : 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        const bool is_shown = k < snapshot->kind_names.count && sums->filter.kinds[k];
        sums->kind_at[k] = view->by_kind && is_shown ? sums->of_cell++ : 0;
    }
}

int density_sums_begin(const struct snapshot_view *view, const struct snapshot *snapshot,
                       struct density_sums *out) {
    struct snapshot_view whole = *view;
    if (!view->has_region) {
        whole.has_region = true;
        whole.region[0] = whole.region[1] = 0.0f;
        whole.region[2] = snapshot->width;
        whole.region[3] = snapshot->height;
    }
    snapshot_view_filter(&whole, snapshot, 0.0, &out->filter);
    density_grid(&whole, (double)whole.region[2], (double)whole.region[3], &out->columns, &out->rows);
    out->filter.box.width += out->filter.box.width == 0; /* less than half a hundredth of a px wide */
    out->filter.box.height += out->filter.box.height == 0;
    place_values(view, snapshot, out);
    out->value_count = out->of_cell * out->columns * out->rows + 1;
    out->values = calloc((size_t)out->value_count, sizeof *out->values);
    return out->values == NULL ? -1 : 0;
}

void density_sums_end(struct density_sums *sums) {
    free(sums->values);
    sums->values = NULL;
}

/* What not every view asks for. Speeds are whole hundredths, so that their sums are exact. */
static inline void add_asked(const struct density_sums *sums, const struct snapshot *snapshot, int32_t row,
                             int64_t *cell) {
    if (sums->speed_at > 0) {
        const double vx = (double)snapshot->vx[row], vy = (double)snapshot->vy[row];
        cell[sums->speed_at] += (int64_t)(sqrt(vx * vx + vy * vy) + 0.5);
    }
    const int32_t kind_at = sums->kind_at[snapshot->kind[row]];
    if (kind_at > 0) {
        cell[kind_at]++;
    }
}

void density_sums_add(struct density_sums *sums, const struct snapshot *snapshot) {
    const bool has_asked = sums->of_cell > OF_CELL;
    const struct snapshot_filter *filter = &sums->filter;
    const struct snapshot_box box = filter->box;
    int64_t outside = 0;
    for (int32_t i = 0; i < snapshot->count; i++) {
        if (!filter->kinds[snapshot->kind[i]]) {
            continue;
        }
        const int32_t column =
            cell_along(snapshot_offset(snapshot->x[i], box.x, filter->wrap_x), sums->columns, box.width);
        const int32_t row =
            cell_along(snapshot_offset(snapshot->y[i], box.y, filter->wrap_y), sums->rows, box.height);
        if (column < 0 || row < 0) {
            outside++;
            continue;
        }
        int64_t *cell = &sums->values[sums->of_cell * (row * sums->columns + column)];
        cell[0]++;
        cell[1] += snapshot->vx[i];
        cell[2] += snapshot->vy[i];
        if (has_asked) {
            add_asked(sums, snapshot, i, cell);
        }
    }
    sums->values[sums->value_count - 1] += outside;
}

/* What not every view asks for. */
static void take_asked(const struct density_sums *sums, const struct snapshot *snapshot, int32_t cells,
                       struct density *out) {
    out->has_mean_speed = sums->speed_at > 0;
    for (int32_t c = 0; c < cells && out->has_mean_speed; c++) {
        const int64_t *cell = &sums->values[sums->of_cell * c];
        out->mean_speed[c] = (uint32_t)mean(cell[sums->speed_at], cell[0]);
    }
    out->kind_count = 0;
    for (int k = 0; k < LIMIT_KINDS; k++) {
        if (sums->kind_at[k] > 0) {
            uint32_t *column = out->by_kind + (ptrdiff_t)cells * out->kind_count;
            memcpy(out->kinds[out->kind_count++], snapshot->kind_names.names[k], sizeof out->kinds[0]);
            for (int32_t c = 0; c < cells; c++) {
                column[c] = (uint32_t)sums->values[sums->of_cell * c + sums->kind_at[k]];
            }
        }
    }
}

int density_of_sums(const struct density_sums *sums, const struct snapshot *snapshot, struct density *out) {
    const int32_t cells = sums->columns * sums->rows;
    if (density_reserve(out, cells, sums->of_cell - OF_CELL - (sums->speed_at > 0)) != 0) {
        return -1;
    }
    out->columns = sums->columns;
    out->rows = sums->rows;
    out->tick = snapshot->tick;
    out->time_s = snapshot->time_s;
    out->clock_ms = snapshot->clock_ms;
    out->has_speed = snapshot->has_speed;
    out->speed = snapshot->speed;
    out->region = sums->filter.box;
    out->inside = 0;
    out->outside = (uint32_t)sums->values[sums->value_count - 1];
    for (int32_t c = 0; c < cells; c++) {
        const int64_t *cell = &sums->values[sums->of_cell * c];
        out->count[c] = (uint32_t)cell[0];
        out->vx[c] = mean(cell[1], cell[0]);
        out->vy[c] = mean(cell[2], cell[0]);
        out->inside += out->count[c];
    }
    take_asked(sums, snapshot, cells, out);
    return 0;
}

int density_count(const struct snapshot_view *view, const struct snapshot *snapshot, struct density *out) {
    struct density_sums sums;
    if (density_sums_begin(view, snapshot, &sums) != 0) {
        return -1;
    }
    density_sums_add(&sums, snapshot);
    const int result = density_of_sums(&sums, snapshot, out);
    density_sums_end(&sums);
    return result;
}

/* ---- writing ---- */

/* before: what stands before the name. */
static void put_column(struct buffer *out, const char *before, const char *name, const void *values,
                       int32_t cells) {
    enum { WIDTH = 4 };
    buffer_printf(out, "%s\"%s\":\"", before, name);
    char *text = buffer_reserve(out, base64_length((size_t)cells * WIDTH));
    if (text != NULL) {
        buffer_commit(out, (size_t)(base64_encode_integers(values, (size_t)cells, WIDTH, text) - text));
    }
    buffer_append(out, "\"", 1);
}

static void put_region(struct buffer *out, const struct snapshot_box *box) {
    struct json_writer json = json_writer_begin(out);
    json_array(&json);
    json_hundredths(&json, box->x);
    json_hundredths(&json, box->y);
    json_hundredths(&json, box->width);
    json_hundredths(&json, box->height);
    json_end(&json);
}

void density_encode(const struct density *density, const struct snapshot *snapshot, struct buffer *out) {
    const int32_t cells = density->columns * density->rows;
    buffer_printf(out, "{\"op\":\"density\",\"tick\":%llu,\"time\":", (unsigned long long)density->tick);
    snapshot_append_fixed(out, density->time_s, 6);
    buffer_printf(out, ",\"grid\":[%ld,%ld],\"region\":", (long)density->columns, (long)density->rows);
    put_region(out, &density->region);
    buffer_printf(out, ",\"n\":%lu,\"outside\":%lu", (unsigned long)density->inside,
                  (unsigned long)density->outside);
    put_column(out, ",", "count", density->count, cells);
    put_column(out, ",", "vx", density->vx, cells);
    put_column(out, ",", "vy", density->vy, cells);
    if (density->has_mean_speed) {
        put_column(out, ",", "mean_speed", density->mean_speed, cells);
    }
    for (int32_t k = 0; k < density->kind_count; k++) {
        put_column(out, k == 0 ? ",\"by_kind\":{" : ",", density->kinds[k],
                   density->by_kind + (ptrdiff_t)cells * k, cells);
    }
    buffer_append_text(out, density->kind_count > 0 ? "}" : "");
    snapshot_append_targets(snapshot, out);
    buffer_append_text(out, ",\"clock\":");
    snapshot_append_fixed(out, density->clock_ms, 3);
    buffer_append_text(out, "}\n");
}
