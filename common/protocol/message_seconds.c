/* See message_seconds.h. */
#include "common/protocol/message_seconds.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "common/json/field_json.h"
#include "common/protocol/message_parts.h"

/* The fastest that a world may go; more is as good as that. */
#define SPEED_MOST 1e6
#define CLOCK_MOST 1e15

static const char *const layouts[] = {"packed", "density", NULL};

/* clang-format off */
static const struct field rows[] = {
    ROW(struct message_seconds, "version", FIELD_UINT32, version, NEED, 1, 1),
    ROW(struct message_seconds, "latest", FIELD_UINT64, latest, NEED, 1, LIMIT_ID_INTEGER),
    ROW(struct message_seconds, "first", FIELD_UINT64, first, NEED, 1, LIMIT_ID_INTEGER),
    ROW(struct message_seconds, "layout", FIELD_CHOICE, layout, 0, 0, 0, .choices = layouts),
    ROW(struct message_seconds, "paused", FIELD_BOOL, is_paused, 0, 0, 0),
    ROW(struct message_seconds, "ended", FIELD_BOOL, has_ended, 0, 0, 0),
    ROW(struct message_seconds, "speed", FIELD_DOUBLE, speed, 0, 0, SPEED_MOST),
    ROW(struct message_seconds, "clock", FIELD_DOUBLE, clock_ms, 0, 0, CLOCK_MOST),
    ROW(struct message_seconds, "written", FIELD_UINT64, written, 0, 0, LIMIT_ID_INTEGER),
    ROWS(struct message_seconds, "scenarios", scenarios, scenario_count, NEED, MESSAGE_SECONDS_SCENARIOS,
         ENTRY(.type = FIELD_UINT64, .size = sizeof(uint64_t), .min = 1, .max = LIMIT_ID_INTEGER)),
    END,
};
/* clang-format on */

struct message_seconds message_seconds_empty(void) {
    return (struct message_seconds){.version = 1, .speed = 1.0};
}

int message_seconds_read(const char *text, struct message_seconds *index, struct failure *failure) {
    cJSON *json = cJSON_Parse(text);
    *index = message_seconds_empty();
    int result = cJSON_IsObject(json) ? fields_read(rows, json, "", NULL, index, NULL, failure)
                                      : failure_set(failure, FAILURE_BAD_PARAM, NULL, "expected an object");
    if (result == 0 && index->latest + 1 < index->first) {
        result = failure_set(failure, FAILURE_OUT_OF_RANGE, "latest", "it is before the first");
    }
    cJSON_Delete(json);
    return result;
}

void message_seconds_write(const struct message_seconds *index, struct buffer *out) {
    struct json_writer json = json_writer_begin(out);
    json_object(&json);
    fields_write(rows, index, &json);
    json_end(&json);
    buffer_append_text(out, "\n");
}

uint64_t message_seconds_scenario(const struct message_seconds *index, uint64_t number) {
    uint64_t found = 0;
    for (int i = 0; i < index->scenario_count && index->scenarios[i] <= number; i++) {
        found = index->scenarios[i];
    }
    return found;
}

double message_seconds_decimal(const char *text) {
    char *end = NULL;
    double value = (double)strtoull(text, &end, 10), unit = 0.1;
    for (end += *end == '.'; *end >= '0' && *end <= '9' && unit > 1e-4; end++, unit /= 10.0) {
        value += unit * (*end - '0');
    }
    return value;
}
