/* The handlers of agents: spawn, remove, set_param. */
#include "server/commands/command_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/request_extra.h"
#include "common/text/names.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world.h"
#include "server/sim/world/world_stripes.h"

/* Place, velocity and heading as the request has them. */
static void send_motion(struct apply *apply, const struct request_spawn *body) {
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
    if (body->has_spacing && world_is_partial(world)) {
        return fail_stripes(apply, "spacing: a rank of stripes does not see all bodies; leave it out");
    }
    uint32_t first = 0;
    int32_t unspaced = 0;
    const enum world_result result = body->has_spacing
                                         ? world_spawn_spaced(world, &spawn, body->spacing, &first, &unspaced)
                                         : world_spawn(world, &spawn, &first);
    if (result != WORLD_OK) {
        return apply_fail_world(apply, result);
    }
    apply->effects.changed = true;
    apply->effects.described = true;
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "count", body->count);
    json_key_unsigned(apply->json, "first_id", first);
    json_key_unsigned(apply->json, "last_id", first + (body->count - 1));
    if (body->has_spacing) {
        json_key_unsigned(apply->json, "unspaced", (uint64_t)unspaced);
    }
    struct message_event *event =
        apply_send(apply, "spawned", EVENT_HAS_KIND | EVENT_HAS_COUNT | EVENT_HAS_IDS | EVENT_HAS_VELOCITY);
    memcpy(event->kind, body->kind, sizeof event->kind);
    event->count = body->count;
    event->first_id = first;
    event->last_id = first + (body->count - 1);
    send_motion(apply, body);
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
        struct message_event *event = apply_send(apply, "removed", EVENT_HAS_COUNT);
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
        apply_send(apply, "param", EVENT_HAS_PARAM | (body->has_agent ? EVENT_HAS_AGENT : EVENT_HAS_KIND));
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

/* ---- drive ---- */

/* The handler of drive: vectors from a client for agents with an external behavior. */

/* Names the kinds that can be driven. */
static int fail_kind(struct apply *apply, const char *field, int kind) {
    const struct world *world = apply->state->world;
    char list[NAME_LIST_BYTES] = "";
    for (int k = 0; k < world_kind_count(world); k++) {
        if (world_heeds_drive(world, k)) {
            command_list_name(list, world_kind(world, k)->name, true);
        }
    }
    return failure_set(&apply->failure, FAILURE_BAD_PARAM, field,
                       "kind \"%s\" has no behavior external; kinds that can be driven: %s",
                       world_kind(world, kind)->name, list[0] != '\0' ? list : "none");
}

static void send_drive(struct apply *apply, int32_t driven) {
    const struct request_drive *body = &apply->request->body.drive;
    const unsigned whose = body->has_kind ? EVENT_HAS_KIND : body->has_agent ? EVENT_HAS_AGENT : 0;
    struct message_event *event = apply_send(apply, "driven", EVENT_HAS_COUNT | whose);
    memcpy(event->kind, body->kind, sizeof event->kind);
    event->agent = body->agent;
    event->count = (uint32_t)driven;
}

static int finish(struct apply *apply, int32_t driven, int32_t gone) {
    if (driven > 0) {
        send_drive(apply, driven);
    }
    apply->effects.changed = driven > 0; /* the forces of a snapshot show it before the next tick does */
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "driven", (uint64_t)driven);
    json_key_unsigned(apply->json, "gone", (uint64_t)gone);
    return 0;
}

static int drive_agents(struct apply *apply, const struct drive_def *drive, bool is_column) {
    struct world *world = apply->state->world;
    int32_t gone = 0;
    if (world_drive(world, drive, &gone) == WORLD_OK) {
        return finish(apply, drive->count - gone, gone);
    }
    char path[32] = "agent";
    const int32_t row = world_find_agent(world, drive->agents[gone]);
    if (is_column) {
        (void)snprintf(path, sizeof path, "agents[%d]", (int)gone);
    }
    return fail_kind(apply, path, world_agent_kind(world, row));
}

/* One vector for all agents of a kind. */
static int drive_all(struct apply *apply, int kind) {
    const struct request_drive *body = &apply->request->body.drive;
    const int32_t population = world_kind_population(apply->state->world, kind);
    for (int32_t i = 0; i < population; i++) {
        int32_t gone = 0;
        const struct drive_def one = {.kind = kind, .first = i, .count = 1, .x = &body->vx, .y = &body->vy};
        const enum world_result result = world_drive(apply->state->world, &one, &gone);
        assert(result == WORLD_OK);
        (void)result;
    }
    return finish(apply, population, 0);
}

/* Which agent a vector is for follows from how many there are: a client that counts wrong drives the wrong ones. */
static int check_count(struct apply *apply, int32_t population, uint32_t count) {
    const struct request_drive *body = &apply->request->body.drive;
    if (!body->has_first && count != (uint32_t)population) {
        return failure_set(&apply->failure, FAILURE_BAD_PARAM, "vx",
                           "%u vectors; kind \"%s\" has %d agents, one vector for each, or a part with first",
                           (unsigned)count, body->kind, (int)population);
    }
    if (body->first > (uint32_t)population || count > (uint32_t)population - body->first) {
        return failure_set(&apply->failure, FAILURE_OUT_OF_RANGE, "first",
                           "first %u and %u vectors; kind \"%s\" has %d agents", (unsigned)body->first,
                           (unsigned)count, body->kind, (int)population);
    }
    return 0;
}

