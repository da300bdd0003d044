/* See snapshot.h: the arrays of a snapshot, and copies of them. The codecs of the layouts have
 * files of their own.
 *
 * Invariant: every array that is not NULL holds `capacity` entries (share_begin and part_begin one more,
 * shares share_capacity, parts part_capacity).
 */
#include "common/snapshot/snapshot.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/json_writer.h"
#include "common/snapshot/snapshot_internal.h"

/* ---- view ---- */

bool snapshot_view_equals(const struct snapshot_view *a, const struct snapshot_view *b) {
    bool is_same = a->layout == b->layout && a->fields == b->fields && a->has_region == b->has_region &&
                   a->grid[0] == b->grid[0] && a->grid[1] == b->grid[1] && a->cell == b->cell &&
                   a->by_kind == b->by_kind && a->mean_speed == b->mean_speed &&
                   a->has_speed == b->has_speed && a->key_changes == b->key_changes && a->most == b->most;
    for (int i = 0; i < 4 && a->has_region; i++) {
        is_same = is_same && a->region[i] == b->region[i];
    }
    return is_same && strcmp(a->kinds, b->kinds) == 0;
}

static const char line_end[] = "}\n";

/* Takes the end of a line back; false when the line has failed. */
static bool open_line(struct buffer *out) {
    if (!out->failed) {
        assert(out->length > 2 && memcmp(out->data + out->length - 2, line_end, 2) == 0);
        out->length -= 2;
    }
    return !out->failed;
}

void snapshot_view_add_speed(double speed, struct buffer *out) {
    assert(speed >= 0.0);
    if (open_line(out)) {
        buffer_append_text(out, ",\"speed\":");
        snapshot_append_fixed(out, speed, 6);
        buffer_append_text(out, line_end);
    }
}

void snapshot_view_add_sample(uint32_t one_in, uint64_t of, struct buffer *out) {
    if (open_line(out)) {
        buffer_printf(out, ",\"one_in\":%lu,\"of\":%llu%s", (unsigned long)one_in, (unsigned long long)of,
                      line_end);
    }
}

uint32_t snapshot_choose_sample(uint64_t agents, uint64_t most, uint32_t before) {
    uint32_t one_in = 1;
    assert(most > 0);
    while (agents / one_in + (agents % one_in != 0) > most) {
        one_in *= 2;
    }
    return before == 2 * one_in && 4 * (agents / one_in) > 3 * most ? before : one_in;
}

bool snapshot_view_has_kind(const struct snapshot_view *view, const char *name) {
    const size_t length = strlen(name);
    const char *at = view->kinds;
    if (*at == '\0') {
        return true;
    }
    for (;;) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, name, length) == 0) {
            return true;
        }
        if (at[word] == '\0') {
            return false;
        }
        at += word + 1;
    }
}

static int64_t hundredths(double px) {
    return llround(px * 100.0);
}

void snapshot_view_filter(const struct snapshot_view *view, const struct snapshot *snapshot, double margin,
                          struct snapshot_filter *out) {
    memset(out, 0, sizeof *out);
    out->is_all = !view->has_region && view->kinds[0] == '\0';
    out->has_box = view->has_region;
    for (int k = 0; k < snapshot->kind_names.count; k++) {
        out->kinds[k] = snapshot_view_has_kind(view, snapshot->kind_names.names[k]);
    }
    if (snapshot->wraps) {
        out->wrap_x = hundredths((double)snapshot->width);
        out->wrap_y = hundredths((double)snapshot->height);
    }
    const double more_x = (double)view->region[2] * margin, more_y = (double)view->region[3] * margin;
    out->box.x = hundredths((double)view->region[0] - more_x);
    out->box.y = hundredths((double)view->region[1] - more_y);
    out->box.width = hundredths((double)view->region[2] + 2.0 * more_x);
    out->box.height = hundredths((double)view->region[3] + 2.0 * more_y);
}

