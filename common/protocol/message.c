/* Control messages of the server: writing and reading by tables of fields. Owns a decoded message's two
 * lists.
 *
 * Invariants: the rows of a table stand in wire order, and serve both directions, so what is written can be
 * read; whatever a hostile server sends, decoding ends in a whole message or a failure, and message_fini may
 * follow.
 */
#include "common/protocol/message.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/id_text.h"
#include "common/json/json_check.h"
#include "common/protocol/request_unknown.h"
#include "common/text/name_table.h"

/* clang-format off */
#define END {.name = NULL, .type = FIELD_END}
#define ROW(structure, wire_name, type, member, row_flags, low, high)                                              \
    {wire_name, type, FIELD_MEMBER(structure, member), row_flags, low, high, 0, NULL, NULL, NULL}
#define NEED FIELD_REQUIRED
#define FLOAT_MOST ((double)FLT_MAX)

static const struct field kind_fields[] = {
    ROW(struct message_kind, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_kind, "radius", FIELD_FLOAT, radius, NEED, 0, LIMIT_COORDINATE),
    ROW(struct message_kind, "max_speed", FIELD_FLOAT, max_speed, NEED, 0, FLOAT_MOST),
    ROW(struct message_kind, "max_force", FIELD_FLOAT, max_force, NEED, 0, FLOAT_MOST),
    ROW(struct message_kind, "count", FIELD_UINT32, count, NEED, 0, (double)UINT32_MAX),
    END,
};

/* "kinds" and "targets" follow. */
static const struct field scenario_fields[] = {
    ROW(struct message_scenario, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_scenario, "title", FIELD_TEXT, title, NEED, 0, 0),
    ROW(struct message_scenario, "description", FIELD_TEXT, description, NEED, 0, 0),
    ROW(struct message_scenario, "size", FIELD_POINT, size, NEED, 1e-3, LIMIT_WORLD_SIZE),
    ROW(struct message_scenario, "edge", FIELD_TEXT, edge, NEED, 0, 0),
    ROW(struct message_scenario, "seed", FIELD_UINT64, seed, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_scenario, "tick_hz", FIELD_DOUBLE, tick_hz, NEED, 1e-3, 1e6),
    END,
};

static const struct field hello_fields[] = {
    ROW(struct message_hello, "protocol", FIELD_UINT32, protocol, NEED, 0, (double)INT32_MAX),
    ROW(struct message_hello, "server", FIELD_TEXT, server, NEED, 0, 0),
    ROW(struct message_hello, "session", FIELD_UINT32, session, NEED, 0, (double)UINT32_MAX),
    END,
};

/* What tells of the world: left out for a session without a role, "scenario" as well. */
static const struct field hello_world_fields[] = {
    ROW(struct message_hello, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_hello, "time", FIELD_DOUBLE, time_s, NEED, 0, DBL_MAX),
    ROW(struct message_hello, "paused", FIELD_BOOL, is_paused, NEED, 0, 0),
    END,
};

/* "scenario" follows. */
static const struct field hello_role_fields[] = {
    ROW(struct message_hello, "role", FIELD_TEXT, role, 0, 0, 0),
    END,
};

static const struct field event_fields[] = {
    ROW(struct message_event, "event", FIELD_NAME, event, NEED, 0, 0),
    ROW(struct message_event, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_event, "by", FIELD_UINT32, by, NEED, 0, (double)UINT32_MAX),
    END,
};

enum { EVENT_HAS_PLACE = EVENT_HAS_TARGET | EVENT_HAS_CANDIDATES };