static int drive_kind(struct apply *apply, const struct request_columns *columns) {
    struct world *world = apply->state->world;
    const struct request_drive *body = &apply->request->body.drive;
    const int kind = command_find_kind(world, body->kind, &apply->failure);
    if (kind < 0) {
        return -1;
    }
    if (!world_heeds_drive(world, kind)) {
        return fail_kind(apply, "kind", kind);
    }
    if (columns == NULL) {
        return drive_all(apply, kind);
    }
    if (check_count(apply, world_kind_population(world, kind), columns->count) != 0) {
        return -1;
    }
    const struct drive_def drive = {
        .kind = kind,
        .first = (int32_t)body->first,
        .count = (int32_t)columns->count,
        .x = columns->values[REQUEST_COLUMN_VX],
        .y = columns->values[REQUEST_COLUMN_VY],
    };
    int32_t gone = 0;
    const enum world_result result = world_drive(world, &drive, &gone);
    assert(result == WORLD_OK);
    (void)result;
    return finish(apply, drive.count, 0);
}

int apply_drive(struct apply *apply) {
    const struct request_drive *body = &apply->request->body.drive;
    const struct request_columns *columns = request_columns_of(apply->request);
    if (body->has_kind) {
        return drive_kind(apply, columns);
    }
    if (columns == NULL) {
        const struct drive_def one = {.agents = &body->agent, .count = 1, .x = &body->vx, .y = &body->vy};
        return drive_agents(apply, &one, false);
    }
    const struct drive_def drive = {
        .agents = columns->agents,
        .count = (int32_t)columns->count,
        .x = columns->values[REQUEST_COLUMN_VX],
        .y = columns->values[REQUEST_COLUMN_VY],
    };
    return drive_agents(apply, &drive, true);
}

/* ---- place ---- */

/* The handler of place: agents that exist are put somewhere else. */

/* What the agent is like now: place, velocity and heading as messages have them. */
static void send_one(struct apply *apply, const struct request_place *body) {
    const struct world *world = apply->state->world;
    const struct agent_view agent = world_agent_anywhere(world, world_find_agent(world, body->agent));
    struct message_event *event = body->has_point
                                      ? apply_send_place(apply, "placed", EVENT_HAS_AGENT, agent.position)
                                      : apply_send(apply, "placed", EVENT_HAS_AGENT);
    event->agent = body->agent;
    event->has |= body->has_velocity ? EVENT_HAS_VELOCITY : 0u;
    event->vx = agent.velocity.x;
    event->vy = agent.velocity.y;
    event->has |= body->has_heading ? EVENT_HAS_HEADING : 0u;
    event->heading = body->heading;
    if (body->has_point) {
        apply_write_point(apply, agent.position);
    }
    if (body->has_velocity) {
        json_key_hundredths(apply->json, "vx", world_snapshot_hundredths(agent.velocity.x));
        json_key_hundredths(apply->json, "vy", world_snapshot_hundredths(agent.velocity.y));
    }
    if (body->has_stamina) {
        json_key_hundredths(apply->json, "stamina", world_snapshot_hundredths(agent.stamina));
    }
}

static int place_one(struct apply *apply, const struct request_place *body) {
    const struct world_placing placing = {
        .count = 1,
        .ids = &body->agent,
        .x = body->has_point ? &body->x : NULL,
        .y = body->has_point ? &body->y : NULL,
        .vx = body->has_velocity ? &body->vx : NULL,
        .vy = body->has_velocity ? &body->vy : NULL,
        .heading = body->has_heading ? &body->heading : NULL,
        .stamina = body->has_stamina ? &body->stamina : NULL,
    };
    if (world_place_agents(apply->state->world, &placing) != WORLD_OK) {
        return apply_fail_agent(apply, body->agent);
    }
    apply->effects.changed = true;
    apply_write_tick(apply);
    send_one(apply, body);
    return 0;
}

/* *radians: the caller's to free; NULL: there are no headings. False: out of memory. */
static bool turn_headings(const struct request_columns *columns, float **radians) {
    const float *degrees = columns->values[REQUEST_COLUMN_HEADING];
    *radians = NULL;
    if (degrees == NULL || columns->count == 0) {
        return true;
    }
    *radians = malloc(sizeof **radians * columns->count);
    for (uint32_t i = 0; *radians != NULL && i < columns->count; i++) {
        (*radians)[i] = request_columns_radians(degrees[i]);
    }
    return *radians != NULL;
}

static int place_all(struct apply *apply, const struct request_columns *columns) {
    float *radians = NULL;
    if (apply_find_columns_agents(apply, columns) != 0) {
        return -1;
    }
    if (!turn_headings(columns, &radians)) {
        return apply_fail_memory(apply);
    }
    const struct world_placing placing = {
        .count = (int32_t)columns->count,
        .ids = columns->agents,
        .x = columns->values[REQUEST_COLUMN_X],
        .y = columns->values[REQUEST_COLUMN_Y],
        .vx = columns->values[REQUEST_COLUMN_VX],
        .vy = columns->values[REQUEST_COLUMN_VY],
        .heading = radians,
        .stamina = columns->values[REQUEST_COLUMN_STAMINA],
    };
    const enum world_result result = world_place_agents(apply->state->world, &placing);
    free(radians);
    assert(result == WORLD_OK); /* all of them are there */
    if (result != WORLD_OK) {
        return apply_fail_world(apply, result);
    }
    apply->effects.changed = columns->count > 0;
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "count", columns->count);
    if (columns->count > 0) {
        apply_send(apply, "placed", EVENT_HAS_COUNT)->count = columns->count;
    }
    return 0;
}

int apply_place(struct apply *apply) {
    const struct request_columns *columns = request_columns_of(apply->request);
    return columns != NULL ? place_all(apply, columns) : place_one(apply, &apply->request->body.place);
}
