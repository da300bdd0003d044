/* See app_draw.h. */
#include "viewer/app/app_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "viewer/app/app_drag.h"
#include "viewer/app/app_past.h"
#include "viewer/app/app_queries.h"
#include "viewer/app/app_tools.h"
#include "viewer/platform/window_mesh.h"

static const double toast_ms = 4000.0, hint_ms = 12000.0, toast_fade_ms = 400.0;

int app_rescale(struct app *app) {
    const float scale = app->picture.window_scale * (float)app_ui_scale(app);
    struct sprites *sprites = sprites_create(1.25f * scale);
    if (sprites == NULL) {
        return -1;
    }
    panels_destroy(app->panels); /* one at a time */
    app->panels = panels_create(scale);
    sprites_destroy(app->picture.sprites);
    app->picture.sprites = sprites;
    app->picture.pixel_scale = scale;
    app->picture.wants_scale = false;
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
    const float unit = app->picture.pixel_scale, side = 16.0f * unit;
    const vec2 window = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    const vec2 size = app->server.has_scenario ? app->server.scenario.size : vec2_make(1.0f, 1.0f);
    app->picture.margins = (struct camera_margins){side, side + PANELS_BAR_PX * unit, side, side};
    if (view_settings_have_panel(&app->settings)) {
        app->picture.margins.right += PANELS_SIDE_PX * unit;
        app->picture.margins.bottom += PANELS_TIMELINE_PX * unit;
    }
    const int32_t index = app->selection.is_following && app->frame.names != NULL
                              ? frame_find(&app->frame, app->selection.id)
                              : -1;
    const struct message_agent *inspected = app_inspected(app);
    if (index >= 0) {
        camera_view_center(&app->picture.camera_view, &app->picture.camera,
                           vec2_make(app->frame.x[index], app->frame.y[index]));
    } else if (app->selection.is_following && inspected != NULL) { /* beyond what is sent: it is fetched */
        camera_view_center(&app->picture.camera_view, &app->picture.camera,
                           vec2_make(inspected->x, inspected->y));
    }
    app->picture.camera = camera_view_place(&app->picture.camera_view, size, window, app->picture.margins);
    app->picture.has_camera = app->server.has_scenario;
}

/* Notes how far the frame had to extrapolate, for the bars of the network panel. */
static void note_lag(struct app *app) {
    struct panels_lag *lag = &app->meters.lag;
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
        .wraps = server_model_wraps(&app->server),
        .is_paused = app->server.is_paused,
        .period_ms = app->clock.period_ms,
    };
    const double passed_s = fmin(fmax(app->now_ms - app->pacing.framed_ms, 0.0), 250.0) * 0.001;
    double server_ms = clock_sync_advance(&app->clock, app->now_ms);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    app->pacing.framed_ms = app->now_ms;
    if (app->options.fixed_dt_ms > 0.0 && newest != NULL) {
        server_ms = newest->clock_ms;
    }
    if (!app->past.playhead.is_live && app_show_past(app, &rules, passed_s) == 0) {
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
    if ((width != app->picture.raster->width || height != app->picture.raster->height) &&
        raster_resize(app->picture.raster, width, height) != 0) {
        return -1;
    }
    if (app->picture.wants_scale && app_rescale(app) != 0) {
        return -1;
    }
    if (compute_frame(app) != 0) {
        return -1;
    }
    app_leave_trails(app);
    place_camera(app);
    if (app_density(app) != NULL && app->frame.names->count > 0) {
        app->counts.hide_agents_until_ms =
            app->now_ms + 2.0 * INTERPOLATE_FADE_MS; /* nor while they fade out */
    }
    return 0;
}

void app_update_toast(struct app *app) {
    struct app_toast *toast = &app->toast;
    if (toast->seen_notices != app->server.notice_count) {
        const bool is_hint = toast->has_hinted && strcmp(app->server.notice, app->options.hint) == 0;
        toast->seen_notices = app->server.notice_count;
        toast->until_ms = app->now_ms + (is_hint ? hint_ms : toast_ms);
    }
}

static float toast_alpha(const struct app *app) {
    const double left = (app->toast.until_ms - app->now_ms) / toast_fade_ms;
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
        .camera = &app->picture.camera,
        .settings = &app->settings,
        .selection = &app->selection,
        .open = &app->open,
        .playhead = &app->past.playhead,
        .density = app_density(app),
        .inspected = app_inspected(app),
        .plots = has_plots ? &app->plots : NULL,
        .lag = &app->meters.lag,
        .tuned_kind = app_tuned_kind(app),
        .clip = app->output.clip != NULL ? app->output.clip_path : "",
        .wanted = app->result.wanted,
        .measures = {.echo_ms = echo_median_ms(&app->meters.echo),
                     .snapshots_per_s = rate_meter_per_s(&app->meters.snapshots),
                     .bytes_per_s = rate_meter_per_s(&app->meters.bytes),
                     .behind_rate = real_time_behind(&app->meters.real_time),
                     .delay_ms = app->clock.delay_ms,
                     .skipped = (uint32_t)app->link.skipped_count},
        .recorded_s =
            app->past.history.count > 0 ? app_now_s(app) - history_begin_s(&app->past.history) : 0.0,
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

const struct panels_result *app_draw(struct app *app) {
    const bool is_mesh = window_wants_mesh(app->window);
    struct canvas canvas = is_mesh ? canvas_on_mesh(&app->picture.mesh, app->picture.sprites,
                                                    app->picture.raster->width, app->picture.raster->height)
                                   : canvas_on_raster(app->picture.raster, app->picture.sprites);
    struct scene scene = app_scene(app);
    struct obstacle_def handle;
    scene.heat = &app->heat;
    scene.handle = app_drag_handle(app, &handle) ? &handle : NULL;
    if (app->pointer.is_over_window && !app->result.wants_mouse && app->frame.count <= 20000 &&
        !scene.hides_agents) {
        scene.has_hovered =
            scene_pick(&scene, app->pointer.at, 4.0f * app->picture.pixel_scale, &scene.hovered);
    }
    mesh_clear(&app->picture.mesh);
    scene_draw(&scene, &canvas);
    fill_view(app);
    const struct panels_result *result =
        panels_draw(app->panels, &app->view, &app->pointer, &app->input, &canvas);
    if (is_mesh) {
        window_draw_mesh(app->window, &app->picture.mesh);
    }
    return result;
}
