/* See scenery_draw.h. */
#include "viewer/draw/scenery_draw.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "viewer/draw/arrow.h"
#include "viewer/draw/palette.h"

struct brush {
    const struct message_scenario *scenario;
    const struct camera *camera;
    float unit; /* picture px per window px */
    vec2 shift; /* px of the world: the copy that is drawn */
    struct canvas *canvas;
};

static vec2 place(const struct brush *brush, vec2 world) {
    return camera_to_window(brush->camera, vec2_add(world, brush->shift));
}

/* ---- obstacles and walls ---- */

/* Closed outline with round corners. */
static void draw_outline(const struct brush *brush, const vec2 *points, int count, float width,
                         color stroke) {
    for (int i = 0; i < count; i++) {
        canvas_draw_line(brush->canvas, points[i], points[(i + 1) % count], width, stroke);
        canvas_fill_disc(brush->canvas, points[i], 0.5f * width, stroke);
    }
}

/* Of a box or polygon, on the canvas. Returns how many. */
static int corners_of(const struct brush *brush, const struct obstacle_def *obstacle, vec2 *points) {
    const vec2 at = obstacle->at, size = obstacle->size;
    const vec2 box[] = {at, {at.x + size.x, at.y}, {at.x + size.x, at.y + size.y}, {at.x, at.y + size.y}};
    const bool is_box = obstacle->shape == OBSTACLE_BOX;
    const int count = is_box ? 4 : obstacle->point_count;
    for (int i = 0; i < count; i++) {
        points[i] = place(brush, is_box ? box[i] : obstacle->points[i]);
    }
    return count;
}

static void draw_obstacle(const struct brush *brush, const struct obstacle_def *obstacle) {
    const float width = 1.5f * brush->unit;
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        const vec2 center = place(brush, obstacle->at);
        const float radius = obstacle->radius * brush->camera->scale;
        canvas_fill_disc(brush->canvas, center, radius, PALETTE_OBSTACLE);
        canvas_draw_ring(brush->canvas, center, radius, width, PALETTE_OBSTACLE_EDGE);
        return;
    }
    vec2 points[LIMIT_OBSTACLE_POINTS];
    const int count = corners_of(brush, obstacle, points);
    canvas_fill_polygon(brush->canvas, points, count, PALETTE_OBSTACLE);
    draw_outline(brush, points, count, width, PALETTE_OBSTACLE_EDGE);
}

static void draw_obstacle_edge(const struct brush *brush, const struct obstacle_def *obstacle, float width,
                               color stroke) {
    vec2 points[LIMIT_OBSTACLE_POINTS];
    if (obstacle->shape == OBSTACLE_CIRCLE) {
        canvas_draw_ring(brush->canvas, place(brush, obstacle->at), obstacle->radius * brush->camera->scale,
                         width, stroke);
    } else {
        draw_outline(brush, points, corners_of(brush, obstacle, points), width, stroke);
    }
}

static void draw_wall(const struct brush *brush, const struct wall_def *wall) {
    const float width = 4.0f * brush->unit;
    const vec2 from = place(brush, wall->from), to = place(brush, wall->to);
    canvas_draw_line(brush->canvas, from, to, width, PALETTE_WALL);
    canvas_fill_disc(brush->canvas, from, 0.5f * width, PALETTE_WALL);
    canvas_fill_disc(brush->canvas, to, 0.5f * width, PALETTE_WALL);
}

/* ---- paths ---- */

static float short_way(float difference, float size) {
    return difference - size * rintf(difference / size);
}

/* A side of a path: its first point and what leads to the next one, the short way in a wrapping world. */
static vec2 side_of(const struct brush *brush, const struct path_def *path, int side) {
    const vec2 delta = vec2_sub(path->points[(side + 1) % path->point_count], path->points[side]);
    if (strcmp(brush->scenario->edge, "wrap") != 0) {
        return delta;
    }
    const vec2 size = brush->scenario->size;
    return vec2_make(short_way(delta.x, size.x), short_way(delta.y, size.y));
}

static int side_count(const struct path_def *path) {
    return path->is_loop ? path->point_count : path->point_count - 1;
}

/* Chevrons along a side, `*until` window px after the last one. */
static void draw_chevrons(const struct brush *brush, vec2 from, vec2 to, float *until) {
    const float gap = 70.0f * brush->unit, size = 5.0f * brush->unit;
    const vec2 line = vec2_sub(to, from);
    const float length = vec2_length(line);
    const vec2 ahead = vec2_with_length(line, size), right = vec2_make(-ahead.y, ahead.x);
    /* A hostile path may be millions of pixels long: no more of it than any window shows. */
    const float most = fminf(length, 100.0f * gap);
    for (; *until < most; *until += gap) {
        const vec2 tip = vec2_add(vec2_add(from, vec2_with_length(line, *until)), vec2_scale(ahead, 0.5f));
        const vec2 back = vec2_sub(tip, ahead);
        canvas_draw_line(brush->canvas, vec2_add(back, right), tip, 1.5f * brush->unit, PALETTE_PATH_LINE);
        canvas_draw_line(brush->canvas, vec2_sub(back, right), tip, 1.5f * brush->unit, PALETTE_PATH_LINE);
    }
    *until = fmaxf(*until - length, 0.0f);
}

/* One polygon a side and a disc a point would show every overlap when they are see-through, so the band is
 * opaque. */
