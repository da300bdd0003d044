/* The handlers of targets: set_target, mouse, add_target, remove_target. */
#include "server/commands/command_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/protocol/geometry_json.h"
#include "server/scenario/scenario.h"

/* Says that nothing heeds what was set. It is set all the same: what is spawned later may heed it. */
static void note_unheeded(struct apply *apply) {
    apply->effects.unheeded = true;
    json_key_bool(apply->json, "heeded", false);
}

static int move_target(struct apply *apply, const char *name, const char *field, vec2 point) {
    struct world *world = apply->state->world;
    const int target = command_find_target(world, name, field, &apply->failure);
    if (target < 0) {
        return -1;
    }
    world_set_target(world, target, point);
    apply->effects.changed = true;
    apply_write_tick(apply);
    apply_write_point(apply, world_target_position(world, target));
    apply_send_target(apply, "target", target);
    return 0;
}

/* What an agent or a kind is to aim at. */
static int read_aim(struct apply *apply, const struct request_set_target *body, struct aim *aim) {
    const struct world *world = apply->state->world;
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
    const struct world *world = apply->state->world;
    if (move_target(apply, body->name, "name", vec2_make(body->x, body->y)) != 0) {
        return -1;
    }
    if (!world_heeds_target(world, world_find_target(world, body->name))) {
        note_unheeded(apply);
    }
    return 0;
}

static void send_aim(struct apply *apply, const struct request_set_target *body, const struct aim *aim) {
    struct message_event *event = apply_send(apply, "aim", 0);
    if (aim->mode == AIM_POINT) {
        event = apply_send_place(apply, "aim", 0, aim->point);
    }
    event->has |= body->has_agent ? EVENT_HAS_AGENT : EVENT_HAS_KIND;
    event->has |= body->has_follow ? EVENT_HAS_FOLLOW : body->clear ? EVENT_HAS_CLEAR : 0u;
    event->agent = body->agent;
    event->clear = body->clear;
    memcpy(event->kind, body->kind, sizeof event->kind);
    memcpy(event->follow, body->follow, sizeof event->follow);
}

/* Row by row: of an id that repeats the last row counts. */
static int aim_agents(struct apply *apply, const struct request_columns *columns) {
    struct world *world = apply->state->world;
    bool is_heeded = columns->count == 0;
    if (apply_find_columns_agents(apply, columns) != 0) {
        return -1;
    }
    for (uint32_t i = 0; i < columns->count; i++) {
        const vec2 point =
            vec2_make(columns->values[REQUEST_COLUMN_X][i], columns->values[REQUEST_COLUMN_Y][i]);
        const struct aim aim = {.mode = AIM_POINT, .point = world_settle_point(world, point)};
        const enum world_result result = world_aim_agent(world, columns->agents[i], aim);
        assert(result == WORLD_OK);
        (void)result;
        const int32_t row = world_find_agent(world, columns->agents[i]);
        is_heeded = is_heeded || world_heeds_aim(world, world_agent_kind(world, row));
    }
    apply->effects.changed = columns->count > 0;
    if (columns->count > 0) {
        apply_send(apply, "aim", EVENT_HAS_COUNT)->count = columns->count;
    }
    apply_write_tick(apply);
    json_key_unsigned(apply->json, "count", columns->count);
    if (!is_heeded) {
        note_unheeded(apply);
    }
    return 0;
}

int apply_set_target(struct apply *apply) {
    struct world *world = apply->state->world;
    const struct request_set_target *body = &apply->request->body.set_target;
    const struct request_columns *columns = request_columns_of(apply->request);
    if (columns != NULL) {
        return aim_agents(apply, columns);
    }
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
            return apply_fail_agent(apply, body->agent);
        }
        if (result != WORLD_OK) {
            return apply_fail_world(apply, result);
        }
        kind = world_agent_kind(world, world_find_agent(world, body->agent));
    } else {
        kind = command_find_kind(world, body->kind, &apply->failure);
        if (kind < 0) {
            return -1;
        }
        world_aim_kind(world, kind, aim);
    }
    send_aim(apply, body, &aim);
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

