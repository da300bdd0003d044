/* See request_extra.h. */
#include "common/protocol/request_extra.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/request_table.h"
#include "common/text/base64.h"

struct request_extra *request_extra_create(size_t tail_bytes) {
    assert(tail_bytes < SIZE_MAX - sizeof(struct request_extra));
    const size_t bytes = sizeof(struct request_extra) + tail_bytes;
    struct request_extra *extra = calloc(1, bytes);
    if (extra != NULL) {
        atomic_init(&extra->holders, 1);
        extra->bytes = bytes;
    }
    return extra;
}

void *request_extra_tail(struct request_extra *extra) {
    return extra + 1;
}

struct request_extra *request_extra_keep(struct request_extra *extra) {
    if (extra != NULL) {
        const unsigned holders = atomic_fetch_add(&extra->holders, 1);
        assert(holders > 0);
        (void)holders;
    }
    return extra;
}

void request_extra_release(struct request_extra *extra) {
    if (extra == NULL) {
        return;
    }
    const unsigned holders = atomic_fetch_sub(&extra->holders, 1);
    assert(holders > 0);
    if (holders == 1) {
        for (uint32_t i = 0; i < extra->member_count; i++) {
            request_fini(&extra->members[i]);
        }
        free(extra);
    }
}

void request_copy(struct request *to, const struct request *from) {
    *to = *from;
    (void)request_extra_keep(to->extra);
}

void request_fini(struct request *request) {
    request_extra_release(request->extra);
    request->extra = NULL;
}

size_t request_extra_bytes(const struct request *request) {
    return request->extra == NULL ? 0 : request->extra->bytes;
}

const struct request_columns *request_columns_of(const struct request *request) {
    return request->extra != NULL && request->extra->columns.is_given ? &request->extra->columns : NULL;
}

/* ---- columns ---- */

/* Columns with more rows are written in base64: an array has a token for every row, and a line may have
 * LIMIT_JSON_TOKENS of them. */
enum { ROWS_WRITTEN_AS_ARRAY = 64 };

static const char *const column_names[REQUEST_COLUMN_COUNT] = {"x", "y", "vx", "vy", "heading", "stamina"};

/* An element of `agents`. */
static const struct field agent_id = {
    .name = "agents",
    .type = FIELD_UINT32,
    .offset = 0,
    .size = sizeof(uint32_t),
    .min = 1.0,
    .max = (double)UINT32_MAX,
};

/* The members of a request that are columns, before they are read. */
struct given {
    const cJSON *agents; /* NULL: not given */
    const cJSON *values[REQUEST_COLUMN_COUNT];
    const struct field *fields[REQUEST_COLUMN_COUNT];
    int columns; /* how many of the values are there */
    uint32_t count;
};

/* Whether the value of a field with FIELD_COLUMN has the form of a column. */
static bool request_columns_is_column(const cJSON *value) {
    return cJSON_IsArray(value) || cJSON_IsString(value);
}

float request_columns_radians(float degrees) {
    static const struct field angle = {.name = "", .type = FIELD_ANGLE, .size = sizeof(float)};
    float radians = 0.0f;
    field_store_number(&angle, (double)degrees, &radians);
    return radians;
}

static int column_of(const char *name) {
    for (int column = 0; column < REQUEST_COLUMN_COUNT; column++) {
        if (strcmp(column_names[column], name) == 0) {
            return column;
        }
    }
    return -1;
}

/* ---- which there are ---- */

/* The length of the numbers that a text has in base64; false: it has none, as a number in quotes. */
static bool base64_of_floats(const char *text, size_t *bytes) {
    return base64_decoded_length(text, strlen(text), bytes) && *bytes % 4 == 0;
}

