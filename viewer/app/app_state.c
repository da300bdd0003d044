/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/explain/density_colors.h"
#include "viewer/model/camera.h"
#include "viewer/platform/files.h"
#include "viewer/platform/window.h"

/* ---- what follows from the state ---- */

static const double inspected_late_ms = 1500.0; /* without an answer the last one is not shown */
static const double cursor_fresh_ms = 1000.0;   /* after that the target is where the server says */
static const double least_covered = 0.7;        /* of what is visible; less is no picture of it */

double app_ui_scale(const struct app *app) {
    return app->settings.ui_scale > 0.0 ? app->settings.ui_scale : (double)window_text_scale(app->window);
}

void app_note_part(struct app *app, enum hud_picture_part part) {
    const double now_ms = connection_now_ms(), share = app->times.count < 10 ? 0.5 : 0.05;
    double *const ms = &app->times.parts_ms[part];
    *ms += share * (now_ms - app->times.mark_ms - *ms);
    app->times.mark_ms = now_ms;
}

float app_panel_px(const struct app *app) {
    const float unit = app->picture.pixel_scale;
    return floorf(view_settings_panel_px(&app->settings, (float)app->picture.raster->width / unit) * unit);
}

/* ---- the pointer ---- */

bool app_holds_mouse_target(const struct app *app) {
    return app->input.is_down && !app->pointer.is_finger;
}

/* Whether the pointer moves the target named mouse. */
static bool app_moves_mouse_target(const struct app *app) {
    return app->server.has_mouse_target && !app_holds_mouse_target(app) && !app->settings.pins_mouse &&
           app->link.state == LINK_READY && app_shows_now(app) && app->hand.tool == TOOL_NONE &&
           !app->hand.is_dragging && server_model_may(&app->server, REQUEST_MOUSE);
}

vec2 app_wrap_size(const struct app *app) {
    return server_model_wraps(&app->server) ? app->server.scenario.size : vec2_make(0.0f, 0.0f);
}

vec2 app_world_point(const struct app *app) {
    const vec2 at = camera_to_world(&app->picture.camera, app->pointer.at);
    return server_model_clamp_point(&app->server, torus_wrap(at, app_wrap_size(app)));
}

bool app_has_panels(const struct app *app) {
    return !app->options.is_bare && !app->options.is_kiosk;
}

bool app_has_timeline(const struct app *app) {
    return app_has_panels(app) && panels_have_timeline(&app->settings, server_model_is_replay(&app->server));
}

bool app_is_over_panels(const struct app *app, vec2 at) {
    const float right = (float)app->picture.raster->width - app_panel_px(app);
    const float bottom =
        (float)app->picture.raster->height - panels_timeline_px(&app->view) * app->picture.pixel_scale;
    const bool has_timeline = app_has_timeline(app);
    return app->result.wants_mouse || app->open.picker || app->open.question != PANELS_NO_QUESTION ||
           (view_settings_have_panel(&app->settings) && at.x >= right) || (has_timeline && at.y >= bottom);
}

/* ---- the past ---- */

bool app_is_away(const struct app *app) {
    return app->server.look != SERVER_MODEL_LIVE || app->past.look.is_shown;
}

bool app_shows_look(const struct app *app) {
    return app->past.look.is_shown && app->past.playhead.is_live;
}

bool app_shows_now(const struct app *app) {
    return app->past.playhead.is_live && !app_is_away(app);
}

/* The present goes on unseen. */
static double away_tick(const struct app *app) {
    const struct app_look *look = &app->past.look;
    const double passed_s = app->server.is_paused ? 0.0 : fmax(app->now_ms - look->now_ms, 0.0) * 0.001;
    return look->now_tick + floor(passed_s * app->server.scenario.tick_hz * server_model_pace(&app->server));
}

