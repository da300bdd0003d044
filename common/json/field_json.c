/* See field_json.h. Owns nothing. */
#include "common/json/field_json.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/limits.h"
#include "common/base/utf8.h"
#include "common/json/json_writer.h"
#include "common/text/names.h"

/* ---- text: what a row allows and what a value is, for people ---- */

const char *json_type_name(const cJSON *value) {
    return cJSON_IsNumber(value)   ? "a number"
           : cJSON_IsString(value) ? "a string"
           : cJSON_IsBool(value)   ? "a bool"
           : cJSON_IsArray(value)  ? "an array"
           : cJSON_IsObject(value) ? "an object"
                                   : "null";
}

static bool has_number_range(const struct field *field) {
    return field->type <= FIELD_UINT64;
}

/* " px/s", or "" for what is counted or has no dimension. */
static void unit_text(const struct field *field, char *out, size_t size) {
    const bool is_named = field->unit != NULL && has_number_range(field) && field->unit[0] != '\0' &&
                          strcmp(field->unit, "1") != 0 && strcmp(field->unit, "N") != 0;
    (void)snprintf(out, size, "%s%s", is_named ? " " : "", is_named ? field->unit : "");
}

/* "0 to 20000 px/s" */
static void field_range_text(const struct field *field, char *out, size_t size) {
    char low[JSON_NUMBER_TEXT];
    char high[JSON_NUMBER_TEXT];
    char unit[32];
    (void)json_number_text(low, field->min);
    (void)json_number_text(high, field->max);
    unit_text(field, unit, sizeof unit);
    (void)snprintf(out, size, "%s to %s%s", low, high, unit);
}

/* "one", "two", ... of a choice. */
static void field_choices_text(const struct field *field, char *out, size_t size) {
    out[0] = '\0';
    for (int i = 0; field->choices[i] != NULL; i++) {
        text_list_add(out, size, field->choices[i], true);
    }
}

/* "a number", "an integer", ...: what a field wants. */
static const char *field_type_wanted(const struct field *field) {
    switch (field->type) {
    case FIELD_FLOAT:
    case FIELD_DOUBLE:
    case FIELD_ANGLE:
        return "a number";
    case FIELD_RANGE:
        return "a number or [low, high]";
    case FIELD_POINT:
        return "a point [x, y]";
    case FIELD_UINT32:
    case FIELD_INT32:
    case FIELD_UINT64:
        return "an integer";
    case FIELD_BOOL:
        return "true or false";
    case FIELD_NAMES:
        return "an array of names";
    case FIELD_SHAPED:
    case FIELD_TUPLE:
        return field->unit;
    case FIELD_OBJECT:
        return "an object";
    case FIELD_ROWS:
        return field->unit != NULL ? field->unit : "an array";
    case FIELD_CHOICE:
    case FIELD_NAME:
    case FIELD_TEXT:
    case FIELD_END:
        break;
    }
    return "a string";
}

/* ", 0 to 20000 px/s", ": \"a\", \"b\"" or "". */
static void allowed_text(const struct field *field, char *out, size_t size) {
    char text[256] = "";
    if (has_number_range(field) && field->max < DBL_MAX) {
        field_range_text(field, text, sizeof text);
    } else if (field->type == FIELD_CHOICE) {
        field_choices_text(field, text, sizeof text);
    }
    (void)snprintf(out, size, "%s%s", text[0] == '\0' ? "" : ": ", text);
}

/* Refuses a value of the wrong type, naming both. -1. */
static int field_fail_type(const struct field *field, const cJSON *value, const char *path,
                           struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found %s", field_type_wanted(field),
                       json_type_name(value));
}

/* Refuses an object without this required member. -1. */
static int field_fail_missing(const struct field *field, const char *path, struct failure *failure) {
    char allowed[300];
    allowed_text(field, allowed, sizeof allowed);
    return failure_set(failure, FAILURE_BAD_PARAM, path, "missing; expected %s%s", field_type_wanted(field),
                       allowed);
}

/* A client's text, cut to what a message has room for. */
void field_quote(const char *text, char out[FIELD_QUOTE_BYTES + 6]) {
    const size_t length = strlen(text);
    const size_t cut = utf8_cut(text, length, FIELD_QUOTE_BYTES);
    (void)snprintf(out, FIELD_QUOTE_BYTES + 6, "\"%.*s%s\"", (int)cut, text, cut < length ? "..." : "");
}

/* ---- value ---- */

/* one value into its member, and numbers in outside units.
 * Invariants: a member is written only when its value passed every check; numbers are compared as doubles in
 * outside units before they are narrowed; a message says what was found and what is allowed, in that order. */

