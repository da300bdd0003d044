/* Requests: decoding a line into a struct and back, by the table of request_table.c. The extra of a request that
 * is refused is freed.
 *
 * Invariants: a line passes the strict check before cJSON sees it; a request is either whole and consistent
 * (the rules between fields included) or refused; encoding what was decoded gives an equal request.
 */
#include "common/protocol/request.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/json/json_text.h"
#include "common/protocol/request_batch.h"
#include "common/protocol/request_extra.h"
#include "common/protocol/request_table.h"
#include "common/text/names.h"

/* ---- unknown ---- */

/* Invariants: a request without such members costs a count of its members, nothing more; the names are cut
 * and made printable where they are noted, so that writers need no further check. */

enum { HINT_BYTES = 4096 }; /* eight names and what is said of each have half of it */

/* ---- noting ---- */

static int count_bits(uint64_t bits) {
    int count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static bool is_known(enum request_op op, const char *name) {
    return strcmp(name, "op") == 0 || strcmp(name, "id") == 0 ||
           (strcmp(name, "at") == 0 && request_has_trait(op, REQUEST_TRAIT_AT)) ||
           field_find(request_fields(op), name) != NULL;
}

/* Appends a name and a line break; what cannot be printed is a question mark. Returns the bytes used now, or
 * `used` when there is no room. */
static size_t add_name(char *list, size_t used, const char *name) {
    const size_t length = utf8_cut(name, strlen(name), REQUEST_UNKNOWN_CHARS);
    if (used + length + 2 > REQUEST_UNKNOWN_BYTES) {
        return used;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)name[i];
        list[used++] = (char)(c < 0x20 || c == 0x7F ? '?' : c);
    }
    list[used++] = '\n';
    list[used] = '\0';
    return used;
}

/* Fills request->unknown; its op and id are set.
 * present  the rows of its table that fields_read saw, or NULL when it did not come to the end */
static void request_unknown_note(const cJSON *json, const uint64_t *present, struct request *request) {
    if (present != NULL &&
        cJSON_GetArraySize(json) == count_bits(*present) + 1 + (request->id[0] != '\0') + request->has_at) {
        return;
    }
    size_t used = 0;
    int count = 0;
    const cJSON *member = NULL;
    cJSON_ArrayForEach(member, json) {
        if (!is_known(request->op, member->string) && count++ < REQUEST_UNKNOWN_MOST) {
            used = add_name(request->unknown, used, member->string);
        }
    }
}

/* ---- what was meant ---- */

/* What other protocols, and people, call a field of this one. The first that the op has counts. */
static const struct {
    const char *typed, *field;
} synonyms[] = {
    {"rate", "hz"},
    {"fps", "hz"},
    {"frequency", "hz"},
    {"frame_rate", "hz"},
    {"target", "name"},
    {"target", "follow"},
    {"goal", "follow"},
    {"amount", "count"},
    {"number", "count"},
    {"n", "count"},
    {"num", "count"},
    {"ticks", "count"},
    {"steps", "count"},
    {"times", "count"},
    {"type", "kind"},
    {"species", "kind"},
    {"class", "kind"},
    {"types", "kinds"},
    {"agent_id", "agent"},
    {"agent_ids", "agents"},
    {"ids", "agents"},
    {"direction", "heading"},
    {"angle", "heading"},
    {"rotation", "heading"},
    {"rect", "region"},
    {"viewport", "region"},
    {"area", "region"},
    {"bounds", "region"},
    {"format", "layout"},
    {"form", "layout"},
    {"reset", "clear"},
    {"world", "scenario"},
    {"file", "scenario"},
    {"name", "scenario"},
    {"parameter", "param"},
    {"name", "param"},
    {"key", "param"},
    {"user", "name"},
    {"nick", "name"},
    {"password", "token"},
    {"secret", "token"},
    {"version", "protocol"},
    {"command", "about"},
    {"topic", "about"},
    {"obstacle_id", "obstacle"},
    {"disc", "circle"},
    {"rect", "box"},
    {"rectangle", "box"},
    {"points", "polygon"},
    {"time", "t0"},
    {"properties", "fields"},
    {"columns", "fields"},
    {"attributes", "fields"},
    {"size", "radius"},
    {"pos", "x"},
    {"position", "x"},
    {"point", "x"},
    {"at", "x"},
    {"place", "x"},
    {"velocity", "vx"},
    {"vel", "vx"},
    {"name", "kind"},
};