double app_now_s(const struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    return app_is_away(app) && app->server.scenario.tick_hz > 0.0
               ? away_tick(app) / app->server.scenario.tick_hz
               : (newest != NULL ? newest->time_s : 0.0);
}

uint64_t app_now_tick(const struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    return app_is_away(app) ? (uint64_t)away_tick(app) : newest != NULL ? newest->tick : 0;
}

double app_behind_s(const struct app *app) {
    if (app->past.is_beyond) {
        return fmax(app_now_s(app) - app->past.beyond / app->server.scenario.tick_hz, 0.0);
    }
    if (app_shows_look(app)) { /* until the present comes */
        return fmax(app_now_s(app) - snapshot_buffer_newest(&app->snapshots)->time_s, 0.0);
    }
    return app->past.playhead.is_live ? 0.0 : fmax(app_now_s(app) - app->past.playhead.at_s, 0.0);
}

double app_ahead_s(const struct app *app) {
    return (double)(app->link.last_second - app->link.second) * server_model_speed(&app->server);
}

double app_kept_s(const struct app *app) {
    return (double)(app->link.last_second - app->link.first_second) * server_model_speed(&app->server);
}

bool app_is_in_past(const struct app *app) {
    return !app->past.playhead.is_live || app->past.is_beyond || app->past.look.is_shown;
}

bool app_is_held(const struct app *app) {
    return !app->past.playhead.is_live && !app->past.playhead.is_playing;
}

/* ---- counted agents ---- */

struct stream_box app_world_box(const struct app *app) {
    return (struct stream_box){{0.0f, 0.0f}, app->server.scenario.size};
}

bool app_is_wide(const struct app *app, const struct density *density) {
    const struct stream_wish everything = {.world = app->server.scenario.size, .visible = app_world_box(app)};
    const struct stream_box box = stream_density_box(density);
    return stream_covered(&box, &everything) > 0.999;
}

const struct density *app_newest_density(const struct app *app) {
    return app->counts.newest_epoch == app->server.epoch ? app->counts.newest : NULL;
}

const struct density *app_wide_density(const struct app *app) {
    const struct density *newest = app_newest_density(app);
    return newest != NULL && app_is_wide(app, newest)    ? newest
           : app->counts.wide_epoch == app->server.epoch ? app->counts.wide
                                                         : NULL;
}

struct stream_wish app_stream_wish(const struct app *app) {
    const vec2 size = vec2_make((float)app->picture.raster->width, (float)app->picture.raster->height);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    const bool fits = newest != NULL && newest->count <= HUD_FORCES_MOST;
    const bool needs_all = fits && !app->selection.has_agent; /* the selected agent's come by themselves */
    return (struct stream_wish){
        .world = app->server.scenario.size,
        .is_open = strcmp(app->server.scenario.edge, "open") == 0,
        .wraps = server_model_wraps(&app->server),
        .visible = {camera_to_world(&app->picture.camera, vec2_make(0.0f, 0.0f)),
                    camera_to_world(&app->picture.camera, size)},
        .cell = (float)HEAT_CELL_PX * app->picture.pixel_scale / app->picture.camera.scale,
        .total = app->server.agent_total,
        .never_heat = app->settings.heat == HEAT_OFF,
        .by_kind = newest != NULL && density_colors_need_kinds(&app->colors.states, &app->settings),
        .mean_speed = newest != NULL && density_colors_need_speed(&app->colors.states, &app->settings),
        .agents = (enum layout)app->options.layout,
        .forces = (needs_all && view_settings_need_forces(&app->settings)) ||
                  (fits && app->settings.color == COLOR_FORCE),
        .shares = needs_all && app->settings.shows_behaviors,
    };
}

/* The density that the frame stands for. Until frames of a larger part come, the last density of the whole
 * world: else a small rectangle with agents would stand in an empty world. */
