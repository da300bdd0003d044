/* See app_tools.h. */
#include "viewer/app/app_tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/app/app_crowd.h"
#include "viewer/app/app_drag.h"
#include "viewer/app/app_edits.h"
#include "viewer/app/app_queries.h"
#include "viewer/app/app_requests.h"

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
    if (!app->past.playhead.is_live || app->link.state != LINK_READY || !app->server.has_scenario) {
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