static const double degrees_per_radian = 57.295779513082320876798154814105;

/* ---- numbers ---- */

/* The float of an angle given in degrees. */
static float radians_of(double degrees) {
    return field_float(degrees / degrees_per_radian);
}

/* Degrees with the fewest digits that come back as the same radians, so that 90 stays 90. */
static double degrees_of(float radians) {
    const double degrees = (double)radians * degrees_per_radian;
    for (int digits = 6; digits <= 9; digits++) {
        char text[JSON_NUMBER_TEXT];
        (void)snprintf(text, sizeof text, "%.*g", digits, degrees);
        const double rounded = strtod(text, NULL); /* same locale both ways */
        if (radians_of(rounded) == radians) {
            return rounded;
        }
    }
    return degrees;
}

/* The double a person would write for this float: 0.1 for 0.1f. */
static double decimal_of(float value) {
    for (int digits = 6; digits <= 9; digits++) {
        char text[JSON_NUMBER_TEXT];
        (void)snprintf(text, sizeof text, "%.*g", digits, (double)value);
        const double rounded = strtod(text, NULL);
        if ((float)rounded == value) {
            return rounded;
        }
    }
    return (double)value;
}

bool field_is_integer(const struct field *field) {
    return field->type == FIELD_UINT32 || field->type == FIELD_INT32 || field->type == FIELD_UINT64;
}

/* prefix: "" or "max_speed ", put before the value. */
static int check_number(const struct field *field, double value, const char *prefix, const char *path,
                        struct failure *failure) {
    char found[JSON_NUMBER_TEXT] = "a number that is not finite";
    if (isfinite(value)) {
        (void)json_number_text(found, value);
    }
    if (!(value >= field->min && value <= field->max)) {
        char range[128];
        field_range_text(field, range, sizeof range);
        return failure_set(failure, FAILURE_OUT_OF_RANGE, path, "%s%s is out of range: %s", prefix, found,
                           range);
    }
    if (field_is_integer(field) && value != floor(value)) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected an integer, found %s%s", prefix,
                           found);
    }
    if ((field->flags & FIELD_EXACT) && field->type != FIELD_DOUBLE && (double)(float)value != value) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "%s%s is no float", prefix, found);
    }
    return 0;
}

static float float_of(const struct field *field, double value) {
    return field->flags & FIELD_EXACT ? (float)value : field_float(value);
}

/* value has passed check_number. */
void field_store_number(const struct field *field, double value, void *object) {
    void *member = field_member(field, object);
    switch (field->type) {
    case FIELD_FLOAT:
        *(float *)member = float_of(field, value);
        break;
    case FIELD_DOUBLE:
        *(double *)member = value == 0.0 && !(field->flags & FIELD_EXACT) ? 0.0 : value;
        break;
    case FIELD_ANGLE:
        *(float *)member = radians_of(value);
        break;
    case FIELD_RANGE:
        *(struct field_range *)member = (struct field_range){field_float(value), field_float(value)};
        break;
    case FIELD_UINT32:
        *(uint32_t *)member = (uint32_t)value;
        break;
    case FIELD_INT32:
        *(int32_t *)member = (int32_t)value;
        break;
    case FIELD_UINT64:
        *(uint64_t *)member = (uint64_t)value;
        break;
    default:
        assert(0 && "not a number");
    }
}

int field_set_number(const struct field *field, double value, const char *path, void *object,
                     struct failure *failure) {
    char prefix[80];
    (void)snprintf(prefix, sizeof prefix, "%s ", field->name);
    if (check_number(field, value, prefix, path, failure) != 0) {
        return -1;
    }
    field_store_number(field, value, object);
    return 0;
}

double field_get_number(const struct field *field, const void *object) {
    const void *member = field_const_member(field, object);
    switch (field->type) {
    case FIELD_FLOAT:
        return decimal_of(*(const float *)member);
    case FIELD_DOUBLE:
        return *(const double *)member;
    case FIELD_ANGLE:
        return degrees_of(*(const float *)member);
    case FIELD_RANGE:
        return decimal_of(((const struct field_range *)member)->low);
    case FIELD_UINT32:
        return (double)*(const uint32_t *)member;
    case FIELD_INT32:
        return (double)*(const int32_t *)member;
    case FIELD_UINT64:
        return (double)*(const uint64_t *)member;
    default:
        assert(0 && "not a number");
        return 0.0;
    }
}

/* ---- reading one value ---- */

