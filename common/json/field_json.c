/* See field_json.h: tables, and writing a member. Reading one value is field_value.c. Owns nothing. */
#include "common/json/field_json.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/json/field_text.h"
#include "common/text/nearest_name.h"
#include "common/text/text_list.h"

const struct field *field_find(const struct field *table, const char *name) {
    for (; table->type != FIELD_END; table++) {
        if (strcmp(table->name, name) == 0) {
            return table;
        }
    }
    return NULL;
}

void fields_set_initial(const struct field *table, void *object) {
    for (; table->type != FIELD_END; table++) {
        switch (table->type) {
        case FIELD_POINT:
        case FIELD_BOOL:
        case FIELD_NAME:
        case FIELD_NAMES:
        case FIELD_TEXT:
            memset(field_member(table, object), 0, table->size);
            break;
        case FIELD_SHAPED:
            break;
        case FIELD_CHOICE:
            *(int *)field_member(table, object) = (int)table->initial;
            break;
        default:
            field_store_number(table, table->initial, object);
        }
    }
}

static void join_path(char out[FIELD_PATH_BYTES], const char *path, const char *name) {
    (void)snprintf(out, FIELD_PATH_BYTES, "%s%s%s", path, path[0] == '\0' ? "" : ".", name);
}

static int row_of(const struct field *table, const char *name) {
    for (int row = 0; table[row].type != FIELD_END; row++) {
        if (strcmp(table[row].name, name) == 0) {
            return row;
        }
    }
    return -1;
}

static bool is_listed(const char *const *names, const char *name) {
    for (; *names != NULL; names++) {
        if (strcmp(*names, name) == 0) {
            return true;
        }
    }
    return false;
}

static int fail_unknown(const struct field *table, const char *const *known, const char *name,
                        const char *path, struct failure *failure) {
    char found[FIELD_QUOTE_BYTES + 6];
    field_quote(name, found);
    struct nearest_name nearest = nearest_name_begin(name);
    for (const struct field *row = table; row->type != FIELD_END; row++) {
        nearest_name_offer(&nearest, row->name);
    }
    for (const char *const *other = known; *other != NULL; other++) {
        nearest_name_offer(&nearest, *other);
    }
    char hint[NEAREST_HINT_BYTES];
    nearest_name_hint(&nearest, hint);
    (void)failure_set(failure, FAILURE_BAD_PARAM, path, "unknown key %s%s; allowed: ", found, hint);
    const size_t used = strlen(failure->message); /* the list takes the room that is left */
    char *allowed = failure->message + used;
    for (; table->type != FIELD_END; table++) {
        text_list_add(allowed, sizeof failure->message - used, table->name, false);
    }
    for (; *known != NULL; known++) {
        text_list_add(allowed, sizeof failure->message - used, *known, false);
    }
    return -1;
}

int fields_check_required(const struct field *table, const char *path, uint64_t seen,
                          struct failure *failure) {
    for (unsigned row = 0; table[row].type != FIELD_END; row++) {
        if ((table[row].flags & FIELD_REQUIRED) && !(seen >> row & 1)) {
            char item_path[FIELD_PATH_BYTES];
            join_path(item_path, path, table[row].name);
            return field_fail_missing(&table[row], item_path, failure);
        }
    }
    return 0;
}

int fields_read_member(const struct field *table, const cJSON *item, const char *path,
                       const char *const *known, void *object, uint64_t *seen, struct failure *failure) {
    char item_path[FIELD_PATH_BYTES];
    const int row = row_of(table, item->string);
    if (row < 0 && (known == NULL || is_listed(known, item->string))) {
        return 0;
    }
    join_path(item_path, path, item->string);
    if (row < 0) {
        return fail_unknown(table, known, item->string, item_path, failure);
    }
    assert(row < 64);
    *seen |= UINT64_C(1) << (unsigned)row;
    if ((table[row].flags & FIELD_COLUMN) && (cJSON_IsArray(item) || cJSON_IsString(item))) {
        return 0;
    }
    return field_read_value(&table[row], item, item_path, object, failure);
}

int fields_read(const struct field *table, const cJSON *json, const char *path, const char *const *known,
                void *object, uint64_t *present, struct failure *failure) {
    uint64_t seen = 0;
    if (!cJSON_IsObject(json)) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected an object, found %s",
                           json_type_name(json));
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json) {
        if (fields_read_member(table, item, path, known, object, &seen, failure) != 0) {
            return -1;
        }
    }
    if (present != NULL) {
        *present = seen;
    }
    return fields_check_required(table, path, seen, failure);
}

/* ---- writing ---- */

static void write_range(struct field_range range, struct json_writer *json) {
    if (range.low == range.high) {
        json_float(json, range.low);
        return;
    }
    json_array(json);
    json_float(json, range.low);
    json_float(json, range.high);
    json_end(json);
}

static void write_point(const float point[2], struct json_writer *json) {
    json_array(json);
    json_float(json, point[0]);
    json_float(json, point[1]);
    json_end(json);
}

static void write_names(const char *list, struct json_writer *json) {
    json_array(json);
    while (*list != '\0') {
        char name[LIMIT_NAME_CHARS + 1] = "";
        size_t length = 0;
        for (; *list != '\0' && *list != ' '; list++) {
            assert(length < LIMIT_NAME_CHARS);
            name[length++] = *list;
        }
        list += *list == ' ';
        json_string(json, name);
    }
    json_end(json);
}

void field_write_value(const struct field *field, const void *object, struct json_writer *json) {
    const void *member = field_const_member(field, object);
    switch (field->type) {
    case FIELD_FLOAT:
        json_float(json, *(const float *)member);
        break;
    case FIELD_DOUBLE:
    case FIELD_ANGLE:
        json_number(json, field_get_number(field, object));
        break;
    case FIELD_RANGE:
        write_range(*(const struct field_range *)member, json);
        break;
    case FIELD_POINT:
        write_point(member, json);
        break;
    case FIELD_UINT32:
        json_unsigned(json, *(const uint32_t *)member);
        break;
    case FIELD_UINT64:
        json_unsigned(json, *(const uint64_t *)member);
        break;
    case FIELD_BOOL:
        json_bool(json, *(const bool *)member);
        break;
    case FIELD_CHOICE:
        json_string(json, field->choices[*(const int *)member]);
        break;
    case FIELD_NAMES:
        write_names(member, json);
        break;
    case FIELD_NAME:
    case FIELD_TEXT:
        json_string(json, member);
        break;
    case FIELD_SHAPED:
    case FIELD_END:
        assert(0 && "not a member");
    }
}