/* Members that only some events have, each group by its bit of `has`. The x and y of EVENT_HAS_PLACE follow. */
#define GROUP(bit, ...) {bit, (const struct field[]){__VA_ARGS__, END}}
static const struct {
    unsigned has;
    const struct field *fields;
} event_groups[] = {
    GROUP(EVENT_HAS_NAME, ROW(struct message_event, "name", FIELD_TEXT, name, 0, 0, 0)),
    GROUP(EVENT_HAS_KIND, ROW(struct message_event, "kind", FIELD_NAME, kind, 0, 0, 0)),
    GROUP(EVENT_HAS_AGENT, ROW(struct message_event, "agent", FIELD_UINT32, agent, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_COUNT, ROW(struct message_event, "count", FIELD_UINT32, count, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_IDS, ROW(struct message_event, "first_id", FIELD_UINT32, first_id, 0, 0, (double)UINT32_MAX),
          ROW(struct message_event, "last_id", FIELD_UINT32, last_id, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_PARAM, ROW(struct message_event, "param", FIELD_TEXT, param, 0, 0, 0),
          ROW(struct message_event, "value", FIELD_DOUBLE, value, 0, -DBL_MAX, DBL_MAX)),
    GROUP(EVENT_HAS_TARGET, ROW(struct message_event, "target", FIELD_NAME, target, 0, 0, 0)),
    GROUP(EVENT_HAS_OBSTACLE, ROW(struct message_event, "obstacle", FIELD_UINT32, obstacle.id, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_QUARRY, ROW(struct message_event, "quarry", FIELD_UINT32, quarry, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_CANDIDATES, ROW(struct message_event, "candidates", FIELD_UINT32, candidates, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_LEFT_OUT, ROW(struct message_event, "left_out", FIELD_UINT32, left_out, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_SKIPPED, ROW(struct message_event, "skipped", FIELD_UINT64, skipped, 0, 0, LIMIT_ID_INTEGER)),
};

static const struct field bye_fields[] = {
    ROW(struct message_bye, "reason", FIELD_NAME, reason, NEED, 0, 0),
    ROW(struct message_bye, "message", FIELD_TEXT, message, NEED, 0, 0),
    END,
};

/* "code" is read by hand: a later version may have more of them. */
static const struct field error_fields[] = {
    ROW(struct message_error, "line", FIELD_UINT64, line, 0, 0, LIMIT_ID_INTEGER),
    ROW(struct message_error, "field", FIELD_TEXT, failure.field, 0, 0, 0),
    ROW(struct message_error, "message", FIELD_TEXT, failure.message, NEED, 0, 0),
    END,
};

static const struct field reply_fields[] = {
    ROW(struct message_reply, "to", FIELD_NAME, to, NEED, 0, 0),
    ROW(struct message_reply, "tick", FIELD_UINT64, tick, 0, 0, LIMIT_ID_INTEGER),
    ROW(struct message_reply, "hz", FIELD_DOUBLE, hz, 0, 0, DBL_MAX),
    ROW(struct message_reply, "t0", FIELD_DOUBLE, t0, 0, -DBL_MAX, DBL_MAX),
    ROW(struct message_reply, "clock", FIELD_DOUBLE, clock_ms, 0, 0, DBL_MAX),
    ROW(struct message_reply, "role", FIELD_TEXT, role, 0, 0, 0),
    ROW(struct message_reply, "paused", FIELD_BOOL, is_paused, 0, 0, 0),
    END,
};

static const struct field cursor_fields[] = {
    ROW(struct message_cursor, "session", FIELD_UINT32, session, NEED, 0, (double)UINT32_MAX),
    ROW(struct message_cursor, "name", FIELD_TEXT, name, 0, 0, 0),
    ROW(struct message_cursor, "x", FIELD_FLOAT, x, NEED, -LIMIT_COORDINATE, LIMIT_COORDINATE),
    ROW(struct message_cursor, "y", FIELD_FLOAT, y, NEED, -LIMIT_COORDINATE, LIMIT_COORDINATE),
    END,
};

static const struct field scenario_row_fields[] = {
    ROW(struct message_scenario_row, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_scenario_row, "title", FIELD_TEXT, title, 0, 0, 0),
    ROW(struct message_scenario_row, "description", FIELD_TEXT, description, 0, 0, 0),
    END,
};

static const struct field param_fields[] = {
    ROW(struct message_param, "kind", FIELD_NAME, kind, NEED, 0, 0),
    ROW(struct message_param, "param", FIELD_TEXT, param, NEED, 0, 0),
    ROW(struct message_param, "value", FIELD_DOUBLE, value, NEED, -DBL_MAX, DBL_MAX),
    ROW(struct message_param, "min", FIELD_DOUBLE, min, NEED, -DBL_MAX, DBL_MAX),
    ROW(struct message_param, "max", FIELD_DOUBLE, max, NEED, -DBL_MAX, DBL_MAX),
    ROW(struct message_param, "unit", FIELD_TEXT, unit, 0, 0, 0),
    ROW(struct message_param, "help", FIELD_TEXT, help, 0, 0, 0),
    END,
};
/* clang-format on */

/* ---- writing ---- */

static void write_fields(const struct field *table, const void *object, struct json_writer *json) {
    for (; table->type != FIELD_END; table++) {
        json_key(json, table->name);
        field_write_value(table, object, json);
    }
}

static struct json_writer begin_message(const char *op, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    json_key_string(&json, "op", op);
    return json;
}

static void end_message(struct json_writer *json) {
    json_end(json);
    buffer_append(json->buffer, "\n", 1);
}

/* The members of a scenario, into an open object. */
static void write_scenario(const struct message_scenario *scenario, struct json_writer *json) {
    write_fields(scenario_fields, scenario, json);
    json_key(json, "kinds");
    json_array(json);
    for (int i = 0; i < scenario->kind_count; i++) {
        json_object(json);
        write_fields(kind_fields, &scenario->kinds[i], json);
        json_end(json);
    }
    json_end(json);
    json_key(json, "targets");
    json_array(json);
    for (int i = 0; i < scenario->target_count; i++) {
        json_string(json, scenario->targets[i]);
    }
    json_end(json);
    message_geometry_write(&scenario->geometry, json);
}

void message_write_hello(const struct message_hello *hello, struct buffer *out) {
    struct json_writer json = begin_message("hello", out);
    write_fields(hello_fields, hello, &json);
    if (hello->has_world) {
        write_fields(hello_world_fields, hello, &json);
    }
    write_fields(hello_role_fields, hello, &json);
    if (hello->has_world) {
        json_key(&json, "scenario");
        json_object(&json);
        write_scenario(&hello->scenario, &json);
        json_end(&json);
    }
    end_message(&json);
}

void message_write_scenario(const struct message_scenario *scenario, struct buffer *out) {
    struct json_writer json = begin_message("scenario", out);
    write_scenario(scenario, &json);
    end_message(&json);
}

void message_write_event(const struct message_event *event, struct buffer *out) {
    struct json_writer json = begin_message("event", out);
    write_fields(event_fields, event, &json);
    for (size_t i = 0; i < sizeof event_groups / sizeof event_groups[0]; i++) {
        if ((event->has & event_groups[i].has) != 0) {
            write_fields(event_groups[i].fields, event, &json);
        }
    }
    if ((event->has & EVENT_HAS_PLACE) != 0) {
        json_key_hundredths(&json, "x", event->x);
        json_key_hundredths(&json, "y", event->y);
    }
    if ((event->has & EVENT_HAS_SHAPE) != 0) {
        message_obstacle_write(&event->obstacle, &json);
    }
    end_message(&json);
}

static void write_id(const char *id, struct json_writer *json) {
    if (id != NULL && id[0] != '\0') {
        json_key(json, "id");
        json_raw(json, id);
    }
}

void message_write_unknown(const struct request *request, uint64_t tick, struct buffer *out) {
    struct json_writer json = begin_message("event", out);
    json_key_string(&json, "event", "unknown");
    json_key_unsigned(&json, "tick", tick);
    json_key_unsigned(&json, "by", 0);
    json_key_string(&json, "to", request_op_name(request->op));
    request_unknown_write(request, &json);
    end_message(&json);
}

/* request: NULL when none could be read. */
static void write_error(const struct request *request, const char *id, uint64_t line,
                        const struct failure *failure, struct buffer *out) {
    struct json_writer json = begin_message("error", out);
    write_id(id, &json);
    if (line > 0) {
        json_key_unsigned(&json, "line", line);
    }
    json_key_string(&json, "code", failure_code_name(failure->code));
    if (failure->field[0] != '\0') {
        json_key_string(&json, "field", failure->field);
    }
    json_key_string(&json, "message", failure->message);
    if (request != NULL) {
        request_unknown_write(request, &json);
    }
    end_message(&json);
}

void message_write_error(const char *id, uint64_t line, const struct failure *failure, struct buffer *out) {
    write_error(NULL, id, line, failure, out);
}

void message_write_refusal(const struct request *request, uint64_t line, const struct failure *failure,
                           struct buffer *out) {
    write_error(request, request->id, line, failure, out);
}

void message_write_bye(const char *reason, const char *text, uint32_t retry_s, struct buffer *out) {
    struct json_writer json = begin_message("bye", out);
    json_key_string(&json, "reason", reason);
    json_key_string(&json, "message", text);
    if (retry_s > 0) {
        json_key_unsigned(&json, "retry_s", retry_s);
    }
    end_message(&json);
}

struct json_writer message_begin_reply(enum request_op op, const char *id, struct buffer *out) {
    struct json_writer json = begin_message("reply", out);
    json_key_string(&json, "to", request_op_name(op));
    write_id(id, &json);
    return json;
}

bool message_is_reply(const char *line, size_t length) {
    static const char start[] = "{\"op\":\"reply\",";
    return line != NULL && length >= sizeof start - 1 && memcmp(line, start, sizeof start - 1) == 0;
}

struct json_writer message_begin_answer(const struct request *request, struct buffer *out) {
    struct json_writer json = message_begin_reply(request->op, request->id, out);
    request_unknown_write(request, &json);
    return json;
}

void message_end_reply(struct json_writer *json, struct buffer *out) {
    assert(json->buffer == out && json->depth == 1);
    (void)out;
    end_message(json);
}

/* ---- reading ---- */

static int fail_array(struct failure *failure, const char *path, int most) {
    return failure_set(failure, FAILURE_INVALID, path, "expected an array of at most %d", most);
}

/* The number of entries of an array of at most `most`, -1 when it is something else. */
static int array_size(const cJSON *array, int most) {
    const int size = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : -1;
    return size <= most ? size : -1;
}

static int read_kinds(const cJSON *kinds, struct message_scenario *scenario, struct failure *failure) {
    if (array_size(kinds, LIMIT_KINDS) < 0) {
        return fail_array(failure, "kinds", LIMIT_KINDS);
    }
    const cJSON *kind = NULL;
    cJSON_ArrayForEach(kind, kinds) {
        if (fields_read(kind_fields, kind, "kinds", NULL, &scenario->kinds[scenario->kind_count], NULL,
                        failure) != 0) {
            return -1;
        }
        scenario->kind_count++;
    }
    return 0;
}

static int read_targets(const cJSON *targets, struct message_scenario *scenario, struct failure *failure) {
    if (array_size(targets, LIMIT_TARGETS) < 0) {
        return fail_array(failure, "targets", LIMIT_TARGETS);
    }
    const cJSON *target = NULL;
    cJSON_ArrayForEach(target, targets) {
        const char *name = cJSON_IsString(target) ? target->valuestring : "";
        if (!name_is_valid(name, strlen(name))) {
            return failure_set(failure, FAILURE_INVALID, "targets", "expected an array of names");
        }
        memcpy(scenario->targets[scenario->target_count++], name, strlen(name) + 1);
    }
    return 0;
}

static int read_scenario(const cJSON *json, struct message_scenario *scenario, struct failure *failure) {
    if (fields_read(scenario_fields, json, "", NULL, scenario, NULL, failure) != 0 ||
        read_kinds(cJSON_GetObjectItemCaseSensitive(json, "kinds"), scenario, failure) != 0) {
        return -1;
    }
    if (read_targets(cJSON_GetObjectItemCaseSensitive(json, "targets"), scenario, failure) != 0) {
        return -1;
    }
    return message_geometry_read(json, &scenario->geometry, failure);
}

static int read_hello(const cJSON *json, struct message_hello *hello, struct failure *failure) {
    if (fields_read(hello_fields, json, "", NULL, hello, NULL, failure) != 0 ||
        fields_read(hello_role_fields, json, "", NULL, hello, NULL, failure) != 0) {
        return -1;
    }
    const cJSON *scenario = cJSON_GetObjectItemCaseSensitive(json, "scenario");
    if (scenario == NULL && strcmp(hello->role, role_name(ROLE_NONE)) == 0) {
        return 0;
    }
    if (!cJSON_IsObject(scenario)) {
        return failure_set(failure, FAILURE_INVALID, "scenario", "missing, or not an object");
    }
    hello->has_world = true;
    if (fields_read(hello_world_fields, json, "", NULL, hello, NULL, failure) != 0) {
        return -1;
    }
    return read_scenario(scenario, &hello->scenario, failure);
}

static int read_id(const cJSON *json, char id[ID_TEXT_BYTES], struct failure *failure) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, "id");
    if (value == NULL || id_text_read(value, id)) {
        return 0;
    }
    return failure_set(failure, FAILURE_INVALID, "id", "expected an integer or a string");
}

/* Reads an array of objects into *rows (malloc'd, also on failure) by a table. An absent array has no rows.
 */
static int read_rows(const cJSON *array, const char *path, int most, const struct field *table,
                     size_t row_bytes, void **rows, int *count, struct failure *failure) {
    if (array == NULL) {
        return 0;
    }
    const int size = array_size(array, most);
    if (size < 0) {
        return fail_array(failure, path, most);
    }
    *rows = calloc((size_t)size + 1, row_bytes);
    if (*rows == NULL) {
        return failure_set(failure, FAILURE_BUSY, path, "out of memory");
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        if (fields_read(table, item, path, NULL, (char *)*rows + (size_t)*count * row_bytes, NULL, failure) !=
            0) {
            return -1;
        }
        ++*count;
    }
    return 0;
}

static int read_lists(const cJSON *json, struct message_reply *reply, struct failure *failure) {
    void *rows = NULL;
    int result = 0;
    if (strcmp(reply->to, request_op_name(REQUEST_LIST)) == 0) {
        result =
            read_rows(cJSON_GetObjectItemCaseSensitive(json, "scenarios"), "scenarios", MESSAGE_SCENARIOS,
                      scenario_row_fields, sizeof *reply->scenarios, &rows, &reply->scenario_count, failure);
        reply->scenarios = rows;
    } else if (strcmp(reply->to, request_op_name(REQUEST_GET_PARAMS)) == 0) {
        result = read_rows(cJSON_GetObjectItemCaseSensitive(json, "params"), "params", MESSAGE_PARAMS,
                           param_fields, sizeof *reply->params, &rows, &reply->param_count, failure);
        reply->params = rows;
    } else if (strcmp(reply->to, request_op_name(REQUEST_INSPECT)) == 0) {
        result = message_agents_read(cJSON_GetObjectItemCaseSensitive(json, "agents"), &reply->agents,
                                     &reply->agent_count, failure);
    }
    return result;
}

static int read_reply(const cJSON *json, struct message_reply *reply, struct failure *failure) {
    if (fields_read(reply_fields, json, "", NULL, reply, NULL, failure) != 0 ||
        read_id(json, reply->id, failure) != 0) {
        return -1;
    }
    reply->has_tick = cJSON_GetObjectItemCaseSensitive(json, "tick") != NULL;
    reply->has_paused = cJSON_GetObjectItemCaseSensitive(json, "paused") != NULL;
    return read_lists(json, reply, failure);
}

static int read_error(const cJSON *json, struct message_error *error, struct failure *failure) {
    if (fields_read(error_fields, json, "", NULL, error, NULL, failure) != 0 ||
        read_id(json, error->id, failure) != 0) {
        return -1;
    }
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(json, "code");
    if (!cJSON_IsString(code)) {
        return failure_set(failure, FAILURE_INVALID, "code", "missing, or not a string");
    }
    error->failure.code = failure_code_from_name(code->valuestring); /* NONE: of a later version */
    return 0;
}

static enum message_op op_of(const cJSON *json) {
    static const char *const names[] = {
        [MESSAGE_HELLO] = "hello",     [MESSAGE_SCENARIO] = "scenario", [MESSAGE_REPLY] = "reply",
        [MESSAGE_EVENT] = "event",     [MESSAGE_ERROR] = "error",       [MESSAGE_BYE] = "bye",
        [MESSAGE_CURSORS] = "cursors", [MESSAGE_SNAPSHOT] = "snapshot",
    };
    const cJSON *op = cJSON_GetObjectItemCaseSensitive(json, "op");
    for (int i = 0; cJSON_IsString(op) && i < MESSAGE_UNKNOWN; i++) {
        if (strcmp(op->valuestring, names[i]) == 0) {
            return (enum message_op)i;
        }
    }
    return MESSAGE_UNKNOWN;
}

static int read_cursors(const cJSON *json, struct message_cursors *cursors, struct failure *failure) {
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(json, "cursors"), *row = NULL;
    if (!cJSON_IsArray(rows)) {
        return failure_set(failure, FAILURE_INVALID, "cursors", "missing, or not an array");
    }
    cJSON_ArrayForEach(row, rows) {
        if (cursors->count < MESSAGE_CURSOR_ROWS &&
            fields_read(cursor_fields, row, "cursors", NULL, &cursors->rows[cursors->count++], NULL,
                        failure) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Members that an event need not have are marked in `has` when they are there. */
static int read_event(const cJSON *json, struct message_event *event, struct failure *failure) {
    if (fields_read(event_fields, json, "", NULL, event, NULL, failure) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof event_groups / sizeof event_groups[0]; i++) {
        uint64_t present = 0;
        if (fields_read(event_groups[i].fields, json, "", NULL, event, &present, failure) != 0) {
            return -1;
        }
        event->has |= present != 0 ? event_groups[i].has : 0u;
    }
    if ((event->has & EVENT_HAS_PLACE) != 0) {
        const cJSON *x = cJSON_GetObjectItemCaseSensitive(json, "x");
        const cJSON *y = cJSON_GetObjectItemCaseSensitive(json, "y");
        if (!cJSON_IsNumber(x) || !cJSON_IsNumber(y) || !(fabs(x->valuedouble) <= 1e9) ||
            !(fabs(y->valuedouble) <= 1e9)) {
            return failure_set(failure, FAILURE_INVALID, "x", "expected a place, x and y");
        }
        event->x = llround(x->valuedouble * 100.0);
        event->y = llround(y->valuedouble * 100.0);
    }
    if ((event->has & EVENT_HAS_OBSTACLE) != 0) {
        const int result = message_obstacle_read(json, "obstacle", &event->obstacle, failure);
        event->has |= result == 0 ? EVENT_HAS_SHAPE : 0u;
        return result < 0 ? -1 : 0;
    }
    return 0;
}

static int read_body(const cJSON *json, struct message *message, struct failure *failure) {
    switch (message->op) {
    case MESSAGE_HELLO:
        return read_hello(json, &message->body.hello, failure);
    case MESSAGE_SCENARIO:
        return read_scenario(json, &message->body.scenario, failure);
    case MESSAGE_REPLY:
        return read_reply(json, &message->body.reply, failure);
    case MESSAGE_EVENT:
        return read_event(json, &message->body.event, failure);
    case MESSAGE_ERROR:
        return read_error(json, &message->body.error, failure);
    case MESSAGE_BYE:
        return fields_read(bye_fields, json, "", NULL, &message->body.bye, NULL, failure);
    case MESSAGE_CURSORS:
        return read_cursors(json, &message->body.cursors, failure);
    case MESSAGE_SNAPSHOT:
    case MESSAGE_UNKNOWN:
        break;
    }
    return 0;
}

enum message_op message_peek(const char *line, size_t length) {
    static const char snapshot[] = "{\"op\":\"snapshot\"";
    const bool is_snapshot =
        length >= sizeof snapshot - 1 && memcmp(line, snapshot, sizeof snapshot - 1) == 0;
    return is_snapshot ? MESSAGE_SNAPSHOT : MESSAGE_UNKNOWN;
}

int message_decode(const char *line, size_t length, struct message *message, struct failure *failure) {
    memset(message, 0, sizeof *message);
    message->op = MESSAGE_UNKNOWN;
    const struct json_limits limits = json_limits_file();
    struct json_fault fault;
    if (json_check(line, length, &limits, &fault) != JSON_FINE) {
        return failure_set(failure, FAILURE_PARSE, NULL, "byte %zu: %s", fault.offset + 1, fault.message);
    }
    cJSON *json = cJSON_ParseWithLengthOpts(line, length, NULL, 0);
    if (json == NULL) {
        return failure_set(failure, FAILURE_BUSY, NULL, "out of memory");
    }
    int result = 0;
    if (cJSON_IsObject(json) && cJSON_IsString(cJSON_GetObjectItemCaseSensitive(json, "op"))) {
        message->op = op_of(json);
        result = read_body(json, message, failure);
    } else {
        result = failure_set(failure, FAILURE_INVALID, "op", "not a message: an object with an op");
    }
    cJSON_Delete(json);
    return result;
}

void message_fini(struct message *message) {
    if (message->op == MESSAGE_REPLY) {
        free(message->body.reply.scenarios);
        free(message->body.reply.params);
        free(message->body.reply.agents);
        message->body.reply.agents = NULL;
        message->body.reply.agent_count = 0;
        message->body.reply.scenarios = NULL;
        message->body.reply.params = NULL;
        message->body.reply.scenario_count = 0;
        message->body.reply.param_count = 0;
    }
}