bool snapshot_filter_passes(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                            int32_t row) {
    if (filter->is_all) {
        return true;
    }
    if (!filter->kinds[snapshot->kind[row]] ||
        (filter->one_in > 1 && !snapshot_in_sample(snapshot->id[row], filter->one_in))) {
        return false;
    }
    return !filter->has_box || ((uint64_t)snapshot_offset(snapshot->x[row], filter->box.x, filter->wrap_x) <=
                                    (uint64_t)filter->box.width &&
                                (uint64_t)snapshot_offset(snapshot->y[row], filter->box.y, filter->wrap_y) <=
                                    (uint64_t)filter->box.height);
}

int32_t snapshot_filter_rows(const struct snapshot_filter *filter, const struct snapshot *snapshot,
                             int32_t *rows) {
    int32_t count = 0;
    for (int32_t row = 0; row < snapshot->count; row++) {
        rows[count] = row;
        count += snapshot_filter_passes(filter, snapshot, row);
    }
    return count;
}

/* ---- internal: parts of lines that more than one layout has ---- */

/* ---- writing ---- */

void snapshot_append_fixed(struct buffer *out, double value, int decimals) {
    double scale = 1.0;
    for (int i = 0; i < decimals; i++) {
        scale *= 10.0;
    }
    const bool is_time = value >= 0.0 && value * scale < 9.2e18;
    const uint64_t units = is_time ? (uint64_t)llround(value * scale) : 0;
    const uint64_t whole_scale = (uint64_t)scale;
    buffer_printf(out, "%llu.%0*llu", (unsigned long long)(units / whole_scale), decimals,
                  (unsigned long long)(units % whole_scale));
}

void snapshot_drop_last_comma(struct buffer *out) {
    if (!out->failed && out->length > 0 && out->data[out->length - 1] == ',') {
        out->data[--out->length] = '\0';
    }
}

void snapshot_append_targets(const struct snapshot *snapshot, struct buffer *out) {
    buffer_append_text(out, ",\"targets\":[");
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        struct json_writer json = json_writer_begin(out);
        json_object(&json);
        json_key_string(&json, "name", snapshot->target_names.names[snapshot->target_name[i]]);
        json_key_hundredths(&json, "x", snapshot->target_x[i]);
        json_key_hundredths(&json, "y", snapshot->target_y[i]);
        json_end(&json);
        buffer_append(out, ",", 1);
    }
    snapshot_drop_last_comma(out);
    buffer_append(out, "]", 1);
}

/* ---- reading ---- */

bool snapshot_read_hundredths(const cJSON *value, int32_t *out) {
    if (!cJSON_IsNumber(value)) {
        return false;
    }
    const double scaled = round(value->valuedouble * 100.0);
    if (!(scaled >= (double)INT32_MIN && scaled <= (double)INT32_MAX)) {
        return false;
    }
    *out = (int32_t)scaled;
    return true;
}

bool snapshot_read_integer(const cJSON *value, double low, double high, double *out) {
    if (!cJSON_IsNumber(value)) {
        return false;
    }
    *out = value->valuedouble;
    return *out >= low && *out <= high && *out == floor(*out);
}

bool snapshot_read_time(const cJSON *value, double *out) {
    if (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble < 0.0) {
        return false;
    }
    *out = value->valuedouble;
    return true;
}

bool snapshot_read_speed(const cJSON *value, bool *has, double *out) {
    *has = value != NULL;
    *out = 0.0;
    return !*has || (snapshot_read_time(value, out) && *out <= 1000.0);
}

bool snapshot_read_sample(const cJSON *one_in, const cJSON *of, struct snapshot *snapshot) {
    double n = 0.0, agents = 0.0;
    const bool is_right = one_in == NULL ? of == NULL
                                         : snapshot_read_integer(one_in, 1.0, 0x1p31, &n) &&
                                               snapshot_read_integer(of, 0.0, (double)UINT32_MAX, &agents);
    snapshot->one_in = (uint32_t)n;
    snapshot->of = (uint32_t)agents;
    return is_right;
}

