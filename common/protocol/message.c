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
#include <math.h>
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
static const struct field replay_fields[] = {
    ROW(struct message_replay, "world", FIELD_UINT32, world, NEED, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "first", FIELD_UINT64, first, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "last", FIELD_UINT64, last, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_replay, "worlds", FIELD_UINT32, worlds, NEED, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "speed", FIELD_DOUBLE, speed, NEED, 0, 1000),
    ROW(struct message_replay, "diverged", FIELD_BOOL, has_diverged, NEED, 0, 0),
    END,
};

static const struct field divergence_fields[] = {
    ROW(struct message_replay, "diverged_world", FIELD_UINT32, diverged_world, 0, 1, (double)UINT32_MAX),
    ROW(struct message_replay, "diverged_tick", FIELD_UINT64, diverged_tick, 0, 0, LIMIT_ID_INTEGER),
    END,
};

static const struct field replay_seek_fields[] = {
    ROW(struct message_replay, "seeking", FIELD_DOUBLE, sought, 0, 0, 1),
    END,
};

static const struct field resuming_fields[] = {
    ROW(struct message_playback, "resuming", FIELD_DOUBLE, resumed, 0, 0, 1),
    END,
};

static const struct field left_out_fields[] = {
    ROW(struct message_playback, "ticks", FIELD_UINT64, left_out_ticks, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_playback, "requests", FIELD_UINT64, left_out_requests, NEED, 0, LIMIT_ID_INTEGER),
    END,
};
/* clang-format on */

/* Thousandths are enough of a share. */
static double rounded_share(double share) {
    return floor(fmin(fmax(share, 0.0), 1.0) * 1000.0) / 1000.0;
}

static void write_replay(const struct message_replay *replay, struct json_writer *json) {
    message_write_fields(replay_fields, replay, json);
    if (replay->has_diverged) {
        message_write_fields(divergence_fields, replay, json);
    }
    if (replay->is_seeking) {
        json_key_number(json, "seeking", rounded_share(replay->sought));
    }
    json_key(json, "spans");
    json_array(json);
    for (int i = 0; i < replay->span_count; i++) {
        json_array(json);
        json_unsigned(json, replay->spans[i].first);
        json_unsigned(json, replay->spans[i].last);
        json_end(json);
    }
    json_end(json);
}

void message_playback_write(const struct message_playback *playback, struct json_writer *json) {
    if (playback->is_resuming) {
        json_key_number(json, "resuming", rounded_share(playback->resumed));
    }
    if (playback->has_left_out) {
        json_key(json, "left_out");
        json_object(json);
        message_write_fields(left_out_fields, playback, json);
        json_end(json);
    }
    if (playback->has_replay) {
        json_key(json, "replay");
        json_object(json);
        write_replay(&playback->replay, json);
        json_end(json);
    }
}

static bool read_tick(const cJSON *item, uint64_t *tick) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0 && item->valuedouble <= LIMIT_ID_INTEGER)) {
        return false;
    }
    *tick = (uint64_t)item->valuedouble;
    return true;
}

/* Spans beyond the room there is are left out. */
static int read_spans(const cJSON *array, struct message_replay *replay, struct failure *failure) {
    const cJSON *item = NULL;
    if (array != NULL && !cJSON_IsArray(array)) {
        return failure_set(failure, FAILURE_INVALID, "replay.spans", "expected an array");
    }
    cJSON_ArrayForEach(item, array) {
        if (replay->span_count == MESSAGE_REPLAY_SPANS) {
            break;
        }
        struct message_replay_span *span = &replay->spans[replay->span_count++];
        if (!cJSON_IsArray(item) || !read_tick(cJSON_GetArrayItem(item, 0), &span->first) ||
            !read_tick(cJSON_GetArrayItem(item, 1), &span->last)) {
            return failure_set(failure, FAILURE_INVALID, "replay.spans", "expected [first, last], ticks");
        }
    }
    return 0;
}

static int read_replay(const cJSON *json, struct message_replay *replay, struct failure *failure) {
    if (!cJSON_IsObject(json)) {
        return failure_set(failure, FAILURE_INVALID, "replay", "expected an object");
    }
    if (fields_read(replay_fields, json, "replay", NULL, replay, NULL, failure) != 0 ||
        fields_read(divergence_fields, json, "replay", NULL, replay, NULL, failure) != 0 ||
        fields_read(replay_seek_fields, json, "replay", NULL, replay, NULL, failure) != 0) {
        return -1;
    }
    replay->is_seeking = cJSON_GetObjectItemCaseSensitive(json, "seeking") != NULL;
    return read_spans(cJSON_GetObjectItemCaseSensitive(json, "spans"), replay, failure);
}

