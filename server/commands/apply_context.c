/* See apply_context.h. */
#include "server/commands/apply_context.h"

#include <stdio.h>
#include <string.h>

#include "server/frames/world_snapshot.h"

void apply_write_tick(struct apply *apply) {
    json_key_unsigned(apply->json, "tick", world_tick(apply->state->world));
}

void apply_write_point(struct apply *apply, vec2 point) {
    json_key_hundredths(apply->json, "x", world_snapshot_hundredths(point.x));
    json_key_hundredths(apply->json, "y", world_snapshot_hundredths(point.y));
}

void apply_finish_geometry(struct apply *apply) {
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.scenery_changed = true;
    apply_write_tick(apply);
}

struct message_event *apply_tell(struct apply *apply, const char *name, unsigned has) {
    struct message_event *event = &apply->effects.event;
    (void)snprintf(event->event, sizeof event->event, "%s", name);
    event->has = has;
    return event;
}

struct message_event *apply_tell_place(struct apply *apply, const char *name, unsigned has, vec2 place) {
    struct message_event *event = apply_tell(apply, name, has | EVENT_HAS_PLACE);
    event->x = world_snapshot_hundredths(place.x);
    event->y = world_snapshot_hundredths(place.y);
    return event;
}

void apply_tell_target(struct apply *apply, const char *name, int target) {
    const struct world *world = apply->state->world;
    const vec2 at = world_target_position(world, target);
    struct message_event *event = apply_tell(apply, name, EVENT_HAS_TARGET);
    (void)snprintf(event->target, sizeof event->target, "%s", world_target_name(world, target));
    event->x = world_snapshot_hundredths(at.x);
    event->y = world_snapshot_hundredths(at.y);
}

int apply_fail_memory(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_BUSY, NULL, "out of memory");
}

int apply_fail_agent(struct apply *apply, uint32_t id) {
    return failure_set(&apply->failure, FAILURE_NO_AGENT, "agent", "no agent %u", (unsigned)id);
}

int apply_find_columns_agents(struct apply *apply, const struct request_columns *columns) {
    for (uint32_t i = 0; i < columns->count; i++) {
        if (world_find_agent(apply->state->world, columns->agents[i]) < 0) {
            char field[32];
            (void)snprintf(field, sizeof field, "agents[%u]", (unsigned)i);
            return failure_set(&apply->failure, FAILURE_NO_AGENT, field, "no agent %u",
                               (unsigned)columns->agents[i]);
        }
    }
    return 0;
}

int apply_fail_world(struct apply *apply, enum world_result result) {
    if (result == WORLD_FULL) {
        return failure_set(&apply->failure, FAILURE_FULL, "count", "%d agents exist; at most %d are allowed",
                           (int)world_agent_count(apply->state->world),
                           (int)world_max_agents(apply->state->world));
    }
    if (result == WORLD_NO_MEMORY) {
        return apply_fail_memory(apply);
    }
    return failure_set(&apply->failure, FAILURE_INTERNAL, NULL, "the world refused the request (%d)",
                       (int)result);
}
