/* Events: writing and reading, by the same rows. Owns nothing. */
#include "common/protocol/message_event.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/geometry_json.h"
#include "common/protocol/message_parts.h"
#include "common/protocol/message_scenario.h"

/* clang-format off */
const char *const message_event_names[] = {
    "paused", "resumed", "speed", "warmed_up", "resumed_from", "diverged", "spawned", "removed", "param",
    "target", "target_added", "target_removed", "obstacle_added", "obstacle_moved", "obstacle_removed",
    "obstacle_set", "flow_field", "recording_started", "recording_ended", "saved", "save_removed",
    "withdrawn", "stepped", "aim", "placed", "driven", "loaded", "edited", "cursor", "cursor_gone", "reached",
    "caught", "crossed", "overload", "entered", "left", "restarted", "rewound", "waiting",
    "seat_timeout", "compare_begun", "compare_ended", "differs", "not_reloaded", "reloading", NULL
};
/* clang-format on */

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
    uint64_t set = names[0] == '\0' ? ~message_event_bit("crossed") : 0;
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
    GROUP(EVENT_HAS_FLOW, OBJECT(struct message_event, "flow_field", flow, message_flow_fields, .flags = 0)),
    GROUP(EVENT_HAS_QUARRY, ROW(struct message_event, "quarry", FIELD_UINT32, quarry, 0, 0, (double)UINT32_MAX)),
    GROUP(EVENT_HAS_GATE, ROW(struct message_event, "gate", FIELD_NAME, gate, 0, 0, 0),
          ROW(struct message_event, "direction", FIELD_DOUBLE, direction, 0, -1, 1)),
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
    GROUP(EVENT_HAS_SCENARIO, ROW(struct message_event, "scenario", FIELD_NAME, scenario, FIELD_BRIEF, 0, 0),
          ROW(struct message_event, "branch", FIELD_NAME, branch, FIELD_BRIEF, 0, 0),
          ROW(struct message_event, "from", FIELD_NAME, from, FIELD_BRIEF, 0, 0)),
    GROUP(EVENT_HAS_SAVE, ROW(struct message_event, "save", FIELD_NAME, save, 0, 0, 0)),
    GROUP(EVENT_HAS_FILE, ROW(struct message_event, "file", FIELD_TEXT, file, 0, 0, 0)),
    GROUP(EVENT_HAS_REASON, ROW(struct message_event, "reason", FIELD_TEXT, reason, 0, 0, 0)),
    GROUP(EVENT_HAS_SPEED, ROW(struct message_event, "speed", FIELD_DOUBLE, speed, 0, 0, 1000)),
    GROUP(EVENT_HAS_SEQ, ROW(struct message_event, "seq", FIELD_UINT64, seq, 0, 0, LIMIT_ID_INTEGER)),
    GROUP(EVENT_HAS_TURNOVER, ROW(struct message_event, "source", FIELD_NAME, source, FIELD_BRIEF, 0, 0),
          ROW(struct message_event, "sink", FIELD_NAME, sink, FIELD_BRIEF, 0, 0),
          ROW(struct message_event, "waiting", FIELD_UINT32, waiting, FIELD_BRIEF, 0, (double)UINT32_MAX),
          ROW(struct message_event, "seat", FIELD_NAME, seat, FIELD_BRIEF, 0, 0),
          ROW(struct message_event, "of", FIELD_UINT32, of, FIELD_BRIEF, 0, (double)UINT32_MAX),
          ROW(struct message_event, "ms", FIELD_UINT32, ms, FIELD_BRIEF, 0, (double)UINT32_MAX),
          ROW(struct message_event, "on_timeout", FIELD_NAME, then, FIELD_BRIEF, 0, 0)),
    GROUP(EVENT_HAS_SKIPPED, ROW(struct message_event, "skipped", FIELD_UINT64, skipped, 0, 0, LIMIT_ID_INTEGER)),
    GROUP(EVENT_HAS_AGENTS, ROWS(struct message_event, "agents", agents, agent_count, 0, LIMIT_DIVERGED_AGENTS,
                                 ENTRY(.type = FIELD_UINT32, .max = (double)UINT32_MAX))),
};
/* clang-format on */

void message_write_event(const struct message_event *event, struct buffer *out) {
    struct json_writer json = message_open("event", out);
    fields_write(event_fields, event, &json);
    for (size_t i = 0; i < sizeof event_groups / sizeof event_groups[0]; i++) {
        if ((event->has & event_groups[i].has) != 0) {
            fields_write(event_groups[i].fields, event, &json);
        }
    }
    if ((event->has & HAS_X_AND_Y) != 0) {
        json_key_hundredths(&json, "x", event->x);
        json_key_hundredths(&json, "y", event->y);
    }
    if ((event->has & EVENT_HAS_SHAPE) != 0) {
        geometry_shape_write(&event->obstacle, obstacle_shape_names, &json);
        fields_write(geometry_motion_fields, &event->obstacle, &json);
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
        const int result = message_obstacle_read(json, &event->obstacle, failure);
        event->has |= result == 0 ? EVENT_HAS_SHAPE : 0u;
        return result < 0 ? -1 : 0;
    }
    return 0;
}

