/* See app_state.h. */
#include "viewer/app/app_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/platform/files.h"
#include "viewer/platform/window.h"

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
    const int32_t line = app_has_timeline(app) ? (int32_t)ceilf(PANELS_TIMELINE_PX * unit) : 0;
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
    const int result = clip_stop(ending, failure);
    return clip == NULL ? result : clip_stop(clip, failure);
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