int apply_add_target(struct apply *apply) {
    struct world *world = apply->state->world;
    const struct request_add_target *body = &apply->request->body.add_target;
    if (strncmp(body->name, CURSOR_TARGET_PREFIX, sizeof CURSOR_TARGET_PREFIX - 1) == 0) {
        return failure_set(&apply->failure, FAILURE_BAD_PARAM, "name",
                           "names that begin with " CURSOR_TARGET_PREFIX
                           " are reserved for the cursors of sessions");
    }
    switch (world_add_target(world, body->name, vec2_make(body->x, body->y))) {
    case WORLD_OK:
        break;
    case WORLD_EXISTS:
        return failure_set(&apply->failure, FAILURE_EXISTS, "name",
                           "target \"%s\" already exists; set_target moves it", body->name);
    default:
        return failure_set(&apply->failure, FAILURE_FULL, "name", "target limit reached (%d)", LIMIT_TARGETS);
    }
    const int target = world_find_target(world, body->name);
    apply_finish_geometry(apply);
    apply_write_point(apply, world_target_position(world, target));
    apply_send_target(apply, "target_added", target);
    return 0;
}

int apply_remove_target(struct apply *apply) {
    struct world *world = apply->state->world;
    const char *name = apply->request->body.remove_target.name;
    const int target = command_find_target(world, name, "name", &apply->failure);
    if (target < 0) {
        return -1;
    }
    if (strncmp(name, CURSOR_TARGET_PREFIX, sizeof CURSOR_TARGET_PREFIX - 1) == 0) {
        return failure_set(&apply->failure, FAILURE_IN_USE, "name", "%s exists until its session ends", name);
    }
    int kind = 0;
    apply_send_target(apply, "target_removed", target); /* while it is there */
    const bool is_used = world_remove_target(world, target, &kind) != WORLD_OK;
    if (is_used && kind < 0) {
        return failure_set(&apply->failure, FAILURE_IN_USE, "name",
                           "a way of this world leads to target \"%s\"", name);
    }
    if (is_used) {
        return failure_set(&apply->failure, FAILURE_IN_USE, "name",
                           "kind \"%s\" uses target \"%s\" in its behaviors or conditions",
                           world_kind(world, kind)->name, name);
    }
    apply_finish_geometry(apply);
    return 0;
}

/* ---- cursors, mouse ---- */

/* Cursors in the world: a cursor is a target "cursor-N" (state_cursors). It exists only in a world in which a
 * behavior aims at such a set of targets, so that pointing changes no other world.
 */

enum apply_cursor {
    APPLY_CURSOR_UNWANTED, /* nothing in this world aims at cursors */
    APPLY_CURSOR_MOVED,
    APPLY_CURSOR_FULL, /* there is no room for another target */
};

static void cursor_name(int index, char name[LIMIT_NAME_CHARS + 1]) {
    (void)snprintf(name, LIMIT_NAME_CHARS + 1, CURSOR_TARGET_PREFIX "%d", index + 1);
}

/* The index of the first of owners[] that is this session; -1 when there is none. 0: the first free one. */
static int find_owner(const struct state_cursors *cursors, uint32_t session) {
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        if (cursors->owners[i] == session) {
            return i;
        }
    }
    return -1;
}

/* The index of the cursor of the session whose request this is; -1 when it has none. */
static int find_mine(const struct simulation_state *state) {
    return state->session == 0 ? -1 : find_owner(&state->cursors, state->session);
}

