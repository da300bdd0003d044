/* See snapshot_internal.h: parts of lines that more than one layout has. */
#include "common/snapshot/snapshot_internal.h"

#include <math.h>
#include <string.h>

#include "common/json/json_writer.h"

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
