/* Events: writing and reading, by the same rows. Owns nothing. */
#include "common/protocol/message_event.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/message_geometry.h"
#include "common/protocol/message_parts.h"

const char *const message_event_names[] = {"paused",
                                           "resumed",
                                           "speed",
                                           "warmed_up",
                                           "resumed_from",
                                           "diverged",
                                           "spawned",
                                           "removed",
                                           "param",
                                           "target",
                                           "target_added",
                                           "target_removed",
                                           "obstacle_added",
                                           "obstacle_moved",
                                           "obstacle_removed",
                                           "recording_started",
                                           "recording_ended",
                                           "saved",
                                           "save_removed",
                                           "withdrawn",
                                           "stepped",
                                           "aim",
                                           "placed",
                                           "driven",
                                           "loaded",
                                           "cursor",
                                           "cursor_gone",
                                           "reached",
                                           "caught",
                                           "overload",
                                           NULL};

static_assert(sizeof message_event_names / sizeof message_event_names[0] <= 65, "each event has a bit");

static uint64_t find_bit(const char *name, size_t length) {
    for (int i = 0; message_event_names[i] != NULL; i++) {
        if (strlen(message_event_names[i]) == length && memcmp(message_event_names[i], name, length) == 0) {
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

uint64_t message_event_bit(const char *name) {
    return find_bit(name, strlen(name));
}

uint64_t message_event_set(const char *names) {
    uint64_t set = names[0] == '\0' ? UINT64_MAX : 0;
    for (const char *at = names; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        set |= find_bit(at, length);
        at += length + (at[length] == ' ');
    }
    return set;
}

/* clang-format off */
static const struct field event_fields[] = {
    ROW(struct message_event, "event", FIELD_NAME, event, NEED, 0, 0),
    ROW(struct message_event, "tick", FIELD_UINT64, tick, NEED, 0, LIMIT_ID_INTEGER),
    ROW(struct message_event, "by", FIELD_UINT32, by, NEED, 0, (double)UINT32_MAX),
    END,
};

enum { HAS_X_AND_Y = EVENT_HAS_TARGET | EVENT_HAS_CANDIDATES | EVENT_HAS_PLACE };

/* Members that only some events have, each group by its bit of `has`. The x and y of HAS_X_AND_Y follow. */
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
    GROUP(EVENT_HAS_LOSS, ROW(struct message_event, "ticks", FIELD_UINT64, ticks, 0, 0, LIMIT_ID_INTEGER),
          ROW(struct message_event, "requests", FIELD_UINT64, requests, 0, 0, LIMIT_ID_INTEGER)),
    GROUP(EVENT_HAS_RADIUS, ROW(struct message_event, "radius", FIELD_FLOAT, radius, 0, 0, FLOAT_MOST)),
    GROUP(EVENT_HAS_VELOCITY, ROW(struct message_event, "vx", FIELD_FLOAT, vx, 0, -FLOAT_MOST, FLOAT_MOST),
          ROW(struct message_event, "vy", FIELD_FLOAT, vy, 0, -FLOAT_MOST, FLOAT_MOST)),
    GROUP(EVENT_HAS_HEADING, ROW(struct message_event, "heading", FIELD_ANGLE, heading, 0, -360, 360)),
    GROUP(EVENT_HAS_FOLLOW, ROW(struct message_event, "follow", FIELD_NAME, follow, 0, 0, 0)),
    GROUP(EVENT_HAS_CLEAR, ROW(struct message_event, "clear", FIELD_BOOL, clear, 0, 0, 0)),
    GROUP(EVENT_HAS_CURSOR, ROW(struct message_event, "cursor", FIELD_NAME, cursor, 0, 0, 0)),
    GROUP(EVENT_HAS_SCENARIO, ROW(struct message_event, "scenario", FIELD_NAME, scenario, 0, 0, 0)),
    GROUP(EVENT_HAS_SAVE, ROW(struct message_event, "save", FIELD_NAME, save, 0, 0, 0)),
    GROUP(EVENT_HAS_FILE, ROW(struct message_event, "file", FIELD_TEXT, file, 0, 0, 0)),
    GROUP(EVENT_HAS_REASON, ROW(struct message_event, "reason", FIELD_TEXT, reason, 0, 0, 0)),
    GROUP(EVENT_HAS_SPEED, ROW(struct message_event, "speed", FIELD_DOUBLE, speed, 0, 0, 1000)),
    GROUP(EVENT_HAS_SEQ, ROW(struct message_event, "seq", FIELD_UINT64, seq, 0, 0, LIMIT_ID_INTEGER)),
    GROUP(EVENT_HAS_SKIPPED, ROW(struct message_event, "skipped", FIELD_UINT64, skipped, 0, 0, LIMIT_ID_INTEGER)),
};
/* clang-format on */

static void write_agents(const struct message_event *event, struct json_writer *json) {
    json_key(json, "agents");
    json_array(json);
    for (int i = 0; i < event->agent_count; i++) {
        json_unsigned(json, event->agents[i]);
    }
    json_end(json);
}

static int read_agents(const cJSON *json, struct message_event *event, struct failure *failure) {
    const cJSON *ids = cJSON_GetObjectItemCaseSensitive(json, "agents"), *id = NULL;
    if (ids == NULL) {
        return 0;
    }
    event->has |= EVENT_HAS_AGENTS;
    cJSON_ArrayForEach(id, ids) {
        if (event->agent_count == LIMIT_DIVERGED_AGENTS || !cJSON_IsNumber(id) || !(id->valuedouble >= 0.0) ||
            !(id->valuedouble <= (double)UINT32_MAX)) {
            return failure_set(failure, FAILURE_INVALID, "agents", "expected at most %d ids of agents",
                               LIMIT_DIVERGED_AGENTS);
        }
        event->agents[event->agent_count++] = (uint32_t)id->valuedouble;
    }
    return 0;
}

void message_write_event(const struct message_event *event, struct buffer *out) {
    struct json_writer json = message_open("event", out);
    message_write_fields(event_fields, event, &json);
    for (size_t i = 0; i < sizeof event_groups / sizeof event_groups[0]; i++) {
        if ((event->has & event_groups[i].has) != 0) {
            message_write_fields(event_groups[i].fields, event, &json);
        }
    }
    if ((event->has & EVENT_HAS_AGENTS) != 0) {
        write_agents(event, &json);
    }
    if ((event->has & HAS_X_AND_Y) != 0) {
        json_key_hundredths(&json, "x", event->x);
        json_key_hundredths(&json, "y", event->y);
    }
    if ((event->has & EVENT_HAS_SHAPE) != 0) {
        message_obstacle_write(&event->obstacle, &json);
    }
    message_close(&json);
}

/* Members that an event need not have are marked in `has` when they are there. */
int message_event_read(const cJSON *json, struct message_event *event, struct failure *failure) {
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
    if (read_agents(json, event, failure) != 0) {
        return -1;
    }
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(json, "x");
    const cJSON *y = cJSON_GetObjectItemCaseSensitive(json, "y");
    if ((event->has & HAS_X_AND_Y) == 0 && x != NULL) {
        event->has |= EVENT_HAS_PLACE;
    }
    if ((event->has & HAS_X_AND_Y) != 0) {
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
