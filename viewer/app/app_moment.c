/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- large crowds ---- */

/* The selected agent and those that count for it. */
enum { FEW = 1 + LIMIT_INSPECT_NEIGHBORS };

void app_clear_crowd(struct app *app) {
    app->crowd.key.a = app->crowd.key.b = NULL;
    app->crowd.has_rows = app->crowd.is_partial = false;
}

void app_note_snapshot(struct app *app, const struct snapshot *snapshot) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (newest != NULL && snapshot->clock_ms <= newest->clock_ms) {
        app_clear_crowd(app); /* it takes the newest's place: the key would not show it */
    }
}

static struct app_crowd_key key_of(const struct interpolate_motion *motion) {
    const struct snapshot *a = motion->a, *b = motion->b;
    return (struct app_crowd_key){.a = a,
                                  .b = b,
                                  .a_clock_ms = a->clock_ms,
                                  .a_time_s = a->time_s,
                                  .b_clock_ms = b != NULL ? b->clock_ms : 0.0,
                                  .b_time_s = b != NULL ? b->time_s : 0.0,
                                  .shows_coming = motion->fade_in > 0.0f,
                                  .shows_leaving = motion->fade_out > 0.0f};
}

static bool is_same(const struct app_crowd_key *one, const struct app_crowd_key *other) {
    return one->a == other->a && one->b == other->b && one->a_clock_ms == other->a_clock_ms &&
           one->a_time_s == other->a_time_s && one->b_clock_ms == other->b_clock_ms &&
           one->b_time_s == other->b_time_s && one->shows_coming == other->shows_coming &&
           one->shows_leaving == other->shows_leaving;
}

/* Whether the picture has more of every agent than the agent itself. */
static bool needs_all(const struct app *app) {
    const struct view_settings *settings = &app->settings;
    const bool has_vectors = !app->selection.has_agent && view_settings_have_vectors(settings);
    return settings->shows_trails || settings->shows_onion || settings->shows_predicted || has_vectors ||
           app->frame.has_forces || app->picture.is_heat;
}

static int find_few(const struct app *app, int32_t *indices) {
    const struct message_agent *inspected = app_inspected(app);
    int count = 0;
    const int32_t selected = app->selection.has_agent ? frame_find(&app->frame, app->selection.id) : -1;
    if (selected >= 0) {
        indices[count++] = selected;
    }
    for (int i = 0; inspected != NULL && i < inspected->neighbor_count; i++) {
        const int32_t index = frame_find(&app->frame, inspected->neighbors[i]);
        if (index >= 0 && count < FEW) {
            indices[count++] = index;
        }
    }
    return count;
}

/* Notes how the rows move now, when they are those of the moment. */
static void match_rows(struct app *app) {
    struct app_crowd *crowd = &app->crowd;
    struct interpolate_motion motion;
    crowd->has_rows = false;
    if (crowd->instances.count == 0 || crowd->instances.count != app->frame.count ||
        !interpolate_motion(crowd->buffer, crowd->server_ms, &crowd->rules, &motion)) {
        return;
    }
    const struct app_crowd_key key = key_of(&motion);
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a copy of all bytes, so of those between members too */
    const bool has_colors = memcmp(&crowd->settings, &app->settings, sizeof crowd->settings) == 0;
    crowd->has_rows = has_colors && is_same(&key, &crowd->key);
    if (crowd->has_rows) {
        crowd->instances.motion = motion;
    }
}

int app_fill_frame(struct app *app, const struct snapshot_buffer *buffer, double server_ms,
                   const struct interpolate_rules *rules) {
    struct app_crowd *crowd = &app->crowd;
    crowd->buffer = buffer;
    crowd->server_ms = server_ms;
    crowd->rules = *rules;
    crowd->is_partial = false;
    match_rows(app);
    if (!crowd->has_rows || needs_all(app)) {
        return interpolate_at(buffer, server_ms, rules, &app->frame);
    }
    int32_t indices[FEW];
    const int count = find_few(app, indices);
    interpolate_few(buffer, server_ms, rules, indices, count, &app->frame);
    crowd->is_partial = true;
    return 0;
}

