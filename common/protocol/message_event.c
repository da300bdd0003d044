/* Events: writing and reading, by the same rows. Owns nothing. */
#include "common/protocol/message_event.h"

#include <float.h>
#include <math.h>

#include "common/json/field_json.h"
#include "common/protocol/message_geometry.h"
#include "common/protocol/message_parts.h"

/* clang-format off */
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
/* clang-format on */

void message_write_event(const struct message_event *event, struct buffer *out) {
    struct json_writer json = message_open("event", out);
    message_write_fields(event_fields, event, &json);
    for (size_t i = 0; i < sizeof event_groups / sizeof event_groups[0]; i++) {
        if ((event->has & event_groups[i].has) != 0) {
            message_write_fields(event_groups[i].fields, event, &json);
        }
    }
    if ((event->has & EVENT_HAS_PLACE) != 0) {
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
