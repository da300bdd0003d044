/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/log.h"
#include "common/system/regular_file.h"
#include "viewer/model/replay.h"
#include "viewer/model/shortcuts.h"

/* ---- the viewer's own server ---- */

int app_start_server(struct app *app, struct failure *failure) {
    char program[1024];
    if (app->options.recording[0] == '\0') {
        return 0;
    }
    if (own_server_find(program, sizeof program, failure) != 0) {
        return -1;
    }
    app->own_server = own_server_start(program, app->options.recording, OWN_SERVER_PATIENCE_MS,
                                       &app->options.address, failure);
    return app->own_server != NULL ? 0 : -1;
}

struct connection *app_connect(const struct viewer_options *options) {
    struct connection_def def = {
        .address = options->address,
        .agents = (enum layout)options->layout,
        .is_single_try = options->is_single_try,
    };
    (void)snprintf(def.seconds, sizeof def.seconds, "%s", options->seconds);
    (void)snprintf(def.ca, sizeof def.ca, "%s", options->ca);
    (void)snprintf(def.name, sizeof def.name, "%s", options->name);
    (void)snprintf(def.token, sizeof def.token, "%s", options->token);
    return connection_create(&def);
}

/* Notices that the viewer's own server has ended, and asks whether to open the recording again. */
static void app_watch_server(struct app *app) {
    char reason[sizeof app->server_end];
    if (app->own_server == NULL || app->server_end[0] != '\0' || app->link.state == LINK_READY ||
        !own_server_has_ended(app->own_server, reason, sizeof reason)) {
        return;
    }
    (void)snprintf(app->server_end, sizeof app->server_end, "%s",
                   reason[0] != '\0' ? reason : "it wrote no reason");
    app->open = (struct panels_open){.question = PANELS_ASKS_REOPEN};
    app->pacing.is_dirty = true;
}

/* Nothing of the connection before applies to the next one. */
static void clear_connection(struct app *app) {
    connection_destroy(app->connection);
    app->connection = NULL;
    app->link = (struct link_status){.state = LINK_CONNECTING};
    snapshot_buffer_clear(&app->snapshots);
    history_clear(&app->past.history);
    playhead_go_live(&app->past.playhead);
}

/* Opens the recording again, from its beginning, with another server. */
static void app_reopen(struct app *app) {
    struct failure failure;
    own_server_stop(app->own_server);
    app->own_server = NULL;
    if (app_start_server(app, &failure) != 0) {
        (void)snprintf(app->server_end, sizeof app->server_end, "%s", failure.message);
        app->open.question = PANELS_ASKS_REOPEN;
        return;
    }
    clear_connection(app);
    app->server_end[0] = '\0';
    app->connection = app_connect(&app->options);
    app->is_running = app->connection != NULL;
}

/* ---- the speed of time, restart ---- */

static const double slide_gap_ms = 60.0;

/* ---- speed ---- */

void app_set_speed(struct app *app, double speed) {
    struct request request = request_default(REQUEST_SPEED);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_SPEED_ID);
    request.body.speed.has_factor = speed > 0.0;
    request.body.speed.factor = speed;
    request.body.speed.max = speed <= 0.0;
    if (app_send(app, &request)) {
        server_model_ask_speed(&app->server, speed);
    }
}

/* A world that goes as fast as it can becomes slower than it is, not than the keys can say. */
static double speed_before(const struct app *app) {
    const double speed = server_model_speed(&app->server), pace = real_time_pace(&app->meters.real_time);
    return speed > 0.0 ? speed : pace > 0.0 ? pace : 1000.0;
}

void app_change_speed(struct app *app, bool is_faster) {
    app_set_speed(app, speeds_next(speed_before(app), is_faster));
}

void app_take_speed(struct app *app, const struct panels_result *result) {
    if (!result->sets_speed || fabs(result->speed - server_model_speed(&app->server)) < 1e-6 ||
        (result->is_speed_held && app->now_ms - app->pacing.speed_sent_ms < slide_gap_ms)) {
        return;
    }
    app->pacing.speed_sent_ms = app->now_ms;
    app_set_speed(app, result->speed);
}

/* ---- restart ---- */

