/* The handlers of agents: spawn, remove, set_param. */
#include "server/commands/command_handlers.h"

#include <math.h>
#include <string.h>

#include "common/text/nearest_name.h"
#include "server/commands/command_find.h"

int apply_spawn(struct apply *apply) {
    struct world *world = apply->state->world;
    const struct request_spawn *body = &apply->request->body.spawn;
    const int kind = command_find_kind(world, body->kind, &apply->failure);
    if (kind < 0) {
        return -1;
    }
    struct spawn_def spawn = {.kind = kind,
                              .count = body->count,
                              .shape = PLACE_CIRCLE,
                              .at = vec2_make(body->x, body->y),
                              .radius = body->radius,
                              .velocity = vec2_make(body->vx, body->vy),
                              .has_heading = body->has_heading,
                              .heading = body->heading};
    if (!body->has_point) {
        spawn.shape = PLACE_RECT;
        spawn.at = vec2_make(0.0f, 0.0f);
        spawn.size = world_size(world);
    }
    uint32_t first = 0;
    const enum world_result result = world_spawn(world, &spawn, &first);
    if (result != WORLD_OK) {
        return apply_fail_world(apply, result);
    }
    apply->effects.changed = true;
    apply->effects.described = true;
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "count", body->count);
    json_key_unsigned(apply->json, "first_id", first);
    json_key_unsigned(apply->json, "last_id", first + (body->count - 1));
    struct message_event *event =
        apply_tell(apply, "spawned", EVENT_HAS_KIND | EVENT_HAS_COUNT | EVENT_HAS_IDS);
    memcpy(event->kind, body->kind, sizeof event->kind);
    event->count = body->count;
    event->first_id = first;
    event->last_id = first + (body->count - 1);
    return 0;
}

static bool came_before(const struct request_remove *body, int index) {
    for (int i = 0; i < index; i++) {
        if (body->agents[i] == body->agents[index]) {
            return true;
        }
    }
    return false;
}

/* Removes what is there; *missing receives the ids that were not, each once. */
static uint32_t remove_agents(struct world *world, const struct request_remove *body,
                              uint32_t missing[LIMIT_REMOVE_IDS], int *missing_count) {
    bool found[LIMIT_REMOVE_IDS];
    const int32_t removed = world_remove(world, body->agents, body->agent_count, found);
    *missing_count = 0;
    for (int i = 0; i < body->agent_count; i++) {
        if (!found[i] && !came_before(body, i)) {
            missing[(*missing_count)++] = body->agents[i];
        }
    }
    return (uint32_t)removed;
}

int apply_remove(struct apply *apply) {
    struct world *world = apply->state->world;
    const struct request_remove *body = &apply->request->body.remove;
    uint32_t missing[LIMIT_REMOVE_IDS];
    int missing_count = 0;
    uint32_t removed = 0;
    if (body->has_kind) {
        const int kind = command_find_kind(world, body->kind, &apply->failure);
        if (kind < 0) {
            return -1;
        }
        removed = (uint32_t)world_remove_kind(world, kind);
    } else {
        removed = remove_agents(world, body, missing, &missing_count);
    }
    apply->effects.changed = removed > 0;
    apply->effects.described = removed > 0;
    if (removed > 0) {
        struct message_event *event = apply_tell(apply, "removed", EVENT_HAS_COUNT);
        event->count = removed;
        event->has |= body->has_kind ? EVENT_HAS_KIND : body->agent_count == 1 ? EVENT_HAS_AGENT : 0u;
        memcpy(event->kind, body->kind, sizeof event->kind);
        event->agent = body->agents[0];
    }
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "removed", removed);
    json_key(apply->json, "missing");
    json_array(apply->json);
    for (int i = 0; i < missing_count; i++) {
        json_unsigned(apply->json, missing[i]);
    }
    json_end(apply->json);
    return 0;
}

/* ---- parameters ---- */

