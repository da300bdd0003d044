/* drover-viewer-bench: the cost of a frame of a large crowd on one core, without a window: interpolation, the
 * building of vertices, and the raster's picture. CPU time of the thread, medians; some seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/bench_median.h"
#include "viewer/draw/agents_draw.h"
#include "viewer/draw/canvas.h"
#include "viewer/explain/agent_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/interpolate.h"

enum { FRAMES = 31, WIDTH = 1280, HEIGHT = 800 };

static struct snapshot *crowd(int32_t count, double clock_ms, float moved, bool with_gaps) {
    struct snapshot *snapshot = snapshot_create();
    if (snapshot == NULL || snapshot_reserve(snapshot, count, 0, false) != 0) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_FAILURE);
    }
    const int kind = name_table_intern(&snapshot->kind_names, "boid", 4);
    const int state = name_table_intern(&snapshot->state_names, "wander", 6);
    uint32_t random = 1;
    snapshot->clock_ms = clock_ms;
    snapshot->time_s = clock_ms * 0.001;
    for (int32_t i = 0; i < count; i++) {
        int32_t draws[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            draws[k] = (int32_t)(random >> 8);
        }
        snapshot->id[i] = (uint32_t)i * 2u + (with_gaps && i % 1000 == 0 ? 1u : 0u);
        snapshot->kind[i] = (uint16_t)kind;
        snapshot->state[i] = (uint16_t)state;
        snapshot->x[i] = (draws[0] % 800000 + (int32_t)(moved * 100.0f)) % 800000;
        snapshot->y[i] = draws[1] % 500000;
        snapshot->vx[i] = 6000;
        snapshot->vy[i] = 0;
        snapshot->heading[i] = (draws[2] + (int32_t)(moved * 50.0f)) % 36000;
    }
    snapshot->count = count;
    return snapshot;
}

static double median(double *times) {
    return bench_median(times, FRAMES);
}

/* Time of this thread: other programs use the machine as well. */
static double cpu_ms(void) {
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e3 + (double)spent.tv_nsec * 1e-6;
}

static void style_fill(struct agents_style *style, float radius) {
    memset(style, 0, sizeof *style);
    style->radius[0] = radius;
    style->shape[0] = palette_shape(0);
    style->wrap_size = vec2_make(8000.0f, 5000.0f);
}

static void measure(int32_t count, bool with_gaps, struct sprites *sprites, struct raster *raster) {
    const struct interpolate_rules rules = {
        .world_size = {8000, 5000}, .wraps = true, .period_ms = 33.0, .speed = 1.0};
    const struct camera camera = {.scale = 0.155f, .offset = {20.0f, 12.0f}}; /* copies in the margins */
    struct snapshot_buffer buffer;
    struct frame frame;
    struct mesh mesh;
    struct agents_style style;
    static struct agent_colors colors;
    static struct server_model model;
    const struct view_settings settings = view_settings_default();
    double interpolation[FRAMES], vertices[FRAMES], picture[FRAMES];
    snapshot_buffer_init(&buffer);
    frame_init(&frame);
    mesh_init(&mesh);
    agent_colors_init(&colors);
    style_fill(&style, 2.5f);
    snapshot_destroy(snapshot_buffer_push(&buffer, crowd(count, 1000.0, 0.0f, false)));
    snapshot_destroy(snapshot_buffer_push(&buffer, crowd(count, 1033.0, 2.0f, with_gaps)));
    for (int i = 0; i < FRAMES; i++) {
        double begin = cpu_ms();
        if (interpolate_at(&buffer, 1000.0 + 33.0 * i / FRAMES, &rules, &frame) != 0) {
            exit(EXIT_FAILURE);
        }
        interpolation[i] = cpu_ms() - begin;
        struct canvas on_mesh = canvas_on_mesh(&mesh, sprites, WIDTH, HEIGHT);
        mesh_clear(&mesh);
        begin = cpu_ms();
        agent_colors_fill(&colors, &frame, &model, &settings);
        agents_draw(&on_mesh, &frame, &camera, &style);
        vertices[i] = cpu_ms() - begin;
        struct canvas on_raster = canvas_on_raster(raster, sprites);
        canvas_clear(&on_raster, theme_color(PALETTE_SAFE, THEME_WORLD));
        begin = cpu_ms();
        agents_draw(&on_raster, &frame, &camera, &style);
        picture[i] = cpu_ms() - begin;
    }
    const double a = median(interpolation), b = median(vertices), c = median(picture);
    printf("%7d agents%s  interpolation %6.2f ms   vertices %6.2f ms   both %6.2f ms   raster %7.2f ms\n",
           count, with_gaps ? ", some come and go" : "                   ", a, b, a + b, c);
    mesh_fini(&mesh);
    agent_colors_fini(&colors);
    frame_fini(&frame);
    snapshot_buffer_fini(&buffer);
}

int main(int argc, char **argv) {
    if (argc > 1) {
        const bool is_asked = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
        fprintf(is_asked ? stdout : stderr, "usage: drover-viewer-bench (it takes no arguments)\n");
        return is_asked ? EXIT_SUCCESS : 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    static const int32_t counts[] = {1000, 10000, 30000, 100000};
    struct sprites *sprites = sprites_create(1.25f);
    struct raster *raster = raster_create(WIDTH, HEIGHT);
    if (sprites == NULL || raster == NULL) {
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        measure(counts[i], false, sprites, raster);
        measure(counts[i], true, sprites, raster);
    }
    sprites_destroy(sprites);
    raster_destroy(raster);
    return EXIT_SUCCESS;
}
