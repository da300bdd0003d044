/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/model/camera.h"
#include "viewer/model/edits.h"

/* ---- what is noted ---- */

/* A drag has ended: what was held lies where it was last sent. */
static void app_note_drag(struct app *app, const struct app_hold *hold) {
    struct edit edit = {.what = hold->what == HOLD_TARGET ? EDIT_TARGET : EDIT_OBSTACLE,
                        .obstacle = hold->obstacle,
                        .from = hold->from,
                        .to = hold->to};
    (void)snprintf(edit.target, sizeof edit.target, "%s", hold->target);
    if (hold->was_sent) {
        (void)edits_add(&app->edits, &edit);
    }
}

/* Sends a request that adds or removes agents, and notes it. edit: number is not read. */
static void app_send_edit(struct app *app, struct request *request, const struct edit *edit) {
    edits_id(app->edits.newest + 1, request->id, sizeof request->id);
    if (app_send(app, request)) {
        (void)edits_add(&app->edits, edit);
    }
}

/* ---- undo and redo ---- */

static const char *word_of(bool is_undo) {
    return is_undo ? "undo" : "redo";
}

/* Another client has the last word on it, until the user insists. */
static void ask(struct app *app, const struct edit *edit, bool is_undo) {
    char words[EDIT_WORDS];
    edits_words(edit, is_undo, words, sizeof words);
    server_model_set_warning(&app->server, "%s has changed the same since; %s again for: %s", edit->by,
                             is_undo ? "Ctrl+Z" : "Ctrl+Y", words);
}

static void send(struct app *app, const struct edit *edit, bool is_undo, struct request *request) {
    char words[EDIT_WORDS];
    edits_words(edit, is_undo, words, sizeof words);
    if (request->op == REQUEST_SET_PARAM) {
        (void)snprintf(request->id, sizeof request->id, "%s", SERVER_MODEL_TUNE_ID);
    }
    if (!app_send(app, request)) {
        return;
    }
    if (request->op == REQUEST_SET_PARAM) {
        server_model_set_param(&app->server, edit->kind, edit->param, request->body.set_param.value);
    }
    const bool can_leave_out = is_undo && app->server.past.has_branches && app->server.role >= ROLE_ADMIN;
    server_model_set_notice(&app->server, false, "%s: %s%s", is_undo ? "undone" : "redone", words,
                            can_leave_out ? "; Ctrl+U: as if it had not happened" : "");
    edits_take(&app->edits, is_undo);
}

void app_undo(struct app *app, bool is_undo) {
    const struct edit *edit = edits_next(&app->edits, is_undo);
    struct request request;
    if (edit == NULL) {
        server_model_set_notice(&app->server, false, "nothing to %s: only what this window changed can be",
                                word_of(is_undo));
    } else if (app_refuses_past(app)) {
        return;
    } else if (!edits_request(edit, is_undo, &request)) {
        server_model_set_notice(&app->server, false, "the server has not named the agents yet: %s it again",
                                word_of(is_undo));
    } else if (app_may(app, request.op)) {
        if (edits_asks(&app->edits, is_undo)) {
            ask(app, edit, is_undo);
        } else {
            send(app, edit, is_undo, &request);
        }
    }
}

/* ---- as if it had not happened ---- */

void app_leave_out(struct app *app) {
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = LIST_CHANGES;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_WITHOUT_ID);
    if (edits_undone(&app->edits) > 1) {
        server_model_set_notice(&app->server, false,
                                "several changes are undone; Ctrl+U leaves out one: Ctrl+Y until one is");
        return;
    }
    if (!app_refuses_past(app) && app_may(app, REQUEST_REWIND) && !app->past.is_rewinding) {
        app_send(app, &request); /* what is known of them may be a second old */
    }
}

static bool was_left_out(const struct app_leaving_out *leaving, uint64_t number) {
    for (unsigned i = 0; i < leaving->done_count && i < APP_LEFT_OUT; i++) {
        if (leaving->done[i] == number) {
            return true;
        }
    }
    return false;
}

