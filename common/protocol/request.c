/* Requests: decoding a line into a struct and back, by the table of request_table.c. Owns nothing.
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
#include "common/protocol/message_geometry.h"
#include "common/protocol/request_obstacle.h"
#include "common/protocol/request_subscribe.h"
#include "common/protocol/request_table.h"
#include "common/protocol/request_unknown.h"
#include "common/text/nearest_name.h"
#include "common/text/text_list.h"

enum { OP_SHOWN_BYTES = 40 };

const char *request_op_name(enum request_op op) {
    return request_rows[op].name;
}

bool request_always_answers(enum request_op op) {
    return request_rows[op].always_answers;
}

const struct field *request_fields(enum request_op op) {
    return request_rows[op].fields;
}

enum role request_role(enum request_op op) {
    switch (op) {
    case REQUEST_HELLO:
    case REQUEST_HELP:
    case REQUEST_PING:
    case REQUEST_BYE:
        return ROLE_NONE;
    case REQUEST_SUBSCRIBE:
    case REQUEST_UNSUBSCRIBE:
    case REQUEST_SET_REGION:
    case REQUEST_RESYNC:
    case REQUEST_INSPECT:
    case REQUEST_GET_PARAMS:
    case REQUEST_LIST:
    case REQUEST_STATS:
    case REQUEST_CURSOR:
        return ROLE_VIEWER;
    case REQUEST_SET_TARGET:
    case REQUEST_MOUSE:
    case REQUEST_SPAWN:
    case REQUEST_REMOVE:
    case REQUEST_SET_PARAM:
    case REQUEST_ADD_TARGET:
    case REQUEST_REMOVE_TARGET:
    case REQUEST_ADD_OBSTACLE:
    case REQUEST_MOVE_OBSTACLE:
    case REQUEST_REMOVE_OBSTACLE:
        return ROLE_OPERATOR;
    default: /* time, scenarios, and what a later op forgets to say */
        return ROLE_ADMIN;
    }
}

static const char *const role_names[ROLE_COUNT] = {"none", "viewer", "operator", "admin"};

const char *role_name(enum role role) {
    return role_names[role];
}

enum role role_from_name(const char *name) {
    for (int role = ROLE_VIEWER; role < ROLE_COUNT; role++) {
        if (strcmp(name, role_names[role]) == 0) {
            return (enum role)role;
        }
    }
    return ROLE_COUNT;
}

struct request request_default(enum request_op op) {
    struct request request;
    memset(&request, 0, sizeof request);
    request.op = op;
    fields_set_initial(request_rows[op].fields, &request.body);
    if (op == REQUEST_REMOVE) {
        request.body.remove.agents[0] = 0; /* `agent` has no default */
    } else if (op == REQUEST_INSPECT) {
        request.body.inspect.agents[0] = 0;
    }
    return request;
}

static bool *presence_of(struct request *request, const struct request_presence *presence) {
    return (bool *)((char *)&request->body + presence->offset);
}

/* ---- rules between fields ---- */

static bool is_given(const cJSON *json, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(json, name) != NULL;
}

static int fail_rule(struct failure *failure, const char *field, const char *message) {
    return failure_set(failure, FAILURE_BAD_PARAM, field, "%s", message);
}

/* Exactly one of the names (a NULL-ended list) must be there. */
static int check_exactly_one(const cJSON *json, const char *const *names, const char *list,
                             struct failure *failure) {
    const char *found = NULL;
    for (int i = 0; names[i] != NULL; i++) {
        if (!is_given(json, names[i])) {
            continue;
        }
        if (found != NULL) {
            return failure_set(failure, FAILURE_BAD_PARAM, names[i],
                               "%s is there already; give exactly one of %s", found, list);
        }
        found = names[i];
    }
    return found != NULL
               ? 0
               : failure_set(failure, FAILURE_BAD_PARAM, names[0], "missing; give exactly one of %s", list);
}

static int check_point(const cJSON *json, struct failure *failure) {
    if (is_given(json, "x") == is_given(json, "y")) {
        return 0;
    }
    return fail_rule(failure, is_given(json, "x") ? "y" : "x", "x and y go together");
}

/* A named target takes a point; an agent or a kind takes a point, something to follow, or nothing any more.
 */
static int check_set_target(struct request_set_target *target, const cJSON *json, struct failure *failure) {
    static const char *const whose[] = {"name", "agent", "kind", NULL};
    if (check_exactly_one(json, whose, "name, agent, kind", failure) != 0 ||
        check_point(json, failure) != 0) {
        return -1;
    }
    if (target->has_name && (target->has_follow || target->clear)) {
        return fail_rule(failure, target->has_follow ? "follow" : "clear",
                         "goes with agent or kind; a named target takes x and y");
    }
    const int count = target->has_point + target->has_follow + target->clear;
    if (count == 0) {
        return fail_rule(failure, "x",
                         target->has_name ? "missing; a named target takes x and y"
                                          : "missing; give x and y, or follow, or clear");
    }
    if (count > 1) {
        return fail_rule(failure, target->clear ? "clear" : "follow",
                         "give only one of x and y, follow, clear");
    }
    return 0;
}

/* Returns how many there are, or -1. */
static int read_agent_ids(const cJSON *ids, int most, uint32_t *out, struct failure *failure) {
    const struct field *agent = field_find(request_rows[REQUEST_REMOVE].fields, "agent");
    if (!cJSON_IsArray(ids)) {
        return fail_rule(failure, "agents", "expected an array of agents' ids");
    }
    int count = 0;
    const cJSON *id = NULL;
    cJSON_ArrayForEach(id, ids) {
        if (count == most) {
            return failure_set(failure, FAILURE_OUT_OF_RANGE, "agents", "more than %d ids", most);
        }
        char path[32];
        struct request_remove one;
        (void)snprintf(path, sizeof path, "agents[%d]", count);
        if (field_read_value(agent, id, path, &one, failure) != 0) {
            return -1;
        }
        out[count++] = one.agents[0];
    }
    return count;
}

