/* Reads the density layout, through cJSON. Owns the tree for the length of one call. */
#include <math.h>
#include <string.h>

#include "common/snapshot/frame_codec.h"
#include "common/snapshot/snapshot_density.h"
#include "common/snapshot/snapshot_internal.h"
#include "common/text/base64.h"

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

int density_decode_frame(const char *line, size_t length, struct density *out, struct snapshot *snapshot,
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

int density_decode(const char *line, size_t length, struct density *out, struct failure *failure) {
    return density_decode_frame(line, length, out, NULL, failure);
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
    const int result = density_decode_frame(line, length, reader->density, reader->snapshot, failure);
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
