/* Requests that furnish a running world: targets and obstacles come, move and go; cursors are targets of
 * sessions. See command_apply.h.
 *
 * A cursor is a target "cursor-N" (stage_cursors). It is there only in a world in which somebody aims at such
 * a set, so that pointing changes no other world.
 */
#include <stdio.h>
#include <string.h>

#include "server/commands/command_apply_internal.h"
#include "server/commands/command_query.h"
#include "server/commands/stage.h"

static int fail_memory(struct apply *apply) {
    return failure_set(&apply->failure, FAILURE_BUSY, NULL, "the server is short of memory");
}

/* The world is furnished otherwise than before. */
static void finish(struct apply *apply) {
    apply->effects.changed = true;
    apply->effects.described = true;
    apply->effects.furnished = true;
    apply_write_tick(apply);
}

/* ---- targets ---- */

int apply_add_target(struct apply *apply) {
    struct world *world = apply->stage->world;
    const struct request_add_target *body = &apply->request->body.add_target;
    if (strncmp(body->name, STAGE_CURSOR, sizeof STAGE_CURSOR - 1) == 0) {
        return failure_set(&apply->failure, FAILURE_BAD_PARAM, "name",
                           "names that begin with " STAGE_CURSOR " belong to the cursors of sessions");
    }
    switch (world_add_target(world, body->name, vec2_make(body->x, body->y))) {
    case WORLD_OK:
        break;
    case WORLD_EXISTS:
        return failure_set(&apply->failure, FAILURE_EXISTS, "name",
                           "there is a target \"%s\" already; set_target moves it", body->name);
    default:
        return failure_set(&apply->failure, FAILURE_FULL, "name", "there are %d targets, and no more may be",
                           LIMIT_TARGETS);
    }
    const int target = world_find_target(world, body->name);
    finish(apply);
    apply_write_point(apply, world_target_position(world, target));
    apply_tell_target(apply, "target_added", target);
    return 0;
}

int apply_remove_target(struct apply *apply) {
    struct world *world = apply->stage->world;
    const char *name = apply->request->body.remove_target.name;
    const int target = command_find_target(world, name, "name", &apply->failure);
    if (target < 0) {
        return -1;
    }
    if (strncmp(name, STAGE_CURSOR, sizeof STAGE_CURSOR - 1) == 0) {
        return failure_set(&apply->failure, FAILURE_IN_USE, "name", "%s is there as long as its session",
                           name);
    }
    int kind = 0;
    apply_tell_target(apply, "target_removed", target); /* while it is there */
    if (world_remove_target(world, target, &kind) != WORLD_OK) {
        return failure_set(&apply->failure, FAILURE_IN_USE, "name",
                           "the kind \"%s\" names the target \"%s\" in its behaviours or conditions",
                           world_kind(world, kind)->name, name);
    }
    finish(apply);
    return 0;
}

/* ---- obstacles ---- */

static int fail_obstacle(struct apply *apply, uint32_t id) {
    return failure_set(&apply->failure, FAILURE_NO_OBSTACLE, "obstacle", "no obstacle %u", (unsigned)id);
}

/* pushed: how many bodies had to make room; -1: it went. */
static void finish_obstacle(struct apply *apply, const char *what, uint32_t id, int32_t pushed) {
    const struct obstacle_def *obstacle = world_find_obstacle(apply->stage->world, id);
    struct message_event *event =
        apply_tell(apply, what, EVENT_HAS_OBSTACLE | (obstacle != NULL ? EVENT_HAS_SHAPE : 0u));
    event->obstacle = obstacle != NULL ? *obstacle : (struct obstacle_def){.id = id};
    finish(apply);
    if (pushed >= 0) {
        json_key_unsigned(apply->json, "obstacle", id);
        json_key_unsigned(apply->json, "pushed", (uint32_t)pushed);
    }
}

int apply_add_obstacle(struct apply *apply) {
    struct world *world = apply->stage->world;
    const struct obstacle_def *shape = &apply->request->body.add_obstacle.shape;
    const char *fault = obstacle_def_fault(shape, world_edge(world) == EDGE_WRAP, world_size(world));
    if (fault != NULL) {
        return failure_set(&apply->failure, FAILURE_BAD_PARAM, obstacle_shape_names[shape->shape], "%s",
                           fault);
    }
    uint32_t id = 0;
    int32_t pushed = 0;
    switch (world_add_obstacle(world, shape, &id, &pushed)) {
    case WORLD_OK:
        finish_obstacle(apply, "obstacle_added", id, pushed);
        return 0;
    case WORLD_NO_MEMORY:
        return fail_memory(apply);
    default:
        return failure_set(&apply->failure, FAILURE_FULL, NULL, "there are %d obstacles, and no more may be",
                           LIMIT_OBSTACLES);
    }
}

