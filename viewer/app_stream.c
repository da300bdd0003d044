/* See app_state.h. What is asked of the server so that the picture has what it shows: frames of what is
 * visible, the selected agent's forces, everybody's cursors. */
#include <math.h>
#include <string.h>

#include "viewer/app_state.h"

static const double stream_gap_ms = 150.0, inspect_gap_ms = 66.0, cursor_gap_ms = 100.0;
static const double inspected_fresh_ms = 1500.0;

/* ---- frames ---- */

const struct density *app_density(const struct app *app) {
    const struct snapshot *shown = app->frame.names;
    const bool is_shown = shown != NULL && shown->fields == 0 && shown->count == 0;
    return is_shown && app->density != NULL && app->density_epoch == app->server.epoch ? app->density : NULL;
}

static struct stream_wish wish_of(const struct app *app) {
    const vec2 size = {(float)app->raster->width, (float)app->raster->height};
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    const overlay_set vectors = OVERLAYS_NEED_FORCES;
    const bool fits = newest != NULL && newest->count <= HUD_FORCES_MOST && !app->has_selected;
    return (struct stream_wish){
        .world = app->server.scenario.size,
        .is_open = strcmp(app->server.scenario.edge, "open") == 0,
        .visible = {camera_to_world(&app->camera, vec2_make(0.0f, 0.0f)),
                    camera_to_world(&app->camera, size)},
        .cell = (float)HEAT_CELL_PX * app->pixel_scale / app->camera.scale,
        .total = app->server.agent_total,
        .never_heat = app->heat_mode == HEAT_OFF,
        .prefers_plain = app->options.layout == LAYOUT_OBJECTS,
        .forces = fits && (app->overlays & vectors) != 0,
        .shares = fits && overlays_has(app->overlays, OVERLAY_BEHAVIORS),
    };
}

/* About how many agents are around what is visible, judged by the newest frame. */
static double count_around(const struct app *app, const struct stream *now, const struct stream_wish *wish) {
    const struct stream_box around = stream_surroundings(wish), world = {{0.0f, 0.0f}, wish->world};
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (newest == NULL || newest->epoch != app->server.epoch) {
        return wish->total;
    }
    if (newest->fields == 0 && newest->count == 0) {
        const bool has_density = app->density != NULL && app->density_epoch == app->server.epoch;
        return has_density ? stream_count(app->density, &around, wish) : wish->total;
    }
    const double part = stream_part(&around, now->has_region ? &now->region : &world);
    return fmin(newest->count * fmin(part, 100.0), wish->total);
}

void app_update_stream(struct app *app) {
    if (!app->server.has_scenario || app->link.state != LINK_READY || app->now_ms < app->stream_due_ms ||
        !app->has_camera) {
        return;
    }
    const struct stream now = mailbox_stream(connection_mailbox(app->connection));
    const struct stream_wish wish = wish_of(app);
    const struct stream next = stream_plan(&now, &wish, count_around(app, &now, &wish));
    if (!stream_equals(&next, &now)) {
        connection_set_stream(app->connection, &next);
        app->stream_due_ms = app->now_ms + stream_gap_ms;
    }
}

/* ---- the selected agent ---- */

const struct message_agent *app_inspected(const struct app *app) {
    const bool is_it = app->has_selected && app->server.has_agent && app->server.agent.id == app->selected;
    return is_it && app->playhead.is_live && app->now_ms - app->inspected_ms < inspected_fresh_ms
               ? &app->server.agent
               : NULL;
}

void app_ask_agent(struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app->has_selected || newest == NULL || app->link.state != LINK_READY) {
        return;
    }
    const bool is_other = app->asked_agent != app->selected;
    const bool is_newer = app->asked_tick != newest->tick || app->now_ms - app->asked_ms > 500.0;
    if (is_other || (is_newer && app->now_ms - app->asked_ms >= inspect_gap_ms)) {
        struct request request = request_default(REQUEST_INSPECT);
        request.body.inspect.agent_count = 1;
        request.body.inspect.agents[0] = app->selected;
        app->asked_agent = app->selected;
        app->asked_tick = newest->tick;
        app->asked_ms = app->now_ms;
        app_send(app, &request);
    }
}

/* ---- the mouse ---- */

static void send_cursor(struct app *app, vec2 point) {
    if (app->now_ms - app->cursor_sent_ms >= cursor_gap_ms) {
        struct request request = request_default(REQUEST_CURSOR);
        request.body.cursor.x = point.x;
        request.body.cursor.y = point.y;
        app->cursor_sent_ms = app->now_ms;
        app->cursor_moved = false;
        app_send(app, &request);
    }
}

/* Who may not move it is told so once in each connection, and then points. */
static bool may_move(struct app *app) {
    char why_not[SERVER_VIEW_DENIAL];
    server_view_denial(&app->server, REQUEST_MOUSE, why_not);
    if (why_not[0] != '\0' && !app->tried_mouse) {
        server_view_set_notice(&app->server, false, "%s", why_not);
        app->tried_mouse = true;
    }
    return why_not[0] == '\0';
}

void app_send_mouse(struct app *app) {
    const bool is_ours = app->cursor_moved && app->link.state == LINK_READY && app->playhead.is_live &&
                         app->server.has_scenario && app->server.role >= ROLE_VIEWER && !app->is_panning &&
                         !app_is_over_panels(app, app->cursor);
    if (!is_ours) {
        app->cursor_moved = app->cursor_moved && app->link.state == LINK_READY && app->playhead.is_live &&
                            app->now_ms - app->cursor_moved_ms < 1000.0;
        return;
    }
    const vec2 point = app_world_point(app);
    if (app->server.has_mouse_target && app->tool == TOOL_NONE && !app->is_dragging && may_move(app)) {
        struct request request = request_default(REQUEST_MOUSE);
        request.body.mouse.x = point.x;
        request.body.mouse.y = point.y;
        app->cursor_moved = false;
        echo_note_sent(&app->echo, point, app->now_ms);
        app_send(app, &request);
    } else {
        send_cursor(app, point);
    }
}

void app_note_echo(struct app *app, const struct snapshot *snapshot, double arrival_ms) {
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        if (strcmp(snapshot->target_names.names[snapshot->target_name[i]], "mouse") == 0) {
            echo_note_seen(
                &app->echo,
                vec2_make((float)snapshot->target_x[i] * 0.01f, (float)snapshot->target_y[i] * 0.01f),
                arrival_ms);
        }
    }
}
