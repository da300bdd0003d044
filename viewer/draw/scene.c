/* See scene.h. */
#include "viewer/draw/scene.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "viewer/draw/agents_draw.h"
#include "viewer/draw/canvas.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/density_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"
#include "viewer/model/shortcuts.h"

/* ---- scenery ---- */

static const float flow_alpha = 0.5f; /* agents are louder than what moves them */

struct brush {
    const struct message_scenario *scenario;
    const struct camera *camera;
    float unit; /* picture px per window px */
    struct message_moment moment;
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

/* What leads from point `side` of a path to the next one, the short way in a wrapping world. */
static vec2 side_of(const struct brush *brush, const struct path_def *path, int side) {
    const vec2 none = {0.0f, 0.0f};
    return path_side_of(path, side,
                        strcmp(brush->scenario->edge, "wrap") == 0 ? brush->scenario->size : none);
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
    for (int i = 0; i < side_count(path); i++) {
        const float scale = brush->camera->scale, radius = path_radius_at(path, i) * scale + widen;
        const float last = path_radius_at(path, (i + 1) % path->point_count) * scale + widen;
        const vec2 from = place(brush, path->points[i]);
        const vec2 to = place(brush, vec2_add(path->points[i], side_of(brush, path, i)));
        if (path->radius_count == 0) {
            canvas_draw_line(brush->canvas, from, to, 2.0f * radius, fill);
        } else {
            const vec2 ahead = vec2_with_length(vec2_sub(to, from), 1.0f), right = {-ahead.y, ahead.x};
            const vec2 corners[] = {
                vec2_add(from, vec2_scale(right, radius)), vec2_add(to, vec2_scale(right, last)),
                vec2_sub(to, vec2_scale(right, last)), vec2_sub(from, vec2_scale(right, radius))};
            canvas_fill_polygon(brush->canvas, corners, 4, fill);
        }
        canvas_fill_disc(brush->canvas, from, radius, fill);
        canvas_fill_disc(brush->canvas, to, last, fill);
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

/* ---- gates and areas ---- */

static void draw_area(const struct brush *brush, const struct area_def *area) {
    const color edge = color_fade(part(brush, THEME_INSTRUMENT), 0.7f), fill = color_fade(edge, 0.1f);
    const float width = 1.25f * brush->unit;
    vec2 points[LIMIT_OBSTACLE_POINTS];
    if (area->shape.shape == OBSTACLE_CIRCLE) {
        const vec2 center = place(brush, area->shape.at);
        const float radius = area->shape.radius * brush->camera->scale;
        canvas_fill_disc(brush->canvas, center, radius, fill);
        canvas_draw_ring(brush->canvas, center, radius, width, edge);
        return;
    }
    const int count = corners_of(brush, &area->shape, points);
    canvas_fill_polygon(brush->canvas, points, count, fill);
    draw_outline(brush, points, count, width, edge);
}

/* A dashed line with posts, and an arrow to its right: forward. */
static void draw_gate(const struct brush *brush, const struct gate_def *gate) {
    const color stroke = part(brush, THEME_INSTRUMENT);
    const vec2 from = place(brush, gate->from), to = place(brush, gate->to), line = vec2_sub(to, from);
    const vec2 middle = vec2_add(from, vec2_scale(line, 0.5f));
    const vec2 across = vec2_with_length(vec2_make(-line.y, line.x), 14.0f * brush->unit);
    const float length = vec2_length(line), dash = fmaxf(6.0f * brush->unit, length / 200.0f);
    for (float at = 0.0f; length > 0.0f && at < length; at += 2.0f * dash) {
        canvas_draw_line(brush->canvas, vec2_add(from, vec2_with_length(line, at)),
                         vec2_add(from, vec2_with_length(line, fminf(at + dash, length))), 2.0f * brush->unit,
                         stroke);
    }
    canvas_fill_disc(brush->canvas, from, 3.5f * brush->unit, stroke);
    canvas_fill_disc(brush->canvas, to, 3.5f * brush->unit, stroke);
    arrow_draw_vector(brush->canvas, vec2_sub(middle, vec2_scale(across, 0.5f)), vec2_add(middle, across),
                      2.0f * brush->unit, stroke);
}

/* ---- all of it ---- */

static void draw_copy(const struct brush *brush) {
    const struct message_geometry *geometry = &brush->scenario->geometry;
    for (int i = 0; i < geometry->path_count; i++) {
        draw_path(brush, &geometry->paths[i]);
    }
    draw_regions(brush, geometry);
    for (int i = 0; i < geometry->obstacle_count; i++) {
        const struct obstacle_def obstacle = message_obstacle_at(geometry, i, &brush->moment);
        draw_obstacle(brush, &obstacle);
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
                  const struct message_moment *moment, struct canvas *canvas) {
    assert(pixel_scale > 0.0f);
    struct brush brush = {
        .scenario = scenario, .camera = camera, .unit = pixel_scale, .moment = *moment, .canvas = canvas};
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

/* Gates and areas, over the scenery. */
static void draw_instruments(const struct message_scenario *scenario, const struct camera *camera,
                             float pixel_scale, struct canvas *canvas) {
    struct brush brush = {.scenario = scenario, .camera = camera, .unit = pixel_scale, .canvas = canvas};
    const struct message_geometry *geometry = &scenario->geometry;
    for (int tile = 0; tile < tile_count(scenario); tile++) {
        brush.shift = tiles_shift(scenario->size, tile);
        for (int i = 0; i < geometry->area_count; i++) {
            draw_area(&brush, &geometry->areas[i]);
        }
        for (int i = 0; i < geometry->gate_count; i++) {
            draw_gate(&brush, &geometry->gates[i]);
        }
    }
}

/* The bright edge of an obstacle that the hand is over or holds. */
static void scenery_draw_obstacle_handle(const struct message_scenario *scenario,
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

/* ---- the scene ---- */

/* A hand that clicks: beyond an agent's radius, window px; behind what it follows, s: 0.12 to 0.15 of the hand, the rest of
 * a busy machine. */
static const float hand_reach_px = 16.0f, hand_delay_s = 0.25f;

/* Only lines that are seen, however far in or out. camera: of the tile. */
static void draw_grid(const struct scene *scene, struct canvas *canvas, const struct camera *camera) {
    const vec2 size = scene->server->scenario.size;
    float step = 100.0f;
    while (step * camera->scale < 40.0f * scene->pixel_scale) {
        step *= 2.0f;
    }
    const float width = fmaxf(roundf(scene->pixel_scale), 1.0f);
    const vec2 low = camera_to_window(camera, vec2_make(0.0f, 0.0f)), high = camera_to_window(camera, size);
    const vec2 first = camera_to_world(camera, vec2_make(0.0f, 0.0f));
    const vec2 last = camera_to_world(camera, vec2_make((float)canvas->width, (float)canvas->height));
    const float top = floorf(low.y), bottom = ceilf(high.y), left = floorf(low.x), right = ceilf(high.x);
    for (float x = fmaxf(floorf(first.x / step) * step, step); x < fminf(size.x, last.x); x += step) {
        const float at = floorf(camera_to_window(camera, vec2_make(x, 0.0f)).x);
        canvas_fill_rect(canvas, vec2_make(at, top), vec2_make(at + width, bottom),
                         theme_color(canvas->palette, THEME_GRID));
    }
    for (float y = fmaxf(floorf(first.y / step) * step, step); y < fminf(size.y, last.y); y += step) {
        const float at = floorf(camera_to_window(camera, vec2_make(0.0f, y)).y);
        canvas_fill_rect(canvas, vec2_make(left, at), vec2_make(right, at + width),
                         theme_color(canvas->palette, THEME_GRID));
    }
}

/* Four lines around the world, whole pixels: a border that is one pixel wide must not be smeared over two. */
static void draw_border(const struct scene *scene, struct canvas *canvas) {
    vec2 low = camera_to_window(scene->camera, vec2_make(0.0f, 0.0f));
    vec2 high = camera_to_window(scene->camera, scene->server->scenario.size);
    const float width = fmaxf(roundf(scene->pixel_scale), 1.0f);
    low = vec2_make(floorf(low.x), floorf(low.y));
    high = vec2_make(ceilf(high.x), ceilf(high.y));
    const vec2 outer_low = vec2_make(low.x - width, low.y - width);
    const vec2 outer_high = vec2_make(high.x + width, high.y + width);
    canvas_fill_rect(canvas, outer_low, vec2_make(outer_high.x, low.y),
                     theme_color(canvas->palette, THEME_BORDER));
    canvas_fill_rect(canvas, vec2_make(outer_low.x, high.y), outer_high,
                     theme_color(canvas->palette, THEME_BORDER));
    canvas_fill_rect(canvas, vec2_make(outer_low.x, low.y), vec2_make(low.x, high.y),
                     theme_color(canvas->palette, THEME_BORDER));
    canvas_fill_rect(canvas, vec2_make(high.x, low.y), vec2_make(outer_high.x, high.y),
                     theme_color(canvas->palette, THEME_BORDER));
}

/* Of a wrapping world the copies around it lie on ground of the same color. */
static void draw_ground(const struct scene *scene, struct canvas *canvas) {
    canvas_clear(canvas, theme_color(canvas->palette, THEME_GROUND));
    if (!scene->server->has_scenario) {
        return;
    }
    const vec2 wrap_size = scene_wrap_size(scene), size = scene->server->scenario.size;
    const vec2 low = camera_to_window(scene->camera, vec2_make(0.0f, 0.0f));
    const vec2 high = camera_to_window(scene->camera, size);
    tiles_clip(canvas, scene->camera, wrap_size);
    if (torus_wraps(wrap_size)) {
        canvas_clear(canvas, theme_color(canvas->palette, THEME_WORLD));
    } else {
        canvas_fill_rect(canvas, vec2_make(floorf(low.x), floorf(low.y)),
                         vec2_make(ceilf(high.x), ceilf(high.y)), theme_color(canvas->palette, THEME_WORLD));
    }
    for (int tile = 0; tile < tiles_count(wrap_size) && scene->settings->shows_grid; tile++) {
        const struct camera camera = tiles_camera(scene->camera, wrap_size, tile);
        draw_grid(scene, canvas, &camera);
    }
    draw_border(scene, canvas); /* scenery may lie over it */
    const struct message_moment moment = server_model_moment(scene->server, scene->frame->time_s);
    scenery_draw(&scene->server->scenario, scene->camera, scene->pixel_scale, &moment, canvas);
    if (scene->settings->shows_instruments) {
        draw_instruments(&scene->server->scenario, scene->camera, scene->pixel_scale, canvas);
    }
    if (scene->handle != NULL) {
        scenery_draw_obstacle_handle(&scene->server->scenario, scene->handle, scene->camera,
                                     scene->pixel_scale, canvas);
    }
}

static void style_init(const struct scene *scene, struct scene_style *style) {
    const struct snapshot *names = scene->frame->names;
    struct agents_style *agents = &style->agents;
    for (int i = 0; i < names->kind_names.count; i++) {
        const struct message_kind *kind = server_model_kind(scene->server, names->kind_names.names[i]);
        const int number = kind != NULL ? (int)(kind - scene->server->scenario.kinds) : i;
        agents->radius[i] = scene_agent_radius(scene, kind != NULL ? kind->radius : 0.0f);
        agents->shape[i] = palette_shape(number);
        style->max_speed[i] = kind != NULL ? kind->max_speed : 0.0f;
        style->max_force[i] = kind != NULL ? kind->max_force : 0.0f;
    }
    agents->is_held = scene->is_held;
    agents->wrap_size = scene_wrap_size(scene);
}

static void draw_ring_at(const struct scene *scene, struct canvas *canvas, uint32_t id, color stroke,
                         const struct scene_style *style) {
    const int32_t index = frame_find(scene->frame, id);
    if (index >= 0) {
        const vec2 at = vec2_make(scene->frame->x[index], scene->frame->y[index]);
        const float radius = scene_ring_radius(scene, style->agents.radius[scene->frame->kind[index]]);
        const vec2 wrap_size = scene_wrap_size(scene);
        for (int tile = 0; tile < tiles_count(wrap_size); tile++) {
            const struct camera camera = tiles_camera(scene->camera, wrap_size, tile);
            canvas_draw_ring(canvas, camera_to_window(&camera, at), radius, 1.75f * scene->pixel_scale,
                             stroke);
        }
    }
}

/* ---- the crowd ---- */

bool scene_is_heat(const struct scene *scene) {
    const vec2 size = scene->server->scenario.size;
    const float world = size.x * size.y * scene->camera->scale * scene->camera->scale;
    if (scene->heat == NULL || scene->frame->names == NULL || scene->settings->heat != HEAT_AUTO) {
        return scene->heat != NULL && scene->settings->heat == HEAT_ON;
    }
    return heat_is_better(scene->frame->count,
                          agents_draw_least_radius(scene->frame, scene->camera, scene->server->scenario.size,
                                                   scene->pixel_scale),
                          world);
}

/* As the server counted them: agents that have just left the frame fade out over it. */
static void draw_density(const struct scene *scene, struct canvas *canvas) {
    const struct density *density = scene->density;
    const vec2 corner = vec2_make((float)density->region.x * 0.01f, (float)density->region.y * 0.01f);
    const float scale = scene->camera->scale * 0.01f;
    const float top = server_model_top_speed(scene->server);
    const vec2 wrap_size = scene_wrap_size(scene);
    const int count = heat_take(scene->heat, density, top) == 0 ? tiles_count(wrap_size) : 0;
    if (count > 0 &&
        density_colors_fill(scene->colors, density, scene->server, scene->settings, scene->heat->fill)) {
        heat_tint(scene->heat);
    }
    for (int tile = 0; tile < count; tile++) {
        const struct camera camera = tiles_camera(scene->camera, wrap_size, tile);
        const struct heat_place place = {camera_to_window(&camera, corner),
                                         {(float)density->region.width * scale / (float)density->columns,
                                          (float)density->region.height * scale / (float)density->rows}};
        heat_draw(scene->heat, canvas, &place, scene->pixel_scale, scene->camera->scale);
    }
}

/* ---- twins ---- */

enum { TWIN_LINES_MOST = 2000 /* in a larger crowd lines are a carpet */ };

/* Where the twin of an agent of the frame is, beside the agent as it is drawn, px of the world; false when it has none. */
static bool find_twin(const struct scene *scene, int32_t index, vec2 *place) {
    const struct frame *frame = scene->frame;
    const struct snapshot *snapshot = frame->names;
    const int32_t row = frame->row[index];
    if (row < 0 || row >= snapshot->count || snapshot->twins[row].x == SNAPSHOT_NO_TWIN) {
        return false;
    }
    const vec2 way = {0.01f * (float)(snapshot->twins[row].x - snapshot->x[row]),
                      0.01f * (float)(snapshot->twins[row].y - snapshot->y[row])};
    *place =
        vec2_add(vec2_make(frame->x[index], frame->y[index]), torus_short_way(way, scene_wrap_size(scene)));
    return true;
}

static bool is_near(const struct canvas *canvas, vec2 at, float reach) {
    return at.x > (float)canvas->clip.x0 - reach && at.y > (float)canvas->clip.y0 - reach &&
           at.x < (float)canvas->clip.x1 + reach && at.y < (float)canvas->clip.y1 + reach;
}

/* A twin that has parted from its agent, by more than a radius: a pale disc, as nobody knows where it heads, and a thin line. */
static void draw_twin(const struct scene *scene, struct canvas *canvas, const struct scene_style *style,
                      const struct camera *camera, int32_t index) {
    const struct frame *frame = scene->frame;
    const float radius = style->agents.radius[frame->kind[index]], unit = scene->pixel_scale;
    const color fill = frame->fill[index];
    vec2 place;
    if (!find_twin(scene, index, &place)) {
        return;
    }
    const vec2 agent = camera_to_window(camera, vec2_make(frame->x[index], frame->y[index])),
               twin = camera_to_window(camera, place);
    const float apart = vec2_length(vec2_sub(twin, agent));
    if (apart <= radius || (!is_near(canvas, agent, radius) && !is_near(canvas, twin, radius))) {
        return;
    }
    if (frame->count <= TWIN_LINES_MOST) {
        const float share = 6.0f * radius / (6.0f * radius + apart); /* long lines are fainter */
        canvas_draw_line(canvas, agent, twin, 1.0f * unit, color_fade(fill, fmaxf(0.7f * share, 0.15f)));
    }
    canvas_fill_disc(canvas, twin, 0.75f * radius, color_fade(fill, 0.3f));
    canvas_draw_ring(canvas, twin, 0.75f * radius, 1.0f * unit, color_fade(fill, 0.6f));
}

static void draw_twins(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    const vec2 wrap_size = scene_wrap_size(scene);
    if (!snapshot_has_twins(scene->frame->names) || scene->density != NULL || scene_is_heat(scene)) {
        return;
    }
    for (int tile = 0; tile < tiles_count(wrap_size); tile++) {
        const struct camera camera = tiles_camera(scene->camera, wrap_size, tile);
        for (int32_t i = 0; i < scene->frame->count; i++) {
            draw_twin(scene, canvas, style, &camera, i);
        }
    }
}

static void draw_crowd(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    const float cell = (float)HEAT_CELL_PX * scene->pixel_scale;
    if (scene->density != NULL && scene->heat != NULL) {
        draw_density(scene, canvas);
        if (scene->hides_agents) {
            return;
        }
    } else if (scene_is_heat(scene) && heat_count(scene->heat, scene->frame, scene->camera, canvas->width,
                                                  canvas->height, cell) == 0) {
        const struct heat_place place = {{0.0f, 0.0f}, {cell, cell}};
        heat_draw(scene->heat, canvas, &place, scene->pixel_scale, scene->camera->scale);
        return;
    }
    if (!agent_instances_draw(canvas, scene->frame, scene->camera, &style->agents)) {
        agents_draw(canvas, scene->frame, scene->camera, &style->agents);
    }
}

/* From a point to the way that an agent has come, picture px. to: from the point to where the agent is; way: from where
 * it was. */
static float distance_to_way(vec2 to, vec2 way) {
    const float length = vec2_dot(way, way);
    const float share = length > 0.0f ? fminf(fmaxf(vec2_dot(to, way) / length, 0.0f), 1.0f) : 0.0f;
    return vec2_length(vec2_sub(to, vec2_scale(way, share)));
}

/* past_s: s of simulated time; where an agent was up to so long ago counts as well. */
static bool pick(const struct scene *scene, vec2 at, float reach_px, float past_s, uint32_t *id) {
    assert(reach_px >= 0.0f && past_s >= 0.0f && id != NULL);
    const struct frame *frame = scene->frame;
    const vec2 wrap_size = vec2_scale(scene_wrap_size(scene), scene->camera->scale);
    float best = INFINITY;
    if (!tiles_reach(scene->camera, scene_wrap_size(scene), at)) {
        return false;
    }
    for (int32_t i = 0; frame->names != NULL && i < frame->count; i++) {
        const vec2 place = camera_to_window(scene->camera, vec2_make(frame->x[i], frame->y[i]));
        const vec2 way = vec2_scale(vec2_make(frame->vx[i], frame->vy[i]), past_s * scene->camera->scale);
        const float distance = distance_to_way(torus_short_way(vec2_sub(place, at), wrap_size), way);
        const struct message_kind *kind =
            distance < best ? server_model_kind(scene->server, frame->names->kind_names.names[frame->kind[i]])
                            : NULL;
        if (distance < best &&
            distance <= reach_px + scene_agent_radius(scene, kind != NULL ? kind->radius : 0.0f)) {
            best = distance;
            *id = frame->id[i];
        }
    }
    return best < INFINITY;
}

bool scene_pick(const struct scene *scene, vec2 at, float reach_px, uint32_t *id) {
    return pick(scene, at, reach_px, 0.0f, id);
}

bool scene_pick_for_hand(const struct scene *scene, vec2 at, double pace, uint32_t *id) {
    return pick(scene, at, hand_reach_px * scene->pixel_scale, hand_delay_s * (float)fmin(pace, 4.0), id);
}

/* A ring, a dot and four ticks. */
static void draw_marker(struct canvas *canvas, vec2 at, float unit, color stroke) {
    static const vec2 directions[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    canvas_draw_ring(canvas, at, 9.0f * unit, 4.0f * unit,
                     color_fade(theme_color(canvas->palette, THEME_OUTLINE), 0.6f));
    for (int i = 0; i < 4; i++) {
        canvas_draw_line(canvas, vec2_add(at, vec2_scale(directions[i], 6.0f * unit)),
                         vec2_add(at, vec2_scale(directions[i], 14.0f * unit)), 2.0f * unit, stroke);
    }
    canvas_draw_ring(canvas, at, 9.0f * unit, 2.0f * unit, stroke);
    canvas_fill_disc(canvas, at, 3.0f * unit, stroke);
}

/* A marker is not much larger than the agents it is among, and that of the mouse is the largest. */
static float marker_unit(const struct scene *scene, const struct scene_style *style, bool is_mouse) {
    float radius = 0.0f;
    for (int i = 0; i < scene->frame->names->kind_names.count; i++) {
        radius = fmaxf(radius, style->agents.radius[i]);
    }
    const float share = fminf(fmaxf(radius / (7.0f * scene->pixel_scale), 0.7f), 1.0f);
    return scene->pixel_scale * (is_mouse ? fmaxf(share, 0.85f) : 0.85f * share);
}

static bool is_flag(const struct scene *scene, const char *target) {
    return strcmp(target, scene->server->scenario.view.flag) == 0;
}

/* A pole on a foot at this place, and a cloth: in the color of the agent that has captured it. */
static void draw_flag(const struct scene *scene, struct canvas *canvas, vec2 at) {
    const int32_t captor = frame_flag_captor(scene->server, scene->frame);
    const color pole = theme_color(canvas->palette, THEME_TARGET),
                outline = theme_color(canvas->palette, THEME_OUTLINE),
                cloth = captor >= 0 ? scene->frame->fill[captor] : pole;
    const float unit = scene->pixel_scale;
    const vec2 top = vec2_make(at.x, at.y - 32.0f * unit), fringe = vec2_make(0.0f, 2.0f * unit);
    const vec2 tip = vec2_make(top.x + 20.0f * unit, top.y + 8.0f * unit),
               foot = vec2_make(top.x, top.y + 16.0f * unit);
    const vec2 edge[3] = {vec2_sub(top, fringe), vec2_make(tip.x + 4.0f * unit, tip.y),
                          vec2_add(foot, fringe)},
               inside[3] = {top, tip, foot};
    canvas_draw_line(canvas, at, top, 5.0f * unit, outline);
    canvas_fill_polygon(canvas, edge, 3, outline);
    canvas_fill_disc(canvas, at, 5.0f * unit, outline);
    canvas_fill_disc(canvas, at, 3.5f * unit, pole);
    canvas_draw_line(canvas, at, top, 2.5f * unit, pole);
    canvas_fill_polygon(canvas, inside, 3, cloth);
}

static void draw_target(const struct scene *scene, struct canvas *canvas, const struct scene_style *style,
                        vec2 at, const char *name) {
    const bool is_mouse = strcmp(name, "mouse") == 0;
    const float unit = scene->pixel_scale;
    if (scene->has_cursor && is_mouse) {
        canvas_draw_ring(canvas, at, 14.0f * unit, 1.5f * unit,
                         color_fade(theme_color(canvas->palette, THEME_TARGET), 0.8f));
    } else if (is_flag(scene, name)) {
        draw_flag(scene, canvas, at);
    } else {
        draw_marker(canvas, at, marker_unit(scene, style, is_mouse),
                    theme_color(canvas->palette, THEME_TARGET));
    }
}

static void draw_targets(const struct scene *scene, struct canvas *canvas, const struct scene_style *style) {
    const struct frame *frame = scene->frame;
    const vec2 wrap_size = scene_wrap_size(scene);
    for (int tile = 0; tile < tiles_count(wrap_size); tile++) {
        const struct camera camera = tiles_camera(scene->camera, wrap_size, tile);
        for (int32_t i = 0; i < frame->target_count; i++) {
            draw_target(scene, canvas, style, camera_to_window(&camera, frame->targets[i].position),
                        frame->names->target_names.names[frame->targets[i].name]);
        }
    }
    if (scene->has_cursor && is_flag(scene, "mouse")) {
        draw_flag(scene, canvas, scene->cursor);
    } else if (scene->has_cursor) {
        draw_marker(canvas, scene->cursor, scene->pixel_scale, theme_color(canvas->palette, THEME_TARGET));
    }
}

static void draw_cursor(const struct scene *scene, struct canvas *canvas, vec2 at, color fill) {
    static const vec2 tip[3] = {{0.0f, 0.0f}, {0.0f, 15.0f}, {10.5f, 10.5f}};
    const float width = 3.0f * scene->pixel_scale;
    vec2 points[3];
    for (int k = 0; k < 3; k++) {
        points[k] = vec2_add(at, vec2_scale(tip[k], scene->pixel_scale));
    }
    canvas_draw_line(canvas, points[0], points[1], width, theme_color(canvas->palette, THEME_OUTLINE));
    canvas_draw_line(canvas, points[0], points[2], width, theme_color(canvas->palette, THEME_OUTLINE));
    canvas_draw_line(canvas, points[1], points[2], width, theme_color(canvas->palette, THEME_OUTLINE));
    canvas_fill_polygon(canvas, points, 3, fill);
}

/* Where the others point; their names are labels (hud.c). */
static void draw_cursors(const struct scene *scene, struct canvas *canvas) {
    const vec2 wrap_size = scene_wrap_size(scene);
    for (int tile = 0; tile < tiles_count(wrap_size); tile++) {
        const struct camera camera = tiles_camera(scene->camera, wrap_size, tile);
        for (int i = 0; i < scene->server->cursors.count; i++) {
            const struct message_cursor *cursor = &scene->server->cursors.rows[i];
            if (cursor->session != scene->server->session) {
                draw_cursor(scene, canvas, camera_to_window(&camera, vec2_make(cursor->x, cursor->y)),
                            palette_series(canvas->palette, (int)(cursor->session % 8u)));
            }
        }
    }
}

/* Where the selected agent is, in the world; false when nobody knows. */
static bool selected_place(const struct scene *scene, vec2 *place) {
    const int32_t index = frame_find(scene->frame, scene->selection->id);
    const struct message_agent *inspected =
        scene->inspected; /* the frame may be one of a part of the world */
    if (index >= 0) {
        *place = vec2_make(scene->frame->x[index], scene->frame->y[index]);
    } else if (inspected != NULL) {
        *place = vec2_make(inspected->x, inspected->y);
    }
    return index >= 0 || inspected != NULL;
}

/* A selected agent that is beyond the picture or below a panel: a wedge at the edge points to it, the short way. */
static void draw_wedge(const struct scene *scene, struct canvas *canvas) {
    const float unit = scene->pixel_scale, edge = 16.0f * unit;
    const vec2 window = vec2_make((float)canvas->width, (float)canvas->height);
    const vec2 center = camera_room_center(window, scene->margins);
    const vec2 room = vec2_make(0.5f * (window.x - scene->margins.left - scene->margins.right),
                                0.5f * (window.y - scene->margins.top - scene->margins.bottom));
    vec2 place;
    if (room.x <= edge || room.y <= edge || !selected_place(scene, &place)) {
        return;
    }
    place = torus_nearest(place, camera_to_world(scene->camera, center), scene_wrap_size(scene));
    const vec2 way = vec2_sub(camera_to_window(scene->camera, place), center);
    if (fabsf(way.x) > room.x + edge || fabsf(way.y) > room.y + edge) {
        const float beyond = fmaxf(fabsf(way.x) / (room.x - edge), fabsf(way.y) / (room.y - edge));
        const vec2 along = vec2_scale(way, 1.0f / vec2_length(way)), side = vec2_make(-along.y, along.x);
        const vec2 tip = vec2_add(center, vec2_scale(way, 1.0f / beyond));
        const vec2 foot = vec2_sub(tip, vec2_scale(along, 22.0f * unit));
        const vec2 points[3] = {tip, vec2_add(foot, vec2_scale(side, 7.0f * unit)),
                                vec2_sub(foot, vec2_scale(side, 7.0f * unit))};
        for (int k = 0; k < 3; k++) {
            canvas_draw_line(canvas, points[k], points[(k + 1) % 3], 4.0f * unit,
                             theme_color(canvas->palette, THEME_OUTLINE));
        }
        canvas_fill_polygon(canvas, points, 3, theme_color(canvas->palette, THEME_SELECTED));
    }
}

void scene_draw(const struct scene *scene, struct canvas *canvas) {
    assert(scene->camera != NULL && scene->server != NULL && scene->frame != NULL);
    assert(scene->settings != NULL && scene->selection != NULL && scene->pixel_scale > 0.0f);
    draw_ground(scene, canvas);
    if (scene->server->has_scenario && scene->frame->names != NULL) {
        struct scene_style style;
        style_init(scene, &style);
        draw_targets(scene, canvas, &style);
        overlays_draw(scene, canvas, &style);
        draw_twins(scene, canvas, &style);
        draw_crowd(scene, canvas, &style);
        if (scene->has_hovered) {
            draw_ring_at(scene, canvas, scene->hovered,
                         color_fade(theme_color(canvas->palette, THEME_SELECTED), 0.45f), &style);
        }
        if (scene->selection->has_agent) {
            draw_ring_at(scene, canvas, scene->selection->id, theme_color(canvas->palette, THEME_SELECTED),
                         &style);
        }
    }
    draw_cursors(scene, canvas);
    canvas_reset_clip(canvas);
    if (scene->server->has_scenario && server_model_wraps(scene->server)) {
        tiles_dim(canvas, scene->camera, scene_wrap_size(scene), theme_color(canvas->palette, THEME_GROUND));
        draw_border(scene, canvas);
    }
    if (scene->selection->has_agent && scene->server->has_scenario && scene->frame->names != NULL) {
        draw_wedge(scene, canvas);
    }
    if (scene->is_dimmed) {
        canvas_tint(canvas, color_fade(theme_color(canvas->palette, THEME_GROUND), 0.6f));
    }
}