/* The newest change of this window that is older than a number. A pointer that only moves is none. NULL: there is none. */
static const struct message_change *own_change(const struct app *app, uint64_t before) {
    const struct message_past *past = &app->server.past;
    for (int i = 0; i < past->change_count; i++) {
        const struct message_change *change = &past->changes[i];
        if (change->by == app->server.session && change->number < before &&
            strcmp(change->op, "mouse") != 0 && !was_left_out(&app->past.leaving_out, change->number) &&
            server_model_is_in_effect(&app->server, change->branch, change->tick)) {
            return change;
        }
    }
    return NULL;
}

static void send_without(struct app *app, const struct message_change *change) {
    struct app_leaving_out *leaving = &app->past.leaving_out;
    const double hz = fmax(app->server.scenario.tick_hz, 1.0);
    struct request request = request_default(REQUEST_REWIND);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_WITHOUT_ID);
    request.body.rewind.has_without = request.body.rewind.row = true;
    request.body.rewind.without = change->number;
    leaving->change = *change;
    leaving->is_going = app->past.is_rewinding = app_send(app, &request);
    /* those of a row are at most a second apart */
    app->past.kept_s = fmax((double)change->tick / hz - (double)(change->count - 1) - 0.5 / hz, 0.0);
}

/* Whether an edit is what the row of the list says. */
static bool is_of_edit(const struct message_change *change, const struct edit *edit) {
    struct request request;
    return edit != NULL && edits_request(edit, false, &request) &&
           strcmp(request_op_name(request.op), change->op) == 0;
}

/* The list has come. What was undone goes together with what undid it; in quick succession they are one row. */
static void begin_leaving_out(struct app *app) {
    const struct message_change *change = own_change(app, UINT64_MAX);
    const struct message_change *next =
        change != NULL && change->count <= 1 ? own_change(app, change->number) : NULL;
    app->past.leaving_out.has_next = next != NULL && is_of_edit(next, edits_next(&app->edits, false));
    if (app->past.leaving_out.has_next) {
        app->past.leaving_out.next = *next;
    }
    if (change != NULL) {
        send_without(app, change);
    } else {
        server_model_set_notice(
            &app->server, false,
            "nothing to leave out: only what this window changed can be, while the server "
            "keeps it");
    }
}

/* The world goes on without the change. */
static void take_left_out(struct app *app, const struct message_reply *reply) {
    struct app_leaving_out *leaving = &app->past.leaving_out;
    const struct message_change *change = &leaving->change;
    leaving->done[leaving->done_count++ % APP_LEFT_OUT] = change->number;
    const struct edit *edit = edits_next(&app->edits, edits_undone(&app->edits) == 0);
    if (!leaving->has_next && is_of_edit(change, edit)) {
        edits_drop(&app->edits, edit->number);
    }
    server_model_set_notice(&app->server, false, "as if it had not happened: %s %s%s; branch %s goes on",
                            change->op, change->text, change->count > 1 ? ", and those before it" : "",
                            reply->branch);
}

/* Whether what comes is about it. */
static void take_leaving_out(struct app *app, const struct message *message) {
    struct app_leaving_out *leaving = &app->past.leaving_out;
    const struct message_reply *reply = &message->body.reply;
    if (message->op == MESSAGE_ERROR && strcmp(message->body.error.id, SERVER_MODEL_WITHOUT_ID) == 0) {
        leaving->is_going = leaving->has_next = false;
    } else if (message->op == MESSAGE_REPLY && strcmp(reply->id, SERVER_MODEL_WITHOUT_ID) == 0) {
        if (strcmp(reply->to, "rewind") == 0) {
            take_left_out(app, reply);
        } else {
            begin_leaving_out(app);
        }
    }
}

void app_leave_out_next(struct app *app) {
    struct app_leaving_out *leaving = &app->past.leaving_out;
    leaving->has_gone = leaving->is_going;
    leaving->is_going = false;
    if (leaving->has_next) {
        leaving->has_next = false;
        send_without(app, &leaving->next);
    }
}

/* ---- what the server says ---- */

