/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
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
    if (!app_is_in_past(app)) {
        server_model_set_notice(&app->server, false, "%s",
                                app_density(app) != NULL
                                    ? "a crowd that is shown as heat is not kept for looking back"
                                    : "there is nothing to look back at yet");
    }
}

/* Whether the server keeps the past of the world beside what this window has seen. */
static bool has_past(const struct app *app) {
    return app->server.past.has_branches && !server_model_is_replay(&app->server);
}

/* The first moment that the server keeps. */
static double kept_s(const struct app *app) {
    const struct timeline line = app_timeline(app);
    return timeline_kept(&line) / line.hz;
}

/* Whether only the server has this moment, or the first one that it keeps when this is before. */
static bool is_beyond(const struct app *app, double at_s) {
    const struct history *history = &app->past.history;
    const double half_s = 0.5 / app->server.scenario.tick_hz;
    at_s = fmax(at_s, kept_s(app));
    const bool is_seen = history->count > 0 && at_s >= history_begin_s(history) - half_s &&
                         (!app_is_away(app) || at_s <= history_end_s(history) + half_s);
    return has_past(app) && at_s < app_now_s(app) - half_s && !is_seen;
}

static double shown_s(const struct app *app) {
    return app_now_s(app) - app_behind_s(app);
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
    (void)seek_second(app, HUGE_VAL, 0.0);
    playhead_go_live(&app->past.playhead);
    app->past.is_beyond = false;
}

static bool may_look(const struct app *app) {
    return !app->past.look.is_missing && server_model_may(&app->server, REQUEST_LOOK);
}

/* The handle goes to a moment that only the server has. */
static void go_beyond(struct app *app, double to_s) {
    const struct timeline line = app_timeline(app);
    const double tick = fmax(round(to_s * line.hz), timeline_kept(&line));
    const bool is_new = !app->past.is_beyond || tick != app->past.beyond;
    app->past.look.plays = false;
    if (is_new && !may_look(app)) {
        server_model_set_notice(
            &app->server, false, "Tick %.0f was not seen here: %s takes the world there", tick,
            app->options.is_page ? "\"go on from here\"" : shortcuts_row(SHORTCUT_TAKE_OVER)->name);
    }
    playhead_go_live(&app->past.playhead);
    app->past.is_beyond = true;
    app->past.beyond = tick;
    app->pacing.is_dirty = true;
    app_hand_empty(&app->hand);
}

void app_jump(struct app *app, double by_s) {
    const double to_s = shown_s(app) + by_s;
    if (seek_second(app, to_s, 0.0)) {
        return;
    }
    if (is_beyond(app, to_s)) {
        go_beyond(app, to_s);
    } else if (app->past.is_beyond) {
        app_scrub(app, to_s);
    } else {
        playhead_jump(&app->past.playhead, &app->past.history, app_now_s(app), by_s);
        if (by_s < 0.0) {
            note_way_back(app);
        }
    }
}

static void send_rewind(struct app *app, struct request *request, double kept_s) {
    (void)snprintf(request->id, sizeof request->id, "%s", SERVER_MODEL_REWIND_ID);
    app->past.is_rewinding = app_send(app, request);
    app->past.kept_s = kept_s;
}

void app_step_past(struct app *app, bool is_forward) {
    const double tick_s = 1.0 / fmax(app->server.scenario.tick_hz, 1.0), from_s = shown_s(app);
    if (!is_forward && is_beyond(app, from_s - tick_s)) {
        if (!app_is_in_past(app) && app->server.is_paused && server_model_may(&app->server, REQUEST_REWIND)) {
            struct request request = request_default(REQUEST_REWIND);
            request.body.rewind.has_ticks = true;
            request.body.rewind.ticks = 1;
            if (!app->past.is_rewinding) {
                send_rewind(app, &request, from_s - 0.5 * tick_s);
            }
        } else {
            go_beyond(app, from_s - tick_s);
        }
    } else if (app->past.is_beyond) {
        app_scrub(app, from_s + (is_forward ? tick_s : -tick_s));
    } else {
        playhead_step(&app->past.playhead, &app->past.history, app_now_s(app), is_forward);
        if (!is_forward) {
            note_way_back(app);
        }
    }
}