static int find_given(const struct request *request, const cJSON *json, enum request_columns_rows rows,
                      struct given *given, struct failure *failure) {
    *given = (struct given){.agents = cJSON_GetObjectItemCaseSensitive(json, "agents")};
    const struct field *field = request_rows[request->op].fields;
    for (; field->type != FIELD_END; field++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, field->name);
        if ((field->flags & FIELD_COLUMN) == 0 || value == NULL) {
            continue;
        }
        const int column = column_of(field->name);
        assert(column >= 0);
        if (!request_columns_is_column(value)) {
            if (given->agents != NULL) {
                return failure_set(failure, FAILURE_BAD_PARAM, field->name,
                                   "expected a number for each of agents: an array or base64 of float32");
            }
            continue;
        }
        if (given->agents == NULL && rows == REQUEST_COLUMNS_OF_AGENTS) {
            size_t bytes = 0;
            if (cJSON_IsString(value) && !base64_of_floats(value->valuestring, &bytes)) {
                return failure_set(failure, FAILURE_BAD_PARAM, field->name,
                                   "expected a number, found a string");
            }
            return failure_set(failure, FAILURE_BAD_PARAM, "agents",
                               "missing; %s has a number for each of agents", field->name);
        }
        given->values[column] = value;
        given->fields[column] = field;
        given->columns++;
    }
    return 0;
}

/* ---- lengths ---- */

static int count_rows(const cJSON *value, const char *name, uint32_t *count, struct failure *failure) {
    size_t bytes = 0;
    if (cJSON_IsArray(value)) {
        bytes = (size_t)cJSON_GetArraySize(value) * 4;
    } else if (!cJSON_IsString(value)) {
        return failure_set(failure, FAILURE_BAD_PARAM, name, "expected an array, or base64 of 4 bytes each");
    } else if (!base64_of_floats(value->valuestring, &bytes)) {
        return failure_set(failure, FAILURE_BAD_PARAM, name,
                           "not base64 with padding of 4 bytes each, in little-endian order");
    }
    if (bytes / 4 > LIMIT_AGENTS) {
        return failure_set(failure, FAILURE_OUT_OF_RANGE, name, "more than %d", LIMIT_AGENTS);
    }
    *count = (uint32_t)(bytes / 4);
    return 0;
}

static int check_lengths(struct given *given, struct failure *failure) {
    const char *first = "agents";
    bool has_first = given->agents != NULL;
    if (has_first && count_rows(given->agents, first, &given->count, failure) != 0) {
        return -1;
    }
    for (int column = 0; column < REQUEST_COLUMN_COUNT; column++) {
        uint32_t count = 0;
        if (given->values[column] == NULL) {
            continue;
        }
        if (count_rows(given->values[column], column_names[column], &count, failure) != 0) {
            return -1;
        }
        if (!has_first) {
            first = column_names[column];
            given->count = count;
            has_first = true;
        } else if (count != given->count) {
            return failure_set(failure, FAILURE_BAD_PARAM, column_names[column],
                               "has %u numbers, %s has %u; columns have the same length", (unsigned)count,
                               first, (unsigned)given->count);
        }
    }
    return 0;
}

/* ---- values ---- */

static void element_path(const char *name, uint32_t index, char path[FIELD_PATH_BYTES]) {
    (void)snprintf(path, FIELD_PATH_BYTES, "%s[%u]", name, (unsigned)index);
}

/* element: a row for one value, at offset 0; values: of 4 bytes each. */
static int read_array(const struct field *element, const cJSON *array, void *values,
                      struct failure *failure) {
    uint32_t index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        char path[FIELD_PATH_BYTES];
        element_path(element->name, index, path);
        if (field_read_value(element, item, path, (char *)values + (size_t)index * 4, failure) != 0) {
            return -1;
        }
        index++;
    }
    return 0;
}

static int decode(const char *name, const cJSON *text, void *values, uint32_t count,
                  struct failure *failure) {
    if (base64_decode_integers(text->valuestring, strlen(text->valuestring), values, count, 4)) {
        return 0;
    }
    return failure_set(failure, FAILURE_BAD_PARAM, name,
                       "not base64 (RFC 4648 with padding, one text for one sequence of bytes)");
}

static int fail_element(const struct field *element, double value, uint32_t index, struct failure *failure) {
    char path[FIELD_PATH_BYTES];
    double unused = 0.0;
    element_path(element->name, index, path);
    const int result = field_set_number(element, value, path, &unused, failure);
    assert(result != 0);
    return result;
}

