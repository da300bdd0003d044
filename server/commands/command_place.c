/* The handler of place: agents that exist are put somewhere else. */
#include <assert.h>
#include <stdlib.h>

#include "common/protocol/request_columns.h"
#include "server/commands/command_handlers.h"
#include "server/frames/world_snapshot.h"
#include "server/sim/world/world.h"

/* What the agent is like now: place, velocity and heading as messages have them. */
static void tell_one(struct apply *apply, const struct request_place *body) {
    const struct world *world = apply->state->world;
    const struct agent_view agent = world_agent_anywhere(world, world_find_agent(world, body->agent));
    struct message_event *event = body->has_point
                                      ? apply_tell_place(apply, "placed", EVENT_HAS_AGENT, agent.position)
                                      : apply_tell(apply, "placed", EVENT_HAS_AGENT);
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
    tell_one(apply, body);
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
        apply_tell(apply, "placed", EVENT_HAS_COUNT)->count = columns->count;
    }
    return 0;
}

int apply_place(struct apply *apply) {
    const struct request_columns *columns = request_columns_of(apply->request);
    return columns != NULL ? place_all(apply, columns) : place_one(apply, &apply->request->body.place);
}
