/* Finds the tiles of a picture that differ from the window's content. Pure.
 *
 * The window's own surface has the picture before: comparing and copying a tile costs less than having the
 * display server copy it.
 */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_TILES_H
#define DROVER_VIEWER_PLATFORM_WINDOW_TILES_H

#include "viewer/draw/raster.h"

enum {
    WINDOW_TILE_WIDTH = 128,
    WINDOW_TILE_HEIGHT = 32,
    WINDOW_TILES_MOST = 64 /* rectangles; more of them are one */
};

/** The size of the picture that the surface has; 0 for none. Zero-initialize. */
struct window_tiles {
    int32_t width, height;
};

/** Brings the surface up to date.
 *
 * surface  raster->height rows of raster->width pixels, pitch bytes apart
 * changed  room for WINDOW_TILES_MOST: rectangles that cover every pixel that was written; all of the picture
 *          when it has another size than the one before
 * returns  how many */
int window_tiles_copy(struct window_tiles *tiles, const struct raster *raster, void *surface, int32_t pitch,
                      struct raster_rect *changed);

#endif