static int read_agents(const struct given *given, uint32_t *agents, struct failure *failure) {
    if (cJSON_IsArray(given->agents)) {
        return read_array(&agent_id, given->agents, agents, failure);
    }
    if (decode("agents", given->agents, agents, given->count, failure) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < given->count; i++) {
        if (agents[i] == 0) {
            return fail_element(&agent_id, 0.0, i, failure);
        }
    }
    return 0;
}

/* Angles stay degrees: a float of degrees that is written and read again is the same. */
static int read_values(const struct given *given, int column, float *values, struct failure *failure) {
    struct field element = *given->fields[column];
    element.type = FIELD_FLOAT;
    element.offset = 0;
    element.size = sizeof(float);
    const cJSON *from = given->values[column];
    if (cJSON_IsArray(from)) {
        return read_array(&element, from, values, failure);
    }
    if (decode(element.name, from, values, given->count, failure) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < given->count; i++) {
        const double value = (double)values[i];
        if (!(value >= element.min && value <= element.max)) {
            return fail_element(&element, value, i, failure);
        }
        values[i] = field_float(value);
    }
    return 0;
}

static int read_all(const struct given *given, struct request_extra *extra, struct failure *failure) {
    struct request_columns *columns = &extra->columns;
    uint32_t *tail = request_extra_tail(extra);
    columns->is_given = true;
    columns->count = given->count;
    if (given->agents != NULL) {
        columns->agents = tail;
        tail += given->count;
        if (read_agents(given, columns->agents, failure) != 0) {
            return -1;
        }
    }
    for (int column = 0; column < REQUEST_COLUMN_COUNT; column++) {
        if (given->values[column] == NULL) {
            continue;
        }
        columns->values[column] = (float *)(void *)tail;
        tail += given->count;
        if (read_values(given, column, columns->values[column], failure) != 0) {
            return -1;
        }
    }
    return 0;
}

int request_columns_read(struct request *request, const cJSON *json, enum request_columns_rows rows,
                         struct failure *failure) {
    assert(request->extra == NULL);
    struct given given;
    if (find_given(request, json, rows, &given, failure) != 0) {
        return -1;
    }
    if (given.agents == NULL && given.columns == 0) {
        return 0;
    }
    if (check_lengths(&given, failure) != 0) {
        return -1;
    }
    const size_t all = (size_t)given.columns + (given.agents != NULL ? 1 : 0);
    struct request_extra *extra = request_extra_create(all * given.count * 4);
    if (extra == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    if (read_all(&given, extra, failure) != 0) {
        request_extra_release(extra);
        return -1;
    }
    request->extra = extra;
    return 0;
}

/* ---- writing ---- */

static void write_base64(const void *values, uint32_t count, struct json_writer *json) {
    const size_t length = base64_length((size_t)count * 4);
    char *text = malloc(length + 1);
    if (text == NULL) {
        json->buffer->failed = true;
        return;
    }
    *base64_encode_integers(values, count, 4, text) = '\0';
    json_string(json, text);
    free(text);
}

static void write_agents(const struct request_columns *columns, struct json_writer *json) {
    json_key(json, "agents");
    if (columns->count > ROWS_WRITTEN_AS_ARRAY) {
        write_base64(columns->agents, columns->count, json);
        return;
    }
    json_array(json);
    for (uint32_t i = 0; i < columns->count; i++) {
        json_unsigned(json, columns->agents[i]);
    }
    json_end(json);
}

static void write_values(const struct request_columns *columns, int column, struct json_writer *json) {
    json_key(json, column_names[column]);
    if (columns->count > ROWS_WRITTEN_AS_ARRAY) {
        write_base64(columns->values[column], columns->count, json);
        return;
    }
    json_array(json);
    for (uint32_t i = 0; i < columns->count; i++) {
        json_float(json, columns->values[column][i]);
    }
    json_end(json);
}

bool request_columns_write(const struct request *request, struct json_writer *json) {
    const struct request_columns *columns = request_columns_of(request);
    if (columns == NULL) {
        return false;
    }
    if (columns->agents != NULL) {
        write_agents(columns, json);
    }
    for (int column = 0; column < REQUEST_COLUMN_COUNT; column++) {
        if (columns->values[column] != NULL) {
            write_values(columns, column, json);
        }
    }
    return false;
}
