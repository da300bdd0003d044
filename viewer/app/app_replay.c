/* See app_replay.h. */
#include "viewer/app/app_replay.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/app/app_keep.h"
#include "viewer/app/app_queries.h"
#include "viewer/app/app_requests.h"
#include "viewer/app/app_server.h"
#include "viewer/app/app_time.h"

static const double jump_s = 1.0;
static const double reached_fresh_ms = 1000.0; /* a frame that does not come by then is lost */
static const double resuming_gap_ms = 250.0, replay_gap_ms = 1000.0, recording_gap_ms = 2000.0,
                    cluster_gap_ms = 1000.0, profile_gap_ms = 1000.0;

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
    if (before == NULL || !server_model_is_replay(&app->server)) {
        return false;
    }
    const double speed = app->server.playback.replay.speed > 0.0 ? app->server.playback.replay.speed : 1000.0;
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
            playhead_go_live(&app->past.playhead);
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