/* ---- agent ---- */

/* clang-format off */
#define MOST 1e30

static const struct field point_fields[] = {
    ROW(struct message_agent_point, "behavior", FIELD_NAME, behavior, NEED, 0, 0),
    ROW(struct message_agent_point, "what", FIELD_NAME, what, NEED, 0, 0),
    ROW(struct message_agent_point, "x", FIELD_FLOAT, x, NEED, -MOST, MOST),
    ROW(struct message_agent_point, "y", FIELD_FLOAT, y, NEED, -MOST, MOST),
    ROW(struct message_agent_point, "radius", FIELD_FLOAT, radius, 0, -MOST, MOST),
    END,
};

static const struct field agent_fields[] = {
    ROW(struct message_agent, "id", FIELD_UINT32, id, NEED, 0, (double)UINT32_MAX),
    ROW(struct message_agent, "kind", FIELD_NAME, kind, 0, 0, 0),
    ROW(struct message_agent, "state", FIELD_NAME, state, 0, 0, 0),
    ROW(struct message_agent, "x", FIELD_FLOAT, x, NEED, -MOST, MOST),
    ROW(struct message_agent, "y", FIELD_FLOAT, y, NEED, -MOST, MOST),
    ROW(struct message_agent, "vx", FIELD_FLOAT, velocity.x, 0, -MOST, MOST),
    ROW(struct message_agent, "vy", FIELD_FLOAT, velocity.y, 0, -MOST, MOST),
    ROW(struct message_agent, "heading", FIELD_FLOAT, heading, 0, -MOST, MOST),
    ROW(struct message_agent, "locomotion", FIELD_NAME, locomotion, 0, 0, 0),
    ROW(struct message_agent, "stamina", FIELD_FLOAT, stamina, 0, -MOST, MOST),
    ROW(struct message_agent, "mass", FIELD_FLOAT, mass, 0, -MOST, MOST),
    ROW(struct message_agent, "radius", FIELD_FLOAT, radius, 0, -MOST, MOST),
    ROW(struct message_agent, "max_speed", FIELD_FLOAT, max_speed, 0, -MOST, MOST),
    ROW(struct message_agent, "max_force", FIELD_FLOAT, max_force, 0, -MOST, MOST),
    ROW(struct message_agent, "desired", FIELD_POINT, desired, 0, -MOST, MOST),
    ROW(struct message_agent, "steering", FIELD_POINT, steering, 0, -MOST, MOST),
    ROWS(struct message_agent, "neighbors", neighbors, neighbor_count, FIELD_CUT, LIMIT_INSPECT_NEIGHBORS,
         ENTRY(.type = FIELD_UINT32, .min = 1, .max = (double)UINT32_MAX)),
    ROWS(struct message_agent, "points", points, point_count, FIELD_CUT, MESSAGE_AGENT_POINTS, OBJECTS(point_fields)),
    END,
};

static const struct field term_fields[] = {
    ROW(struct message_agent_term, "behavior", FIELD_NAME, behavior, NEED, 0, 0),
    ROW(struct message_agent_term, "type", FIELD_NAME, type, NEED, 0, 0),
    ROW(struct message_agent_term, "weight", FIELD_FLOAT, weight, NEED, -MOST, MOST),
    ROW(struct message_agent_term, "desired", FIELD_POINT, desired, 0, -MOST, MOST,
        FIELD_HAS(struct message_agent_term, has_desired)),
    ROW(struct message_agent_term, "wants", FIELD_POINT, wants, NEED, -MOST, MOST),
    ROW(struct message_agent_term, "gets", FIELD_POINT, gets, NEED, -MOST, MOST),
    END,
};
/* clang-format on */

/* A vector from an array of two numbers; false for anything else. */
static bool read_vector(const cJSON *item, vec2 *out) {
    const cJSON *x = cJSON_GetArrayItem(item, 0), *y = cJSON_GetArrayItem(item, 1);
    if (!cJSON_IsArray(item) || !cJSON_IsNumber(x) || !cJSON_IsNumber(y) || !(fabs(x->valuedouble) <= MOST) ||
        !(fabs(y->valuedouble) <= MOST)) {
        return false;
    }
    *out = vec2_make((float)x->valuedouble, (float)y->valuedouble);
    return true;
}

/* Copies a member's name; false when it is too long. */
static bool read_name(const cJSON *item, char out[LIMIT_NAME_CHARS + 1]) {
    const char *name = item->string != NULL ? item->string : "";
    const size_t length = strlen(name);
    if (length > LIMIT_NAME_CHARS) {
        return false;
    }
    memcpy(out, name, length + 1);
    return true;
}

