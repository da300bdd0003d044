/* What a window decides without SDL: its place on the screen, and the tiles of a picture that changed. Pure. */
#ifndef DROVER_VIEWER_PLATFORM_WINDOW_FIT_H
#define DROVER_VIEWER_PLATFORM_WINDOW_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/draw/raster.h"

/* The place of a window on its screen, and the size of its text. Pure; the numbers are the desktop's.
 */

/** A rectangle of the screen, its px. */
struct window_area {
    int32_t x, y, width, height;
};

/** How far the frame around a window reaches, px. */
struct window_border {
    int32_t left, top, right, bottom;
};

/** The window (without its frame) as it is to be, so that it lies with its frame in what the screen has free:
 * where and as large as it is when it fits, else moved, and smaller if it must be. */
struct window_area window_fit(struct window_area window, struct window_border border,
                              struct window_area usable);

/** The size of text and lines, in quarters, 1 or more. dpi: of the desktop's settings or of the screen, 0
 * when unknown: then a 1440th of the height; 96 is 1. It leaves a screen at least 600 lines, since what screens say of their size may be
 * wrong. In full screen, which is looked at from afar, it is at least a 1080th of the height. */
double window_text_scale_for(double dpi, int32_t screen_height, bool is_full_screen);

/** Xft.dpi in X's resources, lines of "name: value", where desktops keep the size of text; 0 when it is not
 * there. */
double window_resources_dpi(const char *resources);

/* Finds the tiles of a picture that differ from the window's content. Pure.
 *
 * The window's own surface has the picture before: comparing and copying a tile costs less than having the
 * display server copy it.
 */

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
