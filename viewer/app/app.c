/* See app.h. One frame: events in, mail in, what is asked out, the moment to draw, the picture. */
#include "viewer/app/app.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/system/clock.h"
#include "common/system/log.h"
#include "viewer/app/app_state.h"
#include "viewer/app/config.h"
#include "viewer/platform/png_file.h"

static const double frame_ms = 1000.0 / 60.0;
static const double first_snapshot_limit_ms = 10000.0, settle_ms = 3000.0;
static const double snapshot_hz = 30.0;

/* ---- mail ---- */

/* One of the agents' columns: a density has none, and says less than plots and the timeline show. */
static bool has_agents(const struct snapshot *snapshot) {
    return snapshot->fields != 0 || snapshot->count > 0;
}

static void take_snapshot(struct app *app, struct snapshot *snapshot, double arrival_ms) {
    struct mailbox *mailbox = connection_mailbox(app->connection);
    if (snapshot == NULL) {
        return;
    }
    if (snapshot->epoch != app->server.epoch) {
        mailbox_return_snapshot(mailbox, snapshot);
        return;
    }
    app->is_dirty = true;
    server_view_note_names(&app->server, snapshot);
    history_forget(&app->history, snapshot->time_s);
    if (has_agents(snapshot)) {
        plots_add(&app->plots, snapshot);
        history_add(&app->history, snapshot);
    }
    app_note_echo(app, snapshot, arrival_ms);
    real_time_add(&app->real_time, snapshot->time_s, snapshot->clock_ms, app->server.is_paused);
    clock_sync_add(&app->clock, snapshot->clock_ms, arrival_ms, !app->server.is_paused);
    mailbox_return_snapshot(mailbox, snapshot_buffer_push(&app->snapshots, snapshot));
}

/* What hello, scenario and events do not say: parameters, and whether it was paused before we subscribed. */
static void ask_world(struct app *app) {
    if (app->server.has_scenario && app->server.role != ROLE_NONE) {
        app_send_plain(app, REQUEST_GET_PARAMS);
        app_send_plain(app, REQUEST_STATS);
    }
}

/* Nothing that was of the world before is kept. */
static void begin_world(struct app *app) {
    trails_clear(&app->trails);
    plots_init(&app->plots);
    history_clear(&app->history);
    camera_view_fit(&app->camera_view);
    real_time_init(&app->real_time);
    app->agents_box = (struct stream_box){{0.0f, 0.0f}, {0.0f, 0.0f}};
    playhead_go_live(&app->playhead);
    app->past.count = 0; /* another world's */
    app->is_following = app->is_dragging = app->has_camera = false;
    app->tool = TOOL_NONE;
    app->tuned_kind = 0;
    app->has_selected = app->options.selected != 0; /* given on the command line: in every world */
    app->selected = app->options.selected;
    if (app->options.hint[0] != '\0' && !app->has_hinted) {
        server_view_set_notice(&app->server, false, "%s", app->options.hint);
        app->has_hinted = true;
    }
    ask_world(app);
}

static void take_message(struct app *app, const struct mail *mail) {
    const bool is_reply = mail->message->op == MESSAGE_REPLY;
    /* a round trip alone changes nothing worth a picture */
    app->is_dirty |= !is_reply || strcmp(mail->message->body.reply.to, "ping") != 0;
    if (is_reply && strcmp(mail->message->body.reply.to, "inspect") == 0) {
        app->inspected_ms = app->now_ms;
    }
    const bool was_guest = app->server.role == ROLE_NONE;
    const struct server_view_wish wish = server_view_apply(&app->server, mail->message, mail->epoch);
    if (wish.load != NULL) {
        app_send_load(app, wish.load);
    }
    if (wish.params) {
        app_send_plain(app, REQUEST_GET_PARAMS);
    }
    if (is_reply && was_guest) {
        ask_world(app); /* the token was good */
    }
    if (mail->message->op == MESSAGE_HELLO) {
        clock_sync_init(&app->clock, 1000.0 / snapshot_hz);
        app->tried_mouse = false;
    }
    if ((mail->message->op == MESSAGE_HELLO && mail->message->body.hello.has_world) ||
        mail->message->op == MESSAGE_SCENARIO) {
        begin_world(app);
        char title[192];
        snprintf(title, sizeof title, "Drover - %s", app->server.scenario.title);
        window_set_title(app->window, title);
    }
}

