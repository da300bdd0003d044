/* See request_help.h. Owns nothing. */
#include "common/protocol/request_help.h"

#include <float.h>
#include <string.h>

static const char *type_name(const struct field *field) {
    switch (field->type) {
    case FIELD_FLOAT:
    case FIELD_DOUBLE:
    case FIELD_ANGLE:
        return "number";
    case FIELD_RANGE:
        return "number or [low, high]";
    case FIELD_POINT:
        return "[x, y]";
    case FIELD_UINT32:
    case FIELD_UINT64:
        return "integer";
    case FIELD_BOOL:
        return "bool";
    case FIELD_CHOICE:
        return "choice";
    case FIELD_NAMES:
        return "array of names";
    case FIELD_SHAPED:
        return field->unit;
    case FIELD_NAME:
        return "name";
    case FIELD_TEXT:
    case FIELD_END:
        break;
    }
    return "text";
}

static bool is_number(enum field_type type) {
    return type == FIELD_FLOAT || type == FIELD_DOUBLE || type == FIELD_ANGLE || type == FIELD_RANGE ||
           type == FIELD_POINT || type == FIELD_UINT32 || type == FIELD_UINT64;
}

static void write_choices(const struct field *field, struct json_writer *json) {
    json_key(json, "choices");
    json_array(json);
    for (int i = 0; field->choices[i] != NULL; i++) {
        json_string(json, field->choices[i]);
    }
    json_end(json);
    if (field->type == FIELD_CHOICE && (field->flags & FIELD_REQUIRED) == 0) {
        json_key_string(json, "default", field->choices[(int)field->initial]);
    }
}

static void write_field(const struct field *field, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "name", field->name);
    json_key_string(json, "type", type_name(field));
    json_key_bool(json, "required", (field->flags & FIELD_REQUIRED) != 0);
    if (is_number(field->type) && field->max < DBL_MAX) {
        json_key_number(json, "min", field->min);
        json_key_number(json, "max", field->max);
    }
    if (is_number(field->type) && field->initial != 0.0) {
        json_key_number(json, "default", field->initial);
    }
    if (field->choices != NULL) {
        write_choices(field, json);
    }
    if (field->type == FIELD_SHAPED && field->max > 0.0) {
        json_key_number(json, "most", field->max);
    }
    if (field->type != FIELD_SHAPED && field->unit != NULL) {
        json_key_string(json, "unit", field->unit);
    }
    json_key_string(json, "help", field->help);
    json_end(json);
}

static void write_op(enum request_op op, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "op", request_op_name(op));
    json_key_string(json, "role", role_name(request_role(op)));
    json_key_bool(json, "always_answers", request_always_answers(op));
    if (request_has_trait(op, REQUEST_TRAIT_AT)) {
        json_key_bool(json, "at", true);
    }
    json_key(json, "fields");
    json_array(json);
    for (const struct field *field = request_fields(op); field->type != FIELD_END; field++) {
        write_field(field, json);
    }
    json_end(json);
    json_end(json);
}

static int find_op(const char *name, struct failure *failure) {
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (strcmp(name, request_op_name((enum request_op)op)) == 0) {
            return op;
        }
    }
    char hint[NEAREST_HINT_BYTES];
    request_op_hint(name, hint);
    return failure_set(failure, FAILURE_UNKNOWN_OP, "about", "no op \"%s\"%s", name, hint);
}

int request_help_write(const struct request_help *request, struct json_writer *json,
                       struct failure *failure) {
    int first = 0;
    int last = REQUEST_OP_COUNT - 1;
    if (request->about[0] != '\0') {
        first = last = find_op(request->about, failure);
        if (first < 0) {
            return -1;
        }
    }
    json_key(json, "ops");
    json_array(json);
    for (int op = first; op <= last; op++) {
        write_op((enum request_op)op, json);
    }
    json_end(json);
    return 0;
}