/* only_own: the parameter was to be set for one agent, which has only those of its body. */
static int fail_param(struct apply *apply, int kind, const char *name, bool only_own) {
    const struct world *world = apply->state->world;
    char list[NAME_LIST_BYTES] = "";
    char candidate[64];
    struct param_ref ref;
    struct nearest_name nearest = nearest_name_begin(name);
    for (int i = 0; world_param_at(world, kind, i, &ref, candidate); i++) {
        if (!only_own || ref.field->type == FIELD_RANGE) {
            command_list_name(list, candidate, false);
            nearest_name_offer(&nearest, candidate);
        }
    }
    char hint[NEAREST_HINT_BYTES];
    nearest_name_hint(&nearest, hint);
    return failure_set(&apply->failure, FAILURE_NO_PARAM, "param", "no parameter \"%s\"%s; %s \"%s\" has %s",
                       name, hint, only_own ? "an agent of kind" : "kind", world_kind(world, kind)->name,
                       list);
}

static int check_value(struct apply *apply, const struct field *field, const char *name, double value) {
    const bool is_whole = field->type != FIELD_UINT32 || value == floor(value);
    if (value >= field->min && value <= field->max && is_whole) {
        return 0;
    }
    char found[JSON_NUMBER_TEXT];
    char low[JSON_NUMBER_TEXT];
    char high[JSON_NUMBER_TEXT];
    (void)json_number_text(found, value);
    (void)json_number_text(low, field->min);
    (void)json_number_text(high, field->max);
    if (!is_whole) {
        return failure_set(&apply->failure, FAILURE_BAD_PARAM, "value",
                           "%s %s is not a whole number; allowed are %s to %s", name, found, low, high);
    }
    const bool has_unit = field->unit != NULL && field->unit[0] != '\0' && strcmp(field->unit, "1") != 0;
    return failure_set(&apply->failure, FAILURE_OUT_OF_RANGE, "value", "%s %s is out of range: %s to %s%s%s",
                       name, found, low, high, has_unit ? " " : "", has_unit ? field->unit : "");
}

static void finish_set_param(struct apply *apply, double value) {
    const struct request_set_param *body = &apply->request->body.set_param;
    struct message_event *event =
        apply_tell(apply, "param", EVENT_HAS_PARAM | (body->has_agent ? EVENT_HAS_AGENT : EVENT_HAS_KIND));
    memcpy(event->kind, body->kind, sizeof event->kind);
    memcpy(event->param, body->param, sizeof event->param);
    event->agent = body->agent;
    event->value = value;
    apply->effects.changed = true;
    apply->effects.described = true;
    apply_write_tick(apply);
    json_key_number(apply->json, "value", value);
}

static int set_kind_param(struct apply *apply, const struct request_set_param *body) {
    struct world *world = apply->state->world;
    const int kind = command_find_kind(world, body->kind, &apply->failure);
    struct param_ref ref;
    if (kind < 0) {
        return -1;
    }
    if (!world_find_param(world, kind, body->param, &ref)) {
        return fail_param(apply, kind, body->param, false);
    }
    if (check_value(apply, ref.field, body->param, body->value) != 0) {
        return -1;
    }
    world_set_param(world, &ref, body->value);
    finish_set_param(apply, body->value);
    return 0;
}

static int set_agent_param(struct apply *apply, const struct request_set_param *body) {
    struct world *world = apply->state->world;
    const int32_t row = world_find_agent(world, body->agent);
    if (row < 0) {
        return apply_fail_agent(apply, body->agent);
    }
    const int kind = world_agent(world, row).kind;
    struct param_ref ref;
    if (!world_find_param(world, kind, body->param, &ref) || ref.field->type != FIELD_RANGE ||
        ref.behavior >= 0) {
        return fail_param(apply, kind, body->param, true);
    }
    if (check_value(apply, ref.field, body->param, body->value) != 0) {
        return -1;
    }
    const enum world_result result = world_set_agent_param(world, body->agent, ref.field, body->value);
    if (result != WORLD_OK) {
        return apply_fail_world(apply, result);
    }
    finish_set_param(apply, body->value);
    return 0;
}

int apply_set_param(struct apply *apply) {
    const struct request_set_param *body = &apply->request->body.set_param;
    return body->has_agent ? set_agent_param(apply, body) : set_kind_param(apply, body);
}
