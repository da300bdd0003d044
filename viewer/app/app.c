/* See app_state.h. */
#include "viewer/app/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "viewer/app/app_state.h"
#include "viewer/app/config.h"
#include "viewer/platform/files.h"
#include "viewer/platform/window.h"

/* ---- --advance ---- */

/* Whether there are seconds to step: such frames do not count. */
static bool app_is_advancing(const struct app *app) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    return app->options.advance_s > 0.0 &&
           (!app->advance.has_begun || newest == NULL || newest->tick < app->advance.end_tick);
}

int app_advance(struct app *app, struct failure *failure) {
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (!app_is_advancing(app) || newest == NULL || !app->server.has_scenario ||
        app->link.state != LINK_READY) {
        return 0;
    }
    if (!app->server.is_paused) {
        return failure_set(failure, FAILURE_BAD_PARAM, "--advance",
                           "--advance: the world is running; start the server with --paused");
    }
    const double tick_hz = app->server.scenario.tick_hz;
    if (!app->advance.has_begun) {
        app->advance.has_begun = true;
        app->advance.due_tick = newest->tick;
        app->advance.end_tick = newest->tick + (uint64_t)llround(app->options.advance_s * tick_hz);
    }
    if (newest->tick < app->advance.due_tick || app->advance.due_tick >= app->advance.end_tick) {
        return 0;
    }
    const uint64_t stride = (uint64_t)ceil(TRAILS_STEP_S * tick_hz),
                   left = app->advance.end_tick - app->advance.due_tick;
    struct request request = request_default(REQUEST_STEP);
    request.body.step.count = (uint32_t)(stride < left ? stride : left);
    app->advance.due_tick += request.body.step.count;
    app_send(app, &request);
    return 0;
}

/* ---- the viewer ---- */

static const double first_snapshot_limit_ms = 10000.0, settle_ms = 3000.0;

/* ---- a frame ---- */

/* Ends the loop when the frames are drawn or the server is gone; -1 with *failure when that is an error. */
static int check_end(struct app *app, struct failure *failure) {
    const char *host = app->options.address.host, *port = app->options.address.port;
    const bool is_bounded = app->options.frames > 0;
    app->times.count += app->frame.names != NULL && !app_is_advancing(app) ? 1 : 0;
    if (is_bounded && app->times.count >= app->options.frames) {
        app->is_running = false;
        return 0;
    }
    if (app->link.state == LINK_REFUSED &&
        (is_bounded || app->options.is_headless || app->options.is_single_try)) {
        const struct hud_refusal refusal = hud_refusal(&app->link, app->options.is_page);
        app->is_running = false;
        return failure_set(failure, FAILURE_INTERNAL, NULL, "%s:%s: %s. %s", host, port, refusal.title,
                           refusal.words);
    }
    if (app->link.state == LINK_ENDED) {
        app->is_running = false;
        return app->link.is_bye
                   ? 0
                   : failure_set(failure, FAILURE_INTERNAL, NULL, "%s:%s: %s", host, port, app->link.reason);
    }
    if (app->server_end[0] != '\0' &&
        (is_bounded || app->options.is_headless || app->options.is_single_try)) {
        app->is_running = false;
        return failure_set(failure, FAILURE_INTERNAL, NULL, "%s: the server that played it has ended: %s",
                           app->options.recording, app->server_end);
    }
    if (is_bounded && app->times.count == 0 && !app->advance.has_begun &&
        app->now_ms - app->pacing.started_ms > first_snapshot_limit_ms) {
        app->is_running = false;
        return failure_set(failure, FAILURE_INTERNAL, NULL, "no snapshot from %s:%s within 10 s: %s", host,
                           port, app->link.reason[0] != '\0' ? app->link.reason : "the server sends nothing");
    }
    return 0;
}

static void show(struct app *app) {
    if (window_wants_mesh(app->window)) {
        window_show(app->window);
    } else {
        window_present(app->window, app->picture.raster);
    }
}

static void note_times(struct app *app, double cpu_before_ms) {
    if (app->frame.names != NULL) {
        const double now = connection_now_ms();
        const uint32_t at = app->times.count % APP_FRAME_TIMES;
        app->times.frame_ms[at] = (float)(now - app->now_ms);
        app->times.cpu_ms[at] = (float)((double)clock_thread_ns() * 1e-6 - cpu_before_ms);
        app->times.first_picture_ms =
            app->times.first_picture_ms > 0.0 ? app->times.first_picture_ms : now - app->pacing.started_ms;
    }
}

