/* Draws the scenery: flow arrows, paths, obstacles, walls. Pure. */
#ifndef DROVER_VIEWER_DRAW_SCENERY_DRAW_H
#define DROVER_VIEWER_DRAW_SCENERY_DRAW_H

#include "common/protocol/message.h"
#include "viewer/draw/canvas.h"
#include "viewer/model/camera.h"

/** Draws it all, from the faintest up, to lie under targets and agents. Of a wrapping world the copies around
 * it are drawn too (tiles.h), as far as the canvas's clip rectangle goes. pixel_scale  picture px per window px */
void scenery_draw(const struct message_scenario *scenario, const struct camera *camera, float pixel_scale,
                  struct canvas *canvas);

/** The bright edge of an obstacle that the hand is over or holds. */
void scenery_draw_obstacle_handle(const struct message_scenario *scenario,
                                  const struct obstacle_def *obstacle, const struct camera *camera,
                                  float pixel_scale, struct canvas *canvas);

#endif
