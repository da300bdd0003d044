/* See app.h. One frame: events in, mail in, what is asked out, the moment to draw, the picture. */
#include "viewer/app.h"

#include <SDL.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/log.h"
#include "viewer/clock_sync.h"
#include "viewer/connection.h"
#include "viewer/hud.h"
#include "viewer/png_file.h"
#include "viewer/rate_meter.h"
#include "viewer/scene.h"
#include "viewer/shortcuts.h"
#include "viewer/window.h"

static const double frame_ms = 1000.0 / 60.0;
static const double first_snapshot_limit_ms = 10000.0;
static const double toast_ms = 4000.0, toast_fade_ms = 400.0;
static const double cursor_fresh_ms = 1000.0; /* after that the target is where the server says */
static const double snapshot_hz = 30.0;
static const float click_slop_px = 5.0f;

struct app {
    struct viewer_options options;
    struct connection *connection;
    struct window *window;
    struct raster *raster;
    struct panels *panels;
    struct panels_view view;

    struct server_view server;
    struct link_status link;
    struct snapshot_buffer snapshots;
    struct clock_sync clock;
    struct frame frame;
    struct camera camera;
    struct rate_meter rate;
    float pixel_scale;

    bool shows_forces, shows_help, is_running, wants_screenshot;
    bool has_cursor, cursor_moved; /* the pointer is over the window; it moved since the last frame */
    vec2 cursor, pressed_at;       /* picture px */
    double cursor_moved_ms;
    uint32_t seen_notices;
    double toast_until_ms;
    double now_ms; /* when this frame began */
    double next_frame_ms, started_ms;
    uint32_t frames_drawn; /* since the first snapshot */
};

/* ---- requests ---- */

/* Whether it could be sent. */
static bool send_request(struct app *app, const struct request *request) {
    if (connection_send(app->connection, request) != 0) {
        server_view_set_notice(&app->server, true, "not sent: there is no connection");
        return false;
    }
    return true;
}

static bool send_plain(struct app *app, enum request_op op) {
    const struct request request = request_default(op);
    return send_request(app, &request);
}

/* Believed at once, so that a second key press means the opposite even before the server's event is here. */
static void set_paused(struct app *app, bool is_paused) {
    if (send_plain(app, is_paused ? REQUEST_PAUSE : REQUEST_RESUME)) {
        app->server.is_paused = is_paused;
    }
}

static void step_world(struct app *app) {
    if (!app->server.is_paused) {
        set_paused(app, true); /* requests take effect in order */
    }
    send_plain(app, REQUEST_STEP);
}

/* The list first: files may have come since the last time. The load follows when it arrives. */
static void switch_scenario(struct app *app, int steps) {
    app->server.pending_switch += steps;
    struct request request = request_default(REQUEST_LIST);
    request.body.list.what = LIST_SCENARIOS;
    send_request(app, &request);
}

static void load_wanted(struct app *app) {
    if (app->server.wanted_scenario[0] == '\0') {
        return;
    }
    struct request request = request_default(REQUEST_LOAD);
    snprintf(request.body.load.scenario, sizeof request.body.load.scenario, "%s",
             app->server.wanted_scenario);
    app->server.wanted_scenario[0] = '\0';
    send_request(app, &request);
}

static void toggle_forces(struct app *app) {
    app->shows_forces = !app->shows_forces;
    connection_set_forces(app->connection, app->shows_forces);
}

static bool moves_mouse_target(const struct app *app) {
    return app->server.has_mouse_target && app->link.state == LINK_READY;
}

/* At most once a frame, however often the mouse reports. */
static void send_mouse(struct app *app) {
    if (app->cursor_moved && moves_mouse_target(app)) {
        const vec2 point = server_view_clamp_point(&app->server, camera_to_world(&app->camera, app->cursor));
        struct request request = request_default(REQUEST_MOUSE);
        request.body.mouse.x = point.x;
        request.body.mouse.y = point.y;
        send_request(app, &request);
    }
    app->cursor_moved = false;
}

/* ---- input ---- */

static void act(struct app *app, enum shortcut_action action) {
    switch (action) {
    case SHORTCUT_PAUSE:
        set_paused(app, !app->server.is_paused);
        break;
    case SHORTCUT_STEP:
        step_world(app);
        break;
    case SHORTCUT_PREVIOUS_SCENARIO:
        switch_scenario(app, -1);
        break;
    case SHORTCUT_NEXT_SCENARIO:
        switch_scenario(app, 1);
        break;
    case SHORTCUT_FORCES:
        toggle_forces(app);
        break;
    case SHORTCUT_HELP:
        app->shows_help = !app->shows_help;
        break;
    case SHORTCUT_SCREENSHOT:
        app->wants_screenshot = true;
        break;
    case SHORTCUT_QUIT:
        if (app->shows_help) {
            app->shows_help = false;
        } else {
            app->is_running = false;
        }
        break;
    case SHORTCUT_NONE:
    case SHORTCUT_ACTION_COUNT:
        break;
    }
}