/* Moves the cursor of state->session to a place that came with another request. */
static enum apply_cursor point_cursor(struct apply *apply, vec2 point) {
    struct state_cursors *cursors = &apply->state->cursors;
    struct world *world = apply->state->world;
    char name[LIMIT_NAME_CHARS + 1];
    if (!world_wants_targets(world, CURSOR_TARGET_PREFIX)) {
        return APPLY_CURSOR_UNWANTED;
    }
    const int mine = find_mine(apply->state);
    if (mine >= 0) {
        cursor_name(mine, name);
        world_set_target(world, world_find_target(world, name), point);
    } else {
        const int fresh = find_owner(cursors, 0); /* there is one: the world has no more targets */
        cursor_name(fresh, name);
        if (fresh < 0 || world_add_target(world, name, point) != WORLD_OK) {
            return APPLY_CURSOR_FULL;
        }
        cursors->owners[fresh] = apply->state->session;
    }
    apply->effects.changed = true;
    return APPLY_CURSOR_MOVED;
}

/* Writes the reply's "cursor": the name of the session's target, when it has one. */
static void write_cursor(struct apply *apply) {
    const int mine = find_mine(apply->state);
    char name[LIMIT_NAME_CHARS + 1];
    if (mine >= 0) {
        cursor_name(mine, name);
        json_key_string(apply->json, "cursor", name);
    }
}

/* Adds the session's target to the event of the request; makes one, "cursor", of a request that has none. Nothing
 * when the session has no target. */
static void tell_cursor(struct apply *apply, vec2 point) {
    const int mine = find_mine(apply->state);
    if (mine < 0) {
        return;
    }
    if (apply->effects.event.event[0] == '\0') {
        (void)apply_send_place(apply, "cursor", 0, world_settle_point(apply->state->world, point));
    }
    apply->effects.event.has |= EVENT_HAS_CURSOR;
    cursor_name(mine, apply->effects.event.cursor);
}

/* Whether the session got this error before; from now on it has. */
static bool note_refused(struct state_cursors *cursors, uint32_t session) {
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        if (cursors->refused[i] == session) {
            return true;
        }
    }
    cursors->refused[cursors->refused_count++ % LIMIT_TARGETS] = session;
    return false;
}

/* Fails for APPLY_CURSOR_FULL. Returns -1. */
static int fail_cursor(struct apply *apply) {
    apply->is_told = note_refused(&apply->state->cursors, apply->state->session);
    return failure_set(&apply->failure, FAILURE_FULL, NULL,
                       "target limit reached (%d); this session's cursor is not among the targets",
                       LIMIT_TARGETS);
}

static void withdraw(struct apply *apply) {
    struct world *world = apply->state->world;
    const int mine = find_mine(apply->state);
    char name[LIMIT_NAME_CHARS + 1];
    int kind = 0;
    if (mine < 0) {
        return;
    }
    cursor_name(mine, name);
    cursor_name(mine, apply_send(apply, "cursor_gone", EVENT_HAS_CURSOR)->cursor);
    apply->effects.changed = world_remove_target(world, world_find_target(world, name), &kind) == WORLD_OK;
    apply->state->cursors.owners[mine] = 0;
}

int apply_mouse(struct apply *apply) {
    const struct request_mouse *body = &apply->request->body.mouse;
    const vec2 point = vec2_make(body->x, body->y);
    const enum apply_cursor cursor = point_cursor(apply, point);
    if (cursor == APPLY_CURSOR_UNWANTED || world_find_target(apply->state->world, "mouse") >= 0) {
        if (move_target(apply, "mouse", NULL, point) != 0) {
            return -1;
        }
    } else if (cursor == APPLY_CURSOR_FULL) {
        return fail_cursor(apply);
    } else {
        apply_write_tick(apply);
        apply_write_point(apply, world_settle_point(apply->state->world, point));
    }
    write_cursor(apply);
    tell_cursor(apply, point);
    return 0;
}

int apply_cursor(struct apply *apply) {
    const struct request_cursor *body = &apply->request->body.cursor;
    const vec2 point = vec2_make(body->x, body->y);
    if (body->gone) {
        withdraw(apply);
        apply_write_tick(apply);
        return 0;
    }
    if (point_cursor(apply, point) == APPLY_CURSOR_FULL) {
        return fail_cursor(apply);
    }
    apply_write_tick(apply);
    apply_write_point(apply, world_settle_point(apply->state->world, point));
    write_cursor(apply);
    tell_cursor(apply, point);
    return 0;
}