static const char restart_id[] = "\"restart\"", again_id[] = "\"again\"";

/* The parameters that have another value than at first. */
static void keep_params(const struct server_model *server, struct edits *kept) {
    for (int i = 0; server->first_values != NULL && i < server->param_count; i++) {
        const struct message_param *param = &server->params[i];
        edits_add_param(kept, param->kind, param->param, server->first_values[i], param->value, false);
    }
}

/* By its name: its file may have changed. again: as it was loaded, when there is no file of its name. */
static bool send_restart(struct app *app, bool again) {
    const struct message_scenario *scenario = &app->server.scenario;
    struct request request = request_default(REQUEST_LOAD);
    struct request_load *body = &request.body.load;
    (void)snprintf(request.id, sizeof request.id, "%s", again ? again_id : restart_id);
    (void)snprintf(body->scenario, sizeof body->scenario, "%s", again ? "" : scenario->name);
    body->again = again;
    body->has_seed = body->has_warmup = true; /* without a warm-up: from tick 0 on */
    body->seed = scenario->seed;
    return app_send(app, &request);
}

void app_restart(struct app *app, bool keeps) {
    const struct message_scenario *scenario = &app->server.scenario;
    if (!send_restart(app, false)) {
        return;
    }
    app->restart.is_due = true;
    (void)snprintf(app->restart.scenario, sizeof app->restart.scenario, "%s", scenario->name);
    edits_clear(&app->restart.kept);
    if (keeps) {
        edits_places(&app->edits, &app->restart.kept);
        keep_params(&app->server, &app->restart.kept);
    }
}

bool app_takes_restart(struct app *app, const struct message *message) {
    const bool was_due = app->restart.is_due,
               is_world = message->op == MESSAGE_SCENARIO || message->op == MESSAGE_HELLO,
               is_error = message->op == MESSAGE_ERROR,
               is_first = is_error && strcmp(message->body.error.id, restart_id) == 0,
               has_no_file = is_first && was_due && message->body.error.failure.code == FAILURE_NO_SCENARIO,
               is_refused = is_first || (is_error && strcmp(message->body.error.id, again_id) == 0);
    app->restart.is_due = was_due && !is_world && (!is_refused || (has_no_file && send_restart(app, true)));
    return was_due && message->op == MESSAGE_SCENARIO &&
           strcmp(message->body.scenario.name, app->restart.scenario) == 0;
}

void app_end_restart(struct app *app) {
    struct edits *kept = &app->restart.kept;
    const int count = kept->count;
    bool is_sent = true;
    for (int i = 0; i < count && is_sent; i++) {
        struct request request;
        is_sent = edits_request(&kept->rows[i], false, &request);
        (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_TUNE_ID);
        is_sent = is_sent && app_send(app, &request);
    }
    edits_restart(&app->edits);
    if (!is_sent) {
        return; /* sending it said why */
    }
    if (count > 0) {
        server_model_set_notice(&app->server, false, "again from tick 0, with %d change%s kept", count,
                                count == 1 ? "" : "s");
    } else {
        server_model_set_notice(&app->server, false, "again from tick 0");
    }
}

/* ---- saved worlds and recordings ---- */

static const double kept_s = 60.0;

/* ---- questions ---- */

static void open_question(struct app *app, enum panels_question question) {
    app->open.question = (int)question;
    app->open.help = false;
}

static bool is_taken(const void *server, const char *name) {
    return server_model_save(server, name) != NULL;
}

void app_ask_name(struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app->server.has_scenario || newest == NULL) {
        server_model_set_notice(&app->server, true, "there is no world to save yet");
        return;
    }
    save_name_propose(app->server.scenario.name, app_now_tick(app), is_taken, &app->server,
                      app->keeping.name);
    app_ask_saves(app); /* a name may be taken by now */
    open_question(app, PANELS_ASKS_NAME);
}

static void ask_about(struct app *app, enum panels_question question, const char *name) {
    (void)snprintf(app->keeping.name, sizeof app->keeping.name, "%s", name);
    open_question(app, question);
}

void app_ask_replace(struct app *app, const char *name) {
    ask_about(app, PANELS_ASKS_REPLACE, name);
}

