/* See app_state.h. From the moment to draw to the picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "viewer/app/app_state.h"

static const double toast_ms = 4000.0, hint_ms = 12000.0, toast_fade_ms = 400.0;
static const double cursor_fresh_ms = 1000.0; /* after that the target is where the server says */

double app_ui_scale(const struct app *app) {
    return app->settings.ui_scale > 0.0 ? app->settings.ui_scale : (double)window_text_scale(app->window);
}

int app_rescale(struct app *app) {
    const float scale = app->window_scale * (float)app_ui_scale(app);
    struct sprites *sprites = sprites_create(1.25f * scale);
    if (sprites == NULL) {
        return -1;
    }
    panels_destroy(app->panels); /* one at a time */
    app->panels = panels_create(scale);
    sprites_destroy(app->sprites);
    app->sprites = sprites;
    app->pixel_scale = scale;
    app->wants_scale = false;
    if (app->panels == NULL) {
        return -1;
    }
    if (!window_wants_mesh(app->window)) {
        return 0;
    }
    int32_t width, height;
    const uint32_t *atlas = sprites_atlas(sprites, &width, &height);
    int result =
        atlas == NULL || window_set_texture(app->window, MESH_SPRITES, atlas, width, height, true) != 0;
    uint32_t *font = panels_font_texels(app->panels, &width, &height);
    result |= font == NULL || window_set_texture(app->window, MESH_FONT, font, width, height, false) != 0;
    free(font);
    return result != 0 ? -1 : 0;
}

static void place_camera(struct app *app) {
    const float unit = app->pixel_scale, side = 16.0f * unit;
    const vec2 window = {(float)app->raster->width, (float)app->raster->height};
    const vec2 size = app->server.has_scenario ? app->server.scenario.size : vec2_make(1.0f, 1.0f);
    app->margins = (struct camera_margins){side, side + PANELS_BAR_PX * unit, side, side};
    if (view_settings_have_panel(&app->settings)) {
        app->margins.right += PANELS_SIDE_PX * unit;
        app->margins.bottom += PANELS_TIMELINE_PX * unit;
    }
    const int32_t index = app->selection.is_following && app->frame.names != NULL
                              ? frame_find(&app->frame, app->selection.id)
                              : -1;
    const struct message_agent *inspected = app_inspected(app);
    if (index >= 0) {
        camera_view_center(&app->camera_view, &app->camera,
                           vec2_make(app->frame.x[index], app->frame.y[index]));
    } else if (app->selection.is_following && inspected != NULL) { /* beyond what is sent: it is fetched */
        camera_view_center(&app->camera_view, &app->camera, vec2_make(inspected->x, inspected->y));
    }
    app->camera = camera_view_place(&app->camera_view, size, window, app->margins);
    app->has_camera = app->server.has_scenario;
}

/* Notes how far a frame had to guess, for the lagometer. */
static void note_lag(struct app *app) {
    struct panels_lag *lag = &app->lag;
    if (lag->count == PANELS_LAG_BARS) {
        for (int i = 1; i < PANELS_LAG_BARS; i++) {
            lag->late_ms[i - 1] = lag->late_ms[i];
        }
        lag->count--;
    }
    lag->late_ms[lag->count++] = app->server.is_paused ? 0.0f : (float)app->frame.late_ms;
}

static int compute_frame(struct app *app) {
    struct interpolate_rules rules = {
        .world_size = app->server.scenario.size,
        .wraps = server_view_wraps(&app->server),
        .is_paused = app->server.is_paused,
        .period_ms = app->clock.period_ms,
    };
    const double passed_s = fmin(fmax(app->now_ms - app->framed_ms, 0.0), 250.0) * 0.001;
    double server_ms = clock_sync_advance(&app->clock, app->now_ms);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    app->framed_ms = app->now_ms;
    if (app->options.fixed_dt_ms > 0.0 && newest != NULL) {
        server_ms = newest->clock_ms;
    }
    if (!app->playhead.is_live && app_show_past(app, &rules, passed_s) == 0) {
        return 0;
    }
    if (interpolate_at(&app->snapshots, server_ms, &rules, &app->frame) != 0) {
        return -1;
    }
    note_lag(app);
    return 0;
}

int app_prepare(struct app *app) {
    int32_t width, height;
    window_picture_size(app->window, &width, &height);
    if ((width != app->raster->width || height != app->raster->height) &&
        raster_resize(app->raster, width, height) != 0) {
        return -1;
    }
    if (app->wants_scale && app_rescale(app) != 0) {
        return -1;
    }
    if (compute_frame(app) != 0) {
        return -1;
    }
    app_leave_trails(app);
    place_camera(app);
    if (app_density(app) != NULL && app->frame.names->count > 0) {
        app->hidden_until_ms = app->now_ms + 2.0 * INTERPOLATE_FADE_MS; /* nor while they fade out */
    }
    return 0;
}

