/* See app_drag.h.
 *
 * While a target or an obstacle is held, its newest place is sent at a bounded rate, the last one always.
 * Esc sends it back to where it was taken.
 */
#include "viewer/app/app_drag.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/app/app_crowd.h"
#include "viewer/app/app_edits.h"
#include "viewer/app/app_queries.h"
#include "viewer/app/app_requests.h"
#include "viewer/model/camera.h"
#include "viewer/model/edits.h"

static const float target_reach_px = 16.0f, obstacle_reach_px = 6.0f, pick_reach_px = 6.0f;
static const float slop_px = 5.0f; /* a press that moves less is a click */
static const double target_gap_ms = 16.0, obstacle_gap_ms = 33.0;

/* ---- what is under the pointer ---- */

/* A named target; the target named mouse follows the pointer anyway unless it is held in its place. */
static bool find_target(const struct app *app, struct app_hold *hold) {
    float best = target_reach_px * app->picture.pixel_scale;
    for (int32_t i = 0; app->frame.names != NULL && i < app->frame.target_count; i++) {
        const struct frame_target *target = &app->frame.targets[i];
        const char *its = app->frame.names->target_names.names[target->name];
        const vec2 at = camera_to_window(&app->picture.camera, target->position);
        const vec2 way = torus_short_way(vec2_sub(at, app->pointer.at),
                                         vec2_scale(app_wrap_size(app), app->picture.camera.scale));
        const float distance = vec2_length(way);
        if (distance <= best && (app->settings.pins_mouse || strcmp(its, "mouse") != 0)) {
            best = distance;
            *hold = (struct app_hold){.what = HOLD_TARGET, .from = target->position};
            (void)snprintf(hold->target, sizeof hold->target, "%s", its);
        }
    }
    return hold->what == HOLD_TARGET;
}

/* Agents are drawn over obstacles: a press on an agent selects it. */
static bool is_on_agent(const struct app *app) {
    const struct scene scene = app_scene(app);
    uint32_t id = 0;
    return scene_pick(&scene, app->pointer.at, pick_reach_px * app->picture.pixel_scale, &id);
}

static bool find_obstacle(const struct app *app, struct app_hold *hold) {
    const vec2 at = app_world_point(app);
    const float reach = obstacle_reach_px * app->picture.pixel_scale / app->picture.camera.scale;
    const struct obstacle_def *found =
        obstacle_handle_find(&app->server.scenario.geometry, at, reach, app_wrap_size(app));
    if (found == NULL || is_on_agent(app)) {
        return false;
    }
    const vec2 from = obstacle_point(found);
    *hold = (struct app_hold){
        .what = HOLD_OBSTACLE, .obstacle = found->id, .from = from, .offset = vec2_sub(from, at)};
    return true;
}

static enum request_op op_of(const struct app_hold *hold) {
    return hold->what == HOLD_TARGET ? REQUEST_SET_TARGET : REQUEST_MOVE_OBSTACLE;
}

static struct app_hold find_hold(const struct app *app) {
    struct app_hold hold = {.what = HOLD_NOTHING};
    if (app->past.playhead.is_live && app->link.state == LINK_READY && app->server.has_scenario &&
        app->picture.has_camera && !find_target(app, &hold)) {
        (void)find_obstacle(app, &hold);
    }
    return hold;
}

/* ---- where it goes ---- */

/* The first point of an obstacle may lie outside the world: the obstacle stays under the pointer. */
static vec2 held_obstacle_point(const struct app *app) {
    const vec2 to = vec2_add(app_world_point(app), app->hand.hold.offset);
    const float limit = (float)LIMIT_COORDINATE;
    if (server_model_wraps(&app->server)) {
        return server_model_clamp_point(&app->server, torus_wrap(to, app_wrap_size(app)));
    }
    return vec2_make(fminf(fmaxf(to.x, -limit), limit), fminf(fmaxf(to.y, -limit), limit));
}

static vec2 held_point(const struct app *app) {
    return app->hand.hold.what == HOLD_OBSTACLE ? held_obstacle_point(app) : app_world_point(app);
}

static void send_to(struct app *app, vec2 to) {
    struct request request = request_default(op_of(&app->hand.hold));
    if (app->hand.hold.what == HOLD_TARGET) {
        struct request_set_target *body = &request.body.set_target;
        body->has_name = body->has_point = true;
        (void)snprintf(body->name, sizeof body->name, "%s", app->hand.hold.target);
        body->x = to.x;
        body->y = to.y;
    } else {
        request.body.move_obstacle.obstacle = app->hand.hold.obstacle;
        request.body.move_obstacle.x = to.x;
        request.body.move_obstacle.y = to.y;
    }
    app->hand.hold.sent_ms = app->now_ms;
    app->hand.has_moved = false;
    if (app_send(app, &request)) {
        app->hand.hold.to = to;
        app->hand.hold.was_sent = true;
    }
}