void app_ask_remove(struct app *app, const char *name) {
    if (app_may(app, REQUEST_REMOVE_SAVE)) {
        ask_about(app, PANELS_ASKS_REMOVE, name);
    }
}

void app_ask_take_over(struct app *app) {
    if (!server_model_is_replay(&app->server)) {
        app_go_on(app);
    } else if (app_may(app, REQUEST_SEEK)) { /* the same role */
        open_question(app, PANELS_ASKS_TAKE_OVER);
    }
}

/* ---- requests ---- */

static void send_save(struct app *app, const char *name, bool replaces) {
    struct request request = request_default(REQUEST_SAVE);
    (void)snprintf(request.body.save.name, sizeof request.body.save.name, "%s", name);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_SAVE_ID);
    request.body.save.replace = replaces;
    if (app_send(app, &request)) {
        server_model_ask_save(&app->server, name);
    }
}

static void send_remove(struct app *app, const char *name) {
    struct request request = request_default(REQUEST_REMOVE_SAVE);
    (void)snprintf(request.body.remove_save.name, sizeof request.body.remove_save.name, "%s", name);
    app_send(app, &request);
}

static void send_take_over(struct app *app) {
    struct request request = request_default(REQUEST_RESUME);
    request.body.resume.live = true;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_TAKE_OVER_ID);
    app_send(app, &request);
}

void app_agree(struct app *app, const char *entered) {
    const enum panels_question question = (enum panels_question)app->open.question;
    app->open.question = PANELS_NO_QUESTION;
    switch (question) {
    case PANELS_NO_QUESTION:
        break;
    case PANELS_ASKS_NAME:
        if (is_taken(&app->server, entered)) {
            app_ask_replace(app, entered);
        } else {
            send_save(app, entered, false);
        }
        break;
    case PANELS_ASKS_REPLACE:
        send_save(app, app->keeping.name, true);
        break;
    case PANELS_ASKS_REMOVE:
        send_remove(app, app->keeping.name);
        break;
    case PANELS_ASKS_TAKE_OVER:
        send_take_over(app);
        break;
    case PANELS_ASKS_REOPEN:
        app_reopen(app);
        break;
    case PANELS_ASKS_BRANCH:
        app_go_branch(app, app->past.branch);
        break;
    }
}

void app_ask_saves(struct app *app) {
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = LIST_SAVES;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_SAVES_ID);
    app_send(app, &request);
}

void app_send_load_save(struct app *app, const char *name) {
    struct request request = request_default(REQUEST_LOAD);
    (void)snprintf(request.body.load.save, sizeof request.body.load.save, "%s", name);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_LOAD_ID);
    if (app_send(app, &request)) {
        server_model_ask_load(&app->server, name);
    }
}

void app_toggle_record(struct app *app) {
    struct request request = request_default(REQUEST_RECORD);
    const bool is_on = app->server.recording[0] == '\0';
    request.body.record.has_on = true;
    request.body.record.on = is_on;
    if (app_send(app, &request)) {
        server_model_ask_record(&app->server, is_on ? SERVER_MODEL_RECORDS : SERVER_MODEL_STOPS);
    }
}

void app_keep_minute(struct app *app) {
    struct request request = request_default(REQUEST_RECORD);
    request.body.record.has_last = true;
    request.body.record.last = kept_s;
    if (app_send(app, &request)) {
        server_model_ask_record(&app->server, SERVER_MODEL_KEEPS);
    }
}

/* What is done from now on reaches the world alone; the twin is what would have been without. */
void app_toggle_twin(struct app *app) {
    struct request request = request_default(REQUEST_COMPARE);
    const struct snapshot *shown = app->frame.names;
    const bool wants_twin =
        !server_model_will_have_twin(&app->server, shown != NULL && snapshot_has_twins(shown));
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_TWIN_ID);
    request.body.compare.off = !wants_twin;
    request.body.compare.has_follow = wants_twin;
    if (app_send(app, &request)) {
        server_model_ask_twin(&app->server, wants_twin);
    }
}

/* ---- a recording that is played ---- */

