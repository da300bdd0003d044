/* See inspect_overlay.h. */
#include "viewer/draw/inspect_overlay.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "viewer/draw/palette.h"
#include "viewer/explain/behavior_colors.h"
#include "viewer/explain/theme.h"
#include "viewer/model/camera.h"
#include "viewer/model/interpolate.h"

/* Places that move along with the agent; the others keep their place in the world until the next reply. */
static const char *const carried[] = {"circle", "goal", "future", "probe"};

static bool is_carried(const char *what) {
    bool is_found = false;
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++) {
        is_found = is_found || strcmp(what, carried[i]) == 0;
    }
    return is_found;
}

vec2 inspect_overlay_place(const struct message_agent *inspected, const struct message_agent_point *point,
                           vec2 position, vec2 wrap_size) {
    const vec2 place = vec2_make(point->x, point->y), then = vec2_make(inspected->x, inspected->y);
    const vec2 from = is_carried(point->what) ? then : position;
    return vec2_add(position, torus_short_way(vec2_sub(place, from), wrap_size));
}

bool inspect_overlay_has(const struct message_agent *inspected, const char *what) {
    bool is_found = false;
    for (int i = 0; i < inspected->point_count; i++) {
        is_found = is_found || strcmp(inspected->points[i].what, what) == 0;
    }
    return is_found;
}

void inspect_overlay_draw_neighbors(const struct scene *scene, struct canvas *canvas,
                                    const struct pose *pose) {
    assert(scene->inspected != NULL);
    const struct frame *frame = scene->frame;
    const vec2 center = camera_to_window(scene->camera, pose->position);
    for (int i = 0; i < scene->inspected->neighbor_count; i++) {
        const int32_t index = frame_find(frame, scene->inspected->neighbors[i]);
        if (index < 0) {
            continue; /* it left, or is beyond what is sent */
        }
        const vec2 there =
            camera_to_window(scene->camera, torus_nearest(vec2_make(frame->x[index], frame->y[index]),
                                                          pose->position, scene_wrap_size(scene)));
        const struct message_kind *kind =
            server_model_kind(scene->server, frame->names->kind_names.names[frame->kind[index]]);
        const float radius = scene_agent_radius(scene, kind != NULL ? kind->radius : 0.0f);
        canvas_draw_line(canvas, center, there, 1.25f * scene->pixel_scale,
                         color_fade(theme_color(canvas->palette, THEME_NEIGHBOR), 0.7f));
        canvas_draw_ring(canvas, there, 1.2f * radius + 2.0f * scene->pixel_scale, scene->pixel_scale,
                         color_fade(theme_color(canvas->palette, THEME_NEIGHBOR), 0.65f));
    }
}

/* A cross in a dark one: seen over agents and obstacles. */
static void draw_cross(struct canvas *canvas, vec2 at, float unit, color stroke) {
    const float arm = 5.0f * unit;
    for (int pass = 0; pass < 2; pass++) {
        const float width = (pass == 0 ? 4.0f : 2.0f) * unit, reach = pass == 0 ? arm + unit : arm;
        const color c = pass == 0 ? color_fade(theme_color(canvas->palette, THEME_OUTLINE), 0.8f) : stroke;
        canvas_draw_line(canvas, vec2_make(at.x - reach, at.y - reach), vec2_make(at.x + reach, at.y + reach),
                         width, c);
        canvas_draw_line(canvas, vec2_make(at.x - reach, at.y + reach), vec2_make(at.x + reach, at.y - reach),
                         width, c);
    }
}

static void draw_place(const struct scene *scene, struct canvas *canvas,
                       const struct message_agent_point *point, const struct pose *pose) {
    const float unit = scene->pixel_scale, radius = point->radius * scene->camera->scale;
    const vec2 center = camera_to_window(scene->camera, pose->position);
    const vec2 at =
        camera_to_window(scene->camera, inspect_overlay_place(scene->inspected, point, pose->position,
                                                              scene_wrap_size(scene)));
    const color stroke = explain_behavior_color(view_settings_palette(scene->settings), point->behavior);
    canvas_draw_line(canvas, center, at, 1.25f * unit, color_fade(stroke, 0.5f));
    if (radius > 0.0f && radius < 20000.0f) {
        canvas_draw_ring(canvas, at, radius, 1.5f * unit, color_fade(stroke, 0.8f));
    } else {
        draw_cross(canvas, at, unit, stroke);
    }
}

void inspect_overlay_draw_places(const struct scene *scene, struct canvas *canvas, const struct pose *pose) {
    assert(scene->inspected != NULL);
    for (int i = 0; i < scene->inspected->point_count; i++) {
        draw_place(scene, canvas, &scene->inspected->points[i], pose);
    }
}
