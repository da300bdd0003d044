/* drover-viewer: parse, build, run, tear down. Exit: 0 fine, 1 it went wrong while running, 2 it could not
 * start. */
#include "viewer/app/app.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/system/log.h"
#include "common/system/process.h"
#include "viewer/app/app_state.h"
#include "viewer/platform/window.h"

/** Runs until the window is closed or has drawn its frames, and saves the screenshot. -1 with *failure. */
NODISCARD static int app_run(struct app *app, struct failure *failure);

/* ---- the loop of the window ---- */

static const double frame_ms = 1000.0 / 60.0;

static void sleep_until(double wake_ms) {
    const struct timespec wake = {.tv_sec = (time_t)(wake_ms / 1000.0),
                                  .tv_nsec = (long)(fmod(wake_ms, 1000.0) * 1e6)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {}
}

/* The screen's refresh paces the loop, but not always: a hidden window may not wait for it at all. */
static void pace(struct app *app) {
    const double step = app->options.fixed_dt_ms > 0.0 ? app->options.fixed_dt_ms
                        : window_has_vsync(app->window) && app->now_ms - app->pacing.dirty_ms < 600.0
                            ? 4.0
                            : frame_ms;
    const double now = connection_now_ms();
    app->pacing.next_frame_ms =
        window_has_vsync(app->window) ? app->now_ms + step : app->pacing.next_frame_ms + step;
    if (app->pacing.next_frame_ms < now - 5.0 * step) {
        app->pacing.next_frame_ms = now; /* too slow for this rate: no race to catch up */
    }
    sleep_until(app->pacing.next_frame_ms);
}

/* The event that waits for the next frame. */
struct put_off {
    bool is_there;
    struct input_event event;
};

/* The rest stays in the window's queue, where none is lost. */
static void take_events(struct app *app, struct put_off *put_off) {
    while (app_takes_events(app) && (put_off->is_there || window_next_event(&put_off->event))) {
        put_off->is_there = app_puts_off(app, &put_off->event);
        if (put_off->is_there) {
            return;
        }
        app_handle_event(app, &put_off->event);
    }
}

static int run_frame(struct app *app, struct put_off *put_off, struct failure *failure) {
    app_begin_frame(app);
    take_events(app, put_off);
    return app_frame(app, failure);
}

static int app_run(struct app *app, struct failure *failure) {
    struct put_off put_off = {.is_there = false};
    app_start(app);
    while (app_is_running(app)) {
        if (run_frame(app, &put_off, failure) != 0) {
            return -1;
        }
        if (app_is_running(app)) {
            pace(app);
        }
    }
    return app_finish(app, failure);
}

/* ---- main ---- */

/* drover-viewer: parse, build, run, tear down. Exit: 0 fine, 1 it went wrong while running, 2 it could not
 * start. */

/* ---- the program ---- */

static int report(const struct failure *failure, int status) {
    log_plain("drover-viewer: %s", failure->message);
    return status;
}

/* From the options to the end. */
static int start(const struct viewer_options *options) {
    struct failure failure;
    struct app *app = app_create(options, &failure);
    if (app == NULL) {
        return report(&failure, 2);
    }
    const int status = app_run(app, &failure) == 0 ? EXIT_SUCCESS : report(&failure, EXIT_FAILURE);
    app_destroy(app);
    return status;
}

int main(int argc, char **argv) {
    if (descriptors_fill_standard() != 0) {
        perror("drover-viewer: /dev/null");
        return EXIT_FAILURE;
    }
    struct viewer_options options;
    struct failure failure;
    switch (viewer_options_parse(argc, argv, &options, &failure)) {
    case OPTIONS_EXIT:
        return EXIT_SUCCESS;
    case OPTIONS_BAD:
        report(&failure, 0);
        log_plain("try drover-viewer --help");
        return 2;
    case OPTIONS_RUN:
        break;
    }
    log_set_level((enum log_level)options.log_level);
    log_start();
    const int status = start(&options);
    log_stop();
    return status;
}