static int check_remove(struct request_remove *remove, const cJSON *json, struct failure *failure) {
    static const char *const which[] = {"agent", "agents", "kind", NULL};
    if (check_exactly_one(json, which, "agent, agents, kind", failure) != 0) {
        return -1;
    }
    remove->agent_count = is_given(json, "agent");
    const cJSON *ids = cJSON_GetObjectItemCaseSensitive(json, "agents");
    if (ids != NULL) {
        remove->agent_count = read_agent_ids(ids, LIMIT_REMOVE_IDS, remove->agents, failure);
    }
    return remove->agent_count < 0 ? -1 : 0;
}

static int check_inspect(struct request_inspect *inspect, const cJSON *json, struct failure *failure) {
    static const char *const which[] = {"agent", "agents", NULL};
    if (check_exactly_one(json, which, "agent, agents", failure) != 0) {
        return -1;
    }
    inspect->agent_count = is_given(json, "agent");
    const cJSON *ids = cJSON_GetObjectItemCaseSensitive(json, "agents");
    if (ids != NULL) {
        inspect->agent_count = read_agent_ids(ids, LIMIT_INSPECT_IDS, inspect->agents, failure);
    }
    return inspect->agent_count < 0 ? -1 : 0;
}

/* A name is shown to others: no control characters, not even DEL. */
static int check_hello(const struct request_hello *hello, struct failure *failure) {
    for (const char *c = hello->name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            return fail_rule(failure, "name", "a name has no control characters");
        }
    }
    return 0;
}

static int check_rules(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const whose[] = {"kind", "agent", NULL};
    switch (request->op) {
    case REQUEST_SUBSCRIBE:
        return request_check_subscribe(&request->body.subscribe, json, failure);
    case REQUEST_SET_REGION:
        return request_check_set_region(&request->body.set_region, json, failure);
    case REQUEST_SET_TARGET:
        return check_set_target(&request->body.set_target, json, failure);
    case REQUEST_SPAWN:
        return check_point(json, failure);
    case REQUEST_REMOVE:
        return check_remove(&request->body.remove, json, failure);
    case REQUEST_INSPECT:
        return check_inspect(&request->body.inspect, json, failure);
    case REQUEST_SET_PARAM:
        return check_exactly_one(json, whose, "kind, agent", failure);
    case REQUEST_ADD_OBSTACLE:
        return request_read_obstacle(json, &request->body.add_obstacle, failure);
    case REQUEST_HELLO:
        return check_hello(&request->body.hello, failure);
    default:
        return 0;
    }
}

/* ---- decoding ---- */

void request_op_hint(const char *op, char hint[NEAREST_HINT_BYTES]) {
    struct nearest_name nearest = nearest_name_begin(op);
    for (int i = 0; i < REQUEST_OP_COUNT; i++) {
        nearest_name_offer(&nearest, request_rows[i].name);
    }
    nearest_name_hint(&nearest, hint);
}

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
        return -1;
    }
    for (const struct request_presence *presence = row->presences; presence->field != NULL; presence++) {
        *presence_of(request, presence) = is_given(json, presence->field);
    }
    return check_rules(request, json, failure);
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
    return read_body(json, request, failure);
}

int request_decode(const char *line, size_t length, struct request *request, struct failure *failure) {
    const struct json_limits limits = json_limits_line();
    struct json_fault fault;
    request->op = REQUEST_PING; /* of which nothing is known yet */
    request->id[0] = '\0';
    request->unknown[0] = '\0';
    const enum json_fault_kind kind = json_check(line, length, &limits, &fault);
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
    return result;
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

static void write_agents(const uint32_t *agents, int count, struct json_writer *json) {
    json_key(json, "agents");
    json_array(json);
    for (int i = 0; i < count; i++) {
        json_unsigned(json, agents[i]);
    }
    json_end(json);
}

/* Writes `agents` of a request that has a list, not a single agent or a kind. */
static bool write_list(const struct request *request, struct json_writer *json) {
    if (request->op == REQUEST_REMOVE && !request->body.remove.has_kind &&
        request->body.remove.agent_count != 1) {
        write_agents(request->body.remove.agents, request->body.remove.agent_count, json);
        return true;
    }
    if (request->op == REQUEST_INSPECT && request->body.inspect.agent_count != 1) {
        write_agents(request->body.inspect.agents, request->body.inspect.agent_count, json);
        return true;
    }
    return false;
}

void request_encode(const struct request *request, struct buffer *out) {
    const struct request initial = request_default(request->op);
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", request_rows[request->op].name);
    if (request->id[0] != '\0') {
        json_key(&json, "id");
        json_raw(&json, request->id);
    }
    request_write_region(request, &json);
    if (request->op == REQUEST_ADD_OBSTACLE) {
        message_obstacle_write(&request->body.add_obstacle.shape, &json);
    }
    const bool is_list = write_list(request, &json);
    for (const struct field *field = request_rows[request->op].fields; !is_list && field->type != FIELD_END;
         field++) {
        if (field->type != FIELD_SHAPED && is_written(request, &initial, field)) {
            json_key(&json, field->name);
            field_write_value(field, &request->body, &json);
        }
    }
    json_end(&json);
    buffer_append(out, "\n", 1);
}
