/* Requests: decoding a line into a struct and back, by the table of request_table.c. The extra of a request that
 * is refused is freed.
 *
 * Invariants: a line passes the strict check before cJSON sees it; a request is either whole and consistent
 * (the rules between fields included) or refused; encoding what was decoded gives an equal request.
 */
#include "common/protocol/request.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/field_json.h"
#include "common/json/id_text.h"
#include "common/json/json_check.h"
#include "common/protocol/request_batch.h"
#include "common/protocol/request_check.h"
#include "common/protocol/request_columns.h"
#include "common/protocol/request_table.h"
#include "common/protocol/request_unknown.h"
#include "common/text/nearest_name.h"
#include "common/text/text_list.h"

enum { OP_SHOWN_BYTES = 40 };

struct request request_default(enum request_op op) {
    struct request request;
    memset(&request, 0, sizeof request);
    request.op = op;
    fields_set_initial(request_rows[op].fields, &request.body);
    return request;
}

static int decode_object(const cJSON *json, struct request *request, struct failure *failure);

static bool *presence_of(struct request *request, const struct request_presence *presence) {
    return (bool *)((char *)&request->body + presence->offset);
}

/* ---- decoding ---- */

static int fail_unknown_op(const char *op, struct failure *failure) {
    const size_t length = strlen(op);
    const size_t shown = utf8_cut(op, length, OP_SHOWN_BYTES);
    char hint[NEAREST_HINT_BYTES];
    request_op_hint(op, hint);
    (void)failure_set(failure, FAILURE_UNKNOWN_OP, "op", "unknown op \"%.*s%s\"%s; known: ", (int)shown, op,
                      shown < length ? "..." : "", hint);
    const size_t used = strlen(failure->message); /* the list takes the room that is left */
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        text_list_add(failure->message + used, sizeof failure->message - used, request_rows[i].name, false);
    }
    return -1;
}

static int read_op(const cJSON *json, enum request_op *op, struct failure *failure) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, "op");
    if (value == NULL) {
        return failure_set(failure, FAILURE_INVALID, "op", "missing; every request has an op");
    }
    if (!cJSON_IsString(value)) {
        return failure_set(failure, FAILURE_INVALID, "op", "expected a string");
    }
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        if (strcmp(value->valuestring, request_rows[i].name) == 0) {
            *op = (enum request_op)i;
            return 0;
        }
    }
    return fail_unknown_op(value->valuestring, failure);
}

static int read_id(const cJSON *json, char id[ID_TEXT_BYTES], struct failure *failure) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, "id");
    if (value == NULL || id_text_read(value, id)) {
        return 0;
    }
    return failure_set(failure, FAILURE_INVALID, "id",
                       "expected an integer from 0 to 2^53-1 or a string of at most %d characters",
                       LIMIT_ID_CHARS);
}

static int read_body(const cJSON *json, struct request *request, struct failure *failure) {
    uint64_t present = 0;
    const struct request_row *row = &request_rows[request->op];
    const int result = fields_read(row->fields, json, "", NULL, &request->body, &present, failure);
    request_unknown_note(json, result == 0 ? &present : NULL, request);
    if (result != 0) {
        request_check_hint(request->op, failure);
        return -1;
    }
    for (const struct request_presence *presence = row->presences; presence->field != NULL; presence++) {
        *presence_of(request, presence) = request_is_given(json, presence->field);
    }
    if (request->op == REQUEST_BATCH) {
        return request_batch_read(request, json, decode_object, failure);
    }
    return row->check == NULL ? 0 : row->check(request, json, failure);
}

static const struct field at_fields[] = {
    {"at", FIELD_UINT64, FIELD_MEMBER(struct request, at), 0, 0, LIMIT_ID_INTEGER, 0, NULL, NULL,
     "The tick to wait for."},
    {.name = NULL, .type = FIELD_END},
};

static int read_at(const cJSON *json, struct request *request, struct failure *failure) {
    uint64_t present = 0;
    if (!request_has_trait(request->op, REQUEST_TRAIT_AT)) {
        return 0;
    }
    const int result = fields_read(at_fields, json, "", NULL, request, &present, failure);
    request->has_at = present != 0;
    return result;
}