int apply_move_obstacle(struct apply *apply) {
    const struct request_move_obstacle *body = &apply->request->body.move_obstacle;
    int32_t pushed = 0;
    switch (world_move_obstacle(apply->stage->world, body->obstacle, vec2_make(body->x, body->y), &pushed)) {
    case WORLD_OK:
        finish_obstacle(apply, "obstacle_moved", body->obstacle, pushed);
        return 0;
    case WORLD_NO_OBSTACLE:
        return fail_obstacle(apply, body->obstacle);
    case WORLD_BAD_DEF:
        return failure_set(&apply->failure, FAILURE_OUT_OF_RANGE, "x", "too far away for so small a polygon");
    default:
        return fail_memory(apply);
    }
}

int apply_remove_obstacle(struct apply *apply) {
    const uint32_t id = apply->request->body.remove_obstacle.obstacle;
    switch (world_remove_obstacle(apply->stage->world, id)) {
    case WORLD_OK:
        finish_obstacle(apply, "obstacle_removed", id, -1);
        return 0;
    case WORLD_NO_OBSTACLE:
        return fail_obstacle(apply, id);
    default:
        return fail_memory(apply);
    }
}

/* ---- cursors ---- */

static void cursor_name(int index, char name[LIMIT_NAME_CHARS + 1]) {
    (void)snprintf(name, LIMIT_NAME_CHARS + 1, STAGE_CURSOR "%d", index + 1);
}

/* The index of the first of owners[] that is this session; -1 when there is none. 0: the first free one. */
static int find_owner(const struct stage_cursors *cursors, uint32_t session) {
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        if (cursors->owners[i] == session) {
            return i;
        }
    }
    return -1;
}

/* The index of the cursor of the session whose request this is; -1 when it has none. */
static int find_mine(const struct stage *stage) {
    return stage->session == 0 ? -1 : find_owner(&stage->cursors, stage->session);
}

enum apply_cursor apply_point_cursor(struct apply *apply, vec2 point) {
    struct stage_cursors *cursors = &apply->stage->cursors;
    struct world *world = apply->stage->world;
    char name[LIMIT_NAME_CHARS + 1];
    if (!world_wants_targets(world, STAGE_CURSOR)) {
        return APPLY_CURSOR_UNWANTED;
    }
    const int mine = find_mine(apply->stage);
    if (mine >= 0) {
        cursor_name(mine, name);
        world_set_target(world, world_find_target(world, name), point);
    } else {
        const int fresh = find_owner(cursors, 0); /* there is one: the world has no more targets */
        cursor_name(fresh, name);
        if (fresh < 0 || world_add_target(world, name, point) != WORLD_OK) {
            return APPLY_CURSOR_FULL;
        }
        cursors->owners[fresh] = apply->stage->session;
    }
    apply->effects.changed = true;
    return APPLY_CURSOR_MOVED;
}

void apply_write_cursor(struct apply *apply) {
    const int mine = find_mine(apply->stage);
    char name[LIMIT_NAME_CHARS + 1];
    if (mine >= 0) {
        cursor_name(mine, name);
        json_key_string(apply->json, "cursor", name);
    }
}

/* Whether the session was told before that there is no room; it is from now on. */
static bool note_refused(struct stage_cursors *cursors, uint32_t session) {
    for (int i = 0; i < LIMIT_TARGETS; i++) {
        if (cursors->refused[i] == session) {
            return true;
        }
    }
    cursors->refused[cursors->refused_count++ % LIMIT_TARGETS] = session;
    return false;
}

int apply_fail_cursor(struct apply *apply) {
    apply->is_told = note_refused(&apply->stage->cursors, apply->stage->session);
    return failure_set(&apply->failure, FAILURE_FULL, NULL,
                       "there are %d targets, and no more may be: your cursor is none of them",
                       LIMIT_TARGETS);
}

static void withdraw(struct apply *apply) {
    struct world *world = apply->stage->world;
    const int mine = find_mine(apply->stage);
    char name[LIMIT_NAME_CHARS + 1];
    int kind = 0;
    if (mine < 0) {
        return;
    }
    cursor_name(mine, name);
    apply->effects.changed = world_remove_target(world, world_find_target(world, name), &kind) == WORLD_OK;
    apply->stage->cursors.owners[mine] = 0;
}

int apply_cursor(struct apply *apply) {
    const struct request_cursor *body = &apply->request->body.cursor;
    const vec2 point = vec2_make(body->x, body->y);
    if (body->is_gone) {
        withdraw(apply);
        return 0;
    }
    if (apply_point_cursor(apply, point) == APPLY_CURSOR_FULL) {
        return apply_fail_cursor(apply);
    }
    apply_write_tick(apply);
    apply_write_point(apply, world_settle_point(apply->stage->world, point));
    apply_write_cursor(apply);
    return 0;
}
