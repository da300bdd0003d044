/* Requests of the protocol, applied to an embedded simulation. See sim.h. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "common/json/json_check.h"
#include "common/protocol/message.h"
#include "server/commands/command_apply.h"
#include "server/embed/sim_handle.h"

/* Whether the world alone can answer it. What a server does for its sessions, or with files, is not there. */
static bool is_about_world(const struct request *request) {
    switch (request->op) {
    case REQUEST_LOAD:
    case REQUEST_SAVE:
    case REQUEST_REMOVE_SAVE:
    case REQUEST_RECORD:
    case REQUEST_SEEK:
    case REQUEST_SPEED:
    case REQUEST_PAUSE:
    case REQUEST_RESUME:
        return false;
    case REQUEST_LIST:
        return request->body.list.what != LIST_SCENARIOS && request->body.list.what != LIST_SAVES;
    default:
        return request_has_trait(request->op, REQUEST_TRAIT_WORLD);
    }
}

static int decode(struct drover_sim *sim, const char *text, size_t length) {
    struct request *request = &sim->request;
    const struct json_limits limits = json_limits_admin();
    *request = request_default(REQUEST_PING);
    if (length > LIMIT_ADMIN_LINE_BYTES) {
        return failure_set(&sim->failure, FAILURE_TOO_LONG, NULL, "%zu bytes; allowed: at most %d", length,
                           LIMIT_ADMIN_LINE_BYTES);
    }
    if (request_decode_within(text, length, &limits, request, &sim->failure) != 0) {
        return -1;
    }
    if (!is_about_world(request)) {
        return failure_set(&sim->failure, FAILURE_UNKNOWN_OP, "op",
                           "%s is a request to a server; allowed: requests about the world",
                           request_op_name(request->op));
    }
    if (request->has_at) {
        return failure_set(
            &sim->failure, FAILURE_BAD_PARAM, "at",
            "at is for requests to a server; allowed: a request at the tick that it is meant for");
    }
    return 0;
}

/* The ticks of a step, until its condition holds. Returns the condition's name, or NULL. */
static const char *do_step(struct drover_sim *sim, uint32_t ticks) {
    const struct request_step *step = &sim->request.body.step;
    struct command_until until = {0};
    const char *met = NULL;
    drover_sim_step(sim, 0); /* the events are those of this step */
    for (uint32_t i = 0; i < ticks && met == NULL; i++) {
        sim_run(sim, 1);
        met = command_until_met(&until, step, &sim->state);
    }
    return met;
}

static void apply(struct drover_sim *sim) {
    struct simulation_state *state = &sim->state;
    state->is_paused = true; /* it moves only when it is stepped */
    const struct command_effects effects = command_apply(state, &sim->request, sim->lines, &sim->answer);
    state->is_paused = false;
    if (effects.step_ticks > 0) {
        const char *met = do_step(sim, effects.step_ticks);
        command_finish_step(state, &sim->request, false, met, &sim->answer);
    }
}

const char *sim_end_answer(struct drover_sim *sim) {
    struct buffer *answer = &sim->answer;
    if (answer->length > 0 && !answer->failed && answer->data[answer->length - 1] == '\n') {
        answer->data[--answer->length] = '\0';
    }
    return answer->failed ? "{\"op\":\"error\",\"code\":\"busy\",\"message\":\"out of memory\"}"
                          : (answer->length > 0 ? answer->data : "");
}

static void copy_member(const cJSON *json, const char *name, char *out, size_t size) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name));
    (void)snprintf(out, size, "%.*s", (int)size - 1, text == NULL ? "" : text);
}

/* What the answer of the world says, when it is an error. */
static void note_failure(struct drover_sim *sim, const char *answer) {
    static const char error[] = "{\"op\":\"error\",";
    if (strncmp(answer, error, sizeof error - 1) == 0) {
        cJSON *json = cJSON_Parse(answer);
        char code[32];
        copy_member(json, "code", code, sizeof code);
        sim->failure.code = json == NULL ? FAILURE_BUSY : failure_code_from_name(code);
        copy_member(json, "field", sim->failure.field, sizeof sim->failure.field);
        copy_member(json, "message", sim->failure.message, sizeof sim->failure.message);
        cJSON_Delete(json);
    }
}

const char *sim_answer(struct drover_sim *sim) {
    apply(sim);
    request_fini(&sim->request);
    const char *answer = sim_end_answer(sim);
    note_failure(sim, answer);
    return answer;
}

void sim_begin_answer(struct drover_sim *sim) {
    sim->failure = (struct failure){0};
    sim->lines++;
    buffer_clear(&sim->answer);
}

static const char *answer_request(struct drover_sim *sim, const char *text, size_t length) {
    sim_begin_answer(sim);
    if (decode(sim, text, length) == 0) {
        return sim_answer(sim);
    }
    message_write_refusal(&sim->request, sim->lines, &sim->failure, &sim->answer);
    request_fini(&sim->request);
    return sim_end_answer(sim);
}

const char *drover_sim_request(struct drover_sim *sim, const char *request) {
    assert(request != NULL);
    return answer_request(sim, request, strlen(request));
}

const char *drover_sim_requestf(struct drover_sim *sim, const char *format, ...) {
    struct buffer text;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    buffer_init(&text, 2 * LIMIT_ADMIN_LINE_BYTES);
    char *out = length < 0 ? NULL : buffer_reserve(&text, (size_t)length);
    if (out != NULL) {
        va_start(arguments, format);
        (void)vsnprintf(out, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    const char *answer = answer_request(sim, out == NULL ? "" : out, out == NULL ? 0 : (size_t)length);
    buffer_fini(&text);
    return answer;
}

int drover_sim_last_error(const struct drover_sim *sim, struct drover_sim_error *error) {
    sim_error_set(error, &sim->failure);
    return sim->failure.code == FAILURE_NONE ? 0 : -1;
}
