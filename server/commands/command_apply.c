/* See command_apply.h. One function an op: it checks, then acts, then adds its members to the open reply. */
#include "server/commands/command_apply.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/nearest_name.h"
#include "server/commands/command_apply_internal.h"
#include "server/commands/command_query.h"
#include "server/frames/world_snapshot.h"

void apply_write_tick(struct apply *apply) {
    json_key_unsigned(apply->json, "tick", world_tick(apply->stage->world));
}

void apply_write_point(struct apply *apply, vec2 point) {
    json_key_hundredths(apply->json, "x", world_snapshot_hundredths(point.x));
    json_key_hundredths(apply->json, "y", world_snapshot_hundredths(point.y));
}

static int fail_agent(struct apply *apply, uint32_t id) {
    return failure_set(&apply->failure, FAILURE_NO_AGENT, "agent", "no agent %u", (unsigned)id);
}

static int fail_world(struct apply *apply, enum world_result result) {
    if (result == WORLD_FULL) {
        return failure_set(&apply->failure, FAILURE_FULL, "count",
                           "there are %d agents and at most %d may be",
                           (int)world_agent_count(apply->stage->world), LIMIT_AGENTS);
    }
    if (result == WORLD_NO_MEMORY) {
        return failure_set(&apply->failure, FAILURE_BUSY, NULL, "the server is short of memory");
    }
    return failure_set(&apply->failure, FAILURE_INTERNAL, NULL, "the world refused: %d", (int)result);
}

struct message_event *apply_tell(struct apply *apply, const char *name, unsigned has) {
    struct message_event *event = &apply->effects.event;
    (void)snprintf(event->event, sizeof event->event, "%s", name);
    event->has = has;
    return event;
}

void apply_tell_target(struct apply *apply, const char *name, int target) {
    const struct world *world = apply->stage->world;
    const vec2 at = world_target_position(world, target);
    struct message_event *event = apply_tell(apply, name, EVENT_HAS_TARGET);
    (void)snprintf(event->target, sizeof event->target, "%s", world_target_name(world, target));
    event->x = world_snapshot_hundredths(at.x);
    event->y = world_snapshot_hundredths(at.y);
}

/* ---- targets ---- */

/* Says that nothing heeds what was set. It is set all the same: what is spawned later may heed it. */
static void note_unheeded(struct apply *apply) {
    apply->effects.unheeded = true;
    json_key_bool(apply->json, "heeded", false);
}

static int move_target(struct apply *apply, const char *name, const char *field, vec2 point) {
    struct world *world = apply->stage->world;
    const int target = command_find_target(world, name, field, &apply->failure);
    if (target < 0) {
        return -1;
    }
    world_set_target(world, target, point);
    apply->effects.changed = true;
    apply_write_tick(apply);
    apply_write_point(apply, world_target_position(world, target));
    apply_tell_target(apply, "target", target);
    return 0;
}

static int apply_mouse(struct apply *apply) {
    const struct request_mouse *body = &apply->request->body.mouse;
    const vec2 point = vec2_make(body->x, body->y);
    const enum apply_cursor cursor = apply_point_cursor(apply, point);
    if (cursor == APPLY_CURSOR_UNWANTED || world_find_target(apply->stage->world, "mouse") >= 0) {
        if (move_target(apply, "mouse", NULL, point) != 0) {
            return -1;
        }
    } else if (cursor == APPLY_CURSOR_FULL) {
        return apply_fail_cursor(apply);
    } else {
        apply_write_tick(apply);
        apply_write_point(apply, world_settle_point(apply->stage->world, point));
    }
    apply_write_cursor(apply);
    return 0;
}

/* What an agent or a kind is to aim at. */
static int read_aim(struct apply *apply, const struct request_set_target *body, struct aim *aim) {
    const struct world *world = apply->stage->world;
    *aim = (struct aim){.mode = AIM_BEHAVIOR};
    if (body->has_point) {
        aim->mode = AIM_POINT;
        aim->point = world_settle_point(world, vec2_make(body->x, body->y));
    } else if (body->has_follow) {
        aim->mode = AIM_TARGET;
        aim->target = command_find_target(world, body->follow, "follow", &apply->failure);
        return aim->target < 0 ? -1 : 0;
    }
    return 0;
}

