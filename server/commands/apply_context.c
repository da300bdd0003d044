/* See command_apply.h. */
#include "server/commands/command_apply.h"

#include <stdio.h>
#include <string.h>

#include "common/text/names.h"
#include "server/commands/command_internal.h"
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

struct message_event *apply_send(struct apply *apply, const char *name, unsigned has) {
    struct message_event *event = &apply->effects.event;
    (void)snprintf(event->event, sizeof event->event, "%s", name);
    event->has = has;
    return event;
}

struct message_event *apply_send_place(struct apply *apply, const char *name, unsigned has, vec2 place) {
    struct message_event *event = apply_send(apply, name, has | EVENT_HAS_PLACE);
    event->x = world_snapshot_hundredths(place.x);
    event->y = world_snapshot_hundredths(place.y);
    return event;
}

void apply_send_target(struct apply *apply, const char *name, int target) {
    const struct world *world = apply->state->world;
    const vec2 at = world_target_position(world, target);
    struct message_event *event = apply_send(apply, name, EVENT_HAS_TARGET);
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

/* ---- command find ---- */

void command_list_name(char list[NAME_LIST_BYTES], const char *name, bool quoted) {
    text_list_add(list, NAME_LIST_BYTES, name, quoted);
}

int command_find_kind(const struct world *world, const char *name, struct failure *failure) {
    const int kind = world_find_kind(world, name);
    if (kind >= 0) {
        return kind;
    }
    char list[NAME_LIST_BYTES] = "";
    struct nearest_name nearest = nearest_name_begin(name);
    for (int k = 0; k < world_kind_count(world); k++) {
        command_list_name(list, world_kind(world, k)->name, true);
        nearest_name_offer(&nearest, world_kind(world, k)->name);
    }
    char hint[NEAREST_HINT_BYTES];
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_NO_KIND, "kind", "no kind \"%s\"%s; this scenario has %s", name, hint,
                       list[0] == '\0' ? "none" : list);
}

int command_find_target(const struct world *world, const char *name, const char *field,
                        struct failure *failure) {
    const int target = world_find_target(world, name);
    if (target >= 0) {
        return target;
    }
    char list[NAME_LIST_BYTES] = "";
    struct nearest_name nearest = nearest_name_begin(name);
    for (int t = 0; t < world_target_count(world); t++) {
        command_list_name(list, world_target_name(world, t), true);
        nearest_name_offer(&nearest, world_target_name(world, t));
    }
    char hint[NEAREST_HINT_BYTES];
    nearest_name_hint(&nearest, hint);
    return failure_set(failure, FAILURE_NO_TARGET, field, "no target \"%s\"%s; this scenario has %s", name,
                       hint, list[0] == '\0' ? "none" : list);
}
