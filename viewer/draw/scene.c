/* See scene.h. */
#include "viewer/draw/scene.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "viewer/draw/overlays_draw.h"
#include "viewer/draw/palette.h"
#include "viewer/draw/scenery_draw.h"

/* Only lines that are seen, however far in or out. */
static void draw_grid(const struct scene *scene, struct canvas *canvas, vec2 low, vec2 high) {
    const vec2 size = scene->server->scenario.size;
    float step = 100.0f;
    while (step * scene->camera->scale < 40.0f * scene->pixel_scale) {
        step *= 2.0f;
    }
    const float width = fmaxf(roundf(scene->pixel_scale), 1.0f);
    const vec2 first = camera_to_world(scene->camera, vec2_make(0.0f, 0.0f));
    const vec2 last = camera_to_world(scene->camera, vec2_make((float)canvas->width, (float)canvas->height));
    for (float x = fmaxf(floorf(first.x / step) * step, step); x < fminf(size.x, last.x); x += step) {
        const float at = floorf(camera_to_window(scene->camera, vec2_make(x, 0.0f)).x);
        canvas_fill_rect(canvas, vec2_make(at, low.y), vec2_make(at + width, high.y), PALETTE_GRID);
    }
    for (float y = fmaxf(floorf(first.y / step) * step, step); y < fminf(size.y, last.y); y += step) {
        const float at = floorf(camera_to_window(scene->camera, vec2_make(0.0f, y)).y);
        canvas_fill_rect(canvas, vec2_make(low.x, at), vec2_make(high.x, at + width), PALETTE_GRID);
    }
}

static void draw_ground(const struct scene *scene, struct canvas *canvas) {
    canvas_clear(canvas, PALETTE_GROUND);
    if (!scene->server->has_scenario) {
        return;
    }
    /* whole pixels: a border that is one pixel wide must not be smeared over two */
    vec2 low = camera_to_window(scene->camera, vec2_make(0.0f, 0.0f));
    vec2 high = camera_to_window(scene->camera, scene->server->scenario.size);
    low = vec2_make(floorf(low.x), floorf(low.y));
    high = vec2_make(ceilf(high.x), ceilf(high.y));
    const float border = fmaxf(roundf(scene->pixel_scale), 1.0f);
    canvas_fill_rect(canvas, vec2_make(low.x - border, low.y - border),
                     vec2_make(high.x + border, high.y + border), PALETTE_BORDER);
    canvas_fill_rect(canvas, low, high, PALETTE_WORLD);
    if (scene->settings->shows_grid) {
        draw_grid(scene, canvas, low, high);
    }
    scenery_draw(&scene->server->scenario, scene->camera, scene->pixel_scale, canvas);
    if (scene->handle != NULL) {
        scenery_draw_obstacle_handle(&scene->server->scenario, scene->handle, scene->camera,
                                     scene->pixel_scale, canvas);
    }
}

static void style_init(const struct scene *scene, struct scene_style *style) {
    const struct snapshot *names = scene->frame->names;
    struct agents_style *agents = &style->agents;
    const vec2 none = vec2_make(0.0f, 0.0f);
    for (int i = 0; i < names->kind_names.count; i++) {
        const struct message_kind *kind = server_model_kind(scene->server, names->kind_names.names[i]);
        const int number = kind != NULL ? (int)(kind - scene->server->scenario.kinds) : i;
        agents->radius[i] = scene_agent_radius(scene, kind != NULL ? kind->radius : 0.0f);
        agents->shape[i] = palette_shape(number);
        agents->kind_fill[i] = palette_series(number);
        style->max_speed[i] = kind != NULL ? kind->max_speed : 0.0f;
        style->max_force[i] = kind != NULL ? kind->max_force : 0.0f;
    }
    for (int i = 0; i < names->state_names.count; i++) {
        agents->state_fill[i] =
            palette_state((enum palette)scene->settings->palette, names->state_names.names[i]);
    }
    agents->by_kind = scene->settings->colors_by_kind;
    agents->is_held = scene->is_held;
    agents->wrap_size = server_model_wraps(scene->server) ? scene->server->scenario.size : none;
}