/* An agent that comes back is another one to the server. */
static void take_reply(struct app *app, const struct message_reply *reply) {
    const uint32_t number = edits_number(reply->id), first_id = reply->first_id;
    const struct edit *edit = edits_name_agents(&app->edits, number, reply->tick, first_id);
    if (edit != NULL && edit->was_id != 0) {
        server_model_set_notice(&app->server, false, "back: %s %u, which is %u now%s", edit->kind,
                                edit->was_id, first_id, edit->count > 1 ? " (and those after it)" : "");
    }
}

/* The scenario line came just before: of another's rewind it was like that of a load. */
static void take_rewound(struct app *app, uint64_t tick, bool is_back) {
    struct app_past *past = &app->past;
    if (past->has_edits_before && app->edits.count == 0) {
        app->edits = past->edits_before;
    }
    if (!is_back) {
        edits_clear(&app->edits);
    } else if (!past->leaving_out.has_gone) {
        edits_cut(&app->edits, tick);
    }
}

void app_take_edit(struct app *app, const struct message *message, bool is_back) {
    take_leaving_out(app, message);
    if (message->op == MESSAGE_EVENT) {
        const char *event = message->body.event.event;
        const bool is_rewound = strcmp(event, "rewound") == 0;
        if (is_rewound) {
            take_rewound(app, message->body.event.tick, is_back);
        }
        if (is_rewound || strcmp(event, "loaded") == 0) {
            app->past.has_edits_before = app->past.leaving_out.has_gone = false;
        }
        edits_note(&app->edits, &message->body.event, app->server.session);
    } else if (message->op == MESSAGE_REPLY) {
        take_reply(app, &message->body.reply);
    } else if (message->op == MESSAGE_ERROR) {
        edits_drop(&app->edits, edits_number(message->body.error.id));
    }
}

/* ---- drag ---- */

/* While a target or an obstacle is held, its newest place is sent at a bounded rate, the last one always.
 * Esc sends it back to where it was taken. */

