/* See field_text.h: what a row allows and what a value is, for people. Owns nothing. */
#include "common/json/field_text.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/json_writer.h"
#include "common/text/text_list.h"

const char *json_type_name(const cJSON *value) {
    return cJSON_IsNumber(value)   ? "a number"
           : cJSON_IsString(value) ? "a string"
           : cJSON_IsBool(value)   ? "a bool"
           : cJSON_IsArray(value)  ? "an array"
           : cJSON_IsObject(value) ? "an object"
                                   : "null";
}

/* " px/s", or "" for what is counted or has no dimension. */
static void unit_text(const struct field *field, char *out, size_t size) {
    const bool is_named = field->unit != NULL && field->type != FIELD_SHAPED && field->unit[0] != '\0' &&
                          strcmp(field->unit, "1") != 0 && strcmp(field->unit, "N") != 0;
    (void)snprintf(out, size, "%s%s", is_named ? " " : "", is_named ? field->unit : "");
}

/* "0 to 20000 px/s" */
void field_range_text(const struct field *field, char *out, size_t size) {
    char low[JSON_NUMBER_TEXT];
    char high[JSON_NUMBER_TEXT];
    char unit[32];
    (void)json_number_text(low, field->min);
    (void)json_number_text(high, field->max);
    unit_text(field, unit, sizeof unit);
    (void)snprintf(out, size, "%s to %s%s", low, high, unit);
}

void field_choices_text(const struct field *field, char *out, size_t size) {
    out[0] = '\0';
    for (int i = 0; field->choices[i] != NULL; i++) {
        text_list_add(out, size, field->choices[i], true);
    }
}

/* "a number", "an integer", ...: what a field wants. */
const char *field_type_wanted(const struct field *field) {
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
    case FIELD_UINT64:
        return "an integer";
    case FIELD_BOOL:
        return "true or false";
    case FIELD_NAMES:
        return "an array of names";
    case FIELD_SHAPED:
        return field->unit;
    case FIELD_CHOICE:
    case FIELD_NAME:
    case FIELD_TEXT:
    case FIELD_END:
        break;
    }
    return "a string";
}

static bool has_number_range(const struct field *field) {
    return field->type <= FIELD_UINT64;
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

int field_fail_type(const struct field *field, const cJSON *value, const char *path,
                    struct failure *failure) {
    return failure_set(failure, FAILURE_BAD_PARAM, path, "expected %s, found %s", field_type_wanted(field),
                       json_type_name(value));
}

int field_fail_missing(const struct field *field, const char *path, struct failure *failure) {
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
