/* See snapshot_density.h: counting, writing and reading. */
#include "common/snapshot/snapshot_density.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/snapshot/frame_layout.h"
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

/* The density that has these sums. snapshot: for the time and the names of kinds. -1 when out of memory. */
static int density_of_sums(const struct density_sums *sums, const struct snapshot *snapshot,
                           struct density *out) {
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

/* ---- decode ---- */

/* Reads the density layout, through cJSON. Owns the tree for the length of one call. */

static int refuse(struct failure *failure, const char *field, const char *message) {
    return failure_set(failure, FAILURE_INVALID, field, "density: %s", message);
}

/* The numbers of an array of exactly `count`, each times scale and whole within 0.01, in a range. */
static bool read_array(const cJSON *array, int count, double scale, double least, double most, int64_t *out) {
    if (!cJSON_IsArray(array)) {
        return false;
    }
    int found = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        const double value = cJSON_IsNumber(item) ? round(item->valuedouble * scale) : (double)NAN;
        if (found == count || !(value >= least && value <= most) ||
            fabs(item->valuedouble * scale - value) > 0.01) {
            return false;
        }
        out[found++] = (int64_t)value;
    }
    return found == count;
}

static int read_grid(const cJSON *json, struct density *out, struct failure *failure) {
    int64_t grid[2], region[4];
    if (!read_array(cJSON_GetObjectItemCaseSensitive(json, "grid"), 2, 1.0, 1.0, LIMIT_GRID_CELLS, grid) ||
        grid[0] * grid[1] > LIMIT_GRID_CELLS) {
        return refuse(failure, "grid", "not columns and rows of at most 16384 cells");
    }
    if (!read_array(cJSON_GetObjectItemCaseSensitive(json, "region"), 4, 100.0, -1e12, 1e12, region) ||
        region[2] <= 0 || region[3] <= 0) {
        return refuse(failure, "region", "not x, y, width and height");
    }
    out->columns = (int32_t)grid[0];
    out->rows = (int32_t)grid[1];
    out->region = (struct snapshot_box){region[0], region[1], region[2], region[3]};
    return 0;
}

static int read_column(const cJSON *json, const char *name, int32_t cells, void *out,
                       struct failure *failure) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, name);
    if (!cJSON_IsString(value) ||
        !base64_decode_integers(value->valuestring, strlen(value->valuestring), out, (size_t)cells, 4)) {
        return refuse(failure, name, "not a base64 column of the grid's length");
    }
    return 0;
}

static int read_counts(const cJSON *json, struct density *out, struct failure *failure) {
    double inside = 0.0, outside = 0.0;
    if (!snapshot_read_integer(cJSON_GetObjectItemCaseSensitive(json, "n"), 0.0, LIMIT_AGENTS, &inside) ||
        !snapshot_read_integer(cJSON_GetObjectItemCaseSensitive(json, "outside"), 0.0, LIMIT_AGENTS,
                               &outside)) {
        return refuse(failure, "n", "n or outside is missing, or not an integer in its range");
    }
    uint64_t sum = 0;
    for (int32_t c = 0; c < out->columns * out->rows; c++) {
        sum += out->count[c];
    }
    if (sum != (uint64_t)inside) {
        return refuse(failure, "n", "not the sum of the counts");
    }
    out->inside = (uint32_t)inside;
    out->outside = (uint32_t)outside;
    return 0;
}

/* Each cell's agents are those of its kinds. */
static bool adds_up(const struct density *density, int32_t cells) {
    for (int32_t c = 0; c < cells && density->kind_count > 0; c++) {
        uint64_t sum = 0;
        for (int32_t k = 0; k < density->kind_count; k++) {
            sum += density->by_kind[(ptrdiff_t)cells * k + c];
        }
        if (sum != density->count[c]) {
            return false;
        }
    }
    return true;
}

static int read_kinds(const cJSON *by_kind, int32_t cells, struct density *out, struct failure *failure) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, by_kind) {
        const size_t length = strlen(item->string);
        if (length > LIMIT_NAME_CHARS) {
            return refuse(failure, "by_kind", "the name of a kind is too long");
        }
        memcpy(out->kinds[out->kind_count], item->string, length + 1);
        uint32_t *column = out->by_kind + (ptrdiff_t)cells * out->kind_count++;
        if (!cJSON_IsString(item) ||
            !base64_decode_integers(item->valuestring, strlen(item->valuestring), column, (size_t)cells, 4)) {
            return refuse(failure, "by_kind", "not base64 columns of the grid's length");
        }
    }
    return adds_up(out, cells) ? 0 : refuse(failure, "by_kind", "the kinds do not add up to count");
}

/* What a subscription may have asked for: there or not. */
static int read_asked(const cJSON *json, const cJSON *by_kind, int32_t cells, struct density *out,
                      struct failure *failure) {
    out->has_mean_speed = cJSON_GetObjectItemCaseSensitive(json, "mean_speed") != NULL;
    out->kind_count = 0;
    if (out->has_mean_speed && read_column(json, "mean_speed", cells, out->mean_speed, failure) != 0) {
        return -1;
    }
    return by_kind == NULL ? 0 : read_kinds(by_kind, cells, out, failure);
}

