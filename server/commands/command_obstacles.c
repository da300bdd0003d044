/* The handlers of obstacles: add_obstacle, move_obstacle, remove_obstacle. */
#include "server/commands/command_handlers.h"

static int fail_obstacle(struct apply *apply, uint32_t id) {
    return failure_set(&apply->failure, FAILURE_NO_OBSTACLE, "obstacle", "no obstacle %u", (unsigned)id);
}

/* pushed: how many bodies had to make room; -1: it went. */
static void finish_obstacle(struct apply *apply, const char *what, uint32_t id, int32_t pushed) {
    const struct obstacle_def *obstacle = world_find_obstacle(apply->state->world, id);
    struct message_event *event =
        apply_tell(apply, what, EVENT_HAS_OBSTACLE | (obstacle != NULL ? EVENT_HAS_SHAPE : 0u));
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
        return apply_fail_memory(apply);
    default:
        return failure_set(&apply->failure, FAILURE_FULL, NULL, "obstacle limit reached (%d)",
                           LIMIT_OBSTACLES);
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
