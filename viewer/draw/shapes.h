/* The shapes agents have, and the outlines of polygons, as geometry: no pixels. Pure. */
#ifndef DROVER_VIEWER_DRAW_SHAPES_H
#define DROVER_VIEWER_DRAW_SHAPES_H

#include "common/base/vec2.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Each has an outline of its own: kinds differ without color. */
enum shape { SHAPE_DART, SHAPE_TRIANGLE, SHAPE_KITE, SHAPE_SHUTTLE, SHAPE_BARB, SHAPE_BEETLE, SHAPE_COUNT };

enum { SHAPE_MAX_POINTS = 8 };

/** With this least cosine a sharp corner goes at most 2.2 times as far as its edges. */
#define SHAPES_LEAST_COSINE (1.0f / 2.2f)

/** Corners for a radius of 1 and a heading of 0, clockwise on the screen. Static storage. */
const vec2 *shapes_points(enum shape shape, int *count);
/** The corners of a shape turned to direction (length 1), px, and those of its outline, outline_px further
 * out. points and grown have room for SHAPE_MAX_POINTS. Returns how many there are. */
int shapes_outline(enum shape shape, vec2 center, float radius, vec2 direction, float outline_px,
                   vec2 *points, vec2 *grown);

/** Moves every edge of a polygon by so much, outwards where the corners go clockwise on a screen (by < 0:
 * inwards).
 *
 * count         of points, 3 or more
 * least_cosine  of half the turn at a corner: a sharper corner goes no further than by / least_cosine
 * shifted       count entries, not those of `points` */
void shapes_shift_outline(const vec2 *points, int count, float by, float least_cosine, vec2 *shifted);

#ifdef __cplusplus
}
#endif

#endif
