/* The handlers of agents: spawn, remove, set_param. */
#include "server/commands/command_handlers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text/nearest_name.h"
#include "server/commands/command_find.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world_stripes.h"

/* Place, velocity and heading as the request has them. */
static void tell_motion(struct apply *apply, const struct request_spawn *body) {
    struct message_event *event = &apply->effects.event;
    event->has |= body->has_point ? EVENT_HAS_PLACE | EVENT_HAS_RADIUS : 0u;
    event->has |= body->has_heading ? EVENT_HAS_HEADING : 0u;
    event->x = world_snapshot_hundredths(body->x);
    event->y = world_snapshot_hundredths(body->y);
    event->radius = body->radius;
    event->vx = body->vx;
    event->vy = body->vy;
    event->heading = body->heading;
}

/* Whether the machine has the memory for these agents, and for those that there will be room for. */
static int check_memory(struct apply *apply, const struct spawn_def *spawn) {
    const struct simulation_state *state = apply->state;
    const uint64_t wanted =
        state->services.memory_free == NULL
            ? 0
            : world_spawn_bytes(state->world, spawn->kind, spawn->count, state->parallel.threads);
    const int beside = state->services.ranks_beside;
    const uint64_t left = wanted > 0 ? state->services.memory_free(1 + beside) : UINT64_MAX;
    char text[WORLD_MEMORY_TEXT];
    return wanted <= left
               ? 0
               : failure_set(&apply->failure, FAILURE_BUSY, "count",
                             "room for more agents needs %s of memory; %.2f GB are free",
                             world_memory_text(wanted, beside, text), (double)left * (1.0 + beside) * 1e-9);
}

static int fail_stripes(struct apply *apply, const char *why) {
    return why == NULL ? 0 : failure_set(&apply->failure, FAILURE_UNSUPPORTED, NULL, "%s", why);
}

/* Whether stripes can go on with the world there will be. */
static int check_spawn(struct apply *apply, const struct spawn_def *spawn) {
    const struct world *world = apply->state->world;
    char text[STRIPES_REFUSAL];
    return world_is_partial(world)
               ? fail_stripes(apply,
                              world_stripes_refusal_of_spawn(world, world_exchange(world)->ranks, spawn->kind,
                                                             spawn->count, text, sizeof text))
               : 0;
}

static int check_param(struct apply *apply, const struct param_ref *ref, double value) {
    const struct world *world = apply->state->world;
    char text[STRIPES_REFUSAL];
    return world_is_partial(world)
               ? fail_stripes(apply, world_stripes_refusal_of_param(world, world_exchange(world)->ranks, ref,
                                                                    value, text, sizeof text))
               : 0;
}

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
    if (check_spawn(apply, &spawn) != 0 || check_memory(apply, &spawn) != 0) {
        return -1;
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
        apply_tell(apply, "spawned", EVENT_HAS_KIND | EVENT_HAS_COUNT | EVENT_HAS_IDS | EVENT_HAS_VELOCITY);
    memcpy(event->kind, body->kind, sizeof event->kind);
    event->count = body->count;
    event->first_id = first;
    event->last_id = first + (body->count - 1);
    tell_motion(apply, body);
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

/* What was typed may lack the state: "pursue.within" means "chase/pursue.within". The first state wins. */
static void offer_param(struct nearest_name *nearest, const char *candidate) {
    const char *slash = strchr(candidate, '/');
    if (slash == NULL || strcmp(slash + 1, nearest->typed) != 0) {
        nearest_name_offer(nearest, candidate);
    } else if (nearest->distance > 0) {
        (void)snprintf(nearest->best, sizeof nearest->best, "%s", candidate);
        nearest->distance = 0;
    }
}

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
            offer_param(&nearest, candidate);
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
    if (check_value(apply, ref.field, body->param, body->value) != 0 ||
        check_param(apply, &ref, body->value) != 0) {
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
    const int kind = world_agent_kind(world, row);
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