static int decode_tree(const cJSON *json, struct request *request, struct failure *failure) {
    if (!cJSON_IsObject(json)) {
        return failure_set(failure, FAILURE_INVALID, NULL,
                           "a request is a JSON object like {\"op\":\"ping\"}");
    }
    char id[ID_TEXT_BYTES] = "";
    const int id_result = read_id(json, id, failure);
    memcpy(request->id, id, sizeof id);
    enum request_op op = REQUEST_PING;
    if (id_result != 0 || read_op(json, &op, failure) != 0) {
        return -1;
    }
    *request = request_default(op);
    memcpy(request->id, id, sizeof id);
    if (read_at(json, request, failure) != 0) {
        request_unknown_note(json, NULL, request);
        return -1;
    }
    return read_body(json, request, failure);
}

static int decode_object(const cJSON *json, struct request *request, struct failure *failure) {
    *request = request_default(REQUEST_PING); /* of which nothing is known yet */
    const int result = decode_tree(json, request, failure);
    if (result != 0) {
        request_fini(request);
    }
    return result;
}

int request_decode_within(const char *line, size_t length, const struct json_limits *limits,
                          struct request *request, struct failure *failure) {
    struct json_fault fault;
    request->op = REQUEST_PING; /* of which nothing is known yet */
    request->id[0] = '\0';
    request->unknown[0] = '\0';
    request->extra = NULL;
    const enum json_fault_kind kind = json_check(line, length, limits, &fault);
    if (kind != JSON_FINE) {
        return failure_set(failure, kind == JSON_DUPLICATE_KEY ? FAILURE_INVALID : FAILURE_PARSE, NULL,
                           "byte %zu: %s%s", fault.offset + 1, fault.message,
                           fault.offset == 0 ? "; a request is a JSON object like {\"op\":\"help\"}" : "");
    }
    cJSON *json = cJSON_ParseWithLengthOpts(line, length, NULL, 0);
    if (json == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    const int result = decode_tree(json, request, failure);
    cJSON_Delete(json);
    if (result != 0) {
        request_fini(request);
    }
    return result;
}

int request_decode(const char *line, size_t length, struct request *request, struct failure *failure) {
    const struct json_limits limits = json_limits_line();
    return request_decode_within(line, length, &limits, request, failure);
}

/* ---- encoding ---- */

/* Whether the field has to be written: it is required, was given, or differs from its default. */
static bool is_written(const struct request *request, const struct request *initial,
                       const struct field *field) {
    const struct request_presence *presence = request_rows[request->op].presences;
    for (; presence->field != NULL; presence++) {
        if (strcmp(presence->field, field->name) == 0) {
            return *(const bool *)((const char *)&request->body + presence->offset);
        }
    }
    if (field->flags & FIELD_REQUIRED) {
        return true;
    }
    const char *value = (const char *)&request->body + field->offset;
    const char *left_out = (const char *)&initial->body + field->offset;
    return memcmp(value, left_out, field->size) != 0;
}

static void write_members(const struct request *request, struct json_writer *json) {
    const struct request_row *row = &request_rows[request->op];
    const struct request initial = request_default(request->op);
    json_key_string(json, "op", row->name);
    if (request->id[0] != '\0') {
        json_key(json, "id");
        json_raw(json, request->id);
    }
    if (request->has_at) {
        json_key_unsigned(json, "at", request->at);
    }
    if (request->op == REQUEST_BATCH) {
        request_batch_write(request, write_members, json);
        return;
    }
    const bool is_whole = row->write != NULL && row->write(request, json);
    for (const struct field *field = row->fields; !is_whole && field->type != FIELD_END; field++) {
        const bool is_column = (field->flags & FIELD_COLUMN) != 0 && request_columns_of(request) != NULL;
        if (field->type != FIELD_SHAPED && !is_column && is_written(request, &initial, field)) {
            json_key(json, field->name);
            field_write_value(field, &request->body, json);
        }
    }
}

void request_encode(const struct request *request, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    write_members(request, &json);
    json_end(&json);
    buffer_append(out, "\n", 1);
}