static vec2 picture_point(const struct app *app, int x, int y) {
    /* the middle of the pixel the pointer's tip is on */
    return vec2_scale(vec2_make((float)x + 0.5f, (float)y + 0.5f), app->pixel_scale);
}

static void handle_event(struct app *app, const SDL_Event *event) {
    switch (event->type) {
    case SDL_QUIT:
        app->is_running = false;
        break;
    case SDL_KEYDOWN: {
        const enum shortcut_action action = shortcuts_find(event->key.keysym.sym);
        if (event->key.repeat == 0 || action == SHORTCUT_STEP) {
            act(app, action);
        }
        break;
    }
    case SDL_MOUSEMOTION:
        app->cursor = picture_point(app, event->motion.x, event->motion.y);
        app->cursor_moved_ms = app->now_ms;
        app->cursor_moved = app->has_cursor = true;
        break;
    case SDL_MOUSEBUTTONDOWN:
        app->pressed_at = picture_point(app, event->button.x, event->button.y);
        break;
    case SDL_MOUSEBUTTONUP: {
        const vec2 moved = vec2_sub(picture_point(app, event->button.x, event->button.y), app->pressed_at);
        if (event->button.button == SDL_BUTTON_LEFT &&
            vec2_length(moved) <= click_slop_px * app->pixel_scale) {
            act(app, SHORTCUT_FORCES);
        }
        break;
    }
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE) {
            app->has_cursor = app->cursor_moved = false;
        }
        break;
    default:
        break;
    }
}

/* ---- mail ---- */

static void take_snapshot(struct app *app, struct snapshot *snapshot, double arrival_ms) {
    struct mailbox *mailbox = connection_mailbox(app->connection);
    if (snapshot == NULL) {
        return;
    }
    if (snapshot->epoch != app->server.epoch) {
        mailbox_return_snapshot(mailbox, snapshot);
        return;
    }
    server_view_count_states(&app->server, snapshot);
    clock_sync_add(&app->clock, snapshot->clock_ms, arrival_ms, !app->server.is_paused);
    mailbox_return_snapshot(mailbox, snapshot_buffer_push(&app->snapshots, snapshot));
}

