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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/json/id_text.h"
#include "common/json/json_check.h"
#include "common/protocol/message_parts.h"
#include "common/protocol/request_unknown.h"

/* clang-format off */
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
    ROW(struct message_reply, "first_id", FIELD_UINT32, first_id, 0, 0, (double)UINT32_MAX),
    ROW(struct message_reply, "role", FIELD_TEXT, role, 0, 0, 0),
    ROW(struct message_reply, "paused", FIELD_BOOL, is_paused, 0, 0, 0),
    END,
};

static const struct field save_fields[] = {
    ROW(struct message_reply, "bytes", FIELD_UINT64, bytes, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_reply, "kept", FIELD_TEXT, kept, NEED, 0, 0),
    END,
};

static const struct field record_fields[] = {
    ROW(struct message_reply, "name", FIELD_TEXT, file, NEED, 0, 0),
    ROW(struct message_reply, "from", FIELD_UINT64, from, NEED, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field seek_fields[] = {
    ROW(struct message_reply, "world", FIELD_UINT32, world, NEED, 1, (double)UINT32_MAX),
    END,
};

/* Of stats' "recording". */
static const struct field recording_fields[] = {
    ROW(struct message_reply, "file", FIELD_TEXT, recording, NEED, 0, 0),
    END,
};

static const struct field save_row_fields[] = {
    ROW(struct message_save_row, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_save_row, "scenario", FIELD_NAME, scenario, NEED, 0, 0),
    ROW(struct message_save_row, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_save_row, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_save_row, "bytes", FIELD_UINT64, bytes, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_save_row, "saved", FIELD_TEXT, saved, NEED, 0, 0),
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
    ROW(struct message_scenario_row, "group", FIELD_NAME, group, 0, 0, 0),
    ROW(struct message_scenario_row, "caption", FIELD_TEXT, caption, 0, 0, 0),
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

void message_write_hello(const struct message_hello *hello, struct buffer *out) {
    struct json_writer json = message_open("hello", out);
    message_write_fields(hello_fields, hello, &json);
    if (hello->has_world) {
        message_write_fields(hello_world_fields, hello, &json);
    }
    message_write_fields(hello_role_fields, hello, &json);
    if (hello->has_world) {
        message_pace_write(&hello->scenario.pace, &json);
        message_playback_write(&hello->playback, &json);
        json_key(&json, "scenario");
        json_object(&json);
        message_scenario_write(&hello->scenario, &json);
        json_end(&json);
    }
    message_close(&json);
}

static void write_id(const char *id, struct json_writer *json) {
    if (id != NULL && id[0] != '\0') {
        json_key(json, "id");
        json_raw(json, id);
    }
}

void message_write_unknown(const struct request *request, uint64_t tick, struct buffer *out) {
    struct json_writer json = message_open("event", out);
    json_key_string(&json, "event", "unknown");
    json_key_unsigned(&json, "tick", tick);
    json_key_unsigned(&json, "by", 0);
    json_key_string(&json, "to", request_op_name(request->op));
    request_unknown_write(request, &json);
    message_close(&json);
}

/* request: NULL when none could be read. */
static void write_error(const struct request *request, const char *id, uint64_t line,
                        const struct failure *failure, struct buffer *out) {
    struct json_writer json = message_open("error", out);
    write_id(id, &json);
    if (line > 0) {
        json_key_unsigned(&json, "line", line);
    }
    json_key_string(&json, "code", failure_code_name(failure->code));
    if (failure->field[0] != '\0') {
        json_key_string(&json, "field", failure->field);
    }
    if (failure->has_index) {
        json_key_unsigned(&json, "index", failure->index);
    }
    json_key_string(&json, "message", failure->message);
    if (request != NULL) {
        request_unknown_write(request, &json);
    }
    message_close(&json);
}

void message_write_error(const char *id, uint64_t line, const struct failure *failure, struct buffer *out) {
    write_error(NULL, id, line, failure, out);
}

void message_write_refusal(const struct request *request, uint64_t line, const struct failure *failure,
                           struct buffer *out) {
    write_error(request, request->id, line, failure, out);
}

void message_write_bye(const char *reason, const char *text, uint32_t retry_s, struct buffer *out) {
    struct json_writer json = message_open("bye", out);
    json_key_string(&json, "reason", reason);
    json_key_string(&json, "message", text);
    if (retry_s > 0) {
        json_key_unsigned(&json, "retry_s", retry_s);
    }
    message_close(&json);
}

struct json_writer message_begin_reply(enum request_op op, const char *id, struct buffer *out) {
    struct json_writer json = message_open("reply", out);
    json_key_string(&json, "to", request_op_name(op));
    write_id(id, &json);
    return json;
}

bool message_is_reply(const char *line, size_t length) {
    static const char start[] = "{\"op\":\"reply\",";
    return line != NULL && length >= sizeof start - 1 && memcmp(line, start, sizeof start - 1) == 0;
}

char *message_add_seq(char *line, size_t *length, uint64_t seq) {
    static const char event[] = "{\"op\":\"event\",";
    char end[40];
    const bool is_event =
        line != NULL && *length >= sizeof event && memcmp(line, event, sizeof event - 1) == 0;
    if (!is_event && !message_is_reply(line, *length)) {
        return line;
    }
    assert(line[*length - 1] == '\n' && line[*length - 2] == '}');
    const int added = snprintf(end, sizeof end, ",\"seq\":%" PRIu64 "}\n", seq);
    char *grown = realloc(line, *length + (size_t)added);
    if (grown == NULL) {
        return line;
    }
    memcpy(grown + *length - 2, end, (size_t)added + 1);
    *length += (size_t)added - 2;
    return grown;
}

struct json_writer message_begin_answer(const struct request *request, struct buffer *out) {
    struct json_writer json = message_begin_reply(request->op, request->id, out);
    request_unknown_write(request, &json);
    return json;
}

void message_open_part(const struct request *request, struct json_writer *json) {
    json_object(json);
    json_key_string(json, "to", request_op_name(request->op));
    write_id(request->id, json);
    request_unknown_write(request, json);
}

void message_end_reply(struct json_writer *json, struct buffer *out) {
    assert(json->buffer == out && json->depth == 1);
    (void)out;
    message_close(json);
}

/* ---- reading ---- */

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
    if (fields_read(hello_world_fields, json, "", NULL, hello, NULL, failure) != 0 ||
        message_playback_read(json, &hello->playback, failure) != 0 ||
        message_scenario_read(scenario, &hello->scenario, failure) != 0) {
        return -1;
    }
    return message_pace_read(json, &hello->scenario.pace, failure);
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
    const int size = message_array_size(array, most);
    if (size < 0) {
        return message_fail_array(failure, path, most);
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
    const cJSON *saves = cJSON_GetObjectItemCaseSensitive(json, "saves");
    if (strcmp(reply->to, request_op_name(REQUEST_LIST)) == 0 && saves != NULL) {
        reply->has_saves = true;
        result = read_rows(saves, "saves", MESSAGE_SAVES, save_row_fields, sizeof *reply->saves, &rows,
                           &reply->save_count, failure);
        reply->saves = rows;
    } else if (strcmp(reply->to, request_op_name(REQUEST_LIST)) == 0) {
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

/* 0 for what is no time. */
static double median_ms(const cJSON *phases, const char *phase) {
    const cJSON *item =
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(phases, phase), "p50");
    return cJSON_IsNumber(item) && item->valuedouble >= 0.0 && item->valuedouble < 1e9 ? item->valuedouble
                                                                                       : 0.0;
}

static int read_stats(const cJSON *json, struct message_reply *reply, struct failure *failure) {
    const cJSON *recording = cJSON_GetObjectItemCaseSensitive(json, "recording");
    if (cJSON_IsObject(recording) && cJSON_GetObjectItemCaseSensitive(recording, "ended") == NULL &&
        fields_read(recording_fields, recording, "recording", NULL, reply, NULL, failure) != 0) {
        return -1;
    }
    const cJSON *phases = cJSON_GetObjectItemCaseSensitive(json, "phases_ms");
    reply->phases = (struct message_phases){.is_known = cJSON_IsObject(phases),
                                            .commands_ms = median_ms(phases, "commands"),
                                            .step_ms = median_ms(phases, "step"),
                                            .copy_ms = median_ms(phases, "copy"),
                                            .broadcast_ms = median_ms(phases, "broadcast")};
    return message_cluster_read(json, &reply->cluster, failure);
}

/* The members that only the replies to some ops have. */
static int read_kept(const cJSON *json, struct message_reply *reply, struct failure *failure) {
    if (strcmp(reply->to, request_op_name(REQUEST_SAVE)) == 0) {
        return fields_read(save_fields, json, "", NULL, reply, NULL, failure);
    }
    if (strcmp(reply->to, request_op_name(REQUEST_RECORD)) == 0) {
        return fields_read(record_fields, json, "", NULL, reply, NULL, failure);
    }
    if (strcmp(reply->to, request_op_name(REQUEST_SEEK)) == 0) {
        return fields_read(seek_fields, json, "", NULL, reply, NULL, failure);
    }
    if (strcmp(reply->to, request_op_name(REQUEST_STATS)) == 0) {
        return read_stats(json, reply, failure);
    }
    return 0;
}

static int read_reply(const cJSON *json, struct message_reply *reply, struct failure *failure) {
    if (read_id(json, reply->id, failure) != 0 ||
        fields_read(reply_fields, json, "", NULL, reply, NULL, failure) != 0) {
        return -1;
    }
    reply->has_tick = cJSON_GetObjectItemCaseSensitive(json, "tick") != NULL;
    reply->has_paused = cJSON_GetObjectItemCaseSensitive(json, "paused") != NULL;
    if (reply->has_paused && (message_pace_read(json, &reply->pace, failure) != 0 ||
                              message_playback_read(json, &reply->playback, failure) != 0)) {
        return -1;
    }
    if (read_kept(json, reply, failure) != 0) {
        return -1;
    }
    return read_lists(json, reply, failure);
}

static int read_error(const cJSON *json, struct message_error *error, struct failure *failure) {
    if (read_id(json, error->id, failure) != 0 ||
        fields_read(error_fields, json, "", NULL, error, NULL, failure) != 0) {
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

static int read_body(const cJSON *json, struct message *message, struct failure *failure) {
    switch (message->op) {
    case MESSAGE_HELLO:
        return read_hello(json, &message->body.hello, failure);
    case MESSAGE_SCENARIO:
        return message_scenario_read(json, &message->body.scenario, failure) != 0
                   ? -1
                   : message_pace_read(json, &message->body.scenario.pace, failure);
    case MESSAGE_REPLY:
        return read_reply(json, &message->body.reply, failure);
    case MESSAGE_EVENT:
        return message_event_read(json, &message->body.event, failure);
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
        free(message->body.reply.saves);
        message->body.reply.saves = NULL;
        message->body.reply.save_count = 0;
        free(message->body.reply.params);
        free(message->body.reply.cluster);
        message->body.reply.cluster = NULL;
        free(message->body.reply.agents);
        message->body.reply.agents = NULL;
        message->body.reply.agent_count = 0;
        message->body.reply.scenarios = NULL;
        message->body.reply.params = NULL;
        message->body.reply.scenario_count = 0;
        message->body.reply.param_count = 0;
    }
}