/* {"seek":[x,y], ...}; those beyond the room there is are left out. */
static int read_shares(const cJSON *forces, const char *path, int most, struct message_agent_share *shares,
                       int *count, struct failure *failure) {
    bool is_right = forces == NULL || cJSON_IsObject(forces);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, forces) {
        if (!is_right || *count == most) {
            break;
        }
        struct message_agent_share *share = &shares[(*count)++];
        is_right = read_name(item, share->behavior) && read_vector(item, &share->force);
    }
    return is_right ? 0 : failure_set(failure, FAILURE_INVALID, path, "expected an object of forces, [x, y]");
}

static int read_values(const cJSON *values, struct message_agent_term *term, struct failure *failure) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, values) {
        if (term->value_count == MESSAGE_AGENT_VALUES) {
            break;
        }
        struct message_agent_value *value = &term->values[term->value_count++];
        const bool is_number = cJSON_IsNumber(item) && fabs(item->valuedouble) <= MOST;
        value->is_vector = !is_number;
        if (is_number) {
            value->vector = vec2_make((float)item->valuedouble, 0.0f);
        }
        if (!read_name(item, value->name) || (!is_number && !read_vector(item, &value->vector))) {
            return failure_set(failure, FAILURE_INVALID, "agents.terms.values",
                               "expected numbers and vectors, [x, y]");
        }
    }
    return 0;
}

static int read_term(const cJSON *item, struct message_agent_term *term, struct failure *failure) {
    if (fields_read(term_fields, item, "agents.terms", NULL, term, NULL, failure) != 0) {
        return -1;
    }
    const cJSON *tier = cJSON_GetObjectItemCaseSensitive(item, "tier");
    const double number = cJSON_IsNumber(tier) ? tier->valuedouble : 0.0;
    if (tier != NULL && (!cJSON_IsNumber(tier) || !(number >= 0.0 && number <= (double)INT32_MAX))) {
        return failure_set(failure, FAILURE_INVALID, "agents.terms.tier", "expected an integer from 0 on");
    }
    term->tier = tier != NULL ? (int)number : MESSAGE_AGENT_NO_TIER;
    if (read_shares(cJSON_GetObjectItemCaseSensitive(item, "parts"), "agents.terms.parts",
                    MESSAGE_AGENT_PARTS, term->parts, &term->part_count, failure) != 0) {
        return -1;
    }
    return read_values(cJSON_GetObjectItemCaseSensitive(item, "values"), term, failure);
}

static int read_terms(const cJSON *array, struct message_agent *agent, struct failure *failure) {
    const cJSON *item = NULL;
    if (array != NULL && !cJSON_IsArray(array)) {
        return failure_set(failure, FAILURE_INVALID, "agents.terms", "expected an array");
    }
    cJSON_ArrayForEach(item, array) {
        if (agent->term_count == MESSAGE_AGENT_TERMS) {
            break;
        }
        if (read_term(item, &agent->terms[agent->term_count], failure) != 0) {
            return -1;
        }
        agent->term_count++;
    }
    return 0;
}

static int read_agent(const cJSON *item, struct message_agent *agent, struct failure *failure) {
    if (fields_read(agent_fields, item, "agents", NULL, agent, NULL, failure) != 0) {
        return -1;
    }
    if (read_shares(cJSON_GetObjectItemCaseSensitive(item, "forces"), "agents.forces", MESSAGE_AGENT_SHARES,
                    agent->shares, &agent->share_count, failure) != 0) {
        return -1;
    }
    return read_terms(cJSON_GetObjectItemCaseSensitive(item, "terms"), agent, failure);
}

int message_agents_read(const cJSON *array, struct message_agent **rows, int *count,
                        struct failure *failure) {
    const cJSON *item = NULL;
    if (array == NULL) {
        return 0;
    }
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) > LIMIT_INSPECT_IDS) {
        return failure_set(failure, FAILURE_INVALID, "agents", "expected an array of at most %d",
                           LIMIT_INSPECT_IDS);
    }
    *rows = calloc(LIMIT_INSPECT_IDS, sizeof **rows);
    if (*rows == NULL) {
        return failure_set(failure, FAILURE_BUSY, "agents", "out of memory");
    }
    cJSON_ArrayForEach(item, array) {
        if (read_agent(item, &(*rows)[*count], failure) != 0) {
            return -1;
        }
        ++*count;
    }
    return 0;
}

const struct message_agent_term *message_agent_find_term(const struct message_agent *agent,
                                                         const char *behavior) {
    for (int i = 0; i < agent->term_count; i++) {
        if (strcmp(agent->terms[i].behavior, behavior) == 0) {
            return &agent->terms[i];
        }
    }
    return NULL;
}
