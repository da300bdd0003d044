/* See field_value.h: one value into its member, and numbers in outside units. Owns nothing.
 *
 * Invariants: a member is written only when its value passed every check; numbers are compared as doubles in
 * outside units before they are narrowed; a message says what was found and what is allowed, in that order.
 */
#include "common/json/field_value.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_text.h"
#include "common/json/json_writer.h"
#include "common/text/name_table.h"
#include "common/text/nearest_name.h"

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

static bool is_integer_field(const struct field *field) {
    return field->type == FIELD_UINT32 || field->type == FIELD_UINT64;
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
    if (is_integer_field(field) && value != floor(value)) {
        return failure_set(failure, FAILURE_BAD_PARAM, path, "expected an integer, found %s%s", prefix,
                           found);
    }
    return 0;
}

/* value has passed check_number. */
void field_store_number(const struct field *field, double value, void *object) {
    void *member = field_member(field, object);
    switch (field->type) {
    case FIELD_FLOAT:
        *(float *)member = field_float(value);
        break;
    case FIELD_DOUBLE:
        *(double *)member = value == 0.0 ? 0.0 : value;
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

/* Two numbers in an array, each within the field's range. */
static int read_pair(const struct field *field, const cJSON *value, const char *path, double pair[2],
                     struct failure *failure) {
    if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != 2) {
        return cJSON_IsArray(value)
                   ? failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found an array of %d",
                                 field_type_wanted(field), cJSON_GetArraySize(value))
                   : field_fail_type(field, value, path, failure);
    }
    int index = 0;
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
    point[0] = field_float(pair[0]);
    point[1] = field_float(pair[1]);
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

int field_read_value(const struct field *field, const cJSON *value, const char *path, void *object,
                     struct failure *failure) {
    switch (field->type) {
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
