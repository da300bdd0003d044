/* The handler of drive: vectors from a client for agents with an external behavior. */
#include "server/commands/command_handlers.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "server/commands/command_find.h"

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

static void tell_drive(struct apply *apply, int32_t driven) {
    const struct request_drive *body = &apply->request->body.drive;
    const unsigned whose = body->has_kind ? EVENT_HAS_KIND : body->has_agent ? EVENT_HAS_AGENT : 0;
    struct message_event *event = apply_tell(apply, "driven", EVENT_HAS_COUNT | whose);
    memcpy(event->kind, body->kind, sizeof event->kind);
    event->agent = body->agent;
    event->count = (uint32_t)driven;
}

static int finish(struct apply *apply, int32_t driven, int32_t gone) {
    if (driven > 0) {
        tell_drive(apply, driven);
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