void app_scrub(struct app *app, double to_s) {
    const double now_s = app_now_s(app);
    if (seek_second(app, to_s, seek_early_s)) {
        return;
    }
    if (is_beyond(app, to_s)) {
        go_beyond(app, to_s);
        return;
    }
    app->past.is_beyond = false;
    playhead_seek(&app->past.playhead, &app->past.history, now_s,
                  to_s > now_s - live_within_s ? now_s : to_s);
    put_down(app);
}

/* ---- the moment that the server shows ---- */

static const double look_gap_ms = 33.0;    /* between two looks */
static const double longest_step_s = 0.25; /* of a look that plays */
static const double most_gap_s = 0.5;      /* between two moments of one course */

static void send_look(struct app *app, double tick) {
    struct app_look *look = &app->past.look;
    struct request request = request_default(REQUEST_LOOK);
    const bool is_back = tick < 0.0;
    (void)snprintf(request.id, sizeof request.id, "%s", is_back ? SERVER_MODEL_NOW_ID : SERVER_MODEL_LOOK_ID);
    request.body.look.live = is_back;
    request.body.look.to.has_tick = !is_back;
    request.body.look.to.tick = is_back ? 0 : (uint64_t)tick;
    if (connection_send(app->connection, &request) == 0) {
        look->is_asked |= !is_back;
        look->goes_back |= is_back;
        look->sent_ms = app->now_ms;
    }
}

/* Moves the wish of a look that plays on, as soon as the one before is shown. */
static void play_on(struct app *app) {
    struct app_past *past = &app->past;
    const double speed = server_model_speed(&app->server), hz = app->server.scenario.tick_hz,
                 rate = hz * (speed > 0.0 ? speed : most_past_speed) * 0.001; /* ticks a ms */
    const double passed_ms = fmin(app->now_ms - past->look.played_ms, longest_step_s * 1000.0);
    const double ticks = floor(passed_ms * rate);
    if (ticks < 1.0) {
        return;
    }
    past->look.played_ms = app->now_ms - (passed_ms - ticks / rate);
    if (is_beyond(app, (past->beyond + ticks) / hz)) {
        past->beyond += ticks;
        return;
    }
    past->look.plays = false;
    app_scrub(app, (past->beyond + ticks) / hz); /* what this window has seen, or now */
    if (!past->playhead.is_live) {
        playhead_toggle(&past->playhead, &past->history);
    }
}

void app_update_look(struct app *app) {
    struct app_past *past = &app->past;
    struct app_look *look = &past->look;
    const bool is_looking = app->server.look == SERVER_MODEL_LOOKS;
    if (app->link.state != LINK_READY) {
        look->is_asked = look->goes_back = look->plays = false;
        return;
    }
    if (!app_is_away(app)) {
        look->now_tick = (double)app_now_tick(app);
        look->now_ms = app->now_ms;
    }
    const bool is_there = is_looking && (double)app->server.look_tick == past->beyond;
    look->plays = look->plays && past->is_beyond && is_looking;
    if (look->plays && is_there && !look->is_asked && app->now_ms - look->sent_ms >= look_gap_ms) {
        play_on(app);
    }
    if (!past->is_beyond) {
        look->refused = -1.0;
        if ((is_looking || look->is_asked) && past->playhead.is_live && !look->goes_back) {
            send_look(app, -1.0);
        }
    } else if (!look->is_asked && may_look(app) && past->beyond != look->refused &&
               !(is_looking && (double)app->server.look_tick == past->beyond) &&
               app->now_ms - look->sent_ms >= look_gap_ms) {
        send_look(app, past->beyond);
    }
}

void app_play_look(struct app *app) {
    struct app_look *look = &app->past.look;
    look->plays = !look->plays && app->past.is_beyond;
    look->played_ms = app->now_ms;
}

/* A refusal leaves the handle where it is; while a moment is shown, it goes back to that one. */
static void take_refusal(struct app *app, const struct message_error *error) {
    struct app_past *past = &app->past;
    const enum failure_code code = error->failure.code;
    past->look.is_missing = code != FAILURE_WITHDRAWN && code != FAILURE_BUSY && code != FAILURE_FULL &&
                            code != FAILURE_OUT_OF_RANGE;
    if (code == FAILURE_WITHDRAWN) {
        return;
    }
    past->look.plays = false;
    if (app->server.look == SERVER_MODEL_LOOKS) {
        past->beyond = (double)app->server.look_tick;
    } else {
        past->look.refused = past->beyond;
    }
}