const struct density *app_density(const struct app *app) {
    const struct snapshot *shown = app->frame.names;
    const bool is_counted = shown != NULL && shown->fields == 0 && shown->count == 0;
    const struct density *newest = app_newest_density(app), *wide = app_wide_density(app);
    if (shown == NULL || !app->past.playhead.is_live || wide == NULL) {
        return is_counted ? newest : NULL;
    }
    const struct stream_wish wish = app_stream_wish(app);
    const struct stream_box known =
        is_counted && newest != NULL ? stream_density_box(newest) : app->stream.agents_box;
    return stream_covered(&known, &wish) < least_covered ? wide : is_counted ? newest : NULL;
}

/* ---- the selected agent and its kind ---- */

const struct message_agent *app_inspected(const struct app *app) {
    const bool is_it =
        app->selection.has_agent && app->server.has_agent && app->server.agent.id == app->selection.id;
    if (!app->past.playhead.is_live) {
        return app->past.has_inspected && selection_is(&app->selection, app->past.inspected.id)
                   ? &app->past.inspected
                   : NULL;
    }
    const bool is_late =
        app->inspection.open_ms > 0.0 && app->now_ms - app->inspection.open_ms >= inspected_late_ms;
    return is_it && app->link.state == LINK_READY && !is_late ? &app->server.agent : NULL;
}

const char *app_tuned_kind(const struct app *app) {
    const struct message_scenario *scenario = &app->server.scenario;
    return app->tuning.kind < scenario->kind_count ? scenario->kinds[app->tuning.kind].name : "";
}

/* ---- the scene ---- */

struct scene app_scene(const struct app *app) {
    assert(app->picture.pixel_scale > 0.0f);
    const bool leads = app->pointer.is_over_window && app_moves_mouse_target(app) &&
                       !app->result.wants_mouse && app->now_ms - app->pointer.moved_ms < cursor_fresh_ms;
    return (struct scene){
        .camera = &app->picture.camera,
        .server = &app->server,
        .frame = &app->frame,
        .settings = &app->settings,
        .selection = &app->selection,
        .colors = &app->colors.states,
        .density = app_density(app),
        .hides_agents = app->now_ms < app->counts.hide_agents_until_ms,
        .inspected = app_inspected(app),
        .trails = &app->trails,
        .onion = &app->onion,
        .ways = &app->ways,
        .margins = app->picture.margins,
        .pixel_scale = app->picture.pixel_scale,
        .is_dimmed = app->link.state != LINK_READY,
        .is_held = app->frame.is_stalled && app->past.playhead.is_live,
        .has_cursor = leads,
        .cursor = app->pointer.at,
    };
}

bool app_find_agent(const struct app *app, vec2 at, uint32_t *id) {
    const struct scene scene = app_scene(app);
    const bool is_still =
        app_is_held(app) || app_shows_look(app) || (app->past.playhead.is_live && app->server.is_paused);
    const double pace = is_still ? 0.0 : server_model_pace(&app->server);
    return scene_pick_for_hand(&scene, at, pace, id);
}

/* ---- requests ---- */

bool app_may(struct app *app, enum request_op op) {
    char why_not[SERVER_MODEL_DENIAL];
    server_model_denial(&app->server, op, why_not);
    if (why_not[0] != '\0') {
        server_model_set_notice(&app->server, true, "%s", why_not);
    }
    return why_not[0] == '\0';
}

bool app_send(struct app *app, const struct request *request) {
    if (!app_may(app, request->op)) {
        return false;
    }
    if (connection_send(app->connection, request) != 0) {
        server_model_set_notice(&app->server, true, "not sent: there is no connection");
        return false;
    }
    return true;
}

bool app_send_plain(struct app *app, enum request_op op) {
    const struct request request = request_default(op);
    return app_send(app, &request);
}