bool snapshot_read_name(const cJSON *value, struct name_table *names, uint16_t *out) {
    if (!cJSON_IsString(value)) {
        return false;
    }
    const size_t length = strlen(value->valuestring);
    const int index =
        name_is_valid(value->valuestring, length) ? name_table_intern(names, value->valuestring, length) : -1;
    *out = (uint16_t)(index < 0 ? 0 : index);
    return index >= 0;
}

int snapshot_read_targets(const cJSON *targets, struct snapshot *snapshot, struct failure *failure) {
    if (!cJSON_IsArray(targets)) {
        return failure_set(failure, FAILURE_INVALID, "targets", "snapshot: not an array");
    }
    snapshot->target_count = 0;
    const cJSON *target = NULL;
    cJSON_ArrayForEach(target, targets) {
        const int32_t i = snapshot->target_count;
        if (i == LIMIT_TARGETS) {
            return failure_set(failure, FAILURE_INVALID, "targets", "snapshot: too many");
        }
        if (!snapshot_read_name(cJSON_GetObjectItemCaseSensitive(target, "name"), &snapshot->target_names,
                                &snapshot->target_name[i]) ||
            !snapshot_read_hundredths(cJSON_GetObjectItemCaseSensitive(target, "x"),
                                      &snapshot->target_x[i]) ||
            !snapshot_read_hundredths(cJSON_GetObjectItemCaseSensitive(target, "y"),
                                      &snapshot->target_y[i])) {
            return failure_set(failure, FAILURE_INVALID, "targets",
                               "snapshot: an entry without a name, x or y");
        }
        snapshot->target_count++;
    }
    return 0;
}

/* cJSON takes whatever follows the value for granted; only white space may. */
static bool is_space(const char *text, const char *end) {
    while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n')) {
        text++;
    }
    return text == end;
}

cJSON *snapshot_parse(const char *line, size_t length, struct failure *failure) {
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithLengthOpts(line, length, &end, 0);
    if (json == NULL || !is_space(end, line + length)) {
        cJSON_Delete(json);
        (void)failure_set(failure, FAILURE_PARSE, NULL, "snapshot: not JSON");
        return NULL;
    }
    return json;
}

struct snapshot *snapshot_create(void) {
    return calloc(1, sizeof(struct snapshot));
}

void snapshot_destroy(struct snapshot *snapshot) {
    if (snapshot == NULL) {
        return;
    }
#define FREE(type, column) free(snapshot->column);
    SNAPSHOT_COLUMNS(FREE)
#undef FREE
    free(snapshot->desired);
    free(snapshot->steering);
    free(snapshot->share_begin);
    free(snapshot->shares);
    free(snapshot->part_begin);
    free(snapshot->parts);
    free(snapshot->twins);
    free(snapshot);
}

/* ---- room ---- */

/* What realloc of *array to count entries gives, or the old array with *ok false. */
static void *resized(void *array, size_t count, size_t entry_bytes, bool *ok) {
    void *larger = realloc(array, count * entry_bytes);
    *ok = *ok && larger != NULL;
    return larger == NULL ? array : larger;
}

#define RESIZE(array, count, ok) (array) = resized((array), (count), sizeof *(array), (ok))

static bool resize_agents(struct snapshot *snapshot, size_t count) {
    bool ok = true;
#define RESIZE_COLUMN(type, column) RESIZE(snapshot->column, count, &ok);
    SNAPSHOT_COLUMNS(RESIZE_COLUMN)
#undef RESIZE_COLUMN
    return ok;
}

static bool resize_forces(struct snapshot *snapshot, size_t count) {
    bool ok = true;
    RESIZE(snapshot->desired, count, &ok);
    RESIZE(snapshot->steering, count, &ok);
    RESIZE(snapshot->share_begin, count + 1, &ok);
    RESIZE(snapshot->part_begin, count + 1, &ok);
    return ok;
}

static int32_t grown(int32_t capacity, int32_t wanted) {
    const int64_t half_more = (int64_t)capacity + capacity / 2;
    const int64_t most = wanted > LIMIT_AGENTS ? wanted : LIMIT_AGENTS;
    const int64_t bounded = half_more < most ? half_more : most;
    return (int32_t)(bounded > wanted ? bounded : wanted > 0 ? wanted : 1);
}