static const double jump_s = 1.0;
static const double reached_fresh_ms = 1000.0; /* a frame that does not come by then is lost */
static const double resuming_gap_ms = 250.0, twin_gap_ms = 200.0, replay_gap_ms = 1000.0,
                    recording_gap_ms = 2000.0, cluster_gap_ms = 1000.0, profile_gap_ms = 1000.0;

/* ---- seeks and keys ---- */

static struct replay_line line_of(const struct app *app) {
    return replay_line_of(&app->server.playback.replay, app->server.scenario.tick_hz);
}

/* Where the handle is: the wish that is under way, else what is shown. */
static struct replay_moment moment_of(const struct app *app) {
    const struct message_replay *replay = &app->server.playback.replay;
    if (seeker_is_busy(&app->replay.seeker)) {
        return app->replay.seeker.wish;
    }
    if (app->replay.has_reached && app->now_ms - app->replay.reached_ms < reached_fresh_ms) {
        return app->replay.reached;
    }
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    return (struct replay_moment){replay->world, newest != NULL ? newest->tick : replay->tick};
}

/* Goes to a moment, soon. */
static void seek(struct app *app, const struct replay_moment *to) {
    if (app_may(app, REQUEST_SEEK)) {
        seeker_want(&app->replay.seeker, to);
        app->pacing.is_dirty = true;
    }
}

static void send_seek(struct app *app) {
    const struct replay_moment *to = &app->replay.seeker.wish;
    struct request request = request_default(REQUEST_SEEK);
    request.body.seek.tick = to->tick;
    request.body.seek.has_world = true;
    request.body.seek.world = to->world;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_SEEK_ID);
    if (to->world != app->server.playback.replay.world) {
        history_clear(&app->past.history); /* ticks of another world */
    }
    if (app_send(app, &request)) {
        server_model_ask_seek(&app->server);
    } else {
        seeker_answer(&app->replay.seeker);
    }
}

static void seek_by(struct app *app, int64_t ticks) {
    const struct replay_line line = line_of(app);
    const struct replay_moment from = moment_of(app), to = replay_line_move(&line, &from, ticks);
    seek(app, &to);
}

static void seek_end(struct app *app, double share) {
    const struct replay_line line = line_of(app);
    const struct replay_moment to = replay_line_moment(&line, share);
    seek(app, &to);
}

/* At the end of the recording there is nothing to play: it begins again. The seek goes out before the request to resume. */
static void play_again(struct app *app) {
    const struct replay_line line = line_of(app);
    const struct replay_moment at = moment_of(app);
    if (app->server.is_paused && replay_line_offset(&line, &at) == replay_line_ticks(&line)) {
        seek_end(app, 0.0);
        if (seeker_sends(&app->replay.seeker, app->now_ms)) {
            send_seek(app);
        }
    }
}

static void pause_or_play(struct app *app) {
    const struct replay_line line = line_of(app);
    if (replay_line_ticks(&line) == 0) {
        server_model_set_notice(&app->server, false,
                                "the recording has no ticks; Ctrl+T takes over from here");
    } else if (app_may(app, REQUEST_PAUSE)) {
        play_again(app);
        app_set_paused(app, !server_model_will_be_paused(&app->server));
    }
}

static void step(struct app *app) {
    if (app->server.is_paused) {
        seek_by(app, 1);
    } else if (app_may(app, REQUEST_STEP)) {
        app_step_world(app);
    }
}