/* The snapshot first: then the messages it needs are there already (mailbox.h). */
static void take_mail(struct app *app) {
    struct mailbox *mailbox = connection_mailbox(app->connection);
    double arrival_ms = 0.0;
    struct snapshot *snapshot = mailbox_take_snapshot(mailbox, &arrival_ms);
    app_take_density(app);
    app->link = mailbox_status(mailbox);
    for (struct mail *mail = mailbox_take_message(mailbox); mail != NULL;
         mail = mailbox_take_message(mailbox)) {
        take_message(app, mail);
        mail_destroy(mail);
    }
    take_snapshot(app, snapshot, arrival_ms);
    app_ask_agent(app);
    rate_meter_add(&app->rate, app->now_ms, app->link.snapshot_count);
    rate_meter_add(&app->bytes, app->now_ms, app->link.byte_count);
}

/* ---- what is taken away ---- */

static void save_picture_on_key(struct app *app) {
    char path[96];
    struct failure failure;
    const unsigned long long tick = app->frame.names != NULL ? app->frame.names->tick : 0;
    snprintf(path, sizeof path, "drover-%s-%llu.png",
             app->server.has_scenario ? app->server.scenario.name : "none", tick);
    if (app_read_picture(app) != 0) {
        server_view_set_notice(&app->server, true, "the picture cannot be read");
    } else if (png_file_save(app->raster, path, &failure) == 0) {
        server_view_set_notice(&app->server, false, "saved %s", path);
    } else {
        server_view_set_notice(&app->server, true, "%s", failure.message);
    }
    app->wants_screenshot = false;
}

/* The clip of F9 or --clip. */
static void record_frame(struct app *app) {
    const double now_ms =
        app->options.fixed_dt_ms > 0.0 ? app->frames_drawn * app->options.fixed_dt_ms : app->now_ms;
    if (app->clip == NULL || !clip_wants_frame(app->clip, now_ms)) {
        return;
    }
    if (app_read_picture(app) != 0 || clip_add(app->clip, app->raster, now_ms) != 0) {
        app_act(app, SHORTCUT_CLIP); /* says what became of it */
    }
}

