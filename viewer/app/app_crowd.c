/* See app_crowd.h. */
#include "viewer/app/app_crowd.h"

#include <assert.h>
#include <string.h>

#include "viewer/app/app_queries.h"

/* The selected agent and those that count for it. */
enum { FEW = 1 + LIMIT_INSPECT_NEIGHBORS };

void app_forget_crowd(struct app *app) {
    app->crowd.key.a = app->crowd.key.b = NULL;
    app->crowd.has_rows = app->crowd.is_partial = false;
}

void app_note_snapshot(struct app *app, const struct snapshot *snapshot) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (newest != NULL && snapshot->clock_ms <= newest->clock_ms) {
        app_forget_crowd(app); /* it takes the newest's place: the key would not show it */
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
        app_forget_crowd(app); /* out of memory: the frame is empty */
    }
}