static int read_number(const struct field *field, const cJSON *value, const char *path, void *object,
                       struct failure *failure) {
    if (!cJSON_IsNumber(value)) {
        return field_fail_type(field, value, path, failure);
    }
    if (check_number(field, value->valuedouble, "", path, failure) != 0) {
        return -1;
    }
    field_store_number(field, value->valuedouble, object);
    return 0;
}

/* An array of exactly so many. */
static int expect_array(const struct field *field, const cJSON *value, int count, const char *path,
                        struct failure *failure) {
    if (!cJSON_IsArray(value)) {
        return field_fail_type(field, value, path, failure);
    }
    return cJSON_GetArraySize(value) == count
               ? 0
               : failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found an array of %d",
                             field_type_wanted(field), cJSON_GetArraySize(value));
}

/* Two numbers in an array, each within the field's range. */
static int read_pair(const struct field *field, const cJSON *value, const char *path, double pair[2],
                     struct failure *failure) {
    int index = 0;
    if (expect_array(field, value, 2, path, failure) != 0) {
        return -1;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, value) {
        char item_path[FIELD_PATH_BYTES];
        (void)snprintf(item_path, sizeof item_path, "%s[%d]", path, index);
        if (!cJSON_IsNumber(item)) {
            return failure_set(failure, FAILURE_BAD_PARAM, item_path, "expected a number, found %s",
                               json_type_name(item));
        }
        if (check_number(field, item->valuedouble, "", item_path, failure) != 0) {
            return -1;
        }
        pair[index++] = item->valuedouble;
    }
    return 0;
}

static int read_range(const struct field *field, const cJSON *value, const char *path, void *object,
                      struct failure *failure) {
    double pair[2] = {0.0, 0.0};
    if (!cJSON_IsArray(value)) {
        return read_number(field, value, path, object, failure);
    }
    if (read_pair(field, value, path, pair, failure) != 0) {
        return -1;
    }
    if (pair[0] > pair[1]) {
        char low[JSON_NUMBER_TEXT];
        char high[JSON_NUMBER_TEXT];
        (void)json_number_text(low, pair[0]);
        (void)json_number_text(high, pair[1]);
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "invalid range [%s, %s]; the minimum must come first", low, high);
    }
    *(struct field_range *)field_member(field, object) =
        (struct field_range){field_float(pair[0]), field_float(pair[1])};
    return 0;
}

static int read_point(const struct field *field, const cJSON *value, const char *path, void *object,
                      struct failure *failure) {
    double pair[2] = {0.0, 0.0};
    if (read_pair(field, value, path, pair, failure) != 0) {
        return -1;
    }
    float *point = field_member(field, object);
    point[0] = float_of(field, pair[0]);
    point[1] = float_of(field, pair[1]);
    return 0;
}

static int read_bool(const struct field *field, const cJSON *value, const char *path, void *object,
                     struct failure *failure) {
    if (!cJSON_IsBool(value)) {
        return field_fail_type(field, value, path, failure);
    }
    *(bool *)field_member(field, object) = cJSON_IsTrue(value) != 0;
    return 0;
}

static int read_choice(const struct field *field, const char *text, const char *path, void *object,
                       struct failure *failure) {
    for (int i = 0; field->choices[i] != NULL; i++) {
        if (strcmp(text, field->choices[i]) == 0) {
            *(int *)field_member(field, object) = i;
            return 0;
        }
    }
    char found[FIELD_QUOTE_BYTES + 6];
    char choices[256];
    field_quote(text, found);
    field_choices_text(field, choices, sizeof choices);
    struct nearest_name nearest = nearest_name_begin(text);
    for (int i = 0; field->choices[i] != NULL; i++) {
        nearest_name_offer(&nearest, field->choices[i]);
    }
    char hint[NEAREST_HINT_BYTES];
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_BAD_PARAM, path, "%s is not one of %s%s", found, choices, hint);
}

static int read_name(const struct field *field, const char *text, const char *path, void *object,
                     struct failure *failure) {
    if (!name_is_valid(text, strlen(text))) {
        char found[FIELD_QUOTE_BYTES + 6];
        field_quote(text, found);
        return failure_set(failure, FAILURE_BAD_PARAM, path,
                           "%s is not a name: 1 to %d characters of A-Z a-z 0-9 _ -", found,
                           LIMIT_NAME_CHARS);
    }
    assert(field->size == LIMIT_NAME_CHARS + 1);
    char *member = field_member(field, object);
    memset(member, 0, field->size);
    memcpy(member, text, strlen(text));
    return 0;
}