/* The field that other protocols call by this name, or NULL. */
static const struct field *find_synonym(const struct field *fields, const char *name) {
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        const struct field *field = field_find(fields, synonyms[i].field);
        if (field != NULL && strcmp(name, synonyms[i].typed) == 0) {
            return field;
        }
    }
    return NULL;
}

/* The field whose letters are the same but for their case, "X" for "x", or NULL. */
static const struct field *find_caseless(const struct field *fields, const char *name) {
    for (; fields->type != FIELD_END; fields++) {
        if (nearest_name_distance(name, fields->name) == 0) {
            return fields;
        }
    }
    return NULL;
}

/* The field of this op that the name was probably to be, or "". */
static void find_meant(enum request_op op, const char *name, char meant[NEAREST_NAME_CHARS + 1]) {
    const struct field *fields = request_fields(op);
    const struct field *sure = find_synonym(fields, name);
    sure = sure != NULL ? sure : find_caseless(fields, name);
    struct nearest_name nearest = nearest_name_begin(name);
    nearest_name_offer(&nearest, "id");
    for (const struct field *field = fields; field->type != FIELD_END; field++) {
        nearest_name_offer(&nearest, field->name);
    }
    (void)snprintf(meant, NEAREST_NAME_CHARS + 1, "%s",
                   sure != NULL ? sure->name : nearest_name_best(&nearest));
}

/* "kind" is a member of spawn, remove: the ops that have what this one has not. */
static void write_owners(const char *name, struct buffer *out) {
    enum { MOST_NAMED = 4 };
    int count = 0;
    for (int op = 0; op < REQUEST_OP_COUNT; op++) {
        if (field_find(request_fields((enum request_op)op), name) == NULL) {
            continue;
        }
        if (count == 0) {
            buffer_printf(out, "\"%s\" is a member of %s", name, request_op_name((enum request_op)op));
        } else if (count < MOST_NAMED) {
            buffer_printf(out, ", %s", request_op_name((enum request_op)op));
        }
        count++;
    }
    buffer_printf(out, "%s%s", count > MOST_NAMED ? " and others" : "", count > 0 ? "; " : "");
}

static void write_taken(enum request_op op, struct buffer *out) {
    const struct field *field = request_fields(op);
    buffer_printf(out, "%s takes ", request_op_name(op));
    if (field->type == FIELD_END) {
        buffer_printf(out, "nothing but an id");
    }
    for (bool is_first = true; field->type != FIELD_END; field++, is_first = false) {
        buffer_printf(out, "%s%s", is_first ? "" : ", ", field->name);
    }
}

/* The line at list; returns the next one. */
static const char *take_name(const char *list, char name[REQUEST_UNKNOWN_CHARS + 1]) {
    const size_t length = strcspn(list, "\n");
    (void)snprintf(name, REQUEST_UNKNOWN_CHARS + 1, "%.*s", (int)length, list);
    return list + length + (list[length] == '\n');
}

/* Appends what was probably meant (`"rate": did you mean "hz"?`), which ops have such a member, and what
 * this one takes. */
static void request_unknown_hint(const struct request *request, struct buffer *out) {
    bool is_all_meant = true;
    for (const char *at = request->unknown; *at != '\0';) {
        char name[REQUEST_UNKNOWN_CHARS + 1];
        char meant[NEAREST_NAME_CHARS + 1];
        at = take_name(at, name);
        find_meant(request->op, name, meant);
        if (meant[0] != '\0') {
            buffer_printf(out, "\"%s\": did you mean \"%s\"?%s", name, meant,
                          *at != '\0' || !is_all_meant ? " " : "");
        } else {
            is_all_meant = false;
            write_owners(name, out);
        }
    }
    if (!is_all_meant) {
        write_taken(request->op, out);
    }
}

void request_unknown_write(const struct request *request, struct json_writer *json) {
    if (request->unknown[0] == '\0') {
        return;
    }
    json_key(json, "unknown");
    json_array(json);
    for (const char *at = request->unknown; *at != '\0';) {
        char name[REQUEST_UNKNOWN_CHARS + 1];
        at = take_name(at, name);
        json_string(json, name);
    }
    json_end(json);
    struct buffer hint;
    buffer_init(&hint, HINT_BYTES);
    request_unknown_hint(request, &hint);
    if (!hint.failed) {
        json_key_string(json, "hint", hint.data);
    }
    buffer_fini(&hint);
}

/* ---- batch ---- */

/* Invariant: members are decoded by the same rows as requests that come alone; none of them is a batch. */

enum { LIST_BYTES = 256 };