static void take_message(struct app *app, const struct mail *mail) {
    server_view_apply(&app->server, mail->message, mail->epoch);
    if (mail->message->op == MESSAGE_HELLO) {
        clock_sync_init(&app->clock, 1000.0 / snapshot_hz);
    }
    if (mail->message->op == MESSAGE_HELLO || mail->message->op == MESSAGE_SCENARIO) {
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
    app->link = mailbox_status(mailbox);
    for (struct mail *mail = mailbox_take_message(mailbox); mail != NULL;
         mail = mailbox_take_message(mailbox)) {
        take_message(app, mail);
        mail_destroy(mail);
    }
    take_snapshot(app, snapshot, arrival_ms);
    load_wanted(app);
    rate_meter_add(&app->rate, app->now_ms, app->link.snapshot_count);
}

/* ---- the picture ---- */

static int fit_picture(struct app *app) {
    int32_t width, height;
    window_picture_size(app->window, &width, &height);
    if ((width != app->raster->width || height != app->raster->height) &&
        raster_resize(app->raster, width, height) != 0) {
        return -1;
    }
    const float side = 16.0f * app->pixel_scale;
    const struct camera_margins margins = {side, side + PANELS_BAR_PX * app->pixel_scale, side, side};
    const vec2 size = app->server.has_scenario ? app->server.scenario.size : vec2_make(1.0f, 1.0f);
    app->camera = camera_fit(size, vec2_make((float)width, (float)height), margins);
    return 0;
}

static int compute_frame(struct app *app) {
    const struct interpolate_rules rules = {
        .world_size = app->server.scenario.size,
        .wraps = server_view_wraps(&app->server),
        .is_paused = app->server.is_paused,
        .period_ms = app->clock.period_ms,
    };
    double server_ms = clock_sync_advance(&app->clock, app->now_ms);
    const struct snapshot *newest = snapshot_buffer_newest(&app->snapshots);
    if (app->options.fixed_dt_ms > 0.0 && newest != NULL) {
        server_ms = newest->clock_ms;
    }
    return interpolate_at(&app->snapshots, server_ms, &rules, &app->frame);
}

static float toast_alpha(struct app *app) {
    if (app->seen_notices != app->server.notice_count) {
        app->seen_notices = app->server.notice_count;
        app->toast_until_ms = app->now_ms + toast_ms;
    }
    const double left = (app->toast_until_ms - app->now_ms) / toast_fade_ms;
    return left <= 0.0 ? 0.0f : left >= 1.0 ? 1.0f : (float)left;
}

static void draw(struct app *app) {
    const bool leads =
        app->has_cursor && moves_mouse_target(app) && app->now_ms - app->cursor_moved_ms < cursor_fresh_ms;
    const struct scene scene = {
        .camera = app->camera,
        .server = &app->server,
        .frame = &app->frame,
        .pixel_scale = app->pixel_scale,
        .shows_forces = app->shows_forces,
        .is_dimmed = app->link.state != LINK_READY,
        .has_cursor = leads,
        .cursor = app->cursor,
    };
    const struct hud_input hud = {
        .server = &app->server,
        .frame = &app->frame,
        .link = &app->link,
        .address = &app->options.address,
        .camera = &app->camera,
        .now_ns = clock_now_ns(),
        .snapshots_per_s = rate_meter_per_s(&app->rate),
        .shows_forces = app->shows_forces,
        .shows_help = app->shows_help,
        .is_fixed = app->options.fixed_dt_ms > 0.0,
        .toast_alpha = toast_alpha(app),
    };
    scene_draw(&scene, app->raster);
    hud_fill(&hud, &app->view);
    panels_draw(app->panels, &app->view, app->raster);
}

static void save_picture_on_key(struct app *app) {
    char path[96];
    struct failure failure;
    const unsigned long long tick = app->frame.names != NULL ? app->frame.names->tick : 0;
    snprintf(path, sizeof path, "drover-%s-%llu.png",
             app->server.has_scenario ? app->server.scenario.name : "none", tick);
    if (png_file_save(app->raster, path, &failure) == 0) {
        server_view_set_notice(&app->server, false, "saved %s", path);
    } else {
        server_view_set_notice(&app->server, true, "%s", failure.message);
    }
    app->wants_screenshot = false;
}

/* ---- the loop ---- */

static void sleep_until(double wake_ms) {
    const struct timespec wake = {.tv_sec = (time_t)(wake_ms / 1000.0),
                                  .tv_nsec = (long)(fmod(wake_ms, 1000.0) * 1e6)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {}
}

/* The screen's refresh paces us when there is one. It need not: a hidden window may not wait at all. */
static void pace(struct app *app) {
    const double step = app->options.fixed_dt_ms > 0.0  ? app->options.fixed_dt_ms
                        : window_has_vsync(app->window) ? 4.0
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

static int run_frame(struct app *app, struct failure *failure) {
    SDL_Event event;
    app->now_ms = connection_now_ms();
    while (SDL_PollEvent(&event) != 0) {
        handle_event(app, &event);
    }
    take_mail(app);
    if (fit_picture(app) != 0 || compute_frame(app) != 0) {
        return failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
    }
    send_mouse(app);
    draw(app);
    if (app->wants_screenshot) {
        save_picture_on_key(app);
    }
    window_present(app->window, app->raster);
    return check_end(app, failure);
}

int app_run(struct app *app, struct failure *failure) {
    app->is_running = true;
    app->started_ms = app->next_frame_ms = connection_now_ms();
    while (app->is_running) {
        if (run_frame(app, failure) != 0) {
            return -1;
        }
        if (app->is_running) {
            pace(app);
        }
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
    const struct connection_def def = {
        .address = options->address,
        .snapshot_hz = snapshot_hz,
        .wants_forces = options->shows_forces,
        .is_single_try = options->is_single_try,
    };
    return connection_create(&def);
}

struct app *app_create(const struct viewer_options *options, struct failure *failure) {
    struct app *app = calloc(1, sizeof *app);
    if (app == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    app->options = *options;
    app->shows_forces = options->shows_forces;
    server_view_init(&app->server);
    snapshot_buffer_init(&app->snapshots);
    frame_init(&app->frame);
    rate_meter_init(&app->rate);
    clock_sync_init(&app->clock, 1000.0 / snapshot_hz);
    const struct window_def def = {"Drover", options->width, options->height, options->is_headless};
    app->window = window_create(&def, failure);
    if (app->window == NULL) {
        app_destroy(app);
        return NULL;
    }
    int32_t width, height;
    window_picture_size(app->window, &width, &height);
    app->pixel_scale = window_pixel_scale(app->window);
    app->raster = raster_create(width, height);
    app->panels = panels_create(app->pixel_scale);
    app->connection = app->raster != NULL && app->panels != NULL ? connect_to(options) : NULL;
    if (app->connection == NULL) {
        (void)failure_set(failure, FAILURE_INTERNAL, NULL, "out of memory or threads");
        app_destroy(app);
        return NULL;
    }
    return app;
}

void app_destroy(struct app *app) {
    if (app == NULL) {
        return;
    }
    connection_destroy(app->connection);
    panels_destroy(app->panels);
    raster_destroy(app->raster);
    window_destroy(app->window);
    snapshot_buffer_fini(&app->snapshots);
    frame_fini(&app->frame);
    free(app);
}