static void let_go(struct app *app) {
    app->hand.is_dragging = false;
    app->hand.hold.what = HOLD_NOTHING;
}

/* ---- the button ---- */

bool app_drag_begin(struct app *app) {
    app_move_all(app);
    app->hand.hold = find_hold(app);
    app->hand.has_moved = false;
    app->hand.is_dragging = app->hand.hold.what != HOLD_NOTHING;
    return app->hand.is_dragging;
}

static void note_motion(struct app *app) {
    const float moved = vec2_length(vec2_sub(app->pointer.at, app->pointer.pressed_at));
    app->hand.hold.has_moved = app->hand.hold.has_moved || moved > slop_px * app->picture.pixel_scale;
}

void app_drag_move(struct app *app) {
    assert(app->hand.is_dragging && app->hand.hold.what != HOLD_NOTHING);
    struct app_hold *hold = &app->hand.hold;
    const bool is_gone = hold->what == HOLD_OBSTACLE &&
                         obstacle_handle_by_id(&app->server.scenario.geometry, hold->obstacle) == NULL;
    if (is_gone || app->link.state != LINK_READY || !app->past.playhead.is_live) {
        server_model_set_notice(&app->server, true,
                                is_gone ? "the obstacle was removed by another client" : "released");
        let_go(app);
        return;
    }
    note_motion(app);
    const double gap_ms = hold->what == HOLD_TARGET ? target_gap_ms : obstacle_gap_ms;
    if (hold->has_moved && app->hand.has_moved && app->now_ms - hold->sent_ms >= gap_ms) {
        send_to(app, held_point(app));
        if (!server_model_may(&app->server, op_of(hold))) {
            let_go(app); /* sending it said why */
        }
    }
}

bool app_drag_end(struct app *app) {
    assert(app->hand.hold.what != HOLD_NOTHING);
    note_motion(app); /* all of it may have happened since the last frame */
    const bool has_moved = app->hand.hold.has_moved;
    if (has_moved && app->hand.has_moved) {
        send_to(app, held_point(app));
    }
    app_note_drag(app, &app->hand.hold);
    let_go(app);
    return has_moved;
}

void app_drag_give_up(struct app *app) {
    assert(app->hand.hold.what != HOLD_NOTHING);
    if (app->hand.hold.has_moved) {
        send_to(app, app->hand.hold.from);
    }
    let_go(app);
}

/* ---- what is shown ---- */

void app_drag_words(const struct app *app, char *out, size_t size) {
    if (app->hand.is_dragging && app->hand.hold.what == HOLD_TARGET) {
        (void)snprintf(out, size, "Target %s  (Esc or right button: back)", app->hand.hold.target);
    } else if (app->hand.is_dragging && app->hand.hold.what == HOLD_OBSTACLE) {
        (void)snprintf(out, size, "Obstacle %u  (Esc or right button: back)", app->hand.hold.obstacle);
    }
}

/* Finds the object that is held, or that the role may drag under the pointer. */
static struct app_hold find_shown(const struct app *app) {
    const bool is_over_world = app->pointer.is_over_window && app->hand.tool == TOOL_NONE &&
                               !app->pointer.is_panning && !app_is_over_panels(app, app->pointer.at);
    struct app_hold hold = {.what = HOLD_NOTHING};
    if (app->hand.is_dragging && app->hand.tool == TOOL_NONE) {
        hold = app->hand.hold;
    } else if (is_over_world && !app->pointer.is_pressed) {
        hold = find_hold(app);
    }
    if (!server_model_may(&app->server, op_of(&hold))) {
        hold.what = HOLD_NOTHING; /* a press and a motion say why */
    }
    return hold;
}

/* The pointer is a hand over what can be dragged. */
void app_drag_update(struct app *app) {
    app->hand.shown = find_shown(app);
    window_set_pointer(app->window, app->hand.shown.what == HOLD_NOTHING ? WINDOW_ARROW
                                    : app->hand.is_dragging              ? WINDOW_MOVE
                                                                         : WINDOW_HAND);
}

bool app_drag_handle(const struct app *app, struct obstacle_def *handle) {
    const struct app_hold *hold = &app->hand.shown;
    const struct obstacle_def *obstacle =
        hold->what == HOLD_OBSTACLE ? obstacle_handle_by_id(&app->server.scenario.geometry, hold->obstacle)
                                    : NULL;
    if (obstacle != NULL) {
        *handle = hold->has_moved ? obstacle_moved(obstacle, held_obstacle_point(app)) : *obstacle;
    }
    return obstacle != NULL;
}
