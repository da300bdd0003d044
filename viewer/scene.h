/* The world as a picture: ground, grid, agents as arrows, targets, forces. Draws into a raster; knows no SDL.
 */
#ifndef DROVER_VIEWER_SCENE_H
#define DROVER_VIEWER_SCENE_H

#include <stdbool.h>

#include "viewer/camera.h"
#include "viewer/interpolate.h"
#include "viewer/raster.h"
#include "viewer/server_view.h"

#define SCENE_MIN_ARROW_PX 6.0f /* no arrow is drawn with a smaller radius */

struct scene {
    struct camera camera;
    const struct server_view *server;
    const struct frame *frame;
    float pixel_scale; /* picture px per window px (HiDPI): line widths and least sizes grow with it */
    bool shows_forces;
    bool is_dimmed;  /* the picture is old: nobody sends newer ones */
    bool has_cursor; /* the mouse is moving the target named mouse, and is here: */
    vec2 cursor;     /* picture px */
};

void scene_draw(const struct scene *scene, struct raster *raster);

#endif