/* What a message says of the present: all events do, and answers about the server. */
static void note_now(struct app *app, const struct message *message) {
    struct app_look *look = &app->past.look;
    const struct message_reply *reply = &message->body.reply;
    const bool is_answer = message->op == MESSAGE_REPLY && reply->has_tick &&
                           (strcmp(reply->id, SERVER_MODEL_PAST_ID) == 0 || strcmp(reply->to, "stats") == 0);
    if (is_answer || message->op == MESSAGE_EVENT) {
        look->now_tick = (double)(is_answer ? reply->tick : message->body.event.tick);
        look->now_ms = app->now_ms;
    }
}

void app_take_look(struct app *app, const struct message *message, const struct server_model_wish *wish) {
    struct app_look *look = &app->past.look;
    const bool is_reply = message->op == MESSAGE_REPLY, is_event = message->op == MESSAGE_EVENT;
    const char *id = is_reply                       ? message->body.reply.id
                     : message->op == MESSAGE_ERROR ? message->body.error.id
                                                    : "";
    if (message->op == MESSAGE_HELLO) {
        *look = (struct app_look){.refused = -1.0};
    } else if (strcmp(id, SERVER_MODEL_LOOK_ID) == 0) {
        look->is_asked = false;
        if (!is_reply) {
            take_refusal(app, &message->body.error);
        } else if (app->open.params) {
            app_send_plain(app, REQUEST_GET_PARAMS); /* as they were then */
        }
    } else if (strcmp(id, SERVER_MODEL_NOW_ID) == 0) {
        look->goes_back = look->goes_back && is_reply && app->server.look == SERVER_MODEL_LOOKS;
    }
    if (!app_is_away(app)) {
        return;
    }
    note_now(app, message);
    if (is_event && strcmp(message->body.event.event, "rewound") == 0) {
        look->is_rewound = true;
        app->past.kept_s = app->past.is_rewinding ? app->past.kept_s : 0.0;
    } else if (is_event && strcmp(message->body.event.event, "look_ended") == 0) {
        look->plays = look->goes_back = false;
        look->comes_back = true;
        app->past.is_beyond = app->past.is_beyond && strcmp(message->body.event.reason, "live") == 0;
    }
    if (wish->rewound && is_reply) {
        app_go_live(app);
    }
}

bool app_note_look(struct app *app, const struct snapshot *snapshot) {
    struct app_look *look = &app->past.look;
    const struct snapshot *before = snapshot_buffer_newest(&app->snapshots);
    const bool is_look = app->server.look == SERVER_MODEL_LOOKS;
    const double passed_s = before != NULL ? snapshot->time_s - before->time_s : -1.0;
    if (look->is_shown != is_look || (is_look && (passed_s < 0.0 || passed_s > most_gap_s))) {
        trails_clear(&app->trails);
        headings_clear(&app->headings);
    }
    look->is_shown = is_look;
    if (!is_look && look->comes_back) {
        const struct history *history = &app->past.history;
        if (history->count > 0 && fabs(snapshot->time_s - history_end_s(history)) <= most_gap_s) {
            history_cut(&app->past.history, HUGE_VAL, snapshot->epoch); /* it goes on: nothing was missed */
        }
        real_time_init(&app->meters.real_time);
        look->comes_back = look->is_rewound = false;
    }
    return is_look;
}

/* ---- the past that the server keeps ---- */

static const double branches_gap_ms = 2000.0, soon_ms = 100.0, changes_gap_ms = 1000.0;

struct timeline app_timeline(const struct app *app) {
    const double hz = app->server.has_scenario ? app->server.scenario.tick_hz : 60.0;
    const double now = (double)app_now_tick(app) + app_ahead_s(app) * hz;
    if (app->link.second > 0) {
        return timeline_make_seconds(now - app_kept_s(app) * hz, now, hz);
    }
    return timeline_make(has_past(app) ? &app->server.past : NULL, now, hz);
}