uint32_t request_member_count(const struct request *request) {
    const bool may_have = request->op == REQUEST_BATCH || request->op == REQUEST_COMPARE;
    return may_have && request->extra != NULL ? request->extra->member_count : 0;
}

const struct request *request_member(const struct request *request, uint32_t index) {
    assert(index < request_member_count(request));
    return &request->extra->members[index];
}

int request_fail_member(uint32_t index, struct failure *failure) {
    const struct failure member = *failure;
    (void)failure_set(failure, member.code, NULL, "%s", member.message);
    (void)snprintf(failure->field, sizeof failure->field, "requests[%u]%s%.*s", (unsigned)index,
                   member.field[0] != '\0' ? "." : "", (int)sizeof failure->field - 24, member.field);
    failure->has_index = true;
    failure->index = index;
    return -1;
}

/* The op of a member, as far as it can be read, is refused before the rest of the member is looked at. */
static int check_op(const cJSON *json, struct failure *failure) {
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(json, "op");
    char list[LIST_BYTES] = "";
    bool is_allowed = true;
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        const bool is_member = request_has_trait((enum request_op)i, REQUEST_TRAIT_BATCH);
        if (is_member) {
            text_list_add(list, sizeof list, request_op_name((enum request_op)i), false);
        }
        is_allowed = is_allowed && !(cJSON_IsString(op) && !is_member &&
                                     strcmp(op->valuestring, request_op_name((enum request_op)i)) == 0);
    }
    return is_allowed ? 0
                      : failure_set(failure, FAILURE_BAD_PARAM, "op",
                                    "%s cannot stand in a batch; these can: %s", op->valuestring, list);
}

static int read_members(struct request_extra *extra, const cJSON *array, request_member_reader *read,
                        struct failure *failure) {
    const cJSON *item = NULL;
    extra->members = request_extra_tail(extra);
    cJSON_ArrayForEach(item, array) {
        struct request *member = &extra->members[extra->member_count];
        if (check_op(item, failure) != 0 || read(item, member, failure) != 0) {
            return request_fail_member(extra->member_count, failure);
        }
        if (member->has_at) {
            request_fini(member);
            (void)failure_set(
                failure, FAILURE_BAD_PARAM, "at",
                "the members of a batch take effect together; at is a member of the batch itself");
            return request_fail_member(extra->member_count, failure);
        }
        extra->member_count++;
        extra->bytes += request_extra_bytes(member);
    }
    return 0;
}

/* Reads `requests`. 0, or -1 with *failure; the extra is the caller's to free in both cases. */
static int request_batch_read(struct request *request, const cJSON *json, request_member_reader *read,
                              struct failure *failure) {
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, "requests");
    const int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;
    if (count < 1 || count > LIMIT_BATCH) {
        return failure_set(failure, FAILURE_BAD_PARAM, "requests",
                           "%s; expected an array of 1 to %d requests",
                           array == NULL           ? "missing"
                           : !cJSON_IsArray(array) ? "not an array"
                           : count == 0            ? "an empty array"
                                                   : "too many requests",
                           LIMIT_BATCH);
    }
    assert(request->extra == NULL);
    request->extra = request_extra_create(sizeof(struct request) * (size_t)count);
    if (request->extra == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    return read_members(request->extra, array, read, failure);
}

/* Writes `requests` into an open object. */
static void request_batch_write(const struct request *request, request_member_writer *write,
                                struct json_writer *json) {
    json_key(json, "requests");
    json_array(json);
    for (uint32_t i = 0; i < request_member_count(request); i++) {
        json_object(json);
        write(request_member(request, i), json);
        json_end(json);
    }
    json_end(json);
}

enum { OP_SHOWN_BYTES = 40 };

/* Of which nothing is known yet. */
static void begin(struct request *request) {
    memset(request, 0, sizeof *request);
    request->op = REQUEST_PING;
}

static void give_op(struct request *request, enum request_op op) {
    request->op = op;
    fields_set_initial(request_rows[op].fields, &request->body);
}

struct request request_default(enum request_op op) {
    struct request request;
    begin(&request);
    give_op(&request, op);
    return request;
}

static int decode_object(const cJSON *json, struct request *request, struct failure *failure);

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
    if (request->op == REQUEST_BATCH) {
        return request_batch_read(request, json, decode_object, failure);
    }
    if (row->check != NULL && row->check(request, json, failure) != 0) {
        return -1;
    }
    return request->op == REQUEST_COMPARE && cJSON_GetObjectItemCaseSensitive(json, "requests") != NULL
               ? request_batch_read(request, json, decode_object, failure)
               : 0;
}