bool app_act_on_replay(struct app *app, const struct shortcut *row) {
    if (!server_model_is_replay(&app->server)) {
        return false;
    }
    const int64_t second = (int64_t)fmax(app->server.scenario.tick_hz * jump_s, 1.0);
    const int64_t ticks = app->server.is_paused ? 1 : second;
    switch (row->action) {
    case SHORTCUT_PAUSE:
        pause_or_play(app);
        return true;
    case SHORTCUT_STEP:
        step(app);
        return true;
    case SHORTCUT_BACK:
        seek_by(app, -ticks);
        return true;
    case SHORTCUT_FORWARD:
        seek_by(app, ticks);
        return true;
    case SHORTCUT_STEP_BACK:
        seek_by(app, -1);
        return true;
    case SHORTCUT_BACK_SECOND:
    case SHORTCUT_FORWARD_SECOND:
        seek_by(app, row->action == SHORTCUT_FORWARD_SECOND ? second : -second);
        return true;
    case SHORTCUT_LIVE:
        seek_end(app, 1.0);
        return true;
    case SHORTCUT_RESTART:
    case SHORTCUT_RESTART_CHANGED:
        seek_end(app, 0.0);
        return true;
    case SHORTCUT_FIT:
        if (!row->has_control) {
            seek_end(app, 0.0);
        }
        return !row->has_control;
    case SHORTCUT_PREVIOUS_SCENARIO:
    case SHORTCUT_NEXT_SCENARIO:
        app_change_speed(app, row->action == SHORTCUT_NEXT_SCENARIO);
        return true;
    default:
        return false;
    }
}

/* ---- the handle ---- */

void app_scrub_replay(struct app *app, const struct panels_result *result) {
    struct app_replay *replay = &app->replay;
    const struct replay_moment *to = &result->seek_to;
    const bool is_other =
        !replay->is_held || to->world != replay->held.world || to->tick != replay->held.tick;
    if (result->is_seeking && is_other) {
        replay->held = *to;
        seek(app, to);
    } else if (!result->is_seeking && replay->is_held && !app->server.is_paused) {
        seek(app, &replay->held);
    }
    replay->is_held = result->is_seeking;
}

/* A copy of the wanted moment, until the server is there. */
static void preview(struct app *app) {
    const struct replay_moment *wish = &app->replay.seeker.wish;
    const double hz = app->server.scenario.tick_hz;
    const bool is_here = wish->world == app->server.playback.replay.world && hz > 0.0;
    if (is_here && (app->result.is_seeking || seeker_is_busy(&app->replay.seeker))) {
        playhead_preview(&app->past.playhead, &app->past.history, (double)wish->tick / hz,
                         2.0 / APP_SNAPSHOT_HZ);
    } else {
        playhead_go_live(&app->past.playhead);
    }
}

void app_take_seek(struct app *app, bool is_reached) {
    const struct message_replay *replay = &app->server.playback.replay;
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (app->server.seeks_asked == 0) { /* else the answer is that of an earlier one */
        seeker_answer(&app->replay.seeker);
    }
    app->replay.has_reached = is_reached && (newest == NULL || newest->tick != replay->tick);
    app->replay.reached = (struct replay_moment){replay->world, replay->tick};
    app->replay.reached_ms = app->now_ms;
}

void app_note_place(struct app *app, const struct snapshot *snapshot) {
    app->replay.has_reached = app->replay.has_reached && snapshot->tick != app->replay.reached.tick;
}

bool app_is_elsewhere(const struct app *app, const struct snapshot *snapshot) {
    const struct snapshot *before = snapshot_buffer_newest(&app->snapshots);
    if (before == NULL || (!server_model_is_replay(&app->server) && !app->server.is_static)) {
        return false;
    }
    const double known = server_model_speed(&app->server), speed = known > 0.0 ? known : 1000.0;
    const double world_s = snapshot->time_s - before->time_s;
    const double wall_s = (snapshot->clock_ms - before->clock_ms) * 0.001;
    return world_s < 0.0 || world_s > 2.0 * fmax(speed, 1.0) * fmax(wall_s, 0.0) + 0.5;
}

/* ---- what the server says ---- */

/* Progress and speeds have no events; what others do to the replay is seen within a second. */
static void ask_stats(struct app *app) {
    const struct message_playback *playback = &app->server.playback;
    const bool is_moving = playback->is_resuming || server_model_is_warming(&app->server) ||
                           (playback->has_replay && playback->replay.is_seeking);
    const double gap_ms = is_moving                          ? resuming_gap_ms
                          : app->server.has_twin             ? twin_gap_ms
                          : playback->has_replay             ? replay_gap_ms
                          : app->server.cluster != NULL      ? cluster_gap_ms
                          : app->settings.shows_network      ? profile_gap_ms
                          : app->server.recording[0] != '\0' ? recording_gap_ms
                                                             : 0.0;
    if (gap_ms > 0.0 && app->link.state == LINK_READY && app->server.role >= ROLE_VIEWER &&
        app->now_ms - app->replay.asked_ms >= gap_ms) {
        app->replay.asked_ms = app->now_ms;
        app_send_plain(app, REQUEST_STATS);
    }
}

