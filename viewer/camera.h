/* Where the world is in the window: one scale and one shift. Pure.
 *
 * window = world * scale + offset. scale > 0 always, so the way back exists.
 */
#ifndef DROVER_VIEWER_CAMERA_H
#define DROVER_VIEWER_CAMERA_H

#include "common/vec2.h"

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
vec2 camera_to_window(const struct camera *camera, vec2 world);
vec2 camera_to_world(const struct camera *camera, vec2 window);

#endif