/* ---- dragging ---- */

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
    const struct message_moment moment = server_model_moment(&app->server, app->frame.time_s);
    const struct obstacle_def *found =
        obstacle_handle_find(&app->server.scenario.geometry, at, reach, &moment);
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
    if (app_shows_now(app) && app->link.state == LINK_READY && app->server.has_scenario &&
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

/* Handles a press of the left button. Returns whether the button holds a target or an obstacle now. */
static bool app_drag_begin(struct app *app) {
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

/* Moves the held target or obstacle; called once a frame. */
static void app_drag_move(struct app *app) {
    assert(app->hand.is_dragging && app->hand.hold.what != HOLD_NOTHING);
    struct app_hold *hold = &app->hand.hold;
    const bool is_gone = hold->what == HOLD_OBSTACLE &&
                         obstacle_handle_by_id(&app->server.scenario.geometry, hold->obstacle) == NULL;
    if (is_gone || app->link.state != LINK_READY || !app_shows_now(app)) {
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

/* A click on a door opens or closes it; false: it is none. */
static bool turn_door(struct app *app) {
    const struct obstacle_def *obstacle =
        app->hand.hold.what == HOLD_OBSTACLE
            ? obstacle_handle_by_id(&app->server.scenario.geometry, app->hand.hold.obstacle)
            : NULL;
    if (obstacle == NULL || !(obstacle->door.time > 0.0f)) {
        return false;
    }
    const struct edit edit = {
        .what = EDIT_DOOR, .obstacle = obstacle->id, .closes = !obstacle->door.is_closed};
    struct request request;
    (void)edits_request(&edit, false, &request);
    app_send_edit(app, &request, &edit);
    return true;
}

/* Handles the release of the button; false: nothing was moved, and no door turned. */
static bool app_drag_end(struct app *app) {
    assert(app->hand.hold.what != HOLD_NOTHING);
    note_motion(app); /* all of it may have happened since the last frame */
    const bool has_moved = app->hand.hold.has_moved;
    if (has_moved && app->hand.has_moved) {
        send_to(app, held_point(app));
    }
    const bool has_turned = !has_moved && turn_door(app);
    app_note_drag(app, &app->hand.hold);
    let_go(app);
    return has_moved || has_turned;
}

void app_drag_give_up(struct app *app) {
    assert(app->hand.hold.what != HOLD_NOTHING);
    if (app->hand.hold.has_moved) {
        send_to(app, app->hand.hold.from);
    }
    let_go(app);
}

/* ---- what is shown ---- */

/* Names the held target or obstacle; out stays as it is when nothing is held. */
static void app_drag_words(const struct app *app, char *out, size_t size) {
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
        const struct message_geometry *geometry = &app->server.scenario.geometry;
        const struct message_moment moment = server_model_moment(&app->server, app->frame.time_s);
        *handle = message_obstacle_at(geometry, (int)(obstacle - geometry->obstacles), &moment);
        if (hold->has_moved) { /* by as much as its own place */
            const vec2 by = vec2_sub(held_obstacle_point(app), obstacle_point(obstacle));
            *handle = obstacle_moved(handle, vec2_add(obstacle_point(handle), by));
        }
    }
    return obstacle != NULL;
}

/* ---- tools ---- */

static const double tune_gap_ms = 50.0;
static const uint32_t handful = 10; /* agents that are added with Shift held */
static const float handful_radius_px = 24.0f;

/* ---- agents ---- */

static const char *tool_kind(const struct app *app) {
    const struct message_scenario *scenario = &app->server.scenario;
    return app->hand.kind < scenario->kind_count ? scenario->kinds[app->hand.kind].name : "";
}

static void add_agents(struct app *app) {
    struct request request = request_default(REQUEST_SPAWN);
    struct request_spawn *body = &request.body.spawn;
    const vec2 at = app_world_point(app);
    const bool is_handful = app->hand.has_shift;
    (void)snprintf(body->kind, sizeof body->kind, "%s", tool_kind(app));
    body->has_point = true;
    body->x = at.x;
    body->y = at.y;
    body->count = is_handful ? handful : 1;
    body->radius =
        is_handful ? handful_radius_px * app->picture.pixel_scale / app->picture.camera.scale : 0.0f;
    struct edit edit = {.what = EDIT_ADDED, .count = body->count, .at = at, .radius = body->radius};
    (void)snprintf(edit.kind, sizeof edit.kind, "%s", body->kind);
    app_send_edit(app, &request, &edit);
}

/* What brings the agent back as it is now. */
static struct edit removal_of(const struct app *app, uint32_t id) {
    const int32_t index = frame_find(&app->frame, id);
    struct edit edit = {.what = EDIT_REMOVED, .first_id = id, .count = 1};
    if (index >= 0) {
        const struct pose pose = frame_pose(&app->frame, index);
        (void)snprintf(edit.kind, sizeof edit.kind, "%s", app->frame.names->kind_names.names[pose.kind]);
        edit.at = server_model_clamp_point(&app->server, pose.position);
        edit.velocity = pose.velocity;
        edit.heading = pose.heading;
    }
    return edit;
}

static void remove_agent(struct app *app) {
    app_move_all(app);
    const struct scene scene = app_scene(app);
    uint32_t id = 0;
    if (scene_pick(&scene, app->pointer.at, 6.0f * app->picture.pixel_scale, &id) &&
        id != app->hand.removed) {
        struct request request = request_default(REQUEST_REMOVE);
        request.body.remove.agent_count = 1;
        request.body.remove.agents[0] = id;
        app->hand.removed = id; /* once, while frames still show it */
        const struct edit edit = removal_of(app, id);
        app_send_edit(app, &request, &edit);
    }
}

void app_choose_tool(struct app *app, enum tool tool) {
    const enum tool before = app->hand.tool;
    app_hand_empty(&app->hand); /* the button may still hold what another tool took */
    /* the next kind; none after the last */
    app->hand.kind = tool == TOOL_ADD && before == TOOL_ADD ? app->hand.kind + 1 : 0;
    const bool ends = before == tool && (tool != TOOL_ADD || tool_kind(app)[0] == '\0');
    app->hand.tool = ends ? TOOL_NONE : tool;
}

void app_tool_words(const struct app *app, char *out, size_t size) {
    out[0] = '\0';
    if (app->hand.tool == TOOL_ADD) {
        (void)snprintf(out, size, "Click adds: %s  (A: another kind, Shift: %u, Esc: done)", tool_kind(app),
                       handful);
    } else if (app->hand.tool == TOOL_REMOVE) {
        (void)snprintf(out, size, "Click or drag removes agents  (Esc: done)");
    } else {
        app_drag_words(app, out, size);
    }
}

/* ---- the button ---- */

bool app_tool_press(struct app *app) {
    if (!app_shows_now(app) || app->link.state != LINK_READY || !app->server.has_scenario) {
        return false;
    }
    app->hand.removed = 0;
    if (app->hand.tool == TOOL_ADD) {
        add_agents(app);
    } else if (app->hand.tool == TOOL_REMOVE) {
        remove_agent(app);
        app->hand.is_dragging = true;
    } else {
        return app_drag_begin(app);
    }
    return true;
}

bool app_tool_release(struct app *app) {
    if (app->hand.tool == TOOL_NONE) {
        return app_drag_end(app);
    }
    app->hand.is_dragging = false;
    return true;
}

/* Once a frame. */
void app_tool_move(struct app *app) {
    if (app->hand.is_dragging && app->hand.tool == TOOL_NONE) {
        app_drag_move(app);
    } else if (app->hand.is_dragging && app->hand.has_moved && app->hand.tool == TOOL_REMOVE) {
        app->hand.has_moved = false;
        remove_agent(app);
    }
}

/* ---- parameters ---- */

/* is_held: its slider is, and moves on. */
static void send_param(struct app *app, const struct message_param *param, double value, bool is_held) {
    struct request request = request_default(REQUEST_SET_PARAM);
    struct request_set_param *body = &request.body.set_param;
    body->has_kind = true;
    (void)snprintf(body->kind, sizeof body->kind, "%s", param->kind);
    (void)snprintf(body->param, sizeof body->param, "%s", param->param);
    body->value = value;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_TUNE_ID);
    app->tuning.sent_ms = app->now_ms;
    if (app_send(app, &request)) {
        edits_add_param(&app->edits, param->kind, param->param, param->value, value, is_held);
        server_model_set_param(&app->server, param->kind, param->param, value);
    }
}

/* A behavior's weight: 0, or what it was before. */
static void mute(struct app *app, const struct message_param *weight) {
    if (!app_refuses_past(app) && app_may(app, REQUEST_SET_PARAM)) {
        send_param(app, weight, mutes_toggle(&app->tuning.mutes, weight), false);
    }
}

/* The sliders are those of the kind of the newly selected agent. */
static void follow_kind(struct app *app) {
    const struct message_scenario *scenario = &app->server.scenario;
    const uint32_t id = app->selection.has_agent ? app->selection.id : 0;
    if (id == app->tuning.followed) {
        return;
    }
    for (int kind = 0; app->view.agent_kind != NULL && kind < scenario->kind_count; kind++) {
        if (strcmp(scenario->kinds[kind].name, app->view.agent_kind) == 0) {
            app->tuning.kind = kind;
            app->tuning.followed = id;
        }
    }
    app->tuning.followed = id == 0 ? 0 : app->tuning.followed;
}

/* While a slider is held the newest value goes out at a bounded rate; the last one always. */
void app_tune(struct app *app, const struct panels_result *result) {
    const struct server_model *server = &app->server;
    if (result->picks_kind) {
        app->tuning.kind = result->kind;
        return;
    }
    follow_kind(app);
    if (result->mutes && result->param >= 0 && result->param < server->param_count) {
        mute(app, &server->params[result->param]);
        return;
    }
    if (!result->tunes || result->param < 0 || result->param >= server->param_count ||
        (result->is_sliding && app->now_ms - app->tuning.sent_ms < tune_gap_ms) || app_refuses_past(app)) {
        return;
    }
    const struct message_param *param = &server->params[result->param];
    if (!(result->value >= param->min && result->value <= param->max)) {
        server_model_set_notice(&app->server, true, "%s is out of range; its slider shows the allowed values",
                                param->param);
        return;
    }
    send_param(app, param, result->value, result->is_sliding);
}
