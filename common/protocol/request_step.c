/* See request_step.h. Owns nothing. */
#include "common/protocol/request_step.h"

#include "common/json/field_json.h"
#include "common/protocol/request_subscribe.h"

static const struct field until_fields[] = {
    {.name = "reached", .type = FIELD_BOOL, FIELD_MEMBER(struct request_until, reached)},
    {.name = "caught",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct request_until, caught),
     .min = 1,
     .max = LIMIT_AGENTS},
    {.name = "tick", .type = FIELD_UINT64, FIELD_MEMBER(struct request_until, tick), .max = LIMIT_ID_INTEGER},
    {.type = FIELD_END},
};
static const struct field state_fields[] = {
    {.name = "kind", .type = FIELD_NAME, FIELD_MEMBER(struct request_until, kind), .flags = FIELD_REQUIRED},
    {.name = "name", .type = FIELD_NAME, FIELD_MEMBER(struct request_until, state), .flags = FIELD_REQUIRED},
    {.name = "count",
     .type = FIELD_UINT32,
     FIELD_MEMBER(struct request_until, count),
     .min = 1,
     .max = LIMIT_AGENTS,
     .initial = 1},
    {.type = FIELD_END},
};

static int read_state(const cJSON *json, struct request_until *until, struct failure *failure) {
    static const char *const none[] = {NULL};
    fields_set_initial(state_fields, until);
    return fields_read(state_fields, json, "until.state", none, until, NULL, failure);
}

/* Exactly one condition. */
static int read_until(const cJSON *json, struct request_until *until, struct failure *failure) {
    static const char *const others[] = {"state", NULL};
    uint64_t present = 0;
    if (fields_read(until_fields, json, "until", others, until, &present, failure) != 0) {
        return -1;
    }
    const cJSON *state = cJSON_GetObjectItemCaseSensitive(json, "state");
    until->has_caught = (present & 2u) != 0;
    until->has_tick = (present & 4u) != 0;
    until->has_state = state != NULL;
    if (cJSON_GetArraySize(json) != 1) {
        return failure_set(failure, FAILURE_BAD_PARAM, "until",
                           "give exactly one of reached, caught, state, tick");
    }
    if ((present & 1u) != 0 && !until->reached) {
        return failure_set(failure, FAILURE_BAD_PARAM, "until.reached", "only true is allowed");
    }
    return state == NULL ? 0 : read_state(state, until, failure);
}

int request_check_step(struct request *request, const cJSON *json, struct failure *failure) {
    struct request_step *step = &request->body.step;
    static const char *const parts[] = {"fields", "region", "kinds", "nearest"};
    for (size_t i = 0; !step->has_return && i < sizeof parts / sizeof parts[0]; i++) {
        if (cJSON_GetObjectItemCaseSensitive(json, parts[i]) != NULL) {
            return failure_set(failure, FAILURE_BAD_PARAM, parts[i], "allowed only with return");
        }
    }
    if (step->has_return && request_check_view(&step->view, json, failure) != 0) {
        return -1;
    }
    if (!step->has_until) {
        return 0;
    }
    if (cJSON_GetObjectItemCaseSensitive(json, "count") == NULL) {
        step->count = LIMIT_STEP;
    }
    return read_until(cJSON_GetObjectItemCaseSensitive(json, "until"), &step->until, failure);
}

static void write_until(const struct request_until *until, struct json_writer *json) {
    json_key(json, "until");
    json_object(json);
    if (until->reached) {
        json_key_bool(json, "reached", true);
    } else if (until->has_caught) {
        json_key_unsigned(json, "caught", until->caught);
    } else if (until->has_tick) {
        json_key_unsigned(json, "tick", until->tick);
    } else {
        json_key(json, "state");
        json_object(json);
        json_key_string(json, "kind", until->kind);
        json_key_string(json, "name", until->state);
        json_key_unsigned(json, "count", until->count);
        json_end(json);
    }
    json_end(json);
}

bool request_write_step(const struct request *request, struct json_writer *json) {
    const struct request_step *step = &request->body.step;
    request_write_view(&step->view, json);
    if (step->has_until) {
        write_until(&step->until, json);
    }
    return false;
}
