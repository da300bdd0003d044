/* See scenery_draw.h. */
#include "viewer/draw/scenery_draw.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "viewer/draw/arrow.h"
#include "viewer/draw/tiles.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"

static const float flow_alpha = 0.5f; /* agents are louder than what moves them */

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

static color part(const struct brush *brush, enum theme_part what) {
    return theme_color(brush->canvas->palette, what);
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
        canvas_fill_disc(brush->canvas, center, radius, part(brush, THEME_OBSTACLE));
        canvas_draw_ring(brush->canvas, center, radius, width, part(brush, THEME_OBSTACLE_EDGE));
        return;
    }
    vec2 points[LIMIT_OBSTACLE_POINTS];
    const int count = corners_of(brush, obstacle, points);
    canvas_fill_polygon(brush->canvas, points, count, part(brush, THEME_OBSTACLE));
    draw_outline(brush, points, count, width, part(brush, THEME_OBSTACLE_EDGE));
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
    canvas_draw_line(brush->canvas, from, to, width, part(brush, THEME_WALL));
    canvas_fill_disc(brush->canvas, from, 0.5f * width, part(brush, THEME_WALL));
    canvas_fill_disc(brush->canvas, to, 0.5f * width, part(brush, THEME_WALL));
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
        canvas_draw_line(brush->canvas, vec2_add(back, right), tip, 1.5f * brush->unit,
                         part(brush, THEME_PATH_LINE));
        canvas_draw_line(brush->canvas, vec2_sub(back, right), tip, 1.5f * brush->unit,
                         part(brush, THEME_PATH_LINE));
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
    draw_band(brush, path, brush->unit, part(brush, THEME_PATH_EDGE));
    draw_band(brush, path, 0.0f, part(brush, THEME_PATH));
    float until = 35.0f * brush->unit;
    for (int i = 0; i < side_count(path); i++) {
        const vec2 from = place(brush, path->points[i]);
        const vec2 to = place(brush, vec2_add(path->points[i], side_of(brush, path, i)));
        canvas_draw_line(brush->canvas, from, to, brush->unit,
                         color_fade(part(brush, THEME_PATH_LINE), 0.6f));
        draw_chevrons(brush, from, to, &until);
    }
}

/* ---- regions ---- */

static void draw_region(const struct brush *brush, const struct message_region *region) {
    const color edge = color_fade(explain_behavior_color(brush->canvas->palette, "contain"), 0.6f);
    const color fill = color_fade(edge, 0.1f);
    const float width = 1.5f * brush->unit;
    if (region->is_circle) {
        const float radius = region->radius * brush->camera->scale;
        canvas_fill_disc(brush->canvas, place(brush, region->at), radius, fill);
        canvas_draw_ring(brush->canvas, place(brush, region->at), radius, width, edge);
        return;
    }
    const vec2 low = place(brush, region->at), high = place(brush, vec2_add(region->at, region->size));
    const vec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}};
    canvas_fill_rect(brush->canvas, low, high, fill);
    for (int i = 0; i < 4; i++) {
        canvas_draw_line(brush->canvas, corners[i], corners[(i + 1) % 4], width, edge);
    }
}

static bool is_same_place(const struct message_region *a, const struct message_region *b) {
    return a->is_circle == b->is_circle && vec2_length(vec2_sub(a->at, b->at)) <= 0.0f &&
           vec2_length(vec2_sub(a->size, b->size)) <= 0.0f && fabsf(a->radius - b->radius) <= 0.0f;
}

/* A place that several states share is drawn once. */
static void draw_regions(const struct brush *brush, const struct message_geometry *geometry) {
    for (int i = 0; i < geometry->region_count; i++) {
        int first = 0;
        while (!is_same_place(&geometry->regions[first], &geometry->regions[i])) {
            first++;
        }
        if (first == i) {
            draw_region(brush, &geometry->regions[i]);
        }
    }
}

/* ---- flow fields ---- */

/* Every second field lies between the arrows of the one before. */
static void draw_flow(const struct brush *brush, const struct message_flow *flow, int between, color stroke) {
    const vec2 size = brush->scenario->size;
    const vec2 cell = vec2_make(size.x / (float)flow->columns, size.y / (float)flow->rows);
    const float longest = 0.8f * fminf(cell.x, cell.y) * brush->camera->scale;
    float greatest = 0.0f;
    for (int i = 0; i < flow->columns * flow->rows; i++) {
        greatest = fmaxf(greatest, vec2_length(flow->vectors[i]));
    }
    for (int i = 0; i < flow->columns * flow->rows && greatest > 0.0f; i++) {
        const int column = i % flow->columns, row = i / flow->columns;
        const vec2 middle = place(brush, vec2_make(((float)column + 0.5f) * cell.x,
                                                   ((float)row + 0.5f + 0.5f * (float)between) * cell.y));
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
    draw_regions(brush, geometry);
    for (int i = 0; i < geometry->obstacle_count; i++) {
        draw_obstacle(brush, &geometry->obstacles[i]);
    }
    for (int i = 0; i < geometry->wall_count; i++) {
        draw_wall(brush, &geometry->walls[i]);
    }
}

/* Of a wrapping world the copies around it as well. */
static int tile_count(const struct message_scenario *scenario) {
    return strcmp(scenario->edge, "wrap") == 0 ? tiles_count(scenario->size) : 1;
}

void scenery_draw(const struct message_scenario *scenario, const struct camera *camera, float pixel_scale,
                  struct canvas *canvas) {
    assert(pixel_scale > 0.0f);
    struct brush brush = {.scenario = scenario, .camera = camera, .unit = pixel_scale, .canvas = canvas};
    const struct message_geometry *geometry = &scenario->geometry;
    const int count = tile_count(scenario);
    for (int tile = 0; tile < count; tile++) {
        brush.shift = tiles_shift(scenario->size, tile);
        for (int i = 0; i < geometry->flow_count; i++) {
            draw_flow(&brush, &geometry->flows[i], i % 2,
                      color_fade(theme_color(canvas->palette, i % 2 == 0 ? THEME_FLOW : THEME_FLOW_SECOND),
                                 flow_alpha));
        }
    }
    for (int tile = 0; tile < count; tile++) {
        brush.shift = tiles_shift(scenario->size, tile);
        draw_copy(&brush);
    }
}

void scenery_draw_obstacle_handle(const struct message_scenario *scenario,
                                  const struct obstacle_def *obstacle, const struct camera *camera,
                                  float pixel_scale, struct canvas *canvas) {
    struct brush brush = {.scenario = scenario, .camera = camera, .unit = pixel_scale, .canvas = canvas};
    const float width = 2.5f * pixel_scale;
    const int count = tile_count(scenario);
    for (int tile = 0; tile < count; tile++) {
        brush.shift = tiles_shift(scenario->size, tile);
        draw_obstacle_edge(&brush, obstacle, width, theme_color(canvas->palette, THEME_ACCENT));
    }
}