static void draw_ring_at(const struct scene *scene, struct canvas *canvas, uint32_t id, color stroke,
                         const struct scene_style *style) {
    const int32_t index = frame_find(scene->frame, id);
    if (index >= 0) {
        const vec2 at = vec2_make(scene->frame->x[index], scene->frame->y[index]);
        const float radius =
            1.35f * style->agents.radius[scene->frame->kind[index]] + 4.0f * scene->pixel_scale;
        canvas_draw_ring(canvas, camera_to_window(scene->camera, at), radius, 1.75f * scene->pixel_scale,
                         stroke);
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
    float speed = 0.0f;
    for (int i = 0; i < scene->server->scenario.kind_count; i++) {
        speed = fmaxf(speed, scene->server->scenario.kinds[i].max_speed);
    }
    if (heat_take(scene->heat, density, speed) == 0) {
        const struct heat_place place = {camera_to_window(scene->camera, corner),
                                         {(float)density->region.width * scale / (float)density->columns,
                                          (float)density->region.height * scale / (float)density->rows}};
        heat_draw(scene->heat, canvas, &place, scene->pixel_scale);
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
        heat_draw(scene->heat, canvas, &place, scene->pixel_scale);
        return;
    }
    agents_draw(canvas, scene->frame, scene->camera, &style->agents);
}

bool scene_pick(const struct scene *scene, vec2 at, float reach_px, uint32_t *id) {
    assert(reach_px >= 0.0f && id != NULL);
    const struct frame *frame = scene->frame;
    float best = INFINITY;
    for (int32_t i = 0; frame->names != NULL && i < frame->count; i++) {
        const vec2 place = camera_to_window(scene->camera, vec2_make(frame->x[i], frame->y[i]));
        const float distance = vec2_length(vec2_sub(place, at));
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

/* A ring, a dot and four ticks. */
static void draw_marker(struct canvas *canvas, vec2 at, float unit, color stroke) {
    static const vec2 directions[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    canvas_draw_ring(canvas, at, 9.0f * unit, 4.0f * unit, color_fade(PALETTE_OUTLINE, 0.6f));
    for (int i = 0; i < 4; i++) {
        canvas_draw_line(canvas, vec2_add(at, vec2_scale(directions[i], 6.0f * unit)),
                         vec2_add(at, vec2_scale(directions[i], 14.0f * unit)), 2.0f * unit, stroke);
    }
    canvas_draw_ring(canvas, at, 9.0f * unit, 2.0f * unit, stroke);
    canvas_fill_disc(canvas, at, 3.0f * unit, stroke);
}

static void draw_targets(const struct scene *scene, struct canvas *canvas) {
    const struct frame *frame = scene->frame;
    const float unit = scene->pixel_scale;
    for (int32_t i = 0; i < frame->target_count; i++) {
        const vec2 at = camera_to_window(scene->camera, frame->targets[i].position);
        const char *name = frame->names->target_names.names[frame->targets[i].name];
        if (scene->has_cursor && strcmp(name, "mouse") == 0) {
            canvas_draw_ring(canvas, at, 14.0f * unit, 1.5f * unit, color_fade(PALETTE_TARGET, 0.8f));
        } else {
            draw_marker(canvas, at, unit, PALETTE_TARGET);
        }
    }
    if (scene->has_cursor) {
        draw_marker(canvas, scene->cursor, unit, PALETTE_TARGET);
    }
}

/* Where the others point; their names are labels (hud.c). */
static void draw_cursors(const struct scene *scene, struct canvas *canvas) {
    static const vec2 tip[3] = {{0.0f, 0.0f}, {0.0f, 15.0f}, {10.5f, 10.5f}};
    for (int i = 0; i < scene->server->cursors.count; i++) {
        const struct message_cursor *cursor = &scene->server->cursors.rows[i];
        const vec2 at = camera_to_window(scene->camera, vec2_make(cursor->x, cursor->y));
        if (cursor->session != scene->server->session) {
            vec2 points[3];
            for (int k = 0; k < 3; k++) {
                points[k] = vec2_add(at, vec2_scale(tip[k], scene->pixel_scale));
            }
            const color fill = palette_series((int)(cursor->session % 8u));
            canvas_draw_line(canvas, points[0], points[1], 3.0f * scene->pixel_scale, PALETTE_OUTLINE);
            canvas_draw_line(canvas, points[0], points[2], 3.0f * scene->pixel_scale, PALETTE_OUTLINE);
            canvas_draw_line(canvas, points[1], points[2], 3.0f * scene->pixel_scale, PALETTE_OUTLINE);
            canvas_fill_polygon(canvas, points, 3, fill);
        }
    }
}

void scene_draw(const struct scene *scene, struct canvas *canvas) {
    assert(scene->camera != NULL && scene->server != NULL && scene->frame != NULL);
    assert(scene->settings != NULL && scene->selection != NULL && scene->pixel_scale > 0.0f);
    draw_ground(scene, canvas);
    if (scene->server->has_scenario && scene->frame->names != NULL) {
        struct scene_style style;
        style_init(scene, &style);
        draw_targets(scene, canvas);
        overlays_draw(scene, canvas, &style);
        if (server_model_wraps(scene->server)) {
            overlays_clip_to_world(scene, canvas);
        }
        draw_crowd(scene, canvas, &style);
        canvas_reset_clip(canvas);
        if (scene->has_hovered) {
            draw_ring_at(scene, canvas, scene->hovered, color_fade(PALETTE_SELECTED, 0.45f), &style);
        }
        if (scene->selection->has_agent) {
            draw_ring_at(scene, canvas, scene->selection->id, PALETTE_SELECTED, &style);
        }
    }
    draw_cursors(scene, canvas);
    if (scene->is_dimmed) {
        canvas_tint(canvas, color_fade(PALETTE_GROUND, 0.6f));
    }
}
