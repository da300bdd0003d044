/* Where the world is in the picture: the camera, and short ways around a world that wraps. Pure. */
#ifndef DROVER_VIEWER_MODEL_CAMERA_H
#define DROVER_VIEWER_MODEL_CAMERA_H

#include <stdbool.h>

#include "common/base/vec2.h"

/* The camera: the world's place in the window, as one scale and one shift. Pure.
 *
 * window = world * scale + offset. scale > 0 always, so the way back exists.
 */

struct camera {
    float scale; /* window px per world px */
    vec2 offset; /* window px: where the world's origin is */
};

/** Room that the world must leave free at the sides of the window, window px. */
struct camera_margins {
    float left, top, right, bottom;
};

/** The whole world, as large as fits, in the middle of what the margins leave. Sizes below 1 px count as 1.
 */
struct camera camera_fit(vec2 world_size, vec2 window_size, struct camera_margins margins);
/** How much wider the left margin becomes so that a strip of this width behind it covers nothing of the whole world: 0 where its place in the
 * middle leaves that much, and where the world would lose more than a quarter of its size; at most the strip. Window px. */
float camera_beside(vec2 world_size, vec2 window_size, struct camera_margins margins, float strip);
/** How much wider the right margin becomes so that what lies there covers nothing of the whole world: the strip, or 0 where
 * the world would lose more than half of its size. Window px. */
float camera_clear(vec2 world_size, vec2 window_size, struct camera_margins margins, float strip);
/** A place of the world, px of the world, in the window, window px. */
vec2 camera_to_window(const struct camera *camera, vec2 world);
/** The way back: a point of the window in the world. */
vec2 camera_to_world(const struct camera *camera, vec2 window);

/** The view: the whole world until the user moves it, then a place and a scale, which stay when the window
 * changes its size. */
struct camera_view {
    bool is_free;
    vec2 center; /* px of the world, in the middle of the room; is_free */
    float scale; /* window px per world px; is_free */
};

/** Where the world is for this view. */
struct camera camera_view_place(const struct camera_view *view, vec2 world_size, vec2 window_size,
                                struct camera_margins margins);
/** The picture moves by so many window px. */
void camera_view_pan(struct camera_view *view, const struct camera *camera, vec2 room_center, vec2 moved);
/** Closer (factor > 1) or farther; the world under the point `at` (window px) stays under it. The scale keeps
 * between least and most. */
void camera_view_zoom(struct camera_view *view, const struct camera *camera, vec2 room_center, vec2 at,
                      float factor, float least, float most);
/** Puts this place of the world in the middle. */
void camera_view_center(struct camera_view *view, const struct camera *camera, vec2 world);
/** The whole world again. */
void camera_view_fit(struct camera_view *view);
/** The middle of what the margins leave, window px. */
vec2 camera_room_center(vec2 window_size, struct camera_margins margins);

/* Places and ways of a wrapping world, which is a torus. Pure.
 *
 * size: px of the world; {0,0} for a world that does not wrap, where every place is its only one.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** Whether a world of this size wraps. */
static inline bool torus_wraps(vec2 size) {
    return size.x > 0.0f && size.y > 0.0f;
}

/** A way, px, replaced by the shortest one that ends at the same place of the world. */
vec2 torus_short_way(vec2 way, vec2 size);
/** The copy of a place that is nearest to another point. */
vec2 torus_nearest(vec2 place, vec2 to, vec2 size);
/** The place inside the world, 0 <= x < size.x and 0 <= y < size.y, that a point is a copy of. */
vec2 torus_wrap(vec2 point, vec2 size);

#ifdef __cplusplus
}
#endif

#endif
