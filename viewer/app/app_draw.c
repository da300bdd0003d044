/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "viewer/draw/scene.h"
#include "viewer/model/camera.h"
#include "viewer/platform/window.h"

static const double toast_ms = 4000.0, hint_ms = 12000.0, toast_fade_ms = 400.0;

int app_rescale(struct app *app) {
    const float scale = app->picture.window_scale * (float)app_ui_scale(app);
    struct sprites *sprites = sprites_create(1.25f * scale);
    if (sprites == NULL) {
        return -1;
    }
    panels_destroy(app->panels); /* one at a time */
    app->panels = panels_create(scale, app->options.is_kiosk);
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

/* A wrapping world has no end: a picture that is moved over the border shows the same place from inside. Not where all
 * of the world is seen, which would jump. */
static void go_around(struct app *app, vec2 room) {
    struct camera_view *view = &app->picture.camera_view;
    const vec2 size = vec2_scale(app_wrap_size(app), view->scale);
    if (view->is_free && size.x > room.x && size.y > room.y) {
        view->center = torus_wrap(view->center, app_wrap_size(app));
    }
}

static void place_camera(struct app *app) {
    const float unit = app->picture.pixel_scale, side = 16.0f * unit;
    const vec2 window = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    const vec2 size = app->server.has_scenario ? app->server.scenario.size : vec2_make(1.0f, 1.0f);
    const bool has_panels = app_has_panels(app);
    app->picture.margins = has_panels ? (struct camera_margins){side, side + PANELS_BAR_PX * unit, side, side}
                                      : (struct camera_margins){0.0f, 0.0f, 0.0f, 0.0f};
    if (has_panels && view_settings_have_panel(&app->settings)) {
        app->picture.margins.right += app_panel_px(app);
    }
    const float card = (PANELS_CARD_PX + 10) * unit;
    if (app_has_timeline(app)) {
        app->picture.margins.bottom += panels_timeline_px(&app->view) * unit;
    }
    if (has_panels && view_settings_have_legend(&app->settings)) {
        const float always = window.x >= PANELS_LEGEND_ROOM_PX * unit ? PANELS_LEGEND_PX * unit : 0.0f;
        app->picture.margins.left += always;
        app->picture.margins.left +=
            camera_beside(size, window, app->picture.margins, PANELS_LEGEND_MOST_PX * unit - always);
    }
    if (has_panels && app->open.card) {
        const float panel = view_settings_have_panel(&app->settings) ? app_panel_px(app) : 0.0f;
        app->picture.margins.right +=
            camera_clear(size, window, app->picture.margins, fmaxf(card - panel, 0.0f));
    }
    app_place_view(app);
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
    go_around(app, vec2_sub(window, vec2_make(app->picture.margins.left + app->picture.margins.right,
                                              app->picture.margins.top + app->picture.margins.bottom)));
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

/* Between the ticks of a slow world that keeps up with its speed agents move on by themselves: the picture waits for the
 * network alone. */
static void limit_delay(struct app *app, const struct interpolate_rules *rules) {
    const double usual_ms = 1.5 * 1000.0 / APP_SNAPSHOT_HZ, longest_ms = 1000.0;
    const bool is_slow = rules->speed > 0.0 && rules->tick_ms > usual_ms * rules->speed;
    const bool keeps_up = real_time_behind(&app->meters.real_time) < 0.0;
    clock_sync_limit_period(&app->clock, is_slow && keeps_up ? usual_ms : longest_ms);
}

static int compute_frame(struct app *app) {
    struct interpolate_rules rules = {
        .world_size = app->server.scenario.size,
        .wraps = server_model_wraps(&app->server),
        .is_paused = app->server.is_paused,
        .period_ms = app->clock.period_ms,
        .speed = server_model_pace(&app->server),
        .tick_ms = app->server.has_scenario ? 1000.0 / app->server.scenario.tick_hz : 0.0,
    };
    const double passed_s = fmin(fmax(app->now_ms - app->pacing.framed_ms, 0.0), 250.0) * 0.001;
    limit_delay(app, &rules);
    double server_ms = clock_sync_advance(&app->clock, app->now_ms);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    app->pacing.framed_ms = app->now_ms;
    if ((app->options.fixed_dt_ms > 0.0 || app->past.look.is_shown) && newest != NULL) {
        server_ms = newest->clock_ms;
    }
    if (app->past.look.is_shown) {
        rules.is_paused = true; /* each snapshot as it is */
    } else if (newest != NULL) {
        rules.since_ms =
            motion_since(&app->motion, newest->clock_ms, server_ms, rules.speed, rules.is_paused);
    }
    if (!app->past.playhead.is_live && app_show_past(app, &rules, passed_s) == 0) {
        return 0;
    }
    if (app_fill_frame(app, &app->snapshots, server_ms, &rules) != 0) {
        return -1;
    }
    note_lag(app);
    return 0;
}

/* The headings of this moment; where agents were before it, and where they will be. */
static void shape_moments(struct app *app) {
    float max_speed[NAME_TABLE_CAPACITY] = {0.0f};
    const struct snapshot *names = app->frame.names;
    for (int i = 0; names != NULL && i < names->kind_names.count; i++) {
        const struct message_kind *kind = server_model_kind(&app->server, names->kind_names.names[i]);
        max_speed[i] = kind != NULL ? kind->max_speed : 0.0f;
    }
    app->onion.count = app->ways.count = 0;
    if (app_shows_look(app)) {
        return; /* the snapshots around it are not there */
    }
    if (names != NULL && app->settings.shows_onion) {
        onion_fill(&app->onion, &app->past.history, &app->frame, &app->selection);
    }
    if (names != NULL && app->settings.shows_predicted) {
        ways_fill(&app->ways, &app->past.history, &app->frame, &app->selection, max_speed,
                  app_inspected(app));
    }
    if (names != NULL && app->past.playhead.is_live && !app->crowd.has_rows) {
        headings_smooth(&app->headings, &app->frame, max_speed);
    }
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
    app_color_frame(app);
    app_recall_inspection(app);
    shape_moments(app);
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
    } else if (app->result.holds_toast && toast->until_ms > app->now_ms) {
        toast->until_ms = app->now_ms + toast_ms; /* it is shown when there is room again */
    }
}

/* What is shown until this moment fades away before it. */
static float alpha_until(const struct app *app, double until_ms) {
    const double left = (until_ms - app->now_ms) / toast_fade_ms;
    return left <= 0.0 ? 0.0f : left >= 1.0 || app->options.reduces_motion ? 1.0f : (float)left;
}

/* Of a path. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static struct hud_measures measures_of(const struct app *app) {
    struct hud_measures measures = {.echo_ms = echo_median_ms(&app->meters.echo),
                                    .snapshots_per_s = rate_meter_per_s(&app->meters.snapshots),
                                    .bytes_per_s = rate_meter_per_s(&app->meters.bytes),
                                    .behind_rate = real_time_behind(&app->meters.real_time),
                                    .pace = real_time_pace(&app->meters.real_time),
                                    .frames_per_s = rate_meter_per_s(&app->meters.frames),
                                    .delay_ms = app->clock.delay_ms};
    memcpy(measures.picture_ms, app->times.parts_ms, sizeof measures.picture_ms);
    return measures;
}

/* How far back the history reaches. */
static double recorded_s(const struct app *app) {
    const double seen_s =
        app->past.history.count > 0 ? app_now_s(app) - history_begin_s(&app->past.history) : 0.0;
    return fmax(seen_s + app_ahead_s(app), app_kept_s(app));
}

/* What the panels cover; the legend was drawn in the frame before. Returns how many there are. */
static int covers_of(const struct app *app, struct label_box *covers) {
    const vec2 size = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    const float unit = app->picture.pixel_scale, bar = PANELS_BAR_PX * unit;
    int count = 0;
    if (app_has_panels(app)) {
        covers[count++] = (struct label_box){{0.0f, 0.0f}, {size.x, bar}};
    }
    covers[count++] = (struct label_box){{0.0f, bar}, {app->result.legend_right, app->result.legend_bottom}};
    if (view_settings_have_panel(&app->settings)) {
        covers[count++] = (struct label_box){{size.x - app_panel_px(app), 0.0f}, size};
    }
    if (app_has_timeline(app)) {
        covers[count++] = (struct label_box){{0.0f, size.y - panels_timeline_px(&app->view) * unit}, size};
    }
    assert(count <= HUD_COVERS);
    return count;
}

static struct hud_picture picture_of(const struct app *app, const struct label_box *covers, int cover_count) {
    const vec2 size = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    return (struct hud_picture){.size = size,
                                .middle = camera_room_center(size, app->picture.margins),
                                .pixel_scale = app->picture.pixel_scale,
                                .line_px = panels_line_px(app->panels),
                                .words_px = panels_words_px,
                                .font = app->panels,
                                .covers = covers,
                                .cover_count = cover_count,
                                .leads_mouse = app_scene(app).has_cursor};
}

static void fill_view(struct app *app) {
    struct label_box covers[HUD_COVERS];
    const int cover_count = covers_of(app, covers);

    const bool is_fixed = app->options.fixed_dt_ms > 0.0;
    const struct timeline line = app_timeline(app);
    const struct playhead look = {
        .is_playing = app->past.look.plays,
        .at_s = app->frame.names != NULL ? app->frame.names->time_s : 0.0,
    };
    const struct hud_input hud = {
        .server = &app->server,
        .frame = &app->frame,
        .link = &app->link,
        .address = &app->options.address,
        .camera = &app->picture.camera,
        .settings = &app->settings,
        .selection = &app->selection,
        .colors = &app->colors.states,
        .scale = &app->colors.scale,
        .heat = app->picture.is_heat ? &app->heat : NULL,
        .open = &app->open,
        .playhead = app_shows_look(app) ? &look : &app->past.playhead,
        .density = app_density(app),
        .inspected = app_inspected(app),
        .plots = is_fixed ? NULL : &app->plots,
        .lag = &app->meters.lag,
        .tuned_kind = app_tuned_kind(app),
        .clip = app->output.clip != NULL ? app->output.clip_path : "",
        .wanted = app->result.wanted,
        .ended = app->server_end,
        .file = app->options.seconds[0] != '\0' ? app->options.seconds : file_name(app->options.recording),
        .asked = server_model_save(&app->server, app->keeping.name),
        .proposal = app->keeping.name,
        .entered = app->result.entered,
        .wish = seeker_is_busy(&app->replay.seeker) ? &app->replay.seeker.wish : NULL,
        .wall_s = clock_wall_s(),
        .measures = measures_of(app),
        .picture = picture_of(app, covers, cover_count),
        .places = &app->places,
        .tag = &app->tag,
        .recorded_s = recorded_s(app),
        .now_tick = app_now_tick(app),
        .now_s = app_now_s(app) + app_ahead_s(app),
        .behind_s = app_behind_s(app) + app_ahead_s(app),
        .line = &line,
        .branch = app->past.branch,
        .is_in_past = app_is_in_past(app),
        .now_ns = clock_now_ns(),
        .toast_alpha = alpha_until(app, app->toast.until_ms),
        .caption_alpha = app->options.is_headless && !app->options.is_kiosk
                             ? 0.0f
                             : alpha_until(app, app->caption.until_ms),
        .was_caption_high = app->view.caption.is_high,
        .has_region = mailbox_stream(connection_mailbox(app->connection)).has_region,
        .is_headless = app->options.is_headless,
        .is_kiosk = app->options.is_kiosk,
        .is_page = app->options.is_page,
        .has_own_server = app->options.has_own_server,
        .is_fixed = is_fixed,
    };
    hud_fill(&hud, &app->view);
    if (app->preview.pixels != NULL && app->open.picker) {
        app->view.preview = (struct panels_preview){
            app->preview.name, {app->preview.pixels, app->preview.width, app->preview.height}};
    }
    app_tool_words(app, app->view.tool, sizeof app->view.tool);
}

const struct panels_result *app_draw(struct app *app) {
    const bool is_mesh = window_wants_mesh(app->window);
    struct canvas canvas = is_mesh ? canvas_on_mesh(&app->picture.mesh, app->picture.sprites,
                                                    app->picture.raster->width, app->picture.raster->height)
                                   : canvas_on_raster(app->picture.raster, app->picture.sprites);
    struct scene scene = app_scene(app);
    canvas.palette = view_settings_palette(&app->settings);
    struct obstacle_def handle;
    scene.heat = &app->heat;
    scene.handle = app_drag_handle(app, &handle) ? &handle : NULL;
    if (app->pointer.is_over_window && !app->result.wants_mouse && app->frame.count <= 20000 &&
        !scene.hides_agents) {
        app_move_all(app);
        scene.has_hovered = app_find_agent(app, app->pointer.at, &scene.hovered);
    }
    app->selection.lit = app->result.lit;
    if (app->selection.has_agent && app->pointer.is_over_window && !app->result.wants_mouse) {
        app->selection.lit = agent_arrows_pick(&scene, app->pointer.at, 6.0f * app->picture.pixel_scale);
    }
    if (scene_is_heat(&scene)) {
        app_move_all(app);
    }
    mesh_clear(&app->picture.mesh);
    scene_draw(&scene, &canvas);
    app_note_part(app, HUD_PICTURE_WORLD);
    app_keep_world(app);
    app->picture.is_heat = scene.density != NULL || scene_is_heat(&scene);
    fill_view(app);
    static const struct panels_result no_result = {.lights = -1};
    const struct panels_result *result =
        app->options.is_bare ? &no_result
                             : panels_draw(app->panels, &app->view, &app->pointer, &app->input, &canvas);
    if (is_mesh) {
        window_draw_mesh(app->window, &app->picture.mesh);
    }
    app_note_part(app, HUD_PICTURE_PANELS);
    return result;
}
