/* The JSON Schema of scenario files (draft 7, which editors know best), by the rows that reading goes by. What only a whole
 * world can say (that a name is there, that sides of a polygon do not cross) is left to the reader. See scenario_read.h.
 */
#include "server/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/geometry_json.h"
#include "server/scenario/scenario_read.h"

static void write_name_pattern(struct json_writer *json) {
    char pattern[40];
    (void)snprintf(pattern, sizeof pattern, "^[A-Za-z0-9_-]{1,%d}$", LIMIT_NAME_CHARS);
    json_key_string(json, "pattern", pattern);
}

/* ---- one value ---- */

/* The sentence of a row, with its unit. */
static void write_help(struct json_writer *json, const struct field *row) {
    char text[512];
    if (row->help == NULL || row->type == FIELD_ROWS) {
        return;
    }
    const bool has_unit =
        row->unit != NULL && row->unit[0] != '\0' && strcmp(row->unit, "1") != 0 && row->type != FIELD_TUPLE;
    (void)snprintf(text, sizeof text, "%s%s%s%s", row->help, has_unit ? " (" : "", has_unit ? row->unit : "",
                   has_unit ? ")" : "");
    json_key_string(json, "description", text);
}

static void write_number(struct json_writer *json, const struct field *row) {
    json_key_string(json, "type", field_is_integer(row) ? "integer" : "number");
    json_key_number(json, "minimum", row->min);
    json_key_number(json, "maximum", row->max);
}

/* An array of so many numbers as the row says. */
static void write_numbers(struct json_writer *json, const struct field *row, unsigned count) {
    json_key_string(json, "type", "array");
    json_key_unsigned(json, "minItems", count);
    json_key_unsigned(json, "maxItems", count);
    json_key(json, "items");
    json_object(json);
    write_number(json, row);
    json_end(json);
}

/* A number, or [low, high]. */
static void write_range(struct json_writer *json, const struct field *row) {
    json_key(json, "anyOf");
    json_array(json);
    json_object(json);
    write_number(json, row);
    json_end(json);
    json_object(json);
    write_numbers(json, row, 2);
    json_end(json);
    json_end(json);
}

static void write_choice(struct json_writer *json, const struct field *row) {
    json_key(json, "enum");
    json_array(json);
    for (const char *const *choice = row->choices; *choice != NULL; choice++) {
        json_string(json, *choice);
    }
    json_end(json);
}

static void write_string(struct json_writer *json, const struct field *row) {
    json_key_string(json, "type", "string");
    if (row->type == FIELD_NAME) {
        write_name_pattern(json);
    } else {
        json_key_unsigned(json, "maxLength", row->size - 1);
    }
}

static void write_names(struct json_writer *json) {
    json_key_string(json, "type", "array");
    json_key_unsigned(json, "minItems", 1);
    json_key(json, "items");
    json_object(json);
    json_key_string(json, "type", "string");
    write_name_pattern(json);
    json_end(json);
}

static void write_tuple(struct json_writer *json, const struct field *row) {
    unsigned count = 0;
    json_key_string(json, "type", "array");
    json_key(json, "items");
    json_array(json);
    for (; row->table[count].type != FIELD_END; count++) {
        scenario_schema_value(json, &row->table[count]);
    }
    json_end(json);
    json_key_unsigned(json, "minItems", count);
    json_key_unsigned(json, "maxItems", count);
}

static void write_value(struct json_writer *json, const struct field *row) {
    switch (row->type) {
    case FIELD_BOOL:
        json_key_string(json, "type", "boolean");
        break;
    case FIELD_CHOICE:
        write_choice(json, row);
        break;
    case FIELD_NAME:
    case FIELD_TEXT:
        write_string(json, row);
        break;
    case FIELD_NAMES:
        write_names(json);
        break;
    case FIELD_POINT:
        write_numbers(json, row, 2);
        break;
    case FIELD_RANGE:
        write_range(json, row);
        break;
    case FIELD_TUPLE:
        write_tuple(json, row);
        break;
    case FIELD_ROWS:
        json_key_string(json, "type", "array");
        json_key_number(json, "minItems", row->min);
        json_key_number(json, "maxItems", row->max);
        json_key(json, "items");
        scenario_schema_value(json, row->table);
        break;
    default:
        write_number(json, row);
    }
}