static int compare_floats(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void print_times(const char *what, float *times, uint32_t count) {
    qsort(times, count, sizeof *times, compare_floats);
    printf("%-12s median %6.2f ms   p95 %6.2f ms   p99 %6.2f ms\n", what, (double)times[count / 2],
           (double)times[count * 95 / 100], (double)times[count * 99 / 100]);
}

/* The first frames are left out: fonts, textures and pictures are made then. */
static void print_stats(struct app *app) {
    const uint32_t count = app->frames_drawn < APP_FRAME_TIMES ? app->frames_drawn : APP_FRAME_TIMES;
    printf("first picture after %.0f ms, %u frames, %d agents, drawn by %s\n", app->first_picture_ms,
           app->frames_drawn, app->frame.count,
           window_wants_mesh(app->window) ? "the graphics card" : "the processor");
    if (app->echo.count > 0) {
        printf("%-12s median %6.2f ms   of %d\n", "mouse echo", echo_median_ms(&app->echo), app->echo.count);
    }
    if (count > 20) {
        print_times("frame", app->frame_ms + 10, count - 10);
        print_times("frame, CPU", app->frame_cpu_ms + 10, count - 10);
    }
}

static double thread_cpu_ms(void) {
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1000.0 + (double)spent.tv_nsec * 1e-6;
}

/* ---- the loop ---- */

static void sleep_until(double wake_ms) {
    const struct timespec wake = {.tv_sec = (time_t)(wake_ms / 1000.0),
                                  .tv_nsec = (long)(fmod(wake_ms, 1000.0) * 1e6)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {}
}

/* The screen's refresh paces us when there is one. It need not: a hidden window may not wait at all. */
static void pace(struct app *app) {
    const double step = app->options.fixed_dt_ms > 0.0 ? app->options.fixed_dt_ms
                        : window_has_vsync(app->window) && app->now_ms - app->dirty_ms < 600.0 ? 4.0
                                                                                               : frame_ms;
    const double now = connection_now_ms();
    app->next_frame_ms = window_has_vsync(app->window) ? app->now_ms + step : app->next_frame_ms + step;
    if (app->next_frame_ms < now - 5.0 * step) {
        app->next_frame_ms = now; /* too slow for this rate: no race to catch up */
    }
    sleep_until(app->next_frame_ms);
}

/* Whether to go on. -1 with *failure when it makes no sense to. */
static int check_end(struct app *app, struct failure *failure) {
    const char *host = app->options.address.host, *port = app->options.address.port;
    const bool is_bounded = app->options.frames > 0;
    app->frames_drawn += app->frame.names != NULL ? 1 : 0;
    if (is_bounded && app->frames_drawn >= app->options.frames) {
        app->is_running = false;
        return 0;
    }
    if (app->link.state == LINK_REFUSED &&
        (is_bounded || app->options.is_headless || app->options.is_single_try)) {
        const struct hud_refusal refusal = hud_refusal(&app->link);
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
    if (is_bounded && app->frames_drawn == 0 && app->now_ms - app->started_ms > first_snapshot_limit_ms) {
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
        window_present(app->window, app->raster);
    }
}

static void note_times(struct app *app, double cpu_before_ms) {
    if (app->frame.names != NULL) {
        const double now = connection_now_ms();
        const uint32_t at = app->frames_drawn % APP_FRAME_TIMES;
        app->frame_ms[at] = (float)(now - app->now_ms);
        app->frame_cpu_ms[at] = (float)(thread_cpu_ms() - cpu_before_ms);
        app->first_picture_ms = app->first_picture_ms > 0.0 ? app->first_picture_ms : now - app->started_ms;
    }
}

/* A paused world in which nobody does anything needs no other picture; nor does a server that is silent. */
static bool needs_picture(struct app *app) {
    const bool is_still = app->server.is_paused && app->link.state == LINK_READY && app->frame.names != NULL;
    if (app->is_dirty || app->toast_until_ms > app->now_ms || app->seen_notices != app->server.notice_count) {
        app->is_dirty = false;
        app->dirty_ms = app->now_ms;
    }
    /* what fades, glows or catches up has done so in this time */
    return !is_still || app->playhead.is_playing || app->now_ms - app->dirty_ms < 600.0 ||
           app->clip != NULL || app->options.frames > 0 || app->wants_screenshot || app->wants_scale;
}

static int run_frame(struct app *app, struct failure *failure) {
    SDL_Event event;
    const double cpu_ms = thread_cpu_ms();
    app->now_ms = connection_now_ms();
    while (SDL_PollEvent(&event) != 0) {
        app_handle_event(app, &event);
    }
    if (app->now_ms - app->started_ms < settle_ms && window_settle(app->window)) {
        (void)window_size(app->window, &app->first_width, &app->first_height); /* nobody chose it: not kept */
    }
    take_mail(app);
    if (!needs_picture(app)) {
        return check_end(app, failure);
    }
    if (app_prepare(app) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    app_update_stream(app);
    app_send_mouse(app);
    app_tool_move(app);
    app_draw(app);
    if (app->wants_screenshot) {
        save_picture_on_key(app);
    }
    if (app->frame.names != NULL) {
        record_frame(app);
    }
    const bool is_last = app->options.frames > 0 && app->frames_drawn + 1 >= app->options.frames;
    if (is_last && app->options.screenshot[0] != '\0' && app_read_picture(app) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "the picture cannot be read");
    }
    show(app);
    note_times(app, cpu_ms);
    return check_end(app, failure);
}

/* Not when the screen or the window manager chose the size. */
static void keep_size(struct app *app) {
    int32_t width, height;
    if ((app->changed & CONFIG_SIZE) != 0 && window_size(app->window, &width, &height) &&
        (width != app->first_width || height != app->first_height)) {
        snprintf(app->options.size, sizeof app->options.size, "%dx%d", (int)width, (int)height);
    } else {
        app->changed &= ~(unsigned)CONFIG_SIZE;
    }
}

/* What was changed by hand is there the next time; flags are not. */
static void keep_settings(struct app *app) {
    struct failure failure;
    if (app->options.is_headless || app->options.has_no_config) {
        return;
    }
    const overlay_set toggled = app->overlays ^ app->options.overlay_bits;
    app->changed |= toggled != 0 ? CONFIG_OVERLAYS : 0;
    overlays_format((app->options.kept_overlays & ~toggled) | (app->overlays & toggled),
                    app->options.overlays, sizeof app->options.overlays);
    app->options.palette = (int)app->palette;
    keep_size(app);
    if (config_save(&app->options, app->changed, &failure) != 0) {
        log_write(LOG_WARN, "config", "%s", failure.message);
    }
}

static int start_clip(struct app *app, struct failure *failure) {
    if (app->options.clip[0] != '\0') {
        snprintf(app->clip_path, sizeof app->clip_path, "%s", app->options.clip);
        app->clip = clip_start(app->clip_path, app->raster->width, app->raster->height, failure);
        return app->clip != NULL ? 0 : -1;
    }
    return 0;
}

static int end_clip(struct app *app, struct failure *failure) {
    struct clip *clip = app->clip;
    app->clip = NULL;
    return clip_stop(clip, failure);
}

int app_run(struct app *app, struct failure *failure) {
    app->is_running = true;
    app->next_frame_ms = connection_now_ms();
    if (start_clip(app, failure) != 0) {
        return -1;
    }
    while (app->is_running) {
        if (run_frame(app, failure) != 0) {
            return -1;
        }
        if (app->is_running) {
            pace(app);
        }
    }
    if (app->options.prints_stats) {
        print_stats(app);
    }
    keep_settings(app);
    if (end_clip(app, failure) != 0) {
        return -1;
    }
    if (app->options.screenshot[0] == '\0') {
        return 0;
    }
    if (app->frames_drawn == 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "no picture saved: nothing was drawn yet");
    }
    return png_file_save(app->raster, app->options.screenshot, failure);
}

static struct connection *connect_to(const struct viewer_options *options) {
    struct connection_def def = {
        .address = options->address,
        .session = {.agents = (enum layout)options->layout},
        .is_single_try = options->is_single_try,
    };
    snprintf(def.session.name, sizeof def.session.name, "%s", options->name);
    snprintf(def.session.token, sizeof def.session.token, "%s", options->token);
    return connection_create(&def);
}

static void init_parts(struct app *app, const struct viewer_options *options) {
    app->options = *options;
    app->started_ms = connection_now_ms();
    app->overlays = options->overlay_bits;
    app->palette = (enum palette)options->palette;
    playhead_go_live(&app->playhead);
    server_view_init(&app->server);
    snapshot_buffer_init(&app->snapshots);
    snapshot_buffer_init(&app->past);
    frame_init(&app->frame);
    mesh_init(&app->mesh);
    heat_init(&app->heat);
    plots_init(&app->plots);
    history_init(&app->history);
    rate_meter_init(&app->rate);
    rate_meter_init(&app->bytes);
    real_time_init(&app->real_time);
    clock_sync_init(&app->clock, 1000.0 / snapshot_hz);
}

/* Everything that is drawn with or on. */
static int create_picture(struct app *app) {
    int32_t width, height;
    window_picture_size(app->window, &width, &height);
    app->window_scale = window_pixel_scale(app->window);
    (void)window_size(app->window, &app->first_width, &app->first_height);
    app->raster = raster_create(width, height);
    if (app->raster == NULL || trails_init(&app->trails) != 0 || app_rescale(app) != 0) {
        return -1;
    }
    const float wide = (float)width / app->pixel_scale;
    app->shows_side = app->options.panel == PANEL_ON || (app->options.panel == PANEL_AUTO && wide >= 1000.0f);
    return 0;
}

struct app *app_create(const struct viewer_options *options, struct failure *failure) {
    struct app *app = calloc(1, sizeof *app);
    if (app == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    init_parts(app, options);
    app->connection = connect_to(options); /* first: it connects while the window opens */
    const struct window_def def = {"Drover",
                                   options->width,
                                   options->height,
                                   options->is_headless,
                                   options->is_full_screen,
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
    density_destroy(app->density);
    density_destroy(app->wide_density);
    density_destroy(app->spare_density);
    if (clip_stop(app->clip, &failure) != 0) {
        log_write(LOG_WARN, "clip", "%s", failure.message);
    }
    panels_destroy(app->panels);
    sprites_destroy(app->sprites);
    raster_destroy(app->raster);
    window_destroy(app->window);
    snapshot_buffer_fini(&app->snapshots);
    snapshot_buffer_fini(&app->past);
    server_view_fini(&app->server);
    history_fini(&app->history);
    trails_fini(&app->trails);
    heat_fini(&app->heat);
    mesh_fini(&app->mesh);
    frame_fini(&app->frame);
    free(app);
}