static int move_named(struct apply *apply, const struct request_set_target *body) {
    const struct world *world = apply->stage->world;
    if (move_target(apply, body->name, "name", vec2_make(body->x, body->y)) != 0) {
        return -1;
    }
    if (!world_heeds_target(world, world_find_target(world, body->name))) {
        note_unheeded(apply);
    }
    return 0;
}

static int apply_set_target(struct apply *apply) {
    struct world *world = apply->stage->world;
    const struct request_set_target *body = &apply->request->body.set_target;
    if (body->has_name) {
        return move_named(apply, body);
    }
    struct aim aim;
    int kind = 0;
    if (read_aim(apply, body, &aim) != 0) {
        return -1;
    }
    if (body->has_agent) {
        const enum world_result result = world_aim_agent(world, body->agent, aim);
        if (result == WORLD_NO_AGENT) {
            return fail_agent(apply, body->agent);
        }
        if (result != WORLD_OK) {
            return fail_world(apply, result);
        }
        kind = world_agent(world, world_find_agent(world, body->agent)).kind;
    } else {
        kind = command_find_kind(world, body->kind, &apply->failure);
        if (kind < 0) {
            return -1;
        }
        world_aim_kind(world, kind, aim);
    }
    apply->effects.changed = true; /* the forces of a snapshot show it before the next tick does */
    apply_write_tick(apply);
    if (aim.mode == AIM_POINT) {
        apply_write_point(apply, aim.point);
    }
    if (aim.mode != AIM_BEHAVIOR && !world_heeds_aim(world, kind)) {
        note_unheeded(apply);
    }
    return 0;
}

/* ---- agents ---- */

