/* See app_mail.h. */
#include "viewer/app/app_mail.h"

#include <stdio.h>
#include <string.h>

#include "viewer/app/app_queries.h"
#include "viewer/app/app_requests.h"
#include "viewer/app/app_stream.h"

/* A snapshot that comes with a density has no column of agents: plots and history do without it. */
static bool has_agents(const struct snapshot *snapshot) {
    return snapshot->fields != 0 || snapshot->count > 0;
}

static void take_snapshot(struct app *app, struct snapshot *snapshot, double arrival_ms) {
    struct mailbox *mailbox = connection_mailbox(app->connection);
    if (snapshot == NULL) {
        return;
    }
    if (snapshot->epoch != app->server.epoch) {
        mailbox_return_snapshot(mailbox, snapshot);
        return;
    }
    app->pacing.is_dirty = true;
    server_model_note_names(&app->server, snapshot);
    history_forget(&app->past.history, snapshot->time_s);
    if (has_agents(snapshot)) {
        plots_add(&app->plots, snapshot);
        history_add(&app->past.history, snapshot);
    }
    app_note_echo(app, snapshot, arrival_ms);
    real_time_add(&app->meters.real_time, snapshot->time_s, snapshot->clock_ms, app->server.is_paused);
    clock_sync_add(&app->clock, snapshot->clock_ms, arrival_ms, !app->server.is_paused);
    mailbox_return_snapshot(mailbox, snapshot_buffer_push(&app->snapshots, snapshot));
}

/* Parameters, and whether the world was paused before the subscription: hello, scenario and events do not
 * say. */
static void ask_world(struct app *app) {
    if (app->server.has_scenario && app->server.role != ROLE_NONE) {
        app_send_plain(app, REQUEST_GET_PARAMS);
        app_send_plain(app, REQUEST_STATS);
    }
}

static void begin_world(struct app *app) {
    trails_clear(&app->trails);
    plots_init(&app->plots);
    history_clear(&app->past.history);
    camera_view_fit(&app->picture.camera_view);
    real_time_init(&app->meters.real_time);
    app->stream.agents_box = (struct stream_box){{0.0f, 0.0f}, {0.0f, 0.0f}};
    playhead_go_live(&app->past.playhead);
    app->past.copies.count = 0; /* another world's */
    app->selection.is_following = app->picture.has_camera = false;
    app_hand_empty(&app->hand);
    app->tuning.kind = 0;
    app->selection.has_agent = app->options.selected != 0; /* given on the command line: in every world */
    app->selection.id = app->options.selected;
    if (app->options.hint[0] != '\0' && !app->toast.has_hinted) {
        server_model_set_notice(&app->server, false, "%s", app->options.hint);
        app->toast.has_hinted = true;
    }
    ask_world(app);
}

static void take_message(struct app *app, const struct mail *mail) {
    const bool is_reply = mail->message->op == MESSAGE_REPLY;
    /* a round trip alone changes nothing worth a picture */
    app->pacing.is_dirty |= !is_reply || strcmp(mail->message->body.reply.to, "ping") != 0;
    if (is_reply && strcmp(mail->message->body.reply.to, "inspect") == 0) {
        app->inspection.answered_ms = app->now_ms;
    }
    const bool was_guest = app->server.role == ROLE_NONE;
    const struct server_model_wish wish = server_model_apply(&app->server, mail->message, mail->epoch);
    if (wish.load != NULL) {
        app_send_load(app, wish.load);
    }
    if (wish.params) {
        app_send_plain(app, REQUEST_GET_PARAMS);
    }
    if (is_reply && was_guest) {
        ask_world(app); /* the token was good */
    }
    if (mail->message->op == MESSAGE_HELLO) {
        clock_sync_init(&app->clock, 1000.0 / APP_SNAPSHOT_HZ);
        app->stream.has_tried_mouse = false;
    }
    if ((mail->message->op == MESSAGE_HELLO && mail->message->body.hello.has_world) ||
        mail->message->op == MESSAGE_SCENARIO) {
        begin_world(app);
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
    rate_meter_add(&app->meters.snapshots, app->now_ms, app->link.snapshot_count);
    rate_meter_add(&app->meters.bytes, app->now_ms, app->link.byte_count);
}