int message_playback_read(const cJSON *json, struct message_playback *playback, struct failure *failure) {
    const cJSON *left_out = cJSON_GetObjectItemCaseSensitive(json, "left_out");
    const cJSON *replay = cJSON_GetObjectItemCaseSensitive(json, "replay");
    playback->is_resuming = cJSON_GetObjectItemCaseSensitive(json, "resuming") != NULL;
    playback->has_left_out = cJSON_IsObject(left_out);
    playback->has_replay = replay != NULL;
    if (fields_read(resuming_fields, json, "", NULL, playback, NULL, failure) != 0) {
        return -1;
    }
    if (playback->has_left_out &&
        fields_read(left_out_fields, left_out, "left_out", NULL, playback, NULL, failure) != 0) {
        return -1;
    }
    return playback->has_replay ? read_replay(replay, &playback->replay, failure) : 0;
}

/* ---- cluster ---- */

/* clang-format off */
static const struct field cluster_fields[] = {
    ROW(struct message_cluster, "mode", FIELD_TEXT, mode, NEED, 0, 0),
    ROW(struct message_cluster, "count", FIELD_UINT32, count, NEED, 1, (double)INT32_MAX),
    ROW(struct message_cluster, "longest", FIELD_UINT32, longest, NEED, 0, (double)INT32_MAX),
    ROW(struct message_cluster, "balance", FIELD_DOUBLE, balance, NEED, 0, 1),
    ROW(struct message_cluster, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "ghosts", FIELD_UINT64, ghosts, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "migrants", FIELD_UINT64, migrants, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_cluster, "migrants_per_second", FIELD_DOUBLE, migrants_hz, NEED, 0, DBL_MAX),
    END,
};

static const struct field rank_fields[] = {
    ROW(struct message_rank, "rank", FIELD_UINT32, rank, NEED, 0, (double)INT32_MAX),
    ROW(struct message_rank, "host", FIELD_TEXT, host, NEED, 0, 0),
    ROW(struct message_rank, "agents", FIELD_UINT64, agents, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_rank, "ghosts", FIELD_UINT64, ghosts, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_rank, "migrants", FIELD_UINT64, migrants, NEED, 0, LIMIT_ID_INTEGER),
    END,
};

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
/* clang-format on */

static bool read_row(const cJSON *item, uint32_t *row) {
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0.0 && item->valuedouble <= (double)UINT32_MAX)) {
        return false;
    }
    *row = (uint32_t)item->valuedouble;
    return true;
}

static int read_rank(const cJSON *json, struct message_rank *rank, struct failure *failure) {
    const char path[] = "cluster.ranks";
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(json, "rows");
    if (fields_read(rank_fields, json, path, NULL, rank, NULL, failure) != 0 ||
        fields_read(work_fields, cJSON_GetObjectItemCaseSensitive(json, "work_ms"), path, NULL, rank, NULL,
                    failure) != 0 ||
        fields_read(wait_fields, cJSON_GetObjectItemCaseSensitive(json, "wait_ms"), path, NULL, rank, NULL,
                    failure) != 0) {
        return -1;
    }
    rank->has_rows = rows != NULL;
    if (rank->has_rows && (!cJSON_IsArray(rows) || !read_row(cJSON_GetArrayItem(rows, 0), &rank->row) ||
                           !read_row(cJSON_GetArrayItem(rows, 1), &rank->row_end))) {
        return failure_set(failure, FAILURE_INVALID, path, "expected [first, end], rows of cells");
    }
    return 0;
}

static int read_cluster(const cJSON *json, struct message_cluster *cluster, struct failure *failure) {
    const cJSON *ranks = cJSON_GetObjectItemCaseSensitive(json, "ranks"), *item = NULL;
    if (fields_read(cluster_fields, json, "cluster", NULL, cluster, NULL, failure) != 0) {
        return -1;
    }
    if (message_array_size(ranks, MESSAGE_RANKS) < 0) {
        return message_fail_array(failure, "cluster.ranks", MESSAGE_RANKS);
    }
    cJSON_ArrayForEach(item, ranks) {
        if (read_rank(item, &cluster->ranks[cluster->rank_count], failure) != 0) {
            return -1;
        }
        cluster->rank_count++;
    }
    return 0;
}

int message_cluster_read(const cJSON *json, struct message_cluster **cluster, struct failure *failure) {
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(json, "cluster");
    *cluster = NULL;
    if (member == NULL) {
        return 0;
    }
    struct message_cluster *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        return failure_set(failure, FAILURE_BUSY, "cluster", "out of memory");
    }
    if (read_cluster(member, fresh, failure) != 0) {
        free(fresh);
        return -1;
    }
    *cluster = fresh;
    return 0;
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
    } else if ((event->has & EVENT_HAS_SHAPE) != 0) {
        message_geometry_put(&scenario->geometry, &event->obstacle);
    }
}