/* A second key press means the opposite even before the reply is here; the picture waits for the reply. */
void app_set_paused(struct app *app, bool is_paused) {
    struct request request = request_default(is_paused ? REQUEST_PAUSE : REQUEST_RESUME);
    (void)snprintf(request.id, sizeof request.id, "%s", SERVER_MODEL_PAUSE_ID);
    if (app_send(app, &request)) {
        server_model_ask_paused(&app->server, is_paused);
    }
}

void app_step_world(struct app *app) {
    if (!server_model_will_be_paused(&app->server)) {
        app_set_paused(app, true); /* requests take effect in order */
    }
    app_send_plain(app, REQUEST_STEP);
}

void app_ask_scenarios(struct app *app) {
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = LIST_SCENARIOS;
    app_send(app, &request);
}

/* The list first: files may have come since the last time. The load follows when it arrives. */
void app_switch_scenario(struct app *app, int steps) {
    server_model_ask_switch(&app->server, steps);
    app_ask_scenarios(app);
}

void app_send_load(struct app *app, const char *scenario) {
    struct request request = request_default(REQUEST_LOAD);
    (void)snprintf(request.body.load.scenario, sizeof request.body.load.scenario, "%s", scenario);
    app_send(app, &request);
}

bool app_refuses_past(struct app *app) {
    if (app_is_in_past(app)) {
        server_model_set_notice(&app->server, false, "this is the past; End goes back to now");
    }
    return app_is_in_past(app);
}

/* ---- files that are written ---- */

static void say_saved(struct app *app, const char *path) {
    char folder[400];
    server_model_set_notice(&app->server, false, "saved %s%s", path,
                            strchr(path, '/') == NULL ? text_file_folder(folder, sizeof folder) : "");
}

/* ---- pictures ---- */

int app_read_picture(struct app *app) {
    return window_wants_mesh(app->window) ? window_read(app->window, app->picture.raster) : 0;
}

/* What bar, side panel and timeline leave of the picture. */
static struct raster_rect world_rect(const struct app *app) {
    const int32_t width = app->picture.raster->width, height = app->picture.raster->height;
    const float unit = app->picture.pixel_scale;
    const bool has_panels = app_has_panels(app);
    const int32_t bar = has_panels ? (int32_t)ceilf(PANELS_BAR_PX * unit) : 0;
    const int32_t side =
        has_panels && view_settings_have_panel(&app->settings) ? (int32_t)app_panel_px(app) : 0;
    const int32_t line = app_has_timeline(app) ? (int32_t)ceilf(panels_timeline_px(&app->view) * unit) : 0;
    return (struct raster_rect){0, bar, width - side > 1 ? width - side : 1,
                                height - line > bar + 1 ? height - line : bar + 1};
}

static bool clip_has_panels(const struct app *app) {
    return app->settings.panels_in == PANELS_IN_ALL;
}

static double clip_ms(const struct app *app) {
    return app->options.fixed_dt_ms > 0.0 ? app->times.count * app->options.fixed_dt_ms : app->now_ms;
}

static bool is_clip_frame(const struct app *app) {
    return app->output.clip != NULL && app->frame.names != NULL &&
           clip_wants_frame(app->output.clip, clip_ms(app));
}

/* Of this size, around the middle of rect, inside the picture as far as it goes. */
static struct raster_rect centered(const struct app *app, struct raster_rect rect, int32_t width,
                                   int32_t height) {
    const int32_t free_x = app->picture.raster->width - width, free_y = app->picture.raster->height - height;
    int32_t x = (rect.x0 + rect.x1 - width) / 2, y = (rect.y0 + rect.y1 - height) / 2;
    x = x > free_x ? free_x : x;
    y = y > free_y ? free_y : y;
    x = x < 0 ? 0 : x;
    y = y < 0 ? 0 : y;
    return (struct raster_rect){x, y, x + width, y + height};
}