static int read_text(const struct field *field, const char *text, const char *path, void *object,
                     struct failure *failure) {
    const size_t length = strlen(text);
    if (length >= field->size) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "a text of %zu bytes is too long: at most %zu",
                           length, field->size - 1);
    }
    char *member = field_member(field, object);
    memset(member, 0, field->size);
    memcpy(member, text, length);
    return 0;
}

/* Whether the list, blanks between its names, has this one. */
static bool has_name(const char *list, const char *name, size_t length) {
    while (*list != '\0') {
        const size_t other = strcspn(list, " ");
        if (other == length && memcmp(list, name, length) == 0) {
            return true;
        }
        list += other + (list[other] == ' ');
    }
    return false;
}

static int read_names(const struct field *field, const cJSON *value, const char *path, void *object,
                      struct failure *failure) {
    if (!cJSON_IsArray(value)) {
        return field_fail_type(field, value, path, failure);
    }
    char *member = field_member(field, object);
    memset(member, 0, field->size);
    size_t used = 0;
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, value) {
        char item_path[FIELD_PATH_BYTES];
        (void)snprintf(item_path, sizeof item_path, "%s[%d]", path, index++);
        char name[LIMIT_NAME_CHARS + 1];
        const struct field one = {.name = field->name, .type = FIELD_NAME, .size = sizeof name};
        if (field_read_value(&one, item, item_path, name, failure) != 0) {
            return -1;
        }
        const size_t length = strlen(name);
        if (has_name(member, name, length)) {
            continue;
        }
        if (used + 1 + length >= field->size) {
            return failure_set(failure, FAILURE_BAD_PARAM, item_path,
                               "too many names: at most %zu characters in all", field->size - 1);
        }
        if (used > 0) {
            member[used++] = ' ';
        }
        memcpy(member + used, name, length);
        used += length;
    }
    if (used == 0) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "empty; leave it out or name at least one");
    }
    return 0;
}