static void write_default(struct json_writer *json, const struct field *row) {
    const bool is_number = row->type == FIELD_FLOAT || row->type == FIELD_DOUBLE ||
                           row->type == FIELD_ANGLE || row->type == FIELD_RANGE || field_is_integer(row);
    if ((row->flags & FIELD_REQUIRED) == 0 && is_number && row->name != NULL && row->initial >= row->min &&
        row->initial <= row->max) {
        json_key_number(json, "default", row->initial);
    } else if ((row->flags & FIELD_REQUIRED) == 0 && row->type == FIELD_CHOICE) {
        json_key_string(json, "default", row->choices[(int)row->initial]);
    } else if ((row->flags & FIELD_REQUIRED) == 0 && row->type == FIELD_BOOL) {
        json_key_bool(json, "default", false);
    }
}

void scenario_schema_value(struct json_writer *json, const struct field *row) {
    json_object(json);
    write_value(json, row);
    write_default(json, row);
    write_help(json, row);
    json_end(json);
}

void scenario_schema_ref(struct json_writer *json, const char *key, const char *definition) {
    char place[64];
    (void)snprintf(place, sizeof place, "#/definitions/%s", definition);
    if (key != NULL) {
        json_key(json, key);
    }
    json_object(json);
    json_key_string(json, "$ref", place);
    json_end(json);
}

/* ---- objects and arrays ---- */

void scenario_schema_open(struct json_writer *json, const struct field *table, const char *required,
                          const char *help) {
    bool has_required = required != NULL;
    json_object(json);
    if (help != NULL) {
        json_key_string(json, "description", help);
    }
    json_key_string(json, "type", "object");
    json_key_bool(json, "additionalProperties", false);
    for (const struct field *row = table; row != NULL && row->type != FIELD_END; row++) {
        has_required = has_required || (row->flags & FIELD_REQUIRED) != 0;
    }
    if (has_required) {
        json_key(json, "required");
        json_array(json);
        for (const struct field *row = table; row != NULL && row->type != FIELD_END; row++) {
            if ((row->flags & FIELD_REQUIRED) != 0) {
                json_string(json, row->name);
            }
        }
        if (required != NULL) {
            json_string(json, required);
        }
        json_end(json);
    }
    json_key(json, "properties");
    json_object(json);
    for (const struct field *row = table; row != NULL && row->type != FIELD_END; row++) {
        json_key(json, row->name);
        scenario_schema_value(json, row);
    }
}

void scenario_schema_close(struct json_writer *json) {
    json_end(json);
    json_end(json);
}

void scenario_schema_shapes(struct json_writer *json, const char *const *names, int count) {
    for (int shape = 0; shape < count; shape++) {
        json_key(json, names[shape]);
        scenario_schema_value(json, geometry_shape_rows[shape]);
    }
}

void scenario_schema_pair(struct json_writer *json, const struct field *pair, const struct field *third) {
    json_object(json);
    json_key_string(json, "type", "array");
    json_key(json, "items");
    json_array(json);
    scenario_schema_value(json, pair);
    scenario_schema_value(json, pair);
    scenario_schema_value(json, third);
    json_end(json);
    json_key_unsigned(json, "minItems", 2);
    json_key_unsigned(json, "maxItems", 3);
    json_end(json);
}

void scenario_schema_exactly_one(struct json_writer *json, const char *const *names, int count) {
    json_end(json);
    json_key(json, "oneOf");
    json_array(json);
    for (int i = 0; i < count; i++) {
        json_object(json);
        json_key(json, "required");
        json_array(json);
        json_string(json, names[i]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void scenario_schema_list(struct json_writer *json, const char *key, unsigned least, unsigned most,
                          const char *help) {
    json_key(json, key);
    json_object(json);
    if (help != NULL) {
        json_key_string(json, "description", help);
    }
    json_key_string(json, "type", "array");
    json_key_unsigned(json, "minItems", least);
    json_key_unsigned(json, "maxItems", most);
    json_key(json, "items");
}

void scenario_schema_by_name(struct json_writer *json, const char *key, unsigned most, const char *help) {
    json_key(json, key);
    json_object(json);
    json_key_string(json, "description", help);
    json_key_string(json, "type", "object");
    json_key_unsigned(json, "maxProperties", most);
    json_key(json, "propertyNames");
    json_object(json);
    write_name_pattern(json);
    json_end(json);
    json_key(json, "additionalProperties");
}
