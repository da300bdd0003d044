/* See request_check.h. Owns nothing. */
#include "common/protocol/request_check.h"

#include <stdio.h>
#include <string.h>

#include "common/json/field_json.h"
#include "common/protocol/request_columns.h"

bool request_is_given(const cJSON *json, const char *name) {
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
        if (!request_is_given(json, names[i])) {
            continue;
        }
        if (found != NULL) {
            return failure_set(failure, FAILURE_BAD_PARAM, names[i],
                               "%s and %s are mutually exclusive; give exactly one of %s", found, names[i],
                               list);
        }
        found = names[i];
    }
    return found != NULL
               ? 0
               : failure_set(failure, FAILURE_BAD_PARAM, names[0], "missing; give exactly one of %s", list);
}

static int check_point(const cJSON *json, struct failure *failure) {
    if (request_is_given(json, "x") == request_is_given(json, "y")) {
        return 0;
    }
    return fail_rule(failure, request_is_given(json, "x") ? "y" : "x", "x and y go together");
}

/* One agent takes one vector, several a column of them, a kind either. */
int request_check_drive(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_drive *drive = &request->body.drive;
    static const char *const whose[] = {"agent", "agents", "kind", NULL};
    if (check_exactly_one(json, whose, "agent, agents, kind", failure) != 0 ||
        request_columns_read(request, json, REQUEST_COLUMNS_OF_ANY, failure) != 0) {
        return -1;
    }
    const struct request_columns *columns = request_columns_of(request);
    if (columns != NULL && drive->has_agent) {
        return fail_rule(failure, columns->values[REQUEST_COLUMN_VX] != NULL ? "vx" : "vy",
                         "expected a number; columns go with agents or kind");
    }
    if (columns != NULL &&
        (columns->values[REQUEST_COLUMN_VX] == NULL || columns->values[REQUEST_COLUMN_VY] == NULL)) {
        return fail_rule(failure, columns->values[REQUEST_COLUMN_VX] == NULL ? "vx" : "vy",
                         "expected a column; vx and vy are both numbers or both columns");
    }
    if (drive->has_first && (columns == NULL || !drive->has_kind)) {
        return fail_rule(failure, "first", "goes with kind and columns");
    }
    return 0;
}

/* A named target takes a point; an agent or a kind takes a point, something to follow, or nothing any more.
 */
int request_check_set_target(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_set_target *target = &request->body.set_target;
    static const char *const whose[] = {"name", "agent", "agents", "kind", NULL};
    if (check_exactly_one(json, whose, "name, agent, agents, kind", failure) != 0 ||
        check_point(json, failure) != 0 ||
        request_columns_read(request, json, REQUEST_COLUMNS_OF_AGENTS, failure) != 0) {
        return -1;
    }
    if (target->has_agents && !target->has_point) {
        return fail_rule(failure,
                         target->clear        ? "clear"
                         : target->has_follow ? "follow"
                                              : "x",
                         "agents go with x and y, which are columns");
    }
    if (target->has_name && (target->has_follow || target->clear)) {
        return fail_rule(failure, target->has_follow ? "follow" : "clear",
                         "allowed only with agent or kind; a named target takes x and y");
    }
    const int count = target->has_point + target->has_follow + target->clear;
    if (count == 0) {
        return fail_rule(failure, "x",
                         target->has_name ? "missing; a named target takes x and y"
                                          : "missing; give x and y, or follow, or clear");
    }
    if (count > 1) {
        return fail_rule(failure, target->clear ? "clear" : "follow",
                         "x and y, follow and clear are mutually exclusive");
    }
    return 0;
}

int request_check_place(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_place *place = &request->body.place;
    static const char *const whose[] = {"agent", "agents", NULL};
    if (check_exactly_one(json, whose, "agent, agents", failure) != 0 || check_point(json, failure) != 0) {
        return -1;
    }
    if (request_is_given(json, "vx") != request_is_given(json, "vy")) {
        return fail_rule(failure, request_is_given(json, "vx") ? "vy" : "vx", "vx and vy go together");
    }
    if (!place->has_point && !place->has_velocity && !place->has_heading && !place->has_stamina) {
        return fail_rule(failure, "x", "missing; give x and y, vx and vy, heading or stamina");
    }
    return request_columns_read(request, json, REQUEST_COLUMNS_OF_AGENTS, failure);
}

/* An element of `agents`. */
static const struct field agent_id = {
    .name = "agent",
    .type = FIELD_UINT32,
    .offset = 0,
    .size = sizeof(uint32_t),
    .min = 1.0,
    .max = (double)UINT32_MAX,
};

/* Returns how many there are, or -1. */
static int read_agent_ids(const cJSON *ids, int most, uint32_t *out, struct failure *failure) {
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
        uint32_t one = 0;
        (void)snprintf(path, sizeof path, "agents[%d]", count);
        if (field_read_value(&agent_id, id, path, &one, failure) != 0) {
            return -1;
        }
        out[count++] = one;
    }
    return count;
}