static const struct field at_fields[] = {
    {.name = "at",
     .type = FIELD_UINT64,
     FIELD_MEMBER(struct request, at),
     .max = LIMIT_ID_INTEGER,
     .help = "The tick to wait for.",
     FIELD_HAS(struct request, has_at)},
    {.type = FIELD_END},
};

static int read_at(const cJSON *json, struct request *request, struct failure *failure) {
    return request_has_trait(request->op, REQUEST_TRAIT_AT)
               ? fields_read(at_fields, json, "", NULL, request, NULL, failure)
               : 0;
}

static int decode_tree(const cJSON *json, struct request *request, struct failure *failure) {
    if (!cJSON_IsObject(json)) {
        return failure_set(failure, FAILURE_INVALID, NULL,
                           "a request is a JSON object like {\"op\":\"ping\"}");
    }
    enum request_op op = REQUEST_PING;
    if (read_id(json, request->id, failure) != 0 || read_op(json, &op, failure) != 0) {
        return -1;
    }
    give_op(request, op);
    if (read_at(json, request, failure) != 0) {
        request_unknown_note(json, NULL, request);
        return -1;
    }
    return read_body(json, request, failure);
}

/* The extra with a document of so many bytes. -1 without memory. */
static int make_document(struct request *request, size_t length, struct failure *failure) {
    request->extra = request_extra_create(length + 1);
    if (request->extra == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    request->extra->document = request_extra_tail(request->extra);
    request->extra->document_length = length;
    return 0;
}

/* The patch of an edit that is a member: its text is written anew. */
static int write_patch(const cJSON *json, struct request *request, struct failure *failure) {
    struct buffer text;
    buffer_init(&text, LIMIT_SCENARIO_BYTES);
    struct json_writer writer = json_writer_begin(&text);
    json_tree_write(&writer, cJSON_GetObjectItemCaseSensitive(json, "patch"));
    const int result = text.failed ? failure_set(failure, FAILURE_BUSY, NULL, "out of memory")
                                   : make_document(request, text.length, failure);
    if (result == 0) {
        memcpy(request->extra->document, text.data, text.length + 1);
    }
    buffer_fini(&text);
    return result;
}

/* A member of a batch or a compare. */
static int decode_object(const cJSON *json, struct request *request, struct failure *failure) {
    begin(request);
    int result = decode_tree(json, request, failure);
    if (result == 0 && request->op == REQUEST_EDIT) {
        result = write_patch(json, request, failure);
    }
    if (result != 0) {
        request_fini(request);
    }
    return result;
}

/* The document of a load, or the patch of an edit, as its line has it: a tree does not have the digits of its numbers. */
static int take_document(const char *line, const cJSON *json, const char *key, struct request *request,
                         struct failure *failure) {
    size_t length = 0;
    int index = 0;
    for (const cJSON *member = json->child; strcmp(member->string, key) != 0; member = member->next) {
        index++;
    }
    const char *text = json_member_value(line, index, &length);
    if (make_document(request, length, failure) != 0) {
        return -1;
    }
    request->extra->document_length = json_compact(text, length, request->extra->document);
    return 0;
}

int request_decode_within(const char *line, size_t length, const struct json_limits *limits,
                          struct request *request, struct failure *failure) {
    struct json_fault fault;
    begin(request);
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
    int result = decode_tree(json, request, failure);
    if (result == 0 && request->op == REQUEST_LOAD && request->body.load.has_document) {
        result = take_document(line, json, "document", request, failure);
    } else if (result == 0 && request->op == REQUEST_EDIT) {
        result = take_document(line, json, "patch", request, failure);
    }
    cJSON_Delete(json);
    if (result != 0) {
        request_fini(request);
    }
    return result;
}

/* ---- encoding ---- */

/* Whether the field has to be written: it is required, was given, or differs from its default. */
static bool is_written(const struct request *request, const struct request *initial,
                       const struct field *field) {
    if (field->present != 0) {
        return field_is_present(field, &request->body);
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
    if (request_member_count(request) > 0) {
        request_batch_write(request, write_members, json);
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

/* ---- help ---- */

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
    case FIELD_INT32:
    case FIELD_UINT64:
        return "integer";
    case FIELD_BOOL:
        return "bool";
    case FIELD_CHOICE:
        return "choice";
    case FIELD_NAMES:
        return "array of names";
    case FIELD_SHAPED:
    case FIELD_OBJECT:
    case FIELD_TUPLE:
    case FIELD_ROWS:
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
           type == FIELD_POINT || type == FIELD_UINT32 || type == FIELD_INT32 || type == FIELD_UINT64;
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