void app_update_replay(struct app *app) {
    app_watch_server(app);
    ask_stats(app);
    if (!server_model_is_replay(&app->server)) {
        if (app->replay.was_on) { /* taken over: the copies are of other futures */
            history_clear(&app->past.history);
            app_go_live(app);
            app->replay = (struct app_replay){.asked_ms = app->replay.asked_ms};
        }
        return;
    }
    if (!app->replay.was_on && !view_settings_have_panel(&app->settings)) {
        server_model_set_notice(&app->server, false,
                                "A recording: Ctrl+T takes over, P shows the panel, F1 the keys");
    }
    app->replay.was_on = true;
    if (app->link.state == LINK_READY && seeker_sends(&app->replay.seeker, app->now_ms)) {
        send_seek(app);
    }
    preview(app);
}

void app_begin_replay(struct app *app) {
    app->replay = (struct app_replay){.asked_ms = app->now_ms};
}

/* ---- the scenario's view ---- */

static const double caption_ms = 10000.0, kiosk_caption_ms = 15000.0;
static const float least_width = 1000.0f; /* window px, for the side panel */

static bool has_room(const struct app *app) {
    return (float)app->picture.raster->width / app->picture.pixel_scale >= least_width;
}

void app_begin_view(struct app *app) {
    const struct message_view nothing = {.has = 0};
    const struct message_view *view = app->options.has_own_view ? &nothing : &app->server.scenario.view;
    const bool keeps_panel = app->open.params && view_settings_have_panel(&app->settings);
    const struct scenario_view_person person = {.own = &app->own,
                                                .now = &app->settings,
                                                .changes = &app->changes,
                                                .flags = &app->options.flags,
                                                .has_room = has_room(app)};
    app->settings = scenario_view_apply(&person, view);
    if (keeps_panel) {
        app->settings.panel = PANEL_ON; /* the sliders are in it */
    }
    if (app->options.is_kiosk) {
        app->settings.panel = PANEL_OFF;
        app->settings.shows_network = app->settings.pins_mouse = false;
    }
    app->wish = (struct app_view_wish){
        .is_due = true,
        .select = app->options.selected == 0 && (view->has & MESSAGE_VIEW_SELECT) != 0 ? view->select : 0,
        .zoom = (view->has & MESSAGE_VIEW_ZOOM) != 0 ? view->zoom : 1.0f};
}

/* Whether there is an agent of this id. Of agents that are not sent the server's answer to inspect says it. */
static bool is_there(const struct app *app, uint32_t id) {
    const bool is_part = (double)app->frame.settled_count < app->server.agent_total;
    return frame_find(&app->frame, id) >= 0 || (is_part && (double)id <= app->server.agent_total);
}

/* Around the selected agent, which is then followed: else it would soon be out of sight. */
static void zoom_to(struct app *app, float zoom) {
    const vec2 size = app->server.scenario.size;
    const vec2 window = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    struct camera camera = camera_fit(size, window, app->picture.margins);
    camera.scale *= zoom;
    camera_view_center(&app->picture.camera_view, &camera, vec2_scale(size, 0.5f));
    app->selection.is_following = app->selection.has_agent && zoom > 1.0f;
    app->picture.camera = camera_view_place(&app->picture.camera_view, size, window, app->picture.margins);
}

void app_place_view(struct app *app) {
    const struct app_view_wish wish = app->wish;
    if (!wish.is_due || app->frame.names == NULL || app->frame.names->epoch != app->server.epoch) {
        return;
    }
    app->wish.is_due = false;
    app->caption.until_ms = app->now_ms + (app->options.is_kiosk ? kiosk_caption_ms : caption_ms);
    if (wish.select != 0 && is_there(app, wish.select)) {
        app->selection = (struct selection){.has_agent = true, .id = wish.select};
    }
    const bool would_follow = app->selection.has_agent && wish.zoom > 1.0f;
    if (fabsf(wish.zoom - 1.0f) > 0.001f && !(would_follow && app->options.reduces_motion)) {
        zoom_to(app, wish.zoom);
    }
}