/* A paused world without input needs no other picture. */
static bool needs_picture(struct app *app) {
    const bool is_still = app->server.is_paused && app->link.state == LINK_READY && app->frame.names != NULL;
    if (app->pacing.is_dirty || app->toast.until_ms > app->now_ms || app->caption.until_ms > app->now_ms ||
        app->toast.seen_notices != app->server.notice_count) {
        app->pacing.is_dirty = false;
        app->pacing.dirty_ms = app->now_ms;
    }
    /* fading, glowing and catching up end within this time */
    return !is_still || app->past.playhead.is_playing || app->now_ms - app->pacing.dirty_ms < 600.0 ||
           app->output.clip != NULL || app->output.ending_clip != NULL || app->options.frames > 0 ||
           app->output.wants_picture || app->picture.wants_scale;
}

void app_begin_frame(struct app *app) {
    app->pacing.begun_cpu_ms = (double)clock_thread_ns() * 1e-6;
    app->now_ms = connection_now_ms();
}

int app_frame(struct app *app, struct failure *failure) {
    app->pacing.is_still = false;
    if (app->now_ms - app->pacing.started_ms < settle_ms && window_settle(app->window)) {
        (void)window_size(app->window, &app->picture.first_width,
                          &app->picture.first_height); /* the screen chose it: not kept */
    }
    app_take_mail(app);
    app_update_replay(app);
    app_kiosk_update(app);
    if (!needs_picture(app)) {
        app->pacing.is_still = true;
        return check_end(app, failure);
    }
    app->times.mark_ms = connection_now_ms();
    if (app_prepare(app) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    app_note_part(app, HUD_PICTURE_MOMENT);
    app_update_stream(app);
    app_send_mouse(app);
    app_tool_move(app);
    app_drag_update(app);
    app_update_toast(app);
    if (app_start_clip(app, failure) != 0) {
        return -1;
    }
    app_take_result(app, app_draw(app));
    app_clear_input(app);
    if (app_advance(app, failure) != 0) {
        return -1;
    }
    if (app->output.wants_picture) {
        app_save_picture(app);
    }
    if (app->frame.names != NULL) {
        app_record_frame(app);
    }
    const bool is_last = app->options.frames > 0 && app->times.count + 1 >= app->options.frames;
    if (is_last && app->options.screenshot[0] != '\0' && app_read_picture(app) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "the picture cannot be read");
    }
    app->times.mark_ms = connection_now_ms();
    show(app);
    app_note_part(app, HUD_PICTURE_SHOW);
    rate_meter_add(&app->meters.frames, app->now_ms, app->times.count);
    note_times(app, app->pacing.begun_cpu_ms);
    return check_end(app, failure);
}

/* A size that the screen or the window manager chose is not kept. */
static void keep_size(struct app *app) {
    int32_t width, height;
    bool *const is_changed = &app->changes.is_changed[offsetof(struct view_settings, size)];
    *is_changed = *is_changed && window_size(app->window, &width, &height) &&
                  (width != app->picture.first_width || height != app->picture.first_height);
    if (*is_changed) {
        (void)snprintf(app->settings.size, sizeof app->settings.size, "%dx%d", (int)width, (int)height);
    }
}

/* Settings that were changed in the window are kept for the next run; flags are not. */
void app_keep_settings(struct app *app) {
    struct failure failure;
    if (app->options.is_headless || app->options.has_no_config || app->options.is_kiosk) {
        return;
    }
    keep_size(app);
    if (config_save(&app->settings, &app->options.kept, &app->changes, &failure) != 0) {
        log_write(LOG_WARN, "config", "%s", failure.message);
    }
}

void app_start(struct app *app) {
    app->is_running = true;
    app->pacing.next_frame_ms = connection_now_ms();
    app->output.is_clip_due = app->options.clip[0] != '\0';
}

bool app_is_running(const struct app *app) {
    return app->is_running;
}