void app_go_on(struct app *app) {
    const struct timeline line = app_timeline(app);
    struct request request = request_default(REQUEST_REWIND);
    if (!app_is_in_past(app)) {
        server_model_set_notice(&app->server, false,
                                "this is now: the world goes on from a moment of its past");
    } else if (!has_past(app)) {
        server_model_set_notice(&app->server, true,
                                "the server keeps no past of this world (drover-server --rewind)");
    } else if (app_may(app, REQUEST_REWIND)) {
        const double tick = app->past.is_beyond ? app->past.beyond : round(shown_s(app) * line.hz);
        const struct message_mark *mark = timeline_find_mark(&line, tick, 0.0);
        if (mark != NULL) { /* behind the requests of its tick */
            (void)snprintf(request.body.rewind.mark, sizeof request.body.rewind.mark, "%s", mark->name);
        } else {
            request.body.rewind.has_tick = true;
            request.body.rewind.tick = (uint64_t)tick;
        }
        send_rewind(app, &request, (tick - 0.5) / line.hz);
    }
}

void app_go_branch(struct app *app, const char *branch) {
    struct request request = request_default(REQUEST_REWIND);
    (void)snprintf(request.body.rewind.branch, sizeof request.body.rewind.branch, "%s", branch);
    send_rewind(app, &request, 0.0);
}

void app_ask_branch(struct app *app, const char *branch) {
    if (!app_may(app, REQUEST_REWIND)) {
        return;
    }
    if (app->server.is_paused) {
        app_go_branch(app, branch);
    } else {
        (void)snprintf(app->past.branch, sizeof app->past.branch, "%s", branch);
        app->open.question = PANELS_ASKS_BRANCH;
        app->open.help = false;
    }
}

void app_mark(struct app *app) {
    struct request request = request_default(REQUEST_MARK);
    timeline_next_mark(&app->server.past, request.body.mark.name);
    app_send(app, &request);
}

bool app_takes_rewind(struct app *app, const struct message *message) {
    const bool was_due = app->past.is_rewinding,
               is_world = message->op == MESSAGE_SCENARIO || message->op == MESSAGE_HELLO;
    const bool is_refused =
        message->op == MESSAGE_ERROR && (strcmp(message->body.error.id, SERVER_MODEL_REWIND_ID) == 0 ||
                                         strcmp(message->body.error.id, SERVER_MODEL_WITHOUT_ID) == 0);
    if (app->server.look == SERVER_MODEL_LOOKS && message->op == MESSAGE_SCENARIO) {
        return false; /* of the moment that is shown meanwhile */
    }
    app->past.is_rewinding = was_due && !is_world && !is_refused;
    return (was_due || app->past.look.is_rewound) && message->op == MESSAGE_SCENARIO &&
           strcmp(message->body.scenario.name, app->server.scenario.name) == 0;
}

static void ask_list(struct app *app, enum list_what what) {
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = (int)what;
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_PAST_ID);
    app_send(app, &request);
}

/* Whether the timeline shows what the server keeps, which may not have come yet. */
static bool is_past_shown(const struct app *app) {
    return app_has_timeline(app) && app->link.state == LINK_READY && app->server.has_scenario &&
           !server_model_is_replay(&app->server) && !app->server.is_static && !app->server.has_no_past &&
           app->server.role >= ROLE_VIEWER;
}

bool app_lacks_past(const struct app *app) {
    return is_past_shown(app) && !(app->server.past.has_branches && app->server.past.has_changes);
}

void app_ask_past(struct app *app) {
    struct app_past *past = &app->past;
    const double branches_ms = past->wants_branches ? soon_ms : branches_gap_ms;
    if (!is_past_shown(app)) {
        return;
    }
    if (app->now_ms - past->branches_ms >= branches_ms) {
        past->branches_ms = app->now_ms;
        past->wants_branches = false;
        ask_list(app, LIST_BRANCHES);
    }
    if (past->wants_changes && app->now_ms - past->changes_ms >= changes_gap_ms) {
        past->changes_ms = app->now_ms;
        past->wants_changes = false;
        ask_list(app, LIST_CHANGES);
    }
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
