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

#include "common/base/limits.h"
#include "common/json/field_json.h"
#include "common/json/json_check.h"
#include "common/json/json_text.h"
#include "common/protocol/message_parts.h"
#include "common/protocol/request.h"

/* ---- playback ---- */

/* clang-format off */
static const struct field span_fields[] = {
    ROW(struct message_replay_span, "first", FIELD_UINT64, first, 0, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay_span, "last", FIELD_UINT64, last, 0, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field replay_fields[] = {
    ROW(struct message_replay, "world", FIELD_UINT32, world, NEED, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "first", FIELD_UINT64, first, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "last", FIELD_UINT64, last, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "worlds", FIELD_UINT32, worlds, NEED, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "speed", FIELD_DOUBLE, speed, NEED, 0, 1000),
    ROW(struct message_replay, "diverged", FIELD_BOOL, has_diverged, NEED, 0, 0),
    ROW(struct message_replay, "diverged_world", FIELD_UINT32, diverged_world, 0, 1, (double)UINT32_MAX,
        FIELD_HAS(struct message_replay, has_diverged)),
    ROW(struct message_replay, "diverged_tick", FIELD_UINT64, diverged_tick, 0, 0, LIMIT_ID_INTEGER,
        FIELD_HAS(struct message_replay, has_diverged)),
    ROW(struct message_replay, "seeking", FIELD_DOUBLE, sought, 0, 0, 1,
        FIELD_HAS(struct message_replay, is_seeking)),
    ROWS(struct message_replay, "spans", spans, span_count, FIELD_CUT, MESSAGE_REPLAY_SPANS,
         ENTRY(.type = FIELD_TUPLE, .table = span_fields, .unit = "[first, last], ticks")),
    END,
};

static const struct field left_out_fields[] = {
    ROW(struct message_playback, "ticks", FIELD_UINT64, left_out_ticks, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_playback, "requests", FIELD_UINT64, left_out_requests, NEED, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field restarted_fields[] = {
    ROW(struct message_playback, "tick", FIELD_UINT64, restarted_tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_playback, "reason", FIELD_TEXT, lost, NEED, 0, 0),
    END,
};

static const struct field playback_fields[] = {
    ROW(struct message_playback, "resuming", FIELD_DOUBLE, resumed, 0, 0, 1,
        FIELD_HAS(struct message_playback, is_resuming)),
    OBJECT_HERE("left_out", left_out_fields, FIELD_HAS(struct message_playback, has_left_out)),
    OBJECT_HERE("restarted", restarted_fields, FIELD_HAS(struct message_playback, has_restarted)),
    OBJECT(struct message_playback, "replay", replay, replay_fields,
           FIELD_HAS(struct message_playback, has_replay)),
    END,
};
/* clang-format on */

void message_playback_write(const struct message_playback *playback, struct json_writer *json) {
    struct message_playback shared = *playback;
    shared.resumed = message_share(shared.resumed);
    shared.replay.sought = message_share(shared.replay.sought);
    fields_write(playback_fields, &shared, json);
}

int message_playback_read(const cJSON *json, struct message_playback *playback, struct failure *failure) {
    return fields_read(playback_fields, json, "", NULL, playback, NULL, failure);
}

/* ---- cluster ---- */

/* clang-format off */
static const struct field work_fields[] = {
    ROW(struct message_rank, "mean", FIELD_DOUBLE, work_ms, NEED, 0, DBL_MAX),
    ROW(struct message_rank, "p99", FIELD_DOUBLE, work_p99_ms, NEED, 0, DBL_MAX),
    END,
};

static const struct field wait_fields[] = {
    ROW(struct message_rank, "mean", FIELD_DOUBLE, wait_ms, NEED, 0, DBL_MAX),
    ROW(struct message_rank, "p99", FIELD_DOUBLE, wait_p99_ms, NEED, 0, DBL_MAX),
    END,
};

static const struct field row_fields[] = {
    ROW(struct message_rank, "first", FIELD_UINT32, row, 0, 0, (double)UINT32_MAX),
    ROW(struct message_rank, "end", FIELD_UINT32, row_end, 0, 0, (double)UINT32_MAX),
    END,
};

static const struct field rank_fields[] = {
    ROW(struct message_rank, "rank", FIELD_UINT32, rank, NEED, 0, (double)INT32_MAX),
    ROW(struct message_rank, "host", FIELD_TEXT, host, NEED, 0, 0),
    ROW(struct message_rank, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_rank, "ghosts", FIELD_UINT64, ghosts, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_rank, "migrants", FIELD_UINT64, migrants, NEED, 0, LIMIT_ID_INTEGER),
    OBJECT_HERE("work_ms", work_fields, .flags = NEED),
    OBJECT_HERE("wait_ms", wait_fields, .flags = NEED),
    {.name = "rows", .type = FIELD_TUPLE, .table = row_fields, .unit = "[first, end], rows of cells",
     FIELD_HAS(struct message_rank, has_rows)},
    END,
};

static const struct field cluster_fields[] = {
    ROW(struct message_cluster, "mode", FIELD_TEXT, mode, NEED, 0, 0),
    ROW(struct message_cluster, "count", FIELD_UINT32, count, NEED, 1, (double)INT32_MAX),
    ROW(struct message_cluster, "longest", FIELD_UINT32, longest, NEED, 0, (double)INT32_MAX),
    ROW(struct message_cluster, "balance", FIELD_DOUBLE, balance, NEED, 0, 1),
    ROW(struct message_cluster, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "ghosts", FIELD_UINT64, ghosts, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "migrants", FIELD_UINT64, migrants, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "migrants_per_second", FIELD_DOUBLE, migrants_hz, NEED, 0, DBL_MAX),
    ROWS(struct message_cluster, "ranks", ranks, rank_count, NEED, MESSAGE_RANKS, OBJECTS(rank_fields)),
    END,
};

static const struct field gate_count_fields[] = {
    ROW(struct message_gate_count, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_gate_count, "forward", FIELD_UINT64, forward, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_gate_count, "backward", FIELD_UINT64, backward, NEED, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field area_count_fields[] = {
    ROW(struct message_area_count, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_area_count, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_area_count, "mean_speed", FIELD_FLOAT, mean_speed, NEED, 0, FLOAT_MOST),
    ROW(struct message_area_count, "density", FIELD_FLOAT, density, NEED, 0, FLOAT_MOST),
    END,
};

static const struct field measure_fields[] = {
    ROWS(struct message_measure, "gates", gates, gate_count, NEED, LIMIT_GATES, OBJECTS(gate_count_fields)),
    ROWS(struct message_measure, "areas", areas, area_count, NEED, LIMIT_AREAS, OBJECTS(area_count_fields)),
    END,
};

static const struct field polarisation_fields[] = {
    ROW(struct message_comparison, "world", FIELD_DOUBLE, polarisation[0], NEED, 0, 1),
    ROW(struct message_comparison, "twin", FIELD_DOUBLE, polarisation[1], NEED, 0, 1),
    END,
};

static const struct field both_fields[] = {
    ROW(struct message_state_count, "world", FIELD_UINT32, agents[0], NEED, 0, (double)UINT32_MAX),
    ROW(struct message_state_count, "twin", FIELD_UINT32, agents[1], NEED, 0, (double)UINT32_MAX),
    END,
};

static const struct field state_count_fields[] = {
    ROW(struct message_state_count, "state", FIELD_NAME, state, NEED, 0, 0),
    {.name = "agents", .type = FIELD_TUPLE, .table = both_fields, .unit = "[world, twin]", .flags = NEED},
    END,
};

static const struct field comparison_fields[] = {
    {.name = "polarisation", .type = FIELD_TUPLE, .table = polarisation_fields, .unit = "[world, twin]", .flags = NEED},
    ROWS(struct message_comparison, "states", states, state_count, NEED, MESSAGE_TWIN_STATES, OBJECTS(state_count_fields)),
    END,
};

/* clang-format on */

/* *measure is the caller's to free, also after -1. */
static int read_measure(const cJSON *json, struct message_measure **measure, struct failure *failure) {
    *measure = calloc(1, sizeof **measure);
    if (*measure == NULL) {
        return failure_set(failure, FAILURE_BUSY, "gates", "out of memory");
    }
    return fields_read(measure_fields, json, "", NULL, *measure, NULL, failure);
}

/* Reads the member of this name into zeroed memory of size bytes, the caller's to free; NULL when there is none, or after -1. */
static void *read_member(const cJSON *json, const char *name, const struct field *fields, size_t size,
                         int *result, struct failure *failure) {
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(json, name);
    *result = 0;
    if (member == NULL) {
        return NULL;
    }
    void *fresh = calloc(1, size);
    if (fresh == NULL) {
        *result = failure_set(failure, FAILURE_BUSY, name, "out of memory");
        return NULL;
    }
    *result = fields_read(fields, member, name, NULL, fresh, NULL, failure);
    if (*result != 0) {
        free(fresh);
        return NULL;
    }
    return fresh;
}

int message_cluster_read(const cJSON *json, struct message_cluster **cluster, struct failure *failure) {
    int result;
    *cluster = read_member(json, "cluster", cluster_fields, sizeof **cluster, &result, failure);
    return result;
}

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

static const struct field rewind_fields[] = {
    ROW(struct message_reply, "branch", FIELD_NAME, branch, NEED, 0, 0),
    END,
};

static const struct field look_fields[] = {
    ROW(struct message_reply, "branch", FIELD_NAME, branch, 0, 0, 0),
    END,
};

static const struct field mark_fields[] = {
    ROW(struct message_reply, "name", FIELD_NAME, mark, NEED, 0, 0),
    END,
};

static const struct field past_branch_fields[] = {
    ROW(struct message_branch, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_branch, "from", FIELD_NAME, from, 0, 0, 0),
    ROW(struct message_branch, "at", FIELD_UINT64, at, 0, 0, LIMIT_ID_INTEGER),
    ROW(struct message_branch, "first", FIELD_UINT64, first, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_branch, "last", FIELD_UINT64, last, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_branch, "current", FIELD_BOOL, is_current, NEED, 0, 0),
    END,
};

static const struct field past_mark_fields[] = {
    ROW(struct message_mark, "name", FIELD_NAME, name, NEED, 0, 0),
    ROW(struct message_mark, "branch", FIELD_NAME, branch, NEED, 0, 0),
    ROW(struct message_mark, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field past_change_fields[] = {
    ROW(struct message_change, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_change, "number", FIELD_UINT64, number, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_change, "branch", FIELD_NAME, branch, NEED, 0, 0),
    ROW(struct message_change, "by", FIELD_UINT32, by, NEED, 0, (double)UINT32_MAX),
    ROW(struct message_change, "count", FIELD_UINT32, count, 0, 0, (double)UINT32_MAX),
    ROW(struct message_change, "name", FIELD_TEXT, name, 0, 0, 0),
    ROW(struct message_change, "op", FIELD_NAME, op, NEED, 0, 0),
    ROW(struct message_change, "text", FIELD_TEXT, text, NEED, 0, 0),
    END,
};

static const struct field past_fields[] = {
    ROWS(struct message_past, "branches", branches, branch_count, FIELD_CUT, MESSAGE_BRANCHES,
         OBJECTS(past_branch_fields), FIELD_HAS(struct message_past, has_branches)),
    ROWS(struct message_past, "marks", marks, mark_count, FIELD_CUT, MESSAGE_MARKS, OBJECTS(past_mark_fields)),
    ROWS(struct message_past, "changes", changes, change_count, FIELD_CUT, MESSAGE_CHANGES,
         OBJECTS(past_change_fields), FIELD_HAS(struct message_past, has_changes)),
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

static const struct field cursors_fields[] = {
    ROWS(struct message_cursors, "cursors", rows, count, NEED | FIELD_CUT, MESSAGE_CURSOR_ROWS, OBJECTS(cursor_fields)),
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

static const struct field list_fields[] = {
    ROWS(struct message_reply, "scenarios", scenarios, scenario_count, FIELD_HEAP, MESSAGE_SCENARIOS,
         OBJECTS(scenario_row_fields)),
    ROWS(struct message_reply, "saves", saves, save_count, FIELD_HEAP, MESSAGE_SAVES, OBJECTS(save_row_fields),
         FIELD_HAS(struct message_reply, has_saves)),
    END,
};

static const struct field params_fields[] = {
    ROWS(struct message_reply, "params", params, param_count, FIELD_HEAP, MESSAGE_PARAMS, OBJECTS(param_fields)),
    END,
};

/* The members that only the replies to some ops have. */
static const struct {
    enum request_op op;
    const struct field *fields;
} answers[] = {
    {REQUEST_SAVE, save_fields}, {REQUEST_RECORD, record_fields}, {REQUEST_SEEK, seek_fields},
    {REQUEST_LIST, list_fields}, {REQUEST_GET_PARAMS, params_fields},
    {REQUEST_REWIND, rewind_fields}, {REQUEST_MARK, mark_fields}, {REQUEST_LOOK, look_fields},
};
/* clang-format on */

/* ---- writing ---- */

void message_write_hello(const struct message_hello *hello, struct buffer *out) {
    struct json_writer json = message_open("hello", out);
    fields_write(hello_fields, hello, &json);
    if (hello->has_world) {
        fields_write(hello_world_fields, hello, &json);
    }
    fields_write(hello_role_fields, hello, &json);
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
    if (failure->has_tick) {
        json_key_unsigned(&json, "tick", failure->tick);
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
    const bool is_step = request->op == REQUEST_REWIND && request->body.rewind.is_step;
    struct json_writer json = message_begin_reply(is_step ? REQUEST_STEP : request->op, request->id, out);
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
    int result;
    reply->comparison =
        read_member(json, "compare", comparison_fields, sizeof *reply->comparison, &result, failure);
    return result != 0 ? -1 : message_cluster_read(json, &reply->cluster, failure);
}

static bool is_answer_to(const struct message_reply *reply, enum request_op op) {
    return strcmp(reply->to, request_op_name(op)) == 0;
}

/* Of a reply to list, if it tells of the past. */
static int read_past(const cJSON *json, struct message_reply *reply, struct failure *failure) {
    if (!is_answer_to(reply, REQUEST_LIST) ||
        (!cJSON_HasObjectItem(json, "branches") && !cJSON_HasObjectItem(json, "changes"))) {
        return 0;
    }
    reply->past = calloc(1, sizeof *reply->past);
    if (reply->past == NULL) {
        return failure_set(failure, FAILURE_BUSY, "branches", "out of memory");
    }
    return fields_read(past_fields, json, "", NULL, reply->past, NULL, failure);
}

static int read_answer(const cJSON *json, struct message_reply *reply, struct failure *failure) {
    if (read_past(json, reply, failure) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (is_answer_to(reply, answers[i].op)) {
            return fields_read(answers[i].fields, json, "", NULL, reply, NULL, failure);
        }
    }
    if (is_answer_to(reply, REQUEST_INSPECT)) {
        return message_agents_read(cJSON_GetObjectItemCaseSensitive(json, "agents"), &reply->agents,
                                   &reply->agent_count, failure);
    }
    if (is_answer_to(reply, REQUEST_MEASURE)) {
        return read_measure(json, &reply->measure, failure);
    }
    return is_answer_to(reply, REQUEST_STATS) ? read_stats(json, reply, failure) : 0;
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
    return read_answer(json, reply, failure);
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
        return fields_read(cursors_fields, json, "", NULL, &message->body.cursors, NULL, failure);
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
        free(message->body.reply.past);
        message->body.reply.past = NULL;
        free(message->body.reply.params);
        free(message->body.reply.cluster);
        message->body.reply.cluster = NULL;
        free(message->body.reply.comparison);
        message->body.reply.comparison = NULL;
        free(message->body.reply.measure);
        message->body.reply.measure = NULL;
        free(message->body.reply.agents);
        message->body.reply.agents = NULL;
        message->body.reply.agent_count = 0;
        message->body.reply.scenarios = NULL;
        message->body.reply.params = NULL;
        message->body.reply.scenario_count = 0;
        message->body.reply.param_count = 0;
    }
}

/* ---- change ---- */

/* A client's description of the world follows the events about targets and obstacles. Owns nothing.
 *
 * Invariant: names stand once, and counts stay within the arrays, whatever a server says.
 */

static int find_target(const struct message_scenario *scenario, const char *name) {
    int index = 0;
    while (index < scenario->target_count && strcmp(scenario->targets[index], name) != 0) {
        index++;
    }
    return index;
}

static void add_target(struct message_scenario *scenario, const char *name) {
    const int index = find_target(scenario, name);
    if (index == scenario->target_count && index < LIMIT_TARGETS) {
        memcpy(scenario->targets[index], name, strlen(name) + 1);
        scenario->target_count++;
    }
}

static void remove_target(struct message_scenario *scenario, const char *name) {
    const int index = find_target(scenario, name);
    if (index < scenario->target_count) {
        scenario->target_count--;
        memmove(scenario->targets[index], scenario->targets[index + 1],
                sizeof scenario->targets[0] * (size_t)(scenario->target_count - index));
    }
}

void message_scenario_follow(struct message_scenario *scenario, const struct message_event *event) {
    if (strcmp(event->event, "target_added") == 0 && (event->has & EVENT_HAS_TARGET) != 0) {
        add_target(scenario, event->target);
    } else if (strcmp(event->event, "target_removed") == 0 && (event->has & EVENT_HAS_TARGET) != 0) {
        remove_target(scenario, event->target);
    } else if (strcmp(event->event, "obstacle_removed") == 0 && (event->has & EVENT_HAS_OBSTACLE) != 0) {
        message_geometry_remove(&scenario->geometry, event->obstacle.id);
    } else if ((event->has & EVENT_HAS_FLOW) != 0) {
        message_geometry_put_flow(&scenario->geometry, &event->flow);
    } else if ((event->has & EVENT_HAS_SHAPE) != 0) {
        message_geometry_put(&scenario->geometry, &event->obstacle);
    }
}