/* The rows of the frame that was filled last. */
static void make_rows(struct app *app) {
    struct app_crowd *crowd = &app->crowd;
    struct interpolate_motion motion;
    agent_instances_clear(&crowd->instances);
    crowd->has_rows = app->frame.names != NULL && app->frame.count > AGENT_INSTANCES_FROM &&
                      window_takes_crowd(app->window) &&
                      interpolate_motion(crowd->buffer, crowd->server_ms, &crowd->rules, &motion) &&
                      agent_instances_fill(&crowd->instances, &app->frame, &motion) == 0;
    if (crowd->has_rows) {
        crowd->key = key_of(&motion);
        memcpy(&crowd->settings, &app->settings, sizeof crowd->settings);
        headings_clear(&app->headings);
    }
}

void app_color_frame(struct app *app) {
    if (app->crowd.has_rows) {
        return;
    }
    agent_colors_fill(&app->colors, &app->frame, &app->server, &app->settings);
    make_rows(app);
    app->picture.mesh.instances = window_takes_crowd(app->window) ? &app->crowd.instances : NULL;
}

void app_move_all(struct app *app) {
    struct app_crowd *crowd = &app->crowd;
    if (!crowd->is_partial) {
        return;
    }
    match_rows(app);
    crowd->is_partial = false;
    if (crowd->has_rows && interpolate_at(crowd->buffer, crowd->server_ms, &crowd->rules, &app->frame) != 0) {
        app_clear_crowd(app); /* out of memory: the frame is empty */
    }
}

/* ---- looking back ---- */

static const double recall_s = 0.15; /* an inspection this far from the moment shown is of another moment */
static const double most_past_speed = 10.0; /* where the world goes as fast as it can */
static const double live_within_s = 0.1;    /* the handle this near the end of the timeline: now */
static const double seek_gap_ms = 250.0;    /* between two seeks of static seconds */
static const double seek_early_s = 2.0;     /* a second may begin so long before the moment */

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

/* Static seconds: goes to a moment that must be fetched again, up to early_s too early. False when it is here, or there is none. */
static bool seek_second(struct app *app, double to_s, double early_s) {
    const struct link_status *link = &app->link;
    const double speed = server_model_speed(&app->server), now_s = app_now_s(app);
    const double begin_s = app->past.history.count > 0 ? history_begin_s(&app->past.history) : now_s;
    const bool is_end = to_s > now_s + app_ahead_s(app) - live_within_s;
    const bool is_here =
        is_end ? link->second == link->last_second : to_s >= begin_s && to_s <= now_s + early_s;
    if (link->second == 0 || speed <= 0.0 || is_here) {
        return false;
    }
    playhead_go_live(&app->past.playhead);
    if (app->now_ms - app->past.sought_ms >= seek_gap_ms) {
        struct request request = request_default(REQUEST_SEEK);
        const double number = (double)link->second + floor((to_s - now_s) / speed);
        request.body.seek.tick = is_end ? 0 : (uint64_t)fmax(number, (double)link->first_second);
        if (connection_send(app->connection, &request) == 0) {
            app->past.sought_ms = app->now_ms;
        }
    }
    return true;
}

void app_go_live(struct app *app) {
    if (!seek_second(app, HUGE_VAL, 0.0)) {
        playhead_go_live(&app->past.playhead);
    }
}

void app_jump(struct app *app, double by_s) {
    if (seek_second(app, app_now_s(app) - app_behind_s(app) + by_s, 0.0)) {
        return;
    }
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
    if (seek_second(app, to_s, seek_early_s)) {
        return;
    }
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
    return fmaxf(0.25f * server_model_top_speed(&app->server), 20.0f);
}

/* The way to the moment that is held, out of the history. */
static void retrace(struct app *app) {
    const double end_s = app->past.playhead.at_s;
    const struct interpolate_rules rules = {.world_size = app->server.scenario.size, .is_paused = true};
    const int count = trails_points(app->frame.settled_count);
    trails_clear(&app->trails);
    app_clear_crowd(app); /* the frame is filled with other moments */
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