/* ---- obstacles ---- */

/* The handlers of obstacles: add_obstacle, move_obstacle, set_obstacle, remove_obstacle. */

static int fail_obstacle(struct apply *apply, uint32_t id) {
    return failure_set(&apply->failure, FAILURE_NO_OBSTACLE, "obstacle", "no obstacle %u", (unsigned)id);
}

/* pushed: how many bodies had to make room; -1: none have at once. */
static void finish_obstacle(struct apply *apply, const char *what, uint32_t id, int32_t pushed) {
    const struct obstacle_def *obstacle = world_find_obstacle(apply->state->world, id);
    struct message_event *event =
        apply_send(apply, what, EVENT_HAS_OBSTACLE | (obstacle != NULL ? EVENT_HAS_SHAPE : 0u));
    event->obstacle = obstacle != NULL ? *obstacle : (struct obstacle_def){.id = id};
    apply_finish_geometry(apply);
    if (pushed >= 0) {
        json_key_unsigned(apply->json, "obstacle", id);
        json_key_unsigned(apply->json, "pushed", (uint32_t)pushed);
    }
}

int apply_add_obstacle(struct apply *apply) {
    struct world *world = apply->state->world;
    const struct obstacle_def *shape = &apply->request->body.add_obstacle.shape;
    if (scenario_check_obstacle(shape, world_edge(world), world_size(world),
                                obstacle_shape_names[shape->shape], &apply->failure) != 0) {
        return -1;
    }
    uint32_t id = 0;
    int32_t pushed = 0;
    switch (world_add_obstacle(world, shape, &id, &pushed)) {
    case WORLD_OK:
        finish_obstacle(apply, "obstacle_added", id, pushed);
        return 0;
    case WORLD_NO_MEMORY:
        return apply_fail_memory(apply);
    default:
        return failure_set(&apply->failure, FAILURE_FULL, NULL,
                           "obstacle limit reached (%d, and %d convex pieces that they are cut into)",
                           LIMIT_OBSTACLES, LIMIT_PIECES);
    }
}

int apply_move_obstacle(struct apply *apply) {
    const struct request_move_obstacle *body = &apply->request->body.move_obstacle;
    int32_t pushed = 0;
    switch (world_move_obstacle(apply->state->world, body->obstacle, vec2_make(body->x, body->y), &pushed)) {
    case WORLD_OK:
        finish_obstacle(apply, "obstacle_moved", body->obstacle, pushed);
        return 0;
    case WORLD_NO_OBSTACLE:
        return fail_obstacle(apply, body->obstacle);
    case WORLD_BAD_DEF:
        return failure_set(&apply->failure, FAILURE_OUT_OF_RANGE, "x",
                           "the polygon would lose precision at this position");
    default:
        return apply_fail_memory(apply);
    }
}

int apply_set_obstacle(struct apply *apply) {
    const struct request_set_obstacle *body = &apply->request->body.set_obstacle;
    switch (world_set_door(apply->state->world, body->obstacle, body->closed)) {
    case WORLD_OK:
        finish_obstacle(apply, "obstacle_set", body->obstacle, -1);
        return 0;
    case WORLD_NO_OBSTACLE:
        return fail_obstacle(apply, body->obstacle);
    default:
        return failure_set(
            &apply->failure, FAILURE_BAD_PARAM, "obstacle",
            "obstacle %u is no door; allowed: obstacles with \"door\" in hello or the scenario",
            (unsigned)body->obstacle);
    }
}

int apply_remove_obstacle(struct apply *apply) {
    const uint32_t id = apply->request->body.remove_obstacle.obstacle;
    switch (world_remove_obstacle(apply->state->world, id)) {
    case WORLD_OK:
        finish_obstacle(apply, "obstacle_removed", id, -1);
        return 0;
    case WORLD_NO_OBSTACLE:
        return fail_obstacle(apply, id);
    default:
        return apply_fail_memory(apply);
    }
}