int app_finish(struct app *app, struct failure *failure) {
    if (app->options.prints_stats) {
        app_print_stats(app);
    }
    app_keep_settings(app);
    if (app_end_clip(app, failure) != 0) {
        return -1;
    }
    if (app->options.screenshot[0] == '\0') {
        return 0;
    }
    if (app->times.count == 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "no picture saved: nothing was drawn yet");
    }
    return png_file_save(app->picture.raster, app->options.screenshot, failure);
}

/* ---- life ---- */

static void init_parts(struct app *app, const struct viewer_options *options) {
    app->options = *options;
    app->pacing.started_ms = connection_now_ms();
    app->settings = options->settings;
    playhead_go_live(&app->past.playhead);
    server_model_init(&app->server);
    snapshot_buffer_init(&app->snapshots);
    snapshot_buffer_init(&app->past.copies);
    frame_init(&app->frame);
    agent_instances_init(&app->crowd.instances);
    mesh_init(&app->picture.mesh);
    heat_init(&app->heat);
    agent_colors_init(&app->colors);
    plots_init(&app->plots);
    history_init(&app->past.history);
    rate_meter_init(&app->meters.snapshots);
    rate_meter_init(&app->meters.bytes);
    rate_meter_init(&app->meters.frames);
    real_time_init(&app->meters.real_time);
    clock_sync_init(&app->clock, 1000.0 / APP_SNAPSHOT_HZ);
    motion_init(&app->motion);
}

/* The raster, the trails, the panels, the sprites. */
static int create_picture(struct app *app) {
    int32_t width, height;
    window_picture_size(app->window, &width, &height);
    app->picture.window_scale = window_pixel_scale(app->window);
    (void)window_size(app->window, &app->picture.first_width, &app->picture.first_height);
    app->picture.raster = raster_create(width, height);
    if (app->picture.raster == NULL || trails_init(&app->trails) != 0 || app_rescale(app) != 0) {
        return -1;
    }
    const float wide = (float)width / app->picture.pixel_scale;
    if (app->settings.panel == PANEL_AUTO) {
        app->settings.panel = wide >= 1000.0f ? PANEL_ON : PANEL_OFF;
    }
    if (app->settings.legend == PANEL_AUTO) {
        app->settings.legend = wide >= 700.0f ? PANEL_ON : PANEL_OFF;
    }
    app->own = app->settings;
    return 0;
}

struct app *app_create(const struct viewer_options *options, struct failure *failure) {
    struct app *app = calloc(1, sizeof *app);
    if (app == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    init_parts(app, options);
    if (app_kiosk_init(app, failure) != 0 || app_start_server(app, failure) != 0) {
        app_destroy(app);
        return NULL;
    }
    app->connection = app_connect(&app->options); /* first: it connects while the window opens */
    const struct window_def def = {"Drover",
                                   options->width,
                                   options->height,
                                   options->is_headless,
                                   options->is_full_screen,
                                   options->is_kiosk,
                                   (enum window_renderer)options->renderer};
    app->window = app->connection != NULL ? window_create(&def, failure) : NULL;
    if (app->window == NULL) {
        if (app->connection == NULL) {
            (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory or threads");
        }
        app_destroy(app);
        return NULL;
    }
    if (create_picture(app) != 0) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        app_destroy(app);
        return NULL;
    }
    return app;
}

void app_destroy(struct app *app) {
    struct failure failure;
    if (app == NULL) {
        return;
    }
    connection_destroy(app->connection);
    density_destroy(app->counts.newest);
    density_destroy(app->counts.wide);
    density_destroy(app->counts.spare);
    if (app_end_clip(app, &failure) != 0) {
        log_write(LOG_WARN, "clip", "%s", failure.message);
    }
    panels_destroy(app->panels);
    preview_file_fini(&app->preview);
    sprites_destroy(app->picture.sprites);
    raster_destroy(app->picture.raster);
    raster_destroy(app->output.world);
    window_destroy(app->window);
    snapshot_buffer_fini(&app->snapshots);
    snapshot_buffer_fini(&app->past.copies);
    server_model_fini(&app->server);
    history_fini(&app->past.history);
    trails_fini(&app->trails);
    headings_fini(&app->headings);
    inspections_clear(&app->past.inspections);
    heat_fini(&app->heat);
    agent_colors_fini(&app->colors);
    mesh_fini(&app->picture.mesh);
    frame_fini(&app->frame);
    agent_instances_fini(&app->crowd.instances);
    own_server_stop(app->own_server);
    free(app);
}
