/* See arrow.h. */
#include "viewer/arrow.h"

#include <math.h>

#include "viewer/palette.h"

/* Moves every edge of a polygon (clockwise on screen) outwards; a sharp corner goes at most 2.2 times as far.
 */
static void grow_polygon(const vec2 *points, int count, float by, vec2 *grown) {
    for (int i = 0; i < count; i++) {
        const vec2 before = vec2_sub(points[i], points[(i + count - 1) % count]);
        const vec2 after = vec2_sub(points[(i + 1) % count], points[i]);
        const vec2 n0 = vec2_with_length(vec2_make(before.y, -before.x), 1.0f);
        const vec2 n1 = vec2_with_length(vec2_make(after.y, -after.x), 1.0f);
        const vec2 middle = vec2_with_length(vec2_add(n0, n1), 1.0f);
        const float cosine = fmaxf(vec2_dot(middle, n0), 1.0f / 2.2f);
        grown[i] = vec2_add(points[i], vec2_scale(middle, by / cosine));
    }
}

void arrow_draw(struct raster *raster, vec2 center, float radius, float heading, color fill, float outline_px,
                float alpha) {
    static const vec2 shape[4] = {{1.15f, 0.0f}, {-0.85f, 0.74f}, {-0.55f, 0.0f}, {-0.85f, -0.74f}};
    const vec2 along = {cosf(heading) * radius, sinf(heading) * radius};
    vec2 points[4], grown[4];
    for (int i = 0; i < 4; i++) {
        points[i] = vec2_make(center.x + shape[i].x * along.x - shape[i].y * along.y,
                              center.y + shape[i].x * along.y + shape[i].y * along.x);
    }
    grow_polygon(points, 4, outline_px, grown);
    raster_fill_polygon(raster, grown, 4, color_fade(PALETTE_OUTLINE, alpha));
    raster_fill_polygon(raster, points, 4, color_fade(fill, alpha));
}

void arrow_draw_vector(struct raster *raster, vec2 from, vec2 to, float width, color stroke) {
    const vec2 way = vec2_sub(to, from);
    const float length = vec2_length(way);
    if (!(length > 2.0f)) {
        return;
    }
    const vec2 along = vec2_scale(way, 1.0f / length);
    const vec2 side = {-along.y, along.x};
    const float head = fminf(width * 3.6f, length), half = head * 0.42f;
    const vec2 neck = vec2_sub(to, vec2_scale(along, head));
    const vec2 tip[3] = {vec2_add(neck, vec2_scale(side, -half)), to, vec2_add(neck, vec2_scale(side, half))};
    const float edge = width * 0.35f;
    const color outline = color_fade(PALETTE_OUTLINE, 0.7f);
    vec2 grown[3];
    grow_polygon(tip, 3, edge, grown);
    raster_draw_line(raster, vec2_sub(from, vec2_scale(along, edge)), vec2_sub(neck, vec2_scale(along, edge)),
                     width + 2.0f * edge, outline);
    raster_fill_polygon(raster, grown, 3, outline);
    /* a little into the head: two edges that only meet leave a seam */
    raster_draw_line(raster, from, vec2_add(neck, vec2_scale(along, fminf(1.0f, head))), width, stroke);
    raster_fill_polygon(raster, tip, 3, stroke);
}