int snapshot_reserve(struct snapshot *snapshot, int32_t count, int32_t share_count, bool has_forces) {
    assert(count >= 0 && share_count >= 0);
    const bool grows = count > snapshot->capacity || snapshot->capacity == 0;
    const int32_t capacity = grows ? grown(snapshot->capacity, count) : snapshot->capacity;
    const bool had_forces = snapshot->share_begin != NULL;
    if (grows && !resize_agents(snapshot, (size_t)capacity)) {
        return -1;
    }
    if ((has_forces && !had_forces) || (had_forces && grows)) {
        if (!resize_forces(snapshot, (size_t)capacity)) {
            return -1;
        }
    }
    snapshot->capacity = capacity;
    if (has_forces && (share_count > snapshot->share_capacity || snapshot->shares == NULL)) {
        const int32_t shares = share_count > 0 ? share_count : 1;
        bool ok = true;
        RESIZE(snapshot->shares, (size_t)shares, &ok);
        if (!ok) {
            return -1;
        }
        snapshot->share_capacity = shares;
    }
    return 0;
}

int snapshot_reserve_parts(struct snapshot *snapshot, int32_t part_count) {
    assert(part_count >= 0 && snapshot->part_begin != NULL);
    if (part_count > snapshot->part_capacity || snapshot->parts == NULL) {
        const int32_t parts = part_count > 0 ? part_count : 1;
        bool ok = true;
        RESIZE(snapshot->parts, (size_t)parts, &ok);
        if (!ok) {
            return -1;
        }
        snapshot->part_capacity = parts;
    }
    return 0;
}

int snapshot_reserve_twins(struct snapshot *snapshot) {
    if (snapshot->capacity > snapshot->twin_capacity) {
        bool ok = true;
        RESIZE(snapshot->twins, (size_t)snapshot->capacity, &ok);
        if (!ok) {
            return -1;
        }
        snapshot->twin_capacity = snapshot->capacity;
    }
    for (int32_t i = 0; i < snapshot->twin_capacity; i++) {
        snapshot->twins[i] = (struct snapshot_vector){SNAPSHOT_NO_TWIN, SNAPSHOT_NO_TWIN};
    }
    return 0;
}

size_t snapshot_bytes(int32_t count, int32_t share_count, bool has_forces) {
    const struct snapshot *none = NULL;
#define AND_SIZE(type, column) +sizeof(type)
    const size_t agent = SNAPSHOT_COLUMNS(AND_SIZE);
#undef AND_SIZE
    const size_t forces =
        has_forces ? sizeof *none->desired + sizeof *none->steering + sizeof *none->share_begin : 0;
    const size_t shares = has_forces ? (size_t)share_count * sizeof *none->shares : 0;
    return (size_t)count * (agent + forces) + shares;
}

/* ---- select ---- */

/* Copies of snapshots: whole, or of some of their agents. Owns nothing.
 *
 * Invariant: what is copied has the arrays' order, so rows stay in ascending order of id.
 */

static void copy_names(const struct name_table *from, struct name_table *to) {
    to->count = from->count;
    memcpy(to->names, from->names, (size_t)from->count * sizeof from->names[0]);
}

static void copy_head(const struct snapshot *from, struct snapshot *to) {
    to->tick = from->tick;
    to->time_s = from->time_s;
    to->clock_ms = from->clock_ms;
    to->has_speed = from->has_speed;
    to->speed = from->speed;
    to->one_in = from->one_in;
    to->of = from->of;
    to->epoch = from->epoch;
    to->has_forces = from->has_forces;
    to->fields = from->fields;
    to->width = from->width;
    to->height = from->height;
    to->wraps = from->wraps;
    const size_t targets = (size_t)from->target_count;
    to->target_count = from->target_count;
    memcpy(to->target_name, from->target_name, targets * sizeof from->target_name[0]);
    memcpy(to->target_x, from->target_x, targets * sizeof from->target_x[0]);
    memcpy(to->target_y, from->target_y, targets * sizeof from->target_y[0]);
    copy_names(&from->kind_names, &to->kind_names);
    copy_names(&from->state_names, &to->state_names);
    copy_names(&from->behavior_names, &to->behavior_names);
    copy_names(&from->part_names, &to->part_names);
    copy_names(&from->target_names, &to->target_names);
}