static void draw_band(const struct brush *brush, const struct path_def *path, float widen, color fill) {
    const float radius = path->radius * brush->camera->scale + widen;
    for (int i = 0; i < side_count(path); i++) {
        const vec2 from = place(brush, path->points[i]);
        const vec2 to = place(brush, vec2_add(path->points[i], side_of(brush, path, i)));
        canvas_draw_line(brush->canvas, from, to, 2.0f * radius, fill);
        canvas_fill_disc(brush->canvas, from, radius, fill);
        canvas_fill_disc(brush->canvas, to, radius, fill);
    }
}

static void draw_path(const struct brush *brush, const struct path_def *path) {
    draw_band(brush, path, brush->unit, PALETTE_PATH_EDGE);
    draw_band(brush, path, 0.0f, PALETTE_PATH);
    float until = 35.0f * brush->unit;
    for (int i = 0; i < side_count(path); i++) {
        const vec2 from = place(brush, path->points[i]);
        const vec2 to = place(brush, vec2_add(path->points[i], side_of(brush, path, i)));
        canvas_draw_line(brush->canvas, from, to, brush->unit, color_fade(PALETTE_PATH_LINE, 0.6f));
        draw_chevrons(brush, from, to, &until);
    }
}

/* ---- flow fields ---- */

static void draw_flow(const struct brush *brush, const struct message_flow *flow, color stroke) {
    const vec2 size = brush->scenario->size;
    const vec2 cell = vec2_make(size.x / (float)flow->columns, size.y / (float)flow->rows);
    const float longest = 0.8f * fminf(cell.x, cell.y) * brush->camera->scale;
    float greatest = 0.0f;
    for (int i = 0; i < flow->columns * flow->rows; i++) {
        greatest = fmaxf(greatest, vec2_length(flow->vectors[i]));
    }
    for (int i = 0; i < flow->columns * flow->rows && greatest > 0.0f; i++) {
        const int column = i % flow->columns, row = i / flow->columns;
        const vec2 middle =
            place(brush, vec2_make(((float)column + 0.5f) * cell.x, ((float)row + 0.5f) * cell.y));
        const vec2 half = vec2_scale(flow->vectors[i], 0.5f * longest / greatest);
        arrow_draw_vector(brush->canvas, vec2_sub(middle, half), vec2_add(middle, half), 1.25f * brush->unit,
                          stroke);
    }
}

/* ---- all of it ---- */

static void draw_copy(const struct brush *brush) {
    const struct message_geometry *geometry = &brush->scenario->geometry;
    for (int i = 0; i < geometry->path_count; i++) {
        draw_path(brush, &geometry->paths[i]);
    }
    for (int i = 0; i < geometry->obstacle_count; i++) {
        draw_obstacle(brush, &geometry->obstacles[i]);
    }
    for (int i = 0; i < geometry->wall_count; i++) {
        draw_wall(brush, &geometry->walls[i]);
    }
}

/* Nothing of a wrapping world shows outside it: there the same place is on the other side. */
static struct raster_rect world_rect(const struct brush *brush) {
    const vec2 low = camera_to_window(brush->camera, vec2_make(0.0f, 0.0f));
    const vec2 high = camera_to_window(brush->camera, brush->scenario->size);
    const float most = (float)RASTER_MAX_SIZE;
    return (struct raster_rect){
        (int32_t)floorf(fminf(fmaxf(low.x, 0.0f), most)), (int32_t)floorf(fminf(fmaxf(low.y, 0.0f), most)),
        (int32_t)ceilf(fminf(fmaxf(high.x, 0.0f), most)), (int32_t)ceilf(fminf(fmaxf(high.y, 0.0f), most))};
}

void scenery_draw(const struct message_scenario *scenario, const struct camera *camera, float pixel_scale,
                  struct canvas *canvas) {
    assert(pixel_scale > 0.0f);
    static const color flow_colors[] = {PALETTE_FLOW, PALETTE_FLOW_SECOND};
    struct brush brush = {.scenario = scenario, .camera = camera, .unit = pixel_scale, .canvas = canvas};
    const struct message_geometry *geometry = &scenario->geometry;
    for (int i = 0; i < geometry->flow_count; i++) {
        draw_flow(&brush, &geometry->flows[i], flow_colors[i % 2]);
    }
    if (strcmp(scenario->edge, "wrap") != 0) {
        draw_copy(&brush);
        return;
    }
    canvas_set_clip(canvas, world_rect(&brush));
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            brush.shift = vec2_make((float)x * scenario->size.x, (float)y * scenario->size.y);
            draw_copy(&brush);
        }
    }
    canvas_reset_clip(canvas);
}

void scenery_draw_obstacle_handle(const struct message_scenario *scenario,
                                  const struct obstacle_def *obstacle, const struct camera *camera,
                                  float pixel_scale, struct canvas *canvas) {
    struct brush brush = {.scenario = scenario, .camera = camera, .unit = pixel_scale, .canvas = canvas};
    const float width = 2.5f * pixel_scale;
    const int copies = strcmp(scenario->edge, "wrap") == 0 ? 1 : 0;
    if (copies > 0) {
        canvas_set_clip(canvas, world_rect(&brush));
    }
    for (int x = -copies; x <= copies; x++) {
        for (int y = -copies; y <= copies; y++) {
            brush.shift = vec2_make((float)x * scenario->size.x, (float)y * scenario->size.y);
            draw_obstacle_edge(&brush, obstacle, width, PALETTE_ACCENT);
        }
    }
    canvas_reset_clip(canvas);
}