struct scene app_scene(const struct app *app) {
    const bool leads = app->has_cursor && app_moves_mouse_target(app) && !app->result.wants_mouse &&
                       app->now_ms - app->cursor_moved_ms < cursor_fresh_ms;
    return (struct scene){
        .camera = &app->camera,
        .server = &app->server,
        .frame = &app->frame,
        .settings = &app->settings,
        .selection = &app->selection,
        .density = app_density(app),
        .hides_agents = app->now_ms < app->hidden_until_ms,
        .inspected = app_inspected(app),
        .trails = &app->trails,
        .pixel_scale = app->pixel_scale,
        .is_dimmed = app->link.state != LINK_READY,
        .is_held = app->frame.is_stalled && app->playhead.is_live,
        .has_cursor = leads,
        .cursor = app->cursor,
    };
}

static float toast_alpha(struct app *app) {
    if (app->seen_notices != app->server.notice_count) {
        app->seen_notices = app->server.notice_count;
        const bool is_hint = app->has_hinted && strcmp(app->server.notice, app->options.hint) == 0;
        app->toast_until_ms = app->now_ms + (is_hint ? hint_ms : toast_ms);
    }
    const double left = (app->toast_until_ms - app->now_ms) / toast_fade_ms;
    return left <= 0.0 ? 0.0f : left >= 1.0 ? 1.0f : (float)left;
}

static void fill_view(struct app *app) {
    const bool is_fixed = app->options.fixed_dt_ms > 0.0;
    const bool has_plots = view_settings_have_panel(&app->settings) && !is_fixed;
    const struct hud_input hud = {
        .server = &app->server,
        .frame = &app->frame,
        .link = &app->link,
        .address = &app->options.address,
        .camera = &app->camera,
        .settings = &app->settings,
        .selection = &app->selection,
        .open = &app->open,
        .playhead = &app->playhead,
        .density = app_density(app),
        .inspected = app_inspected(app),
        .plots = has_plots ? &app->plots : NULL,
        .lag = &app->lag,
        .tuned_kind = app_tuned_kind(app),
        .clip = app->clip != NULL ? app->clip_path : "",
        .wanted = app->result.wanted,
        .measures = {.echo_ms = echo_median_ms(&app->echo),
                     .snapshots_per_s = rate_meter_per_s(&app->rate),
                     .bytes_per_s = rate_meter_per_s(&app->bytes),
                     .behind_rate = real_time_behind(&app->real_time),
                     .delay_ms = app->clock.delay_ms,
                     .skipped = (uint32_t)app->link.skipped_count},
        .recorded_s = app->history.count > 0 ? app_now_s(app) - history_begin_s(&app->history) : 0.0,
        .now_s = app_now_s(app),
        .behind_s = app_behind_s(app),
        .now_ns = clock_now_ns(),
        .toast_alpha = toast_alpha(app),
        .has_region = mailbox_stream(connection_mailbox(app->connection)).has_region,
        .is_headless = app->options.is_headless,
        .is_fixed = is_fixed,
    };
    hud_fill(&hud, &app->view);
    app_tool_words(app, app->view.tool, sizeof app->view.tool);
}

void app_draw(struct app *app) {
    const bool is_mesh = window_wants_mesh(app->window);
    struct canvas canvas =
        is_mesh ? canvas_on_mesh(&app->mesh, app->sprites, app->raster->width, app->raster->height)
                : canvas_on_raster(app->raster, app->sprites);
    struct scene scene = app_scene(app);
    struct obstacle_def handle;
    scene.heat = &app->heat;
    scene.handle = app_drag_handle(app, &handle) ? &handle : NULL;
    if (app->has_cursor && !app->result.wants_mouse && app->frame.count <= 20000 && !scene.hides_agents) {
        scene.has_hovered = scene_pick(&scene, app->cursor, 4.0f * app->pixel_scale, &scene.hovered);
    }
    mesh_clear(&app->mesh);
    scene_draw(&scene, &canvas);
    fill_view(app);
    app->input.mouse = app->cursor;
    app->input.pressed_at = app->pressed_at;
    app->input.has_mouse = app->has_cursor;
    app_take_result(app, panels_draw(app->panels, &app->view, &app->input, &canvas));
    if (is_mesh) {
        window_draw_mesh(app->window, &app->mesh);
    }
}

int app_read_picture(struct app *app) {
    return window_wants_mesh(app->window) ? window_read(app->window, app->raster) : 0;
}
