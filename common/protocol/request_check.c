/* See request_check.h. Owns nothing. */
#include "common/protocol/request_check.h"

#include <stdio.h>

#include "common/json/field_json.h"

static bool is_given(const cJSON *json, const char *name) {
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
        if (!is_given(json, names[i])) {
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
    if (is_given(json, "x") == is_given(json, "y")) {
        return 0;
    }
    return fail_rule(failure, is_given(json, "x") ? "y" : "x", "x and y go together");
}

/* A named target takes a point; an agent or a kind takes a point, something to follow, or nothing any more.
 */
int request_check_set_target(struct request *request, const cJSON *json, struct failure *failure) {
    const struct request_set_target *target = &request->body.set_target;
    static const char *const whose[] = {"name", "agent", "kind", NULL};
    if (check_exactly_one(json, whose, "name, agent, kind", failure) != 0 ||
        check_point(json, failure) != 0) {
        return -1;
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
    remove->agent_count = is_given(json, "agent");
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
    inspect->agent_count = is_given(json, "agent");
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