/* ---- exhibitions ---- */

enum { FILE_MOST = 64 * 1024 };

int app_kiosk_init(struct app *app, struct failure *failure) {
    const char *path = app->options.kiosk_list;
    char reason[REGULAR_FILE_REASON] = "no such file";
    struct failure inner;
    char *text = NULL;
    size_t length = 0;
    app->kiosk.at = -1;
    app->kiosk.reset_after = app->options.kiosk_reset_s;
    if (path[0] == '\0') {
        return 0;
    }
    if (regular_file_read(path, FILE_MOST, &text, &length, reason) != REGULAR_FILE_OK) {
        return failure_set(failure, FAILURE_BAD_PARAM, "kiosk-list",
                           "%s: %s; expected a file with lines SCENARIO [SECONDS]", path, reason);
    }
    const int result = kiosk_list_read(text, length, &app->kiosk.list, &inner);
    free(text);
    return result == 0 ? 0 : failure_set(failure, inner.code, "kiosk-list", "%s: %s", path, inner.message);
}

void app_kiosk_touch(struct app *app) {
    kiosk_touch(&app->kiosk, app->now_ms);
}

void app_kiosk_begin(struct app *app) {
    if (app->options.is_kiosk) {
        app->changes = (struct view_changes){.is_changed = {false}};
        app->open = (struct panels_open){.question = PANELS_NO_QUESTION};
        kiosk_begin(&app->kiosk, app->server.scenario.name, app->now_ms);
    }
}

/* Whether worlds can be loaded; that they cannot is logged once. */
static bool may_load(struct app *app) {
    if (server_model_is_replay(&app->server) || !server_model_may(&app->server, REQUEST_LOAD)) {
        if (!app->is_kiosk_bound) {
            log_write(LOG_WARN, "kiosk", "the world that runs stays: %s",
                      server_model_is_replay(&app->server)
                          ? "it is a recording"
                          : "other worlds need the role admin (--token of an admin)");
            app->is_kiosk_bound = true;
        }
        return false;
    }
    return true;
}

static void go_on(struct app *app) {
    if (app->kiosk.is_asked) {
        log_write(LOG_WARN, "kiosk", "%s did not come; the next one follows",
                  app->kiosk.list.rows[app->kiosk.at].scenario);
    }
    const char *scenario = kiosk_next(&app->kiosk, app->now_ms);
    if (scenario != NULL) {
        app_send_load(app, scenario);
    }
}

/* With the role for it the world begins again; without it the view does. */
static void put_back(struct app *app, bool is_admin) {
    if (is_admin) {
        app_send_load(app, app->server.scenario.name);
        return;
    }
    app->selection.has_agent = app->selection.is_following = false;
    camera_view_fit(&app->picture.camera_view);
    app->changes = (struct view_changes){.is_changed = {false}};
    app_begin_view(app);
}

void app_kiosk_update(struct app *app) {
    if (!app->options.is_kiosk) {
        return;
    }
    if (app->server_end[0] != '\0') {
        app_reopen(app); /* the recording plays again: there is no hand to agree to it */
        return;
    }
    if (app->options.kiosk_list[0] == '\0' && app->server.scenarios != NULL && app->kiosk.list.count == 0) {
        kiosk_list_fill(&app->kiosk.list, app->server.scenarios, app->server.scenario_count);
        const double begun_ms = app->kiosk.begun_ms;
        kiosk_begin(&app->kiosk, app->server.scenario.name, begun_ms);
    }
    if (!app->server.has_scenario || app->link.state != LINK_READY || app->server.role == ROLE_NONE) {
        return; /* what is due waits for the server */
    }
    const bool is_admin = may_load(app);
    switch (kiosk_update(&app->kiosk, is_admin, app->now_ms)) {
    case KIOSK_NEXT:
        go_on(app);
        break;
    case KIOSK_RESETS:
        put_back(app, is_admin);
        break;
    case KIOSK_GOES_ON:
        break;
    }
}