static int apply_spawn(struct apply *apply) {
    struct world *world = apply->stage->world;
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
        return fail_world(apply, result);
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

static int apply_remove(struct apply *apply) {
    struct world *world = apply->stage->world;
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
    const struct world *world = apply->stage->world;
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
    struct world *world = apply->stage->world;
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
    struct world *world = apply->stage->world;
    const int32_t row = world_find_agent(world, body->agent);
    if (row < 0) {
        return fail_agent(apply, body->agent);
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
        return fail_world(apply, result);
    }
    finish_set_param(apply, body->value);
    return 0;
}

static int apply_set_param(struct apply *apply) {
    const struct request_set_param *body = &apply->request->body.set_param;
    return body->has_agent ? set_agent_param(apply, body) : set_kind_param(apply, body);
}

static int apply_get_params(struct apply *apply) {
    apply_write_tick(apply);
    return command_query_params(apply->stage, &apply->request->body.get_params, apply->json, &apply->failure);
}

static int apply_list(struct apply *apply) {
    apply_write_tick(apply);
    return command_query_list(apply->stage, &apply->request->body.list, apply->json, &apply->failure);
}

/* ---- time ---- */

static int apply_pause(struct apply *apply) {
    apply->effects.paused = !apply->stage->is_paused;
    apply->stage->is_paused = true;
    apply_write_tick(apply);
    return 0;
}

static int apply_resume(struct apply *apply) {
    apply->effects.resumed = apply->stage->is_paused;
    apply->stage->is_paused = false;
    apply_write_tick(apply);
    return 0;
}

static int apply_step(struct apply *apply) {
    if (!apply->stage->is_paused) {
        return failure_set(&apply->failure, FAILURE_NOT_PAUSED, NULL, "the world runs; send pause first");
    }
    apply->effects.step_ticks = apply->request->body.step.count;
    return 0;
}

static int apply_load(struct apply *apply) {
    struct stage *stage = apply->stage;
    struct scenario_order *order = stage->order;
    assert(order != NULL && order->result == 0);
    stage_change(stage, &order->staging);
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.loaded = true;
    apply_write_tick(apply);
    json_key_string(apply->json, "scenario", stage->name);
    json_key(apply->json, "hash");
    json_hex64(apply->json, order->staging.hash);
    return 0;
}

static int apply_inspect(struct apply *apply) {
    apply_write_tick(apply);
    command_query_inspect(apply->stage->world, &apply->request->body.inspect, apply->json);
    return 0;
}

/* ---- all of them ---- */

/* In place of the reply that is not due: whose target nothing heeds. */
static void write_unheeded(const struct apply *apply, struct buffer *out) {
    const struct request_set_target *body = &apply->request->body.set_target;
    struct message_event event = apply->effects.event; /* a named target, and where it is now */
    (void)snprintf(event.event, sizeof event.event, "unheeded");
    event.tick = world_tick(apply->stage->world);
    if (!body->has_name) {
        event.has = body->has_kind ? EVENT_HAS_KIND : EVENT_HAS_AGENT;
        memcpy(event.kind, body->kind, sizeof event.kind);
        event.agent = body->agent;
    }
    message_write_event(&event, out);
}

typedef int apply_function(struct apply *apply);

static apply_function *const functions[REQUEST_OP_COUNT] = {
    [REQUEST_SET_TARGET] = apply_set_target,
    [REQUEST_MOUSE] = apply_mouse,
    [REQUEST_SPAWN] = apply_spawn,
    [REQUEST_REMOVE] = apply_remove,
    [REQUEST_SET_PARAM] = apply_set_param,
    [REQUEST_GET_PARAMS] = apply_get_params,
    [REQUEST_LIST] = apply_list,
    [REQUEST_INSPECT] = apply_inspect,
    [REQUEST_PAUSE] = apply_pause,
    [REQUEST_RESUME] = apply_resume,
    [REQUEST_STEP] = apply_step,
    [REQUEST_LOAD] = apply_load,
    [REQUEST_CURSOR] = apply_cursor,
    [REQUEST_ADD_TARGET] = apply_add_target,
    [REQUEST_REMOVE_TARGET] = apply_remove_target,
    [REQUEST_ADD_OBSTACLE] = apply_add_obstacle,
    [REQUEST_MOVE_OBSTACLE] = apply_move_obstacle,
    [REQUEST_REMOVE_OBSTACLE] = apply_remove_obstacle,
};

struct command_effects command_apply(struct stage *stage, const struct request *request, uint64_t line,
                                     struct buffer *out) {
    assert(request->op < REQUEST_OP_COUNT && functions[request->op] != NULL);
    struct buffer reply;
    buffer_init(&reply, out->limit);
    struct json_writer json = message_begin_answer(request, &reply);
    struct apply apply = {.stage = stage, .request = request, .json = &json};
    if (functions[request->op](&apply) != 0) {
        if (request->id[0] != '\0' || !apply.is_told) {
            message_write_refusal(request, line, &apply.failure, out);
        }
        apply.effects = (struct command_effects){0};
    } else if (apply.effects.unheeded && request->id[0] == '\0') {
        write_unheeded(&apply, out);
    } else if (apply.effects.step_ticks == 0 &&
               (request->id[0] != '\0' || request_always_answers(request->op))) {
        message_end_reply(&json, &reply);
        if (reply.failed) {
            (void)failure_set(&apply.failure, FAILURE_BUSY, NULL, "done, but the reply has no room");
            message_write_refusal(request, line, &apply.failure, out);
        } else {
            buffer_append(out, reply.data, reply.length);
        }
    }
    buffer_fini(&reply);
    return apply.effects;
}

void command_finish_step(const struct stage *stage, const struct request *request, bool is_stopped,
                         struct buffer *out) {
    struct json_writer json = message_begin_answer(request, out);
    json_key_unsigned(&json, "tick", world_tick(stage->world));
    if (!stage->is_spoiled) {
        json_key(&json, "hash");
        json_hex64(&json, world_hash(stage->world));
    }
    if (is_stopped) {
        json_key_bool(&json, "stopped", true);
    }
    message_end_reply(&json, out);
}

void command_answer_order(const struct scenario_order *order, const struct request *request, uint64_t line,
                          uint64_t tick, struct buffer *out) {
    assert(order->result != 0 || !order->is_load);
    if (order->result != 0) {
        message_write_refusal(request, line, &order->failure, out);
        return;
    }
    struct json_writer json = message_begin_answer(request, out);
    json_key_unsigned(&json, "tick", tick);
    command_query_scenarios(&order->list, &json);
    message_end_reply(&json, out);
}