static int read_tuple(const struct field *field, const cJSON *value, const char *path, void *object,
                      struct failure *failure) {
    int count = 0;
    while (field->table[count].type != FIELD_END) {
        count++;
    }
    if (expect_array(field, value, count, path, failure) != 0) {
        return -1;
    }
    const struct field *row = field->table;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, value) {
        char item_path[FIELD_PATH_BYTES];
        (void)snprintf(item_path, sizeof item_path, "%s[%d]", path, (int)(row - field->table));
        if (field_read_value(row++, item, item_path, field_member(field, object), failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Room for so many rows; NULL without memory. */
static char *begin_rows(const struct field *field, int size, void *object) {
    char *rows = field_member(field, object);
    if (field->flags & FIELD_HEAP) {
        rows = calloc((size_t)size + 1, field->stride);
        memcpy(field_member(field, object), &rows, sizeof rows);
    }
    return rows;
}

static int read_rows(const struct field *field, const cJSON *value, const char *path, void *object,
                     struct failure *failure) {
    const int size = cJSON_GetArraySize(value), least = (int)field->min, most = (int)field->max;
    int *count = (int *)((char *)object + field->count);
    *count = 0;
    if (!cJSON_IsArray(value)) {
        return field_fail_type(field, value, path, failure);
    }
    if (size < least || (size > most && !(field->flags & FIELD_CUT))) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "%d %s; allowed are %d to %d", size,
                           field->help != NULL ? field->help : "entries", least, most);
    }
    char *rows = begin_rows(field, size, object);
    if (rows == NULL) {
        return failure_set(failure, FAILURE_BUSY, path, "out of memory");
    }
    for (const cJSON *item = value->child; item != NULL && *count < most; item = item->next, ++*count) {
        char item_path[FIELD_PATH_BYTES];
        (void)snprintf(item_path, sizeof item_path, "%s[%d]", path, *count);
        if (field_read_value(field->table, item, item_path, rows + (size_t)*count * field->stride, failure) !=
            0) {
            return -1;
        }
    }
    return 0;
}

int field_read_value(const struct field *field, const cJSON *value, const char *path, void *object,
                     struct failure *failure) {
    switch (field->type) {
    case FIELD_OBJECT:
        return fields_read(field->table, value, path, NULL, field_member(field, object), NULL, failure);
    case FIELD_TUPLE:
        return read_tuple(field, value, path, object, failure);
    case FIELD_ROWS:
        return read_rows(field, value, path, object, failure);
    case FIELD_RANGE:
        return read_range(field, value, path, object, failure);
    case FIELD_POINT:
        return read_point(field, value, path, object, failure);
    case FIELD_BOOL:
        return read_bool(field, value, path, object, failure);
    case FIELD_NAMES:
        return read_names(field, value, path, object, failure);
    case FIELD_SHAPED:
        return 0;
    case FIELD_FLOAT:
    case FIELD_DOUBLE:
    case FIELD_ANGLE:
    case FIELD_UINT32:
    case FIELD_INT32:
    case FIELD_UINT64:
        return read_number(field, value, path, object, failure);
    case FIELD_CHOICE:
    case FIELD_NAME:
    case FIELD_TEXT:
    case FIELD_END:
        break;
    }
    if (!cJSON_IsString(value)) {
        return field_fail_type(field, value, path, failure);
    }
    return (field->type == FIELD_CHOICE ? read_choice
            : field->type == FIELD_NAME ? read_name
                                        : read_text)(field, value->valuestring, path, object, failure);
}

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
        case FIELD_OBJECT:
        case FIELD_TUPLE:
        case FIELD_ROWS:
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
    for (unsigned row = 0; table[row].type != FIELD_END; row++) {
        if (table[row].present != 0) {
            *(bool *)((char *)object + table[row].present - 1) = (seen >> row & 1) != 0;
        }
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

static void write_float(const struct field *field, float value, struct json_writer *json) {
    if (field->flags & FIELD_EXACT) {
        json_exact(json, (double)value);
    } else {
        json_float(json, value);
    }
}

static void write_point(const struct field *field, const float point[2], struct json_writer *json) {
    json_array(json);
    write_float(field, point[0], json);
    write_float(field, point[1], json);
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

static int row_count(const struct field *field, const void *object) {
    return *(const int *)((const char *)object + field->count);
}

static void write_rows(const struct field *field, const void *object, struct json_writer *json) {
    const char *rows = field_const_member(field, object);
    if (field->flags & FIELD_HEAP) {
        memcpy(&rows, field_const_member(field, object), sizeof rows);
    }
    json_array(json);
    for (int i = 0; i < row_count(field, object); i++) {
        field_write_value(field->table, rows + (size_t)i * field->stride, json);
    }
    json_end(json);
}

static void write_tuple(const struct field *table, const void *object, struct json_writer *json) {
    json_array(json);
    for (; table->type != FIELD_END; table++) {
        field_write_value(table, object, json);
    }
    json_end(json);
}

void field_write_value(const struct field *field, const void *object, struct json_writer *json) {
    const void *member = field_const_member(field, object);
    switch (field->type) {
    case FIELD_OBJECT:
        json_object(json);
        fields_write(field->table, member, json);
        json_end(json);
        break;
    case FIELD_TUPLE:
        write_tuple(field->table, member, json);
        break;
    case FIELD_ROWS:
        write_rows(field, object, json);
        break;
    case FIELD_FLOAT:
        write_float(field, *(const float *)member, json);
        break;
    case FIELD_DOUBLE:
        (field->flags & FIELD_EXACT ? json_exact : json_number)(json, *(const double *)member);
        break;
    case FIELD_ANGLE:
        json_number(json, field_get_number(field, object));
        break;
    case FIELD_RANGE:
        write_range(*(const struct field_range *)member, json);
        break;
    case FIELD_POINT:
        write_point(field, member, json);
        break;
    case FIELD_UINT32:
        json_unsigned(json, *(const uint32_t *)member);
        break;
    case FIELD_INT32:
        json_signed(json, *(const int32_t *)member);
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

/* Nothing to say, of a row that is left out then. */
static bool is_empty(const struct field *field, const void *object) {
    const char *member = field_const_member(field, object);
    switch (field->type) {
    case FIELD_NAME:
    case FIELD_TEXT:
    case FIELD_NAMES:
        return member[0] == '\0';
    case FIELD_ROWS:
        return row_count(field, object) == 0;
    case FIELD_OBJECT:
        for (const struct field *row = field->table; row->type != FIELD_END; row++) {
            if (!is_empty(row, member)) {
                return false;
            }
        }
        return true;
    default:
        for (size_t i = 0; i < field->size; i++) {
            if (member[i] != 0) {
                return false;
            }
        }
        return true;
    }
}

void fields_write(const struct field *table, const void *object, struct json_writer *json) {
    for (; table->type != FIELD_END; table++) {
        const bool is_left_out = (table->present != 0 && !field_is_present(table, object)) ||
                                 ((table->flags & FIELD_BRIEF) && is_empty(table, object));
        if (!is_left_out) {
            json_key(json, table->name);
            field_write_value(table, object, json);
        }
    }
}
