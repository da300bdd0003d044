/* The description of a world: writing and reading, by the same rows. Owns nothing. */
#include "common/protocol/message_scenario.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/message_parts.h"
#include "common/text/name_table.h"

/* clang-format off */
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

static const struct field pace_fields[] = {
    ROW(struct message_pace, "speed", FIELD_DOUBLE, speed, 0, 0, 1000),
    ROW(struct message_pace, "warming", FIELD_DOUBLE, warmed, 0, 0, 1),
    END,
};
/* clang-format on */

struct message_pace message_pace_make(double speed) {
    const bool has_speed = speed < 1.0 || speed > 1.0;
    return (struct message_pace){.has_speed = has_speed, .speed = has_speed ? speed : 0.0};
}

double message_pace_speed(const struct message_pace *pace) {
    return pace->has_speed ? pace->speed : 1.0;
}

void message_pace_write(const struct message_pace *pace, struct json_writer *json) {
    if (pace->has_speed) {
        json_key_number(json, "speed", pace->speed);
    }
    if (pace->is_warming) {
        json_key_number(json, "warming", floor(fmin(fmax(pace->warmed, 0.0), 1.0) * 1000.0) / 1000.0);
    }
}

int message_pace_read(const cJSON *json, struct message_pace *pace, struct failure *failure) {
    struct message_pace found = {.speed = 1.0};
    if (fields_read(pace_fields, json, "", NULL, &found, NULL, failure) != 0) {
        return -1;
    }
    *pace = message_pace_make(found.speed);
    pace->is_warming = cJSON_GetObjectItemCaseSensitive(json, "warming") != NULL;
    pace->warmed = found.warmed;
    return 0;
}

void message_scenario_write(const struct message_scenario *scenario, struct json_writer *json) {
    message_write_fields(scenario_fields, scenario, json);
    json_key(json, "kinds");
    json_array(json);
    for (int i = 0; i < scenario->kind_count; i++) {
        json_object(json);
        message_write_fields(kind_fields, &scenario->kinds[i], json);
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
    message_view_write(&scenario->view, json);
    message_about_write(&scenario->about, json);
}

void message_write_scenario(const struct message_scenario *scenario, struct buffer *out) {
    struct json_writer json = message_open("scenario", out);
    message_pace_write(&scenario->pace, &json);
    message_scenario_write(scenario, &json);
    message_close(&json);
}

static int read_kinds(const cJSON *kinds, struct message_scenario *scenario, struct failure *failure) {
    if (message_array_size(kinds, LIMIT_KINDS) < 0) {
        return message_fail_array(failure, "kinds", LIMIT_KINDS);
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
    if (message_array_size(targets, LIMIT_TARGETS) < 0) {
        return message_fail_array(failure, "targets", LIMIT_TARGETS);
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

int message_scenario_read(const cJSON *json, struct message_scenario *scenario, struct failure *failure) {
    if (fields_read(scenario_fields, json, "", NULL, scenario, NULL, failure) != 0 ||
        read_kinds(cJSON_GetObjectItemCaseSensitive(json, "kinds"), scenario, failure) != 0) {
        return -1;
    }
    if (read_targets(cJSON_GetObjectItemCaseSensitive(json, "targets"), scenario, failure) != 0) {
        return -1;
    }
    if (message_view_read(json, &scenario->view, failure) != 0 ||
        message_about_read(json, &scenario->about, failure) != 0) {
        return -1;
    }
    return message_geometry_read(json, &scenario->geometry, failure);
}