#define COPY(type, column) memcpy(to->column, from->column, (size_t)from->count * sizeof *from->column);

/* Room for all, or for some of them. */
static int reserve(const struct snapshot *from, int32_t count, struct snapshot *to) {
    if (snapshot_reserve(to, count, from->share_count, from->has_forces) != 0 ||
        (snapshot_has_twins(from) && snapshot_reserve_twins(to) != 0)) {
        return -1;
    }
    return snapshot_has_parts(from) ? snapshot_reserve_parts(to, from->part_count) : 0;
}

int snapshot_copy(const struct snapshot *from, struct snapshot *to) {
    if (reserve(from, from->count, to) != 0) {
        return -1;
    }
    copy_head(from, to);
    to->count = from->count;
    to->share_count = from->has_forces ? from->share_count : 0;
    to->part_count = snapshot_has_parts(from) ? from->part_count : 0;
    if (from->count == 0) {
        return 0;
    }
    SNAPSHOT_COLUMNS(COPY)
    if (from->has_forces) {
        COPY(struct snapshot_vector, desired)
        COPY(struct snapshot_vector, steering)
        memcpy(to->share_begin, from->share_begin, ((size_t)from->count + 1) * sizeof *from->share_begin);
        memcpy(to->shares, from->shares, (size_t)from->share_count * sizeof *from->shares);
    }
    if (snapshot_has_twins(from)) {
        COPY(struct snapshot_vector, twins)
    }
    if (snapshot_has_parts(from)) {
        memcpy(to->part_begin, from->part_begin, ((size_t)from->count + 1) * sizeof *from->part_begin);
        memcpy(to->parts, from->parts, (size_t)from->part_count * sizeof *from->parts);
    }
    return 0;
}

static void select_forces(const struct snapshot *from, const int32_t *rows, struct snapshot *to) {
    to->share_count = 0;
    for (int32_t i = 0; i < to->count; i++) {
        const int32_t begin = from->share_begin[rows[i]];
        const int32_t count = from->share_begin[rows[i] + 1] - begin;
        to->desired[i] = from->desired[rows[i]];
        to->steering[i] = from->steering[rows[i]];
        to->share_begin[i] = to->share_count;
        memcpy(to->shares + to->share_count, from->shares + begin, (size_t)count * sizeof *from->shares);
        to->share_count += count;
    }
    to->share_begin[to->count] = to->share_count;
}

static void select_parts(const struct snapshot *from, const int32_t *rows, struct snapshot *to) {
    for (int32_t i = 0; i < to->count; i++) {
        const int32_t begin = from->part_begin[rows[i]];
        const int32_t count = from->part_begin[rows[i] + 1] - begin;
        to->part_begin[i] = to->part_count;
        memcpy(to->parts + to->part_count, from->parts + begin, (size_t)count * sizeof *from->parts);
        to->part_count += count;
    }
    to->part_begin[to->count] = to->part_count;
}

int snapshot_select(const struct snapshot *from, const int32_t *rows, int32_t count, struct snapshot *to) {
    /* The shares and parts of all are room enough for those of some. */
    if (reserve(from, count, to) != 0) {
        return -1;
    }
    copy_head(from, to);
    to->count = count;
    for (int32_t i = 0; i < count && snapshot_has_twins(from); i++) {
        to->twins[i] = from->twins[rows[i]];
    }
    to->share_count = 0;
    to->part_count = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t row = rows[i];
        assert(row >= 0 && row < from->count);
#define TAKE(type, column) to->column[i] = from->column[row];
        SNAPSHOT_COLUMNS(TAKE)
#undef TAKE
    }
    if (from->has_forces) {
        select_forces(from, rows, to);
    }
    if (snapshot_has_parts(from)) {
        select_parts(from, rows, to);
    }
    return 0;
}
