/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what the picture depends on ---- */

static const double stream_gap_ms = 150.0, inspect_gap_ms = 33.0, measure_gap_ms = 250.0,
                    cursor_gap_ms = 100.0;
static const double least_covered = 0.7; /* of what is visible; less is no picture of it */

/* ---- frames ---- */

/* Takes the newest density, if there is one. */
static void app_take_density(struct app *app) {
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
    const double known = newest->one_in > 1 ? newest->of : (double)newest->count;
    return fmin(known * fmin(part, 100.0), wish->total);
}

void app_update_stream(struct app *app) {
    if (!app->server.has_scenario || app->link.state != LINK_READY || app->now_ms < app->stream.due_ms ||
        !app->picture.has_camera) {
        return;
    }
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (app_is_away(app) && (newest == NULL || newest->epoch != app->server.epoch)) {
        return; /* how many agents there are then is not known yet, and asking again brings the scenario line once more */
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

/* Static seconds answer nothing. */
static bool answers_questions(const struct app *app) {
    return app->link.state == LINK_READY && !app->server.is_static;
}

/* Sends inspect for the selected agent. */
static void app_ask_agent(struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app->selection.has_agent || newest == NULL || !answers_questions(app)) {
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
        app->inspection.open_ms = app->inspection.open_ms > 0.0 ? app->inspection.open_ms : app->now_ms;
        app->inspection.lacks_agent = app_send(app, &request) && app->inspection.answered_ms == 0.0;
    }
}

/* Sends measure four times a second while the numbers of gates and areas are shown. */
static void app_ask_measure(struct app *app) {
    const struct message_geometry *geometry = &app->server.scenario.geometry;
    if (app->server.has_scenario && geometry->gate_count + geometry->area_count > 0 &&
        app->settings.shows_instruments && answers_questions(app) &&
        app->now_ms - app->inspection.measured_ms >= measure_gap_ms) {
        app->inspection.measured_ms = app->now_ms;
        app->inspection.lacks_measure = app_send_plain(app, REQUEST_MEASURE) && app->server.measure == NULL;
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
    const bool is_ours = app->pointer.has_moved && app->link.state == LINK_READY && app_shows_now(app) &&
                         app->server.has_scenario && app->server.role >= ROLE_VIEWER &&
                         !app->pointer.is_panning && !app_holds_mouse_target(app) &&
                         !app_is_over_panels(app, app->pointer.at);
    if (!is_ours) {
        const bool is_late = !app_holds_mouse_target(app) && app->now_ms - app->pointer.moved_ms >= 1000.0;
        app->pointer.has_moved =
            app->pointer.has_moved && app->link.state == LINK_READY && app_shows_now(app) && !is_late;
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

/* Measures, when a frame arrives, the time from a motion of the mouse to its target's motion. */
static void app_note_echo(struct app *app, const struct snapshot *snapshot, double arrival_ms) {
    for (int32_t i = 0; i < snapshot->target_count; i++) {
        if (strcmp(snapshot->target_names.names[snapshot->target_name[i]], "mouse") == 0) {
            echo_note_seen(
                &app->meters.echo,
                vec2_make((float)snapshot->target_x[i] * 0.01f, (float)snapshot->target_y[i] * 0.01f),
                arrival_ms);
        }
    }
}

/* ---- mail ---- */

/* A snapshot that comes with a density has no column of agents: plots and history do without it. */
static bool has_agents(const struct snapshot *snapshot) {
    return snapshot->fields != 0 || snapshot->count > 0;
}

/* What leads to the moment that is shown. */
static void clear_way(struct app *app) {
    trails_clear(&app->trails);
    headings_clear(&app->headings);
    plots_clear(&app->plots);
    real_time_init(&app->meters.real_time);
}

/* Of the parameter that is plotted; NAN when there is none. */
static float own_value(const struct app *app) {
    for (int i = 0; i < app->server.param_count; i++) {
        const struct message_param *param = &app->server.params[i];
        if (strcmp(param->kind, app->plots.own_kind) == 0 && strcmp(param->param, app->plots.own_name) == 0) {
            return (float)param->value;
        }
    }
    return NAN;
}

/* In the plots and in the history. */
static void keep_snapshot(struct app *app, const struct snapshot *snapshot) {
    const bool is_replay = server_model_is_replay(&app->server);
    if (!is_replay) {
        history_drop(&app->past.history, snapshot->time_s);
    }
    if (has_agents(snapshot)) {
        const struct stream_choice stream = mailbox_stream(connection_mailbox(app->connection));
        app->plots.own_value = own_value(app);
        app->plots.in_world = stream.has_region ? app->server.agent_total : 0.0;
        app->plots.twin = snapshot_has_twins(snapshot) && !stream.has_region ? app->server.comparison : NULL;
        app->plots.wrap_size =
            server_model_wraps(&app->server) ? app->server.scenario.size : vec2_make(0.0f, 0.0f);
        const bool measures = strcmp(app->plots.own_kind, PLOTS_ALL) == 0;
        for (int i = 0; measures && i < snapshot->kind_names.count; i++) {
            const struct message_kind *kind = server_model_kind(&app->server, snapshot->kind_names.names[i]);
            app->plots.radii[i] = kind != NULL ? kind->radius : 0.0f;
        }
        plots_add(&app->plots, snapshot);
        if (is_replay) {
            history_insert(&app->past.history, snapshot);
        } else {
            history_add(&app->past.history, snapshot);
        }
    }
}

/* The clocks learn of the snapshot. A tick that a slow world shows again, because a request changed something in it, takes
 * the place of the former snapshot: its agents are where they were then. */
static void note_moment(struct app *app, struct snapshot *snapshot, double arrival_ms) {
    const bool is_paused = app->server.is_paused;
    const double speed = snapshot->has_speed ? snapshot->speed : server_model_pace(&app->server);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    const bool is_again = !is_paused && newest != NULL && newest->epoch == snapshot->epoch &&
                          newest->tick == snapshot->tick && newest->clock_ms < snapshot->clock_ms;
    real_time_add(&app->meters.real_time, snapshot->time_s, snapshot->clock_ms, speed, is_paused);
    clock_sync_add(&app->clock, snapshot->clock_ms, arrival_ms, !is_paused && !is_again);
    if (is_again) {
        snapshot->clock_ms = newest->clock_ms;
    }
}

static void take_snapshot(struct app *app, struct snapshot *snapshot, double arrival_ms) {
    struct mailbox *mailbox = connection_mailbox(app->connection);
    if (snapshot == NULL) {
        return;
    }
    if (!server_model_shows(&app->server, snapshot)) {
        mailbox_return_snapshot(mailbox, snapshot);
        return;
    }
    app->pacing.is_dirty = true;
    server_model_note_names(&app->server, snapshot);
    if (app_note_look(app, snapshot)) {
        snapshot_buffer_clear(&app->snapshots); /* it stands */
    } else {
        if (app_is_elsewhere(app, snapshot)) {
            snapshot_buffer_clear(&app->snapshots); /* nothing moves from there to here */
            clear_way(app);
        }
        keep_snapshot(app, snapshot);
        app_note_place(app, snapshot);
        app_note_echo(app, snapshot, arrival_ms);
        note_moment(app, snapshot, arrival_ms);
    }
    app_note_snapshot(app, snapshot);
    mailbox_return_snapshot(mailbox, snapshot_buffer_push(&app->snapshots, snapshot));
    app->edits.now = app_now_tick(app);
}

/* Parameters, and whether the world was paused before the subscription: hello, scenario and events do not
 * say. */
static void ask_world(struct app *app) {
    if (app->server.has_scenario && app->server.role != ROLE_NONE) {
        if (app->server.scenarios == NULL && (!app->options.is_headless || app->options.is_kiosk) &&
            server_model_may(&app->server, REQUEST_LOAD)) {
            app_ask_scenarios(app); /* the caption says how many others there are */
        }
        app_send_plain(app, REQUEST_GET_PARAMS);
        app_send_plain(app, REQUEST_STATS);
    }
}

/* The scenario line of a seek, ours or another client's: the same world, at another moment. That it is another world of
 * the recording after all, the stats say. */
static bool is_sought(const struct app *app, const struct message *message) {
    return message->op == MESSAGE_SCENARIO &&
           (server_model_is_replay(&app->server) || app->server.is_static) && app->server.has_scenario &&
           strcmp(message->body.scenario.name, app->server.scenario.name) == 0;
}

/* The scenario line of a look, or of the way back from one. */
static void begin_moment(struct app *app) {
    app_send_plain(app, REQUEST_GET_PARAMS); /* what others set meanwhile was not said */
    if (app->server.look == SERVER_MODEL_LIVE) {
        app->stream.agents_box = (struct stream_box){{0.0f, 0.0f}, {0.0f, 0.0f}};
        app->past.wants_branches = app->past.wants_changes = true;
        app_send_plain(app, REQUEST_STATS);
    }
}

static void go_on_elsewhere(struct app *app) {
    clear_way(app);
    app_send_plain(app, REQUEST_STATS);
    if (app->open.params) {
        app_send_plain(app, REQUEST_GET_PARAMS);
    }
}

/* Another world, and what is shown of it. */
static void look_anew(struct app *app) {
    if (!app->is_reloading) {
        camera_view_fit(&app->picture.camera_view);
        app->selection.is_following = false;
        app->tuning.kind = 0;
        app->selection.has_agent = app->options.selected != 0; /* given on the command line: in every world */
        app->selection.id = app->options.selected;
    }
    app->is_reloading = false;
    app_kiosk_begin(app);
    app->past.has_edits_before = true;
    app->past.edits_before = app->edits;
    edits_clear(&app->edits);
    app->past.leaving_out = (struct app_leaving_out){0};
    app_begin_view(app);
    if (app->options.hint[0] != '\0' && !app->toast.has_hinted) {
        server_model_set_notice(&app->server, false, "%s", app->options.hint);
        app->toast.has_hinted = true;
    }
}

/* is_again: the same world from its beginning; is_rewound: from a moment of its past. */
static void begin_world(struct app *app, bool is_again, bool is_rewound) {
    clear_way(app);
    if (is_rewound) {
        history_cut(&app->past.history, app->past.kept_s, app->server.epoch);
        app->past.has_edits_before = false; /* they are still there */
    } else {
        history_clear(&app->past.history);
    }
    inspections_clear(&app->past.inspections);
    app->stream.agents_box = (struct stream_box){{0.0f, 0.0f}, {0.0f, 0.0f}};
    app_go_live(app);
    app->past.wants_branches = app->past.wants_changes = true;
    app->past.copies.count = 0; /* another world's */
    app->picture.has_camera = false;
    app_hand_empty(&app->hand);
    if (!is_again && !is_rewound) {
        look_anew(app);
    }
    ask_world(app);
    if (is_again) {
        app_end_restart(app);
    }
    if (is_rewound) {
        app_leave_out_next(app);
    }
}

static bool is_inspection(const struct message *message) {
    return message->op == MESSAGE_REPLY && strcmp(message->body.reply.to, "inspect") == 0;
}

/* Of the selected agent what is known already: drawn, it would only ask for the next answer, and a paused world would never be
 * still. Padding that differs is one picture more. */
static bool says_the_same(const struct server_model *server, const struct message_reply *reply) {
    return server->has_agent && reply->agent_count == 1 &&
           memcmp((const char *)&server->agent, (const char *)&reply->agents[0], sizeof server->agent) == 0;
}

static bool has_measured_the_same(const struct server_model *server, const struct message_reply *reply) {
    return reply->measure != NULL && server->measure != NULL &&
           memcmp((const char *)server->measure, (const char *)reply->measure, sizeof *reply->measure) == 0;
}

/* Replies that come all the time: they alone are not worth a picture. */
static bool is_routine(const struct server_model *server, const struct message *message) {
    return (is_inspection(message) && says_the_same(server, &message->body.reply)) ||
           (message->op == MESSAGE_REPLY && (strcmp(message->body.reply.to, "ping") == 0 ||
                                             has_measured_the_same(server, &message->body.reply) ||
                                             strcmp(message->body.reply.to, "stats") == 0));
}

/* Whether a routine reply said something new after all: padding that differs is one picture more. */
static bool is_news(const struct server_model *server, const struct message_playback *before, bool was_paused,
                    bool was_recorded, uint32_t cluster_before) {
    return server->cluster_count != cluster_before ||
           memcmp((const char *)before, (const char *)&server->playback, sizeof *before) != 0 ||
           was_paused != server->is_paused || was_recorded != (server->recording[0] != '\0');
}

/* Does what a message calls for. */
static void grant(struct app *app, const struct server_model_wish *wish) {
    if (wish->load != NULL) {
        app_send_load(app, wish->load);
    }
    if (wish->params) {
        app_send_plain(app, REQUEST_GET_PARAMS);
    }
    if (wish->saves) {
        app_ask_saves(app);
    }
    if (wish->stats) {
        app_send_plain(app, REQUEST_STATS);
    }
    if (wish->replaces) {
        app_ask_replace(app, app->server.asked_save);
    }
    if (wish->sought) {
        app_take_seek(app, wish->reached);
    }
    app->past.wants_branches |= wish->branches;
    app->past.wants_changes |= wish->changes || wish->branches;
}

/* For looking back. */
static void keep_inspection(struct app *app, const struct message_reply *reply) {
    if (reply->has_tick && app->server.has_agent && app->server.agent.id == app->selection.id) {
        inspections_add(&app->past.inspections, reply->tick, &app->server.agent);
    }
}

static void take_message(struct app *app, const struct mail *mail) {
    const bool is_reply = mail->message->op == MESSAGE_REPLY;
    const struct message_playback before = app->server.playback;
    const bool was_paused = app->server.is_paused, was_recorded = app->server.recording[0] != '\0';
    const uint32_t cluster_before = app->server.cluster_count;
    app->pacing.is_dirty |= !is_routine(&app->server, mail->message);
    const bool is_refusal = mail->message->op == MESSAGE_ERROR;
    app->inspection.lacks_agent &= !is_refusal && !is_inspection(mail->message);
    app->inspection.lacks_measure &= !is_refusal && !(is_reply && mail->message->body.reply.measure != NULL);
    if (is_inspection(mail->message)) {
        app->inspection.answered_ms = app->now_ms;
        app->inspection.open_ms = 0.0;
    }
    const bool was_guest = app->server.role == ROLE_NONE, goes_on = is_sought(app, mail->message),
               is_again = app_takes_restart(app, mail->message),
               is_rewound = app_takes_rewind(app, mail->message),
               is_moment = mail->message->op == MESSAGE_SCENARIO &&
                           server_model_is_moment(&app->server, &mail->message->body.scenario);
    const struct server_model_wish wish = server_model_apply(&app->server, mail->message, mail->epoch);
    app_take_look(app, mail->message, &wish);
    if (is_inspection(mail->message)) {
        keep_inspection(app, &mail->message->body.reply);
    }
    app->pacing.is_dirty |= is_news(&app->server, &before, was_paused, was_recorded, cluster_before);
    grant(app, &wish);
    app_take_edit(app, mail->message, wish.is_back);
    if (mail->message->op == MESSAGE_EVENT && strcmp(mail->message->body.event.event, "reloading") == 0) {
        app->is_reloading = strcmp(mail->message->body.event.scenario, app->server.scenario.name) == 0;
    }
    if (is_reply && was_guest) {
        ask_world(app); /* the token was good */
    }
    if (mail->message->op == MESSAGE_HELLO) {
        clock_sync_init(&app->clock, 1000.0 / APP_SNAPSHOT_HZ);
        motion_init(&app->motion);
        app->stream.has_tried_mouse = false;
        app_begin_replay(app);
    }
    if (before.has_replay && app->server.playback.has_replay &&
        before.replay.world != app->server.playback.replay.world) {
        history_clear(&app->past.history);
        inspections_clear(&app->past.inspections); /* ticks of another world */
    }
    if (goes_on) {
        go_on_elsewhere(app);
    } else if (is_moment && !is_rewound) {
        begin_moment(app);
    } else if ((mail->message->op == MESSAGE_HELLO && mail->message->body.hello.has_world) ||
               mail->message->op == MESSAGE_SCENARIO) {
        begin_world(app, is_again, is_rewound);
        app->past.has_edits_before &= mail->message->op == MESSAGE_SCENARIO;
        char title[192];
        (void)snprintf(title, sizeof title, "Drover - %s", app->server.scenario.title);
        window_set_title(app->window, title);
    }
}

/* The snapshot first: then the messages it needs are there already (mailbox.h). */
void app_take_mail(struct app *app) {
    struct mailbox *mailbox = connection_mailbox(app->connection);
    double arrival_ms = 0.0;
    struct snapshot *snapshot = mailbox_take_snapshot(mailbox, &arrival_ms);
    app_take_density(app);
    app->link = mailbox_status(mailbox);
    for (struct mail *mail = mailbox_take_message(mailbox); mail != NULL;
         mail = mailbox_take_message(mailbox)) {
        take_message(app, mail);
        mail_destroy(mail);
    }
    take_snapshot(app, snapshot, arrival_ms);
    app_ask_agent(app);
    app_ask_measure(app);
    rate_meter_add(&app->meters.snapshots, app->now_ms, app->link.snapshot_count);
    rate_meter_add(&app->meters.bytes, app->now_ms, app->link.byte_count);
}
