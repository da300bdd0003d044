/* See arrow.h. */
#include "viewer/draw/arrow.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "viewer/explain/theme.h"

/* On a mesh: the picture in the atlas, which knows shapes that are not convex. */
static void draw_sprite(struct canvas *canvas, enum shape shape, vec2 center, float radius, vec2 direction,
                        color fill) {
    const struct sprite_place *place = sprites_place(canvas->sprites, shape, radius);
    const float half = place->half * radius / place->radius;
    const vec2 a = vec2_scale(direction, half), b = vec2_make(-a.y, a.x);
    struct mesh_vertex *vertex = mesh_begin_quads(canvas->mesh, MESH_SPRITES, canvas->clip, 1);
    if (vertex != NULL) {
        const uint32_t tint = mesh_tint(fill);
        vertex[0] =
            (struct mesh_vertex){center.x - a.x - b.x, center.y - a.y - b.y, tint, place->u0, place->v0};
        vertex[1] =
            (struct mesh_vertex){center.x + a.x - b.x, center.y + a.y - b.y, tint, place->u1, place->v0};
        vertex[2] =
            (struct mesh_vertex){center.x + a.x + b.x, center.y + a.y + b.y, tint, place->u1, place->v1};
        vertex[3] =
            (struct mesh_vertex){center.x - a.x + b.x, center.y - a.y + b.y, tint, place->u0, place->v1};
        mesh_end_quads(canvas->mesh, 1);
    }
}

void arrow_draw(struct canvas *canvas, enum shape shape, vec2 center, float radius, vec2 direction,
                color fill, float alpha) {
    assert(radius > 0.0f);
    if (canvas->mesh != NULL) {
        draw_sprite(canvas, shape, center, radius, direction, color_fade(fill, alpha));
        return;
    }
    vec2 points[SHAPE_MAX_POINTS], grown[SHAPE_MAX_POINTS];
    const int count = shapes_outline(shape, center, radius, direction,
                                     sprites_outline_px(canvas->sprites, radius), points, grown);
    raster_fill_polygon(canvas->raster, grown, count,
                        color_fade(theme_color(canvas->palette, THEME_AGENT_OUTLINE), alpha));
    raster_fill_polygon(canvas->raster, points, count, color_fade(fill, alpha));
}

void arrow_draw_vector(struct canvas *canvas, vec2 from, vec2 to, float widest, color stroke) {
    assert(widest > 0.0f);
    const vec2 way = vec2_sub(to, from);
    const float length = vec2_length(way);
    /* a short arrow is a small one: a head alone would be a wedge */
    const float width = fminf(widest, fmaxf(length / 6.0f, 1.0f));
    if (!(length > 2.0f)) {
        return;
    }
    const vec2 along = vec2_scale(way, 1.0f / length);
    const vec2 side = vec2_make(-along.y, along.x);
    const float head = fminf(width * 3.6f, length), half = head * 0.42f;
    const vec2 neck = vec2_sub(to, vec2_scale(along, head));
    const vec2 tip[3] = {vec2_add(neck, vec2_scale(side, -half)), to, vec2_add(neck, vec2_scale(side, half))};
    const float edge = width * 0.35f;
    const color outline = color_fade(theme_color(canvas->palette, THEME_OUTLINE), 0.7f);
    vec2 grown[3];
    shapes_shift_outline(tip, 3, edge, SHAPES_LEAST_COSINE, grown);
    canvas_draw_line(canvas, vec2_sub(from, vec2_scale(along, edge)), vec2_sub(neck, vec2_scale(along, edge)),
                     width + 2.0f * edge, outline);
    canvas_fill_polygon(canvas, grown, 3, outline);
    /* a little into the head: two edges that only meet leave a seam */
    canvas_draw_line(canvas, from, vec2_add(neck, vec2_scale(along, fminf(1.0f, head))), width, stroke);
    canvas_fill_polygon(canvas, tip, 3, stroke);
}
