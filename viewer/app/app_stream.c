/* See app_state.h. What is asked of the server so that the picture has what it shows: frames of what is
 * visible, the selected agent's forces, everybody's cursors. */
#include <math.h>
#include <string.h>

#include "viewer/app/app_state.h"

static const double stream_gap_ms = 150.0, inspect_gap_ms = 66.0, cursor_gap_ms = 100.0;
static const double inspected_fresh_ms = 1500.0;
static const double least_covered = 0.7; /* of what is visible; less is no picture of it */

/* ---- frames ---- */

static struct stream_box world_box(const struct app *app) {
    return (struct stream_box){{0.0f, 0.0f}, app->server.scenario.size};
}

/* Of the whole world; what is visible would be in it wherever one looks. */
static bool is_wide(const struct app *app, const struct density *density) {
    const struct stream_wish everything = {.world = app->server.scenario.size, .visible = world_box(app)};
    const struct stream_box box = stream_density_box(density);
    return stream_covered(&box, &everything) > 0.999;
}

static const struct density *newest_density(const struct app *app) {
    return app->density_epoch == app->server.epoch ? app->density : NULL;
}

/* The newest of the whole world, or NULL. */
static const struct density *wide_density(const struct app *app) {
    const struct density *newest = newest_density(app);
    return newest != NULL && is_wide(app, newest) ? newest
           : app->wide_epoch == app->server.epoch ? app->wide_density
                                                  : NULL;
}

void app_take_density(struct app *app) {
    uint32_t epoch = 0;
    struct mailbox *mailbox = connection_mailbox(app->connection);
    struct density *taken = mailbox_take_density(mailbox, app->spare_density, &epoch);
    if (taken == app->spare_density) {
        return; /* none came */
    }
    app->spare_density = app->density;
    if (app->density != NULL && is_wide(app, app->density)) {
        app->spare_density = app->wide_density;
        app->wide_density = app->density;
        app->wide_epoch = app->density_epoch;
    }
    app->density = taken;
    app->density_epoch = epoch;
}

static struct stream_wish wish_of(const struct app *app) {
    const vec2 size = {(float)app->raster->width, (float)app->raster->height};
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    const bool fits = newest != NULL && newest->count <= HUD_FORCES_MOST && !app->selection.has_agent;
    return (struct stream_wish){
        .world = app->server.scenario.size,
        .is_open = strcmp(app->server.scenario.edge, "open") == 0,
        .visible = {camera_to_world(&app->camera, vec2_make(0.0f, 0.0f)),
                    camera_to_world(&app->camera, size)},
        .cell = (float)HEAT_CELL_PX * app->pixel_scale / app->camera.scale,
        .total = app->server.agent_total,
        .never_heat = app->settings.heat == HEAT_OFF,
        .prefers_plain = app->options.layout == LAYOUT_OBJECTS,
        .forces = fits && view_settings_need_forces(&app->settings),
        .shares = fits && app->settings.shows_behaviors,
    };
}

/* The one the frame stands for; and until frames of a larger part come, the last of the whole world, rather
 * than a small rectangle with agents in an empty world. */
const struct density *app_density(const struct app *app) {
    const struct snapshot *shown = app->frame.names;
    const bool is_counted = shown != NULL && shown->fields == 0 && shown->count == 0;
    const struct density *newest = newest_density(app), *wide = wide_density(app);
    if (shown == NULL || !app->playhead.is_live || wide == NULL) {
        return is_counted ? newest : NULL;
    }
    const struct stream_wish wish = wish_of(app);
    const struct stream_box known =
        is_counted && newest != NULL ? stream_density_box(newest) : app->agents_box;
    return stream_covered(&known, &wish) < least_covered ? wide : is_counted ? newest : NULL;
}

/* About how many agents are around what is visible, judged by the newest frame; by the last counts of the
 * whole world when the agents that were sent one by one are those of a small part. */
static double count_around(const struct app *app, const struct stream_wish *wish) {
    const struct stream_box around = stream_surroundings(wish);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    const struct density *counts = newest_density(app), *wide = wide_density(app);
    if (newest == NULL || newest->epoch != app->server.epoch) {
        return wish->total;
    }
    if (newest->fields == 0 && newest->count == 0) {
        return counts != NULL ? stream_count(counts, &around, wish) : wish->total;
    }
    if (wide != NULL && stream_covered(&app->agents_box, wish) < least_covered) {
        return stream_count(wide, &around, wish);
    }
    const double part = stream_part(&around, &app->agents_box);
    return fmin(newest->count * fmin(part, 100.0), wish->total);
}

void app_update_stream(struct app *app) {
    if (!app->server.has_scenario || app->link.state != LINK_READY || app->now_ms < app->stream_due_ms ||
        !app->has_camera) {
        return;
    }
    const struct stream now = mailbox_stream(connection_mailbox(app->connection));
    const struct stream_wish wish = wish_of(app);
    const struct stream next = stream_plan(&now, &wish, count_around(app, &wish));
    if (next.layout != LAYOUT_DENSITY) {
        app->agents_box = next.has_region ? next.region : world_box(app);
    }
    if (!stream_equals(&next, &now)) {
        connection_set_stream(app->connection, &next);
        app->stream_due_ms = app->now_ms + stream_gap_ms;
    }
}

/* ---- the selected agent ---- */

const struct message_agent *app_inspected(const struct app *app) {
    const bool is_it =
        app->selection.has_agent && app->server.has_agent && app->server.agent.id == app->selection.id;
    return is_it && app->playhead.is_live && app->now_ms - app->inspected_ms < inspected_fresh_ms
               ? &app->server.agent
               : NULL;
}

void app_ask_agent(struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app->selection.has_agent || newest == NULL || app->link.state != LINK_READY) {
        return;
    }
    const bool is_other = app->asked_agent != app->selection.id;
    const bool is_newer = app->asked_tick != newest->tick || app->now_ms - app->asked_ms > 500.0;
    if (is_other || (is_newer && app->now_ms - app->asked_ms >= inspect_gap_ms)) {
        struct request request = request_default(REQUEST_INSPECT);
        request.body.inspect.agent_count = 1;
        request.body.inspect.agents[0] = app->selection.id;
        app->asked_agent = app->selection.id;
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
