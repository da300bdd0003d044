/* The copies of a wrapping world around it, as if the plane were tiled with it: what is beyond the border is seen where
 * it is near. Pure.
 *
 * The world itself is copy 0, 0; copy 1, 0 is to the right of it. Copies reach half a world beyond the border: farther
 * away no place is nearer than from the other side.
 */
#ifndef DROVER_VIEWER_DRAW_TILES_H
#define DROVER_VIEWER_DRAW_TILES_H

#include "viewer/draw/canvas.h"
#include "viewer/model/camera.h"

/** Copies in a row: that at the left, the world itself, that at the right. */
enum { TILES_ROW = 3, TILES_COUNT = TILES_ROW * TILES_ROW };

/** How many tiles a world of this size has: 1 when it does not wrap ({0,0}). */
int tiles_count(vec2 wrap_size);
/** Tile number `tile` as a shift, px of the world; tile 0 is the world itself. 0 <= tile < TILES_COUNT */
vec2 tiles_shift(vec2 wrap_size, int tile);
/** The camera for that tile: it shows a place of the world where its copy is. */
struct camera tiles_camera(const struct camera *camera, vec2 wrap_size, int tile);

/** Limits the canvas to the world and what is shown of its copies. */
void tiles_clip(struct canvas *canvas, const struct camera *camera, vec2 wrap_size);
/** Whether a point of the picture, px, is in the world or in what is shown of its copies. */
bool tiles_reach(const struct camera *camera, vec2 wrap_size, vec2 at);
/** Dims what is outside the world's own rectangle a little, and fades it into the ground at the end of its reach. */
void tiles_dim(struct canvas *canvas, const struct camera *camera, vec2 wrap_size, color ground);

#endif
