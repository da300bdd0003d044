/* See app_output.h. */
#include "viewer/app/app_output.h"

#include <stdio.h>
#include <stdlib.h>

#include "viewer/platform/png_file.h"
#include "viewer/platform/window_mesh.h"

/* ---- pictures ---- */

int app_read_picture(struct app *app) {
    return window_wants_mesh(app->window) ? window_read(app->window, app->picture.raster) : 0;
}

void app_save_picture(struct app *app) {
    char path[96];
    struct failure failure;
    const unsigned long long tick = app->frame.names != NULL ? app->frame.names->tick : 0;
    (void)snprintf(path, sizeof path, "drover-%s-%llu.png",
                   app->server.has_scenario ? app->server.scenario.name : "none", tick);
    if (app_read_picture(app) != 0) {
        server_model_set_notice(&app->server, true, "the picture cannot be read");
    } else if (png_file_save(app->picture.raster, path, &failure) == 0) {
        server_model_set_notice(&app->server, false, "saved %s", path);
    } else {
        server_model_set_notice(&app->server, true, "%s", failure.message);
    }
    app->output.wants_picture = false;
}

/* ---- clips ---- */

void app_toggle_clip(struct app *app) {
    struct failure failure;
    if (app->output.clip != NULL) {
        const int result = clip_stop(app->output.clip, &failure);
        app->output.clip = NULL;
        server_model_set_notice(&app->server, result != 0, "%s%s", result != 0 ? "" : "saved ",
                                result != 0 ? failure.message : app->output.clip_path);
        return;
    }
    (void)snprintf(app->output.clip_path, sizeof app->output.clip_path, "drover-%s-%llu.mp4",
                   app->server.has_scenario ? app->server.scenario.name : "none",
                   app->frame.names != NULL ? (unsigned long long)app->frame.names->tick : 0ull);
    app->output.clip =
        clip_start(app->output.clip_path, app->picture.raster->width, app->picture.raster->height, &failure);
    if (app->output.clip == NULL) {
        server_model_set_notice(&app->server, true, "%s", failure.message);
    }
}

void app_record_frame(struct app *app) {
    const double now_ms =
        app->options.fixed_dt_ms > 0.0 ? app->times.count * app->options.fixed_dt_ms : app->now_ms;
    if (app->output.clip == NULL || !clip_wants_frame(app->output.clip, now_ms)) {
        return;
    }
    if (app_read_picture(app) != 0 || clip_add(app->output.clip, app->picture.raster, now_ms) != 0) {
        app_toggle_clip(app); /* says what became of it */
    }
}

int app_start_clip(struct app *app, struct failure *failure) {
    if (app->options.clip[0] != '\0') {
        (void)snprintf(app->output.clip_path, sizeof app->output.clip_path, "%s", app->options.clip);
        app->output.clip = clip_start(app->output.clip_path, app->picture.raster->width,
                                      app->picture.raster->height, failure);
        return app->output.clip != NULL ? 0 : -1;
    }
    return 0;
}

int app_end_clip(struct app *app, struct failure *failure) {
    struct clip *clip = app->output.clip;
    app->output.clip = NULL;
    return clip_stop(clip, failure);
}

/* ---- figures ---- */

void app_save_plots(struct app *app) {
    char path[96];
    (void)snprintf(path, sizeof path, "drover-%s-plots.csv",
                   app->server.has_scenario ? app->server.scenario.name : "none");
    FILE *file = fopen(path, "w");
    const bool is_written = file != NULL && plots_write_csv(&app->plots, file) == 0;
    const bool is_closed = file != NULL && fclose(file) == 0;
    if (is_written && is_closed) {
        server_model_set_notice(&app->server, false, "saved %s", path);
    } else {
        server_model_set_notice(&app->server, true, "cannot write %s", path);
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