/* A part of the picture. -1 when it is larger, or there is no memory. */
static int copy_part(struct app *app, struct raster_rect rect) {
    const struct raster *from = app->picture.raster;
    const int32_t width = rect.x1 - rect.x0, height = rect.y1 - rect.y0;
    if (rect.x1 > from->width || rect.y1 > from->height) {
        return -1;
    }
    if (app->output.world == NULL) {
        app->output.world = raster_create(width, height);
    } else if (raster_resize(app->output.world, width, height) != 0) {
        return -1;
    }
    for (int32_t y = 0; app->output.world != NULL && y < height; y++) {
        memcpy(raster_row(app->output.world, y), raster_row(from, rect.y0 + y) + rect.x0,
               (size_t)width * sizeof(uint32_t));
    }
    return app->output.world != NULL ? 0 : -1;
}

void app_keep_world(struct app *app) {
    const bool is_for_clip = is_clip_frame(app) && !clip_has_panels(app);
    const bool is_for_picture = app->output.wants_picture && app->settings.panels_in == PANELS_IN_NONE;
    app->output.has_world = false;
    if (!is_for_clip && !is_for_picture) {
        return;
    }
    if (window_wants_mesh(app->window)) {
        window_draw_mesh(app->window, &app->picture.mesh);
    }
    struct raster_rect rect = world_rect(app);
    if (is_for_clip) {
        rect = centered(app, rect, app->output.clip_width, app->output.clip_height);
    }
    app->output.has_world = app_read_picture(app) == 0 && copy_part(app, rect) == 0;
}

/* NULL when it cannot be had. */
static const struct raster *picture_to_write(struct app *app, bool has_panels) {
    if (!has_panels) {
        return app->output.has_world ? app->output.world : NULL;
    }
    return app_read_picture(app) == 0 ? app->picture.raster : NULL;
}

void app_save_picture(struct app *app) {
    char path[96];
    struct failure failure;
    const unsigned long long tick = app->frame.names != NULL ? app->frame.names->tick : 0;
    (void)snprintf(path, sizeof path, "drover-%s-%llu.png",
                   app->server.has_scenario ? app->server.scenario.name : "none", tick);
    const struct raster *shown = picture_to_write(app, app->settings.panels_in != PANELS_IN_NONE);
    if (shown == NULL) {
        server_model_set_notice(&app->server, true, "the picture cannot be read");
    } else if (png_file_save(shown, path, &failure) == 0) {
        say_saved(app, path);
    } else {
        server_model_set_notice(&app->server, true, "%s", failure.message);
    }
    app->output.wants_picture = false;
}

/* ---- clips ---- */

/* Of what the clip is to have. Even after the settings changed it keeps its size. */
static int begin_clip(struct app *app, struct failure *failure) {
    const struct raster_rect rect =
        clip_has_panels(app)
            ? (struct raster_rect){0, 0, app->picture.raster->width, app->picture.raster->height}
            : world_rect(app);
    app->output.clip_width = rect.x1 - rect.x0;
    app->output.clip_height = rect.y1 - rect.y0;
    app->output.clip = clip_start(app->output.clip_path, app->output.clip_width, app->output.clip_height,
                                  app->options.fixed_dt_ms > 0.0, failure);
    return app->output.clip != NULL ? 0 : -1;
}

static void end_clip(struct app *app) {
    clip_end(app->output.clip);
    app->output.ending_clip = app->output.clip;
    app->output.clip = NULL;
}

void app_toggle_clip(struct app *app) {
    struct failure failure;
    if (app->output.clip != NULL) {
        end_clip(app);
        return;
    }
    if (app->output.ending_clip != NULL) {
        server_model_set_notice(&app->server, true, "%s is still being written", app->output.clip_path);
        return;
    }
    (void)snprintf(app->output.clip_path, sizeof app->output.clip_path, "drover-%s-%llu.mp4",
                   app->server.has_scenario ? app->server.scenario.name : "none",
                   app->frame.names != NULL ? (unsigned long long)app->frame.names->tick : 0ull);
    if (begin_clip(app, &failure) != 0) {
        server_model_set_notice(&app->server, true, "%s", failure.message);
    }
}

