/* See app_past.h. */
#include "viewer/app/app_past.h"

#include <assert.h>
#include <math.h>

#include "viewer/app/app_crowd.h"
#include "viewer/app/app_queries.h"

static const double recall_s = 0.15; /* an inspection this far from the moment shown is of another moment */
static const double most_past_speed = 10.0; /* where the world goes as fast as it can */
static const double live_within_s = 0.1;    /* the handle this near the end of the timeline: now */

/* ---- which moment ---- */

/* A tool would change the present, which is not shown. */
static void put_down(struct app *app) {
    if (!app->past.playhead.is_live && app->hand.tool != TOOL_NONE) {
        app_hand_empty(&app->hand);
    }
}

static void note_way_back(struct app *app) {
    put_down(app);
    if (app->past.playhead.is_live) {
        server_model_set_notice(&app->server, false, "%s",
                                app_density(app) != NULL
                                    ? "a crowd that is shown as heat is not kept for looking back"
                                    : "there is nothing to look back at yet");
    }
}

void app_jump(struct app *app, double by_s) {
    playhead_jump(&app->past.playhead, &app->past.history, app_now_s(app), by_s);
    if (by_s < 0.0) {
        note_way_back(app);
    }
}

void app_step_past(struct app *app, bool is_forward) {
    playhead_step(&app->past.playhead, &app->past.history, app_now_s(app), is_forward);
    if (!is_forward) {
        note_way_back(app);
    }
}

void app_scrub(struct app *app, double to_s) {
    const double now_s = app_now_s(app);
    playhead_seek(&app->past.playhead, &app->past.history, now_s,
                  to_s > now_s - live_within_s ? now_s : to_s);
    put_down(app);
}

/* ---- what is shown ---- */

/* A copy into a slot of the past, unless it is there. */
static int read_copy(struct app *app, int slot, int index) {
    struct snapshot **place = &app->past.copies.ring[slot];
    *place = *place != NULL ? *place : snapshot_create();
    const bool is_there = *place != NULL && slot < app->past.copies.count &&
                          (*place)->time_s == history_time_s(&app->past.history, index);
    return is_there ? 0 : *place != NULL ? history_read(&app->past.history, index, *place) : -1;
}

/* Held: one copy as it is. Playing: the two around the moment. A held copy that the history has
 * forgotten is still in its slot. */
static int read_past(struct app *app) {
    const struct playhead *head = &app->past.playhead;
    const int index = history_find(&app->past.history, head->at_s);
    const bool is_forgotten = index < 0 || history_time_s(&app->past.history, index) > head->at_s;
    if (is_forgotten && !head->is_playing && app->past.copies.count > 0) {
        return 0;
    }
    const bool has_next = head->is_playing && index + 1 < app->past.history.count;
    if (index < 0 || read_copy(app, 0, index) != 0 || (has_next && read_copy(app, 1, index + 1) != 0)) {
        return -1;
    }
    app->past.copies.begin = 0;
    app->past.copies.count = has_next ? 2 : 1;
    return 0;
}

int app_show_past(struct app *app, struct interpolate_rules *rules, double passed_s) {
    assert(!app->past.playhead.is_live);
    const double speed = server_model_speed(&app->server);
    playhead_advance(&app->past.playhead, &app->past.history, app_now_s(app),
                     passed_s * (speed > 0.0 ? speed : most_past_speed));
    if (app->past.playhead.is_live || read_past(app) != 0) {
        playhead_go_live(&app->past.playhead);
        return -1;
    }
    const struct snapshot_buffer *past = &app->past.copies;
    rules->is_paused = true; /* there is nothing to guess */
    rules->period_ms = past->count > 1 ? past->ring[1]->clock_ms - past->ring[0]->clock_ms : 0.0;
    const double at_ms =
        app->past.playhead.is_playing ? app->past.playhead.at_s * 1000.0 : past->ring[0]->clock_ms;
    return app_fill_frame(app, past, at_ms, rules);
}

void app_recall_inspection(struct app *app) {
    const double hz = app->server.scenario.tick_hz;
    app->past.has_inspected = !app->past.playhead.is_live && app->selection.has_agent &&
                              inspections_find(&app->past.inspections, app->selection.id,
                                               app->frame.time_s * hz, recall_s * hz, &app->past.inspected);
}

/* ---- trails ---- */

static float jump_px(const struct app *app) {
    float fastest = 0.0f;
    for (int i = 0; i < app->server.scenario.kind_count; i++) {
        fastest = fmaxf(fastest, app->server.scenario.kinds[i].max_speed);
    }
    return fmaxf(0.25f * fastest, 20.0f);
}

/* The way to the moment that is held, out of the history. */
static void retrace(struct app *app) {
    const double end_s = app->past.playhead.at_s;
    const struct interpolate_rules rules = {.world_size = app->server.scenario.size, .is_paused = true};
    const int count = trails_points(app->frame.settled_count);
    trails_clear(&app->trails);
    app_forget_crowd(app); /* the frame is filled with other moments */
    for (int back = count - 1, last = -1; back >= 0; back--) {
        const int index = history_find(&app->past.history, end_s - back * TRAILS_STEP_S);
        if (index == last) {
            continue;
        }
        last = index;
        app->past.copies.count = 0;
        if (index < 0 || read_copy(app, 0, index) != 0) {
            return;
        }
        app->past.copies.count = 1;
        if (interpolate_at(&app->past.copies, app->past.copies.ring[0]->clock_ms, &rules, &app->frame) != 0) {
            return;
        }
        trails_add(&app->trails, &app->frame, jump_px(app), app_wrap_size(app));
    }
}

void app_leave_trails(struct app *app) {
    const bool is_held = app_is_held(app);
    const bool can_retrace = is_held && app->past.history.count > 0 &&
                             history_begin_s(&app->past.history) <= app->past.playhead.at_s;
    if (!app->settings.shows_trails || app->frame.names == NULL) {
        return;
    }
    if (can_retrace && app->past.retraced_s != app->past.playhead.at_s) {
        app->past.retraced_s = app->past.playhead.at_s;
        retrace(app);
    } else if (!is_held) {
        if (app->past.playhead.is_live && app->past.retraced_s >= 0.0) {
            trails_clear(&app->trails); /* they led to another moment */
        }
        app->past.retraced_s = app->past.playhead.is_live ? -1.0 : app->past.retraced_s;
        trails_add(&app->trails, &app->frame, jump_px(app), app_wrap_size(app));
    }
}