static int read_density(const cJSON *json, struct density *out, struct failure *failure) {
    double tick = 0.0;
    if (!snapshot_read_integer(cJSON_GetObjectItemCaseSensitive(json, "tick"), 0.0, LIMIT_ID_INTEGER,
                               &tick)) {
        return refuse(failure, "tick", "missing, or not an integer from 0");
    }
    if (!snapshot_read_time(cJSON_GetObjectItemCaseSensitive(json, "time"), &out->time_s) ||
        !snapshot_read_time(cJSON_GetObjectItemCaseSensitive(json, "clock"), &out->clock_ms)) {
        return refuse(failure, "time", "time or clock is missing, or not a number from 0");
    }
    if (!snapshot_read_speed(cJSON_GetObjectItemCaseSensitive(json, "speed"), &out->has_speed, &out->speed)) {
        return refuse(failure, "speed", "not a number from 0 to 1000");
    }
    out->tick = (uint64_t)tick;
    if (read_grid(json, out, failure) != 0) {
        return -1;
    }
    const int32_t cells = out->columns * out->rows;
    const cJSON *by_kind = cJSON_GetObjectItemCaseSensitive(json, "by_kind");
    const int kinds = cJSON_GetArraySize(by_kind);
    if (by_kind != NULL && (!cJSON_IsObject(by_kind) || kinds < 1 || kinds > LIMIT_KINDS)) {
        return refuse(failure, "by_kind", "not an object with 1 to 64 kinds");
    }
    if (density_reserve(out, cells, kinds) != 0) {
        return failure_set(failure, FAILURE_BUSY, NULL, "density: out of memory");
    }
    if (read_column(json, "count", cells, out->count, failure) != 0 ||
        read_column(json, "vx", cells, out->vx, failure) != 0 ||
        read_column(json, "vy", cells, out->vy, failure) != 0 ||
        read_asked(json, by_kind, cells, out, failure) != 0) {
        return -1;
    }
    return read_counts(json, out, failure);
}

static bool is_density(const char *line, size_t length) {
    static const char start[] = "{\"op\":\"density\"";
    return length >= sizeof start - 1 && memcmp(line, start, sizeof start - 1) == 0;
}

static int read_moment(const cJSON *json, const struct density *density, struct snapshot *snapshot,
                       struct failure *failure) {
    if (snapshot_reserve(snapshot, 1, 0, false) != 0) {
        return failure_set(failure, FAILURE_BUSY, NULL, "density: out of memory");
    }
    snapshot->tick = density->tick;
    snapshot->time_s = density->time_s;
    snapshot->clock_ms = density->clock_ms;
    snapshot->has_speed = density->has_speed;
    snapshot->speed = density->speed;
    snapshot->has_forces = false;
    snapshot->fields = 0;
    snapshot->count = 0;
    snapshot->share_count = 0;
    return snapshot_read_targets(cJSON_GetObjectItemCaseSensitive(json, "targets"), snapshot, failure);
}

/* Reads a density line; *snapshot becomes one of the same moment with the targets, without agents and without fields.
 * 0, or -1 with *failure. */
int density_decode(const char *line, size_t length, struct density *out, struct snapshot *snapshot,
                   struct failure *failure) {
    if (!is_density(line, length)) {
        return refuse(failure, "op", "not a density line");
    }
    cJSON *json = snapshot_parse(line, length, failure);
    if (json == NULL) {
        return -1;
    }
    int result = read_density(json, out, failure);
    if (result == 0 && snapshot != NULL) {
        result = read_moment(json, out, snapshot, failure);
    }
    cJSON_Delete(json);
    return result;
}

/* ---- the row ---- */

static void encode_frame(const struct snapshot_view *view, const struct snapshot *snapshot,
                         struct density *scratch, struct buffer *out) {
    if (density_count(view, snapshot, scratch) != 0) {
        out->failed = true;
        return;
    }
    density_encode(scratch, snapshot, out);
}

static void encode_sums(const struct density_sums *sums, const struct snapshot *snapshot,
                        struct density *scratch, struct buffer *out) {
    if (density_of_sums(sums, snapshot, scratch) != 0) {
        out->failed = true;
        return;
    }
    density_encode(scratch, snapshot, out);
}

static enum frame_result decode_frame(const struct frame_reader *reader, const char *line, size_t length,
                                      struct failure *failure) {
    const int result = density_decode(line, length, reader->density, reader->snapshot, failure);
    return result == 0 ? FRAME_READY : FRAME_REFUSED;
}

const struct frame_layout frame_layout_density = {
    .ops = {"density"},
    .takes_grid = true,
    .entry_bytes = 6,
    .encode = encode_frame,
    .encode_sums = encode_sums,
    .decode = decode_frame,
};