/* Says what became of a clip once its file is whole. */
static void look_at_ending(struct app *app) {
    struct failure failure;
    if (app->output.ending_clip == NULL || !clip_has_ended(app->output.ending_clip)) {
        return;
    }
    const int result = clip_stop(app->output.ending_clip, &failure);
    app->output.ending_clip = NULL;
    if (result == 0) {
        say_saved(app, app->output.clip_path);
    } else {
        server_model_set_notice(&app->server, true, "%s", failure.message);
        if (strcmp(app->output.clip_path, app->options.clip) == 0) {
            app->output.lost = failure; /* the exit code says so in the end */
        }
    }
}

void app_record_frame(struct app *app) {
    look_at_ending(app);
    if (!is_clip_frame(app)) {
        return;
    }
    const struct raster *shown = picture_to_write(app, clip_has_panels(app));
    if (shown == NULL || clip_add(app->output.clip, shown, clip_ms(app)) != 0) {
        end_clip(app);
    }
}

int app_start_clip(struct app *app, struct failure *failure) {
    if (!app->output.is_clip_due || app->frame.names == NULL) {
        return 0;
    }
    app->output.is_clip_due = false;
    (void)snprintf(app->output.clip_path, sizeof app->output.clip_path, "%s", app->options.clip);
    return begin_clip(app, failure);
}

int app_end_clip(struct app *app, struct failure *failure) {
    struct clip *clip = app->output.clip, *ending = app->output.ending_clip;
    app->output.clip = app->output.ending_clip = NULL;
    int result = clip_stop(ending, failure);
    result = clip == NULL ? result : clip_stop(clip, failure);
    if (result == 0 && app->output.lost.message[0] != '\0') {
        *failure = app->output.lost;
        app->output.lost.message[0] = '\0'; /* said once */
        return -1;
    }
    return result;
}

/* ---- figures ---- */

void app_save_plots(struct app *app) {
    char path[96];
    (void)snprintf(path, sizeof path, "drover-%s-plots.csv",
                   app->server.has_scenario ? app->server.scenario.name : "none");
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    const bool is_written = memory != NULL && plots_write_csv(&app->plots, memory) == 0;
    const bool is_whole = memory != NULL && fclose(memory) == 0 && is_written;
    const bool is_saved = is_whole && text_file_save(path, text, length) == 0;
    free(text);
    if (is_saved) {
        say_saved(app, path);
    } else {
        char folder[400];
        server_model_set_notice(&app->server, true, "cannot write %s%s", path,
                                text_file_folder(folder, sizeof folder));
    }
}

/* The clip of F9 or --clip. */
static int compare_floats(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void print_times(const char *what, float *times, uint32_t count) {
    qsort(times, count, sizeof *times, compare_floats);
    printf("%-12s median %6.2f ms   p95 %6.2f ms   p99 %6.2f ms\n", what, (double)times[count / 2],
           (double)times[count * 95 / 100], (double)times[count * 99 / 100]);
}

/* The first frames are left out: they make fonts, textures and sprites. */
void app_print_stats(struct app *app) {
    const uint32_t count = app->times.count < APP_FRAME_TIMES ? app->times.count : APP_FRAME_TIMES;
    printf("first picture after %.0f ms, %u frames, %d agents, drawn by %s\n", app->times.first_picture_ms,
           app->times.count, app->frame.count,
           window_wants_mesh(app->window) ? "the graphics card" : "the processor");
    if (app->meters.echo.count > 0) {
        printf("%-12s median %6.2f ms   of %d\n", "mouse echo", echo_median_ms(&app->meters.echo),
               app->meters.echo.count);
    }
    if (count > 20) {
        print_times("frame", app->times.frame_ms + 10, count - 10);
        print_times("frame, CPU", app->times.cpu_ms + 10, count - 10);
    }
}
