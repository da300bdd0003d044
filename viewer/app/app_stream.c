/* See app_stream.h. */
#include "viewer/app/app_stream.h"

#include <math.h>
#include <string.h>

#include "viewer/app/app_queries.h"
#include "viewer/app/app_requests.h"

static const double stream_gap_ms = 150.0, inspect_gap_ms = 33.0, cursor_gap_ms = 100.0;
static const double least_covered = 0.7; /* of what is visible; less is no picture of it */

/* ---- frames ---- */

void app_take_density(struct app *app) {
    uint32_t epoch = 0;
    struct mailbox *mailbox = connection_mailbox(app->connection);
    struct density *taken = mailbox_take_density(mailbox, app->counts.spare, &epoch);
    if (taken == app->counts.spare) {
        return; /* none came */
    }
    app->counts.spare = app->counts.newest;
    if (app->counts.newest != NULL && app_is_wide(app, app->counts.newest)) {
        app->counts.spare = app->counts.wide;
        app->counts.wide = app->counts.newest;
        app->counts.wide_epoch = app->counts.newest_epoch;
    }
    app->counts.newest = taken;
    app->counts.newest_epoch = epoch;
}

/* About how many agents are around the visible part of the world, by the newest frame; by the last counts of
 * the whole world when the agents that were sent one by one are those of a small part. */
static double count_around(const struct app *app, const struct stream_wish *wish) {
    const struct stream_box around = stream_surroundings(wish);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    const struct density *counts = app_newest_density(app), *wide = app_wide_density(app);
    if (newest == NULL || newest->epoch != app->server.epoch) {
        return wish->total;
    }
    if (newest->fields == 0 && newest->count == 0) {
        return counts != NULL ? stream_count(counts, &around, wish) : wish->total;
    }
    if (wide != NULL && stream_covered(&app->stream.agents_box, wish) < least_covered) {
        return stream_count(wide, &around, wish);
    }
    const double part = stream_part(&around, &app->stream.agents_box);
    return fmin(newest->count * fmin(part, 100.0), wish->total);
}

void app_update_stream(struct app *app) {
    if (!app->server.has_scenario || app->link.state != LINK_READY || app->now_ms < app->stream.due_ms ||
        !app->picture.has_camera) {
        return;
    }
    const struct stream_choice now = mailbox_stream(connection_mailbox(app->connection));
    const struct stream_wish wish = app_stream_wish(app);
    const struct stream_choice next = stream_plan(&now, &wish, count_around(app, &wish));
    if (!frame_layout_row((int)next.layout)->takes_grid) {
        app->stream.agents_box = next.has_region ? next.region : app_world_box(app);
    }
    if (!stream_equals(&next, &now)) {
        connection_set_stream(app->connection, &next);
        app->stream.due_ms = app->now_ms + stream_gap_ms;
    }
}

/* ---- the selected agent ---- */

void app_ask_agent(struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app->selection.has_agent || newest == NULL || app->link.state != LINK_READY) {
        return;
    }
    const bool is_other = app->inspection.agent != app->selection.id;
    const bool is_newer =
        app->inspection.tick != newest->tick || app->now_ms - app->inspection.asked_ms > 500.0;
    if (is_other || (is_newer && app->now_ms - app->inspection.asked_ms >= inspect_gap_ms)) {
        struct request request = request_default(REQUEST_INSPECT);
        request.body.inspect.agent_count = 1;
        request.body.inspect.agents[0] = app->selection.id;
        app->inspection.agent = app->selection.id;
        app->inspection.tick = newest->tick;
        app->inspection.asked_ms = app->now_ms;
        app_send(app, &request);
    }
}

/* ---- the mouse ---- */

static void send_cursor(struct app *app, vec2 point) {
    if (app->now_ms - app->stream.cursor_sent_ms >= cursor_gap_ms) {
        struct request request = request_default(REQUEST_CURSOR);
        request.body.cursor.x = point.x;
        request.body.cursor.y = point.y;
        app->stream.cursor_sent_ms = app->now_ms;
        app->pointer.has_moved = false;
        app_send(app, &request);
    }
}

/* Whether the role allows moving the target. A refusal is shown once in each connection; then the cursor is
 * sent. */
static bool may_move(struct app *app) {
    char why_not[SERVER_MODEL_DENIAL];
    server_model_denial(&app->server, REQUEST_MOUSE, why_not);
    if (why_not[0] != '\0' && !app->stream.has_tried_mouse && !server_model_is_replay(&app->server)) {
        server_model_set_notice(&app->server, false, "%s", why_not);
        app->stream.has_tried_mouse = true;
    }
    return why_not[0] == '\0';
}

void app_send_mouse(struct app *app) {
    const bool is_ours = app->pointer.has_moved && app->link.state == LINK_READY &&
                         app->past.playhead.is_live && app->server.has_scenario &&
                         app->server.role >= ROLE_VIEWER && !app->pointer.is_panning &&
                         !app_holds_mouse_target(app) && !app_is_over_panels(app, app->pointer.at);
    if (!is_ours) {
        const bool is_late = !app_holds_mouse_target(app) && app->now_ms - app->pointer.moved_ms >= 1000.0;
        app->pointer.has_moved =
            app->pointer.has_moved && app->link.state == LINK_READY && app->past.playhead.is_live && !is_late;
        return;
    }
    const vec2 point = app_world_point(app);
    if (app->server.has_mouse_target && !app->settings.pins_mouse && app->hand.tool == TOOL_NONE &&
        !app->hand.is_dragging && may_move(app)) {
        struct request request = request_default(REQUEST_MOUSE);
        request.body.mouse.x = point.x;
        request.body.mouse.y = point.y;
        app->pointer.has_moved = false;
        echo_note_sent(&app->meters.echo, point, app->now_ms);
        app_send(app, &request);
    } else if (server_model_may(&app->server, REQUEST_CURSOR)) {
        send_cursor(app, point);
    } else {
        app->pointer.has_moved = false;
    }
}

void app_note_echo(struct app *app, const struct snapshot *snapshot, double arrival_ms) {
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        if (strcmp(snapshot->target_names.names[snapshot->target_name[i]], "mouse") == 0) {
            echo_note_seen(
                &app->meters.echo,
                vec2_make((float)snapshot->target_x[i] * 0.01f, (float)snapshot->target_y[i] * 0.01f),
                arrival_ms);
        }
    }
}