int request_check_remove(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_remove *remove = &request->body.remove;
    static const char *const which[] = {"agent", "agents", "kind", NULL};
    if (check_exactly_one(json, which, "agent, agents, kind", failure) != 0) {
        return -1;
    }
    remove->agent_count = request_is_given(json, "agent");
    const cJSON *ids = cJSON_GetObjectItemCaseSensitive(json, "agents");
    if (ids != NULL) {
        remove->agent_count = read_agent_ids(ids, LIMIT_REMOVE_IDS, remove->agents, failure);
    }
    return remove->agent_count < 0 ? -1 : 0;
}

int request_check_inspect(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_inspect *inspect = &request->body.inspect;
    static const char *const which[] = {"agent", "agents", NULL};
    if (check_exactly_one(json, which, "agent, agents", failure) != 0) {
        return -1;
    }
    inspect->agent_count = request_is_given(json, "agent");
    const cJSON *ids = cJSON_GetObjectItemCaseSensitive(json, "agents");
    if (ids != NULL) {
        inspect->agent_count = read_agent_ids(ids, LIMIT_INSPECT_IDS, inspect->agents, failure);
    }
    return inspect->agent_count < 0 ? -1 : 0;
}

/* A name is shown to others: no control characters, not even DEL. */
int request_check_hello(struct request *request, const cJSON *json, struct failure *failure) {
    (void)json;
    for (const char *c = request->body.hello.name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            return fail_rule(failure, "name", "a name has no control characters");
        }
    }
    return 0;
}

int request_check_spawn(struct request *request, const cJSON *json, struct failure *failure) {
    (void)request;
    return check_point(json, failure);
}

int request_check_set_param(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const whose[] = {"kind", "agent", NULL};
    (void)request;
    return check_exactly_one(json, whose, "kind, agent", failure);
}

int request_check_load(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"scenario", "save", NULL};
    if (check_exactly_one(json, what, "scenario, save", failure) != 0) {
        return -1;
    }
    if (request->body.load.has_seed && request_is_given(json, "save")) {
        return fail_rule(failure, "seed", "allowed only with scenario; a saved world has its seed");
    }
    return 0;
}

/* x and y may be left out only with "gone":true. */
int request_check_cursor(struct request *request, const cJSON *json, struct failure *failure) {
    const bool has_x = request_is_given(json, "x"), has_y = request_is_given(json, "y");
    if (request->body.cursor.gone) {
        return !has_x && !has_y ? 0 : fail_rule(failure, "gone", "x and y and gone are mutually exclusive");
    }
    if (has_x && has_y) {
        return 0;
    }
    return fail_rule(failure, has_x ? "y" : "x", "missing; give x and y, or \"gone\":true");
}

int request_check_record(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"on", "last", NULL};
    if (check_exactly_one(json, what, "on, last", failure) != 0) {
        return -1;
    }
    if (request->body.record.has_on && !request->body.record.on && request_is_given(json, "name")) {
        return fail_rule(failure, "name", "allowed only with \"on\":true or last");
    }
    return 0;
}

int request_check_speed(struct request *request, const cJSON *json, struct failure *failure) {
    static const char *const what[] = {"factor", "max", NULL};
    if (check_exactly_one(json, what, "factor, max", failure) != 0) {
        return -1;
    }
    if (!request->body.speed.has_factor && !request->body.speed.max) {
        return fail_rule(failure, "max", "only true is allowed; a number goes into factor");
    }
    return 0;
}

void request_check_hint(enum request_op op, struct failure *failure) {
    const struct failure refusal = *failure;
    if (op == REQUEST_SPEED && strcmp(refusal.field, "factor") == 0) {
        (void)failure_set(failure, refusal.code, refusal.field,
                          "%s; \"max\":true instead is as fast as ticks can be done", refusal.message);
    }
}

/* ---- writing ---- */

static void write_agents(const uint32_t *agents, int count, struct json_writer *json) {
    json_key(json, "agents");
    json_array(json);
    for (int i = 0; i < count; i++) {
        json_unsigned(json, agents[i]);
    }
    json_end(json);
}

bool request_write_remove(const struct request *request, struct json_writer *json) {
    const struct request_remove *remove = &request->body.remove;
    if (remove->has_kind || remove->agent_count == 1) {
        return false;
    }
    write_agents(remove->agents, remove->agent_count, json);
    return true;
}

bool request_write_inspect(const struct request *request, struct json_writer *json) {
    const struct request_inspect *inspect = &request->body.inspect;
    if (inspect->agent_count == 1) {
        return false;
    }
    write_agents(inspect->agents, inspect->agent_count, json);
    return true;
}

bool request_write_cursor(const struct request *request, struct json_writer *json) {
    const struct request_cursor *cursor = &request->body.cursor;
    if (cursor->gone) {
        json_key_bool(json, "gone", true);
    } else {
        json_key(json, "x");
        json_float(json, cursor->x);
        json_key(json, "y");
        json_float(json, cursor->y);
    }
    return true;
}
